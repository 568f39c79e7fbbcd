"""Calibration: predicted probabilities compared with observed shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, by_rows, read_count
from sparsesolve.data.paragraphs import described_by
from sparsesolve.results.coefficient_table import Tabled
from sparsesolve.results.pictures.axes import on_axes, plot_curves
from sparsesolve.selection.assessment.assess import assess
from sparsesolve.selection.assessment.known_rows import known_classes, read_known_rows
from sparsesolve.selection.measures import SIDED


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Tabled):
    """Predicted probabilities and observed shares, in bins of rows.

    Attributes
    ----------
    predicted : ndarray (B,)
        Mean probability of the rows in each bin, ascending.
    observed : ndarray (B,)
        Their share of the class.
    weights : ndarray (B,)
        The sum of their weights.
    """

    predicted: np.ndarray
    observed: np.ndarray
    weights: np.ndarray

    def _columns(self):
        return {"predicted": self.predicted, "observed": self.observed, "weight": self.weights}

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw observed shares against predicted probabilities."""

        return plot_curves(self.predicted, {"": self.observed},
                           ("Predicted probability", "Observed share"), ax, marker="o",
                           diagonal=True)  # fmt: skip

    def __repr__(self):
        worst = np.abs(self.predicted - self.observed).max()
        return f"<Calibration: {len(self.predicted)} bins, off by {worst:.2g} at most>"


@answers_keywords()
@described_by(assess)
@by_rows("y", "weights", "offset")
def calibration(
    fit: Any,
    X: Any,
    y: Any,
    s: float | str | None = None,
    *,
    n_bins: int = 10,
    target: Any = None,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
) -> Calibration:
    """Compare predicted probabilities with observed shares of a class, in bins of rows.

    Parameters
    ----------
    s : float or, of a cross-validation, "lambda_1se" or "lambda_min"
        Default: lambda_1se of a cross-validation.
    n_bins : int, default 10
        Number of bins, with equally many rows as far as ties allow.
    target : label, default None
        The class; None is the second of two.

    Returns
    -------
    Calibration
        Bins without rows are left out.

    Raises
    ------
    ValueError
        If `s` or a `target` is missing where there is a choice, or the fit has no probabilities;
        and as :func:`assess`.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = X[:, 0] + rng.logistic(size=100) > 0
    >>> found = ss.calibration(ss.path(X, y, family="binomial"), X, y, s=0.05, n_bins=3)
    >>> found.predicted.round(2), found.observed.round(2)
    (array([0.17, 0.35, 0.63]), array([0.12, 0.24, 0.79]))
    """
    rows = read_known_rows(fit, X, y, s, weights, offset, lengths=lengths)
    shares, names = known_classes(rows)
    if np.ndim(rows.lambdas):
        raise ValueError("calibration is at one lambda; give s")
    family, w = rows.family, rows.weights
    if rows.eta is None or family.name in SIDED:
        kind = "max-margin" if rows.eta is None else family.name
        raise ValueError(f"A {kind} fit has no probabilities to calibrate")
    n_bins = read_count("n_bins", n_bins, 1)
    k = _place(names, target)
    mean = family.mean(rows.eta)[..., 0]
    p = mean[:, k] if family.several else (mean if k == 1 else 1.0 - mean)
    edges = np.unique(np.quantile(p, np.linspace(0.0, 1.0, n_bins + 1)[1:-1]))
    bins = np.searchsorted(edges, p, side="left")
    total, predicted, observed = (
        np.bincount(bins, part, len(edges) + 1) for part in (w, w * p, w * shares[:, k])
    )
    filled = total > 0.0
    total, predicted, observed = total[filled], predicted[filled], observed[filled]
    return Calibration(predicted / total, observed / total, total)


def _place(names, target):
    if target is None:
        if len(names) > 2:
            raise ValueError(f"target is missing; give one of {names.tolist()}")
        return 1
    if target not in names.tolist():
        raise ValueError(f"target is {target!r}, which is none of {names.tolist()}")
    return names.tolist().index(target)

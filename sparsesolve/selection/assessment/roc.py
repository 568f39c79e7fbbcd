"""Roc: the receiver operating characteristic of a fit of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import by_rows
from sparsesolve.data.keywords import answers_keywords
from sparsesolve.data.paragraphs import described_by
from sparsesolve.results.coefficient_table import Tabled
from sparsesolve.results.pictures.axes import on_axes, plot_curves
from sparsesolve.results.ranks import ranks
from sparsesolve.selection.assessment.assess import assess
from sparsesolve.selection.assessment.known_rows import read_known_rows
from sparsesolve.selection.measures import class_shares


@dataclass(frozen=True, eq=False, repr=False)
class Roc(Tabled):
    """A receiver operating characteristic: the shares of both classes above each threshold.

    Attributes
    ----------
    thresholds : ndarray (m + 1,)
        Thresholds of the linear predictor, decreasing from inf.
    fpr : ndarray (m + 1,)
        Share of the first class at or above each, from 0 to 1.
    tpr : ndarray (m + 1,)
        Share of the second class, the target.
    auc : float
        Area below the curve: the probability that a target ranks higher; ties count half.
    """

    thresholds: np.ndarray
    fpr: np.ndarray
    tpr: np.ndarray
    auc: float

    def _columns(self):
        return {"threshold": self.thresholds, "fpr": self.fpr, "tpr": self.tpr}

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the share of the target above each threshold against that of the other class."""

        return plot_curves(self.fpr, {f"area {self.auc:.4g}": self.tpr},
                           ("Share of the first class", "Share of the target"), ax,
                           diagonal=True)  # fmt: skip

    def __repr__(self):
        return f"<Roc: {len(self.thresholds)} thresholds, area {self.auc:.4g}>"


@answers_keywords()
@described_by(assess)
@by_rows("y", "weights", "offset")
def roc(
    fit: Any,
    X: Any,
    y: Any,
    s: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
) -> Roc | list[Roc]:
    """Compute the receiver operating characteristic of a fit of two classes.

    Returns
    -------
    Roc
        A list of them if s is a list or None.

    Raises
    ------
    ValueError
        If the fit does not have two classes, or y holds only one.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = X[:, 0] + rng.logistic(size=100) > 0
    >>> curve = ss.roc(ss.path(X, y, family="binomial"), X, y, s=0.1)
    >>> round(curve.auc, 2), curve.thresholds[0], len(curve.fpr)
    (0.81, np.float64(inf), 101)
    """
    rows = read_known_rows(fit, X, y, s, weights, offset, lengths=lengths)
    family, w = rows.family, rows.weights
    if family.classify is None or family.several:
        raise ValueError(f"A {family.name} fit does not have two classes; an ROC needs two")
    if rows.eta is None:
        raise ValueError("This fit only chooses classes; an ROC needs scores of each row")
    shares = (w / w.max())[:, None] * class_shares(family, rows.y)
    if not shares.any(axis=0).all():
        raise ValueError("y holds one class only; an ROC needs rows of both")
    curves = [_roc(column, *shares.T) for column in rows.eta.T]
    return curves if np.ndim(rows.lambdas) else curves[0]


def _roc(eta, first, second):
    rank, thresholds = ranks(eta)
    sums = (np.cumsum(np.bincount(rank, part)[::-1]) for part in (first, second))
    fpr, tpr = (np.append(0.0, part / part[-1]) for part in sums)
    return Roc(np.append(np.inf, thresholds[::-1]), fpr, tpr, float(np.trapezoid(tpr, fpr)))

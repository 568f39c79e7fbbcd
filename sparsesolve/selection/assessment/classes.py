"""Fits of classes on known rows: ROC curves, tables of confusion, and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, by_rows, read_count
from sparsesolve.data.paragraphs import described_by
from sparsesolve.results.coefficient_table import Tabled
from sparsesolve.results.pictures.axes import on_axes, plot_cells, plot_curves
from sparsesolve.results.ranks import ranks
from sparsesolve.selection.assessment.assess import assess
from sparsesolve.selection.assessment.known_rows import known_classes, read_known_rows
from sparsesolve.selection.measures import SIDED, class_shares


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


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Tabled):
    """Weights of rows by their true and predicted class; printed as a table.

    Attributes
    ----------
    counts : ndarray (K, K)
        True class by row, predicted class by column.
    class_names : ndarray (K,)
    """

    counts: np.ndarray
    class_names: np.ndarray

    @property
    def accuracy(self) -> float:
        """The share of weights on the diagonal."""
        return float(self.counts.trace() / self.counts.sum())

    def _columns(self):
        names = self.class_names.tolist()
        return {"true": self.class_names, **dict(zip(names, self.counts.T, strict=True))}

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the table, dark where much of a true class is predicted."""

        return plot_cells(self.counts, self.class_names, self.class_names,
                          ("Predicted class", "True class"), ax)  # fmt: skip

    def __repr__(self):
        return f"<Confusion: {len(self.class_names)} classes, {100 * self.accuracy:.1f}% correct>"

    def __str__(self):
        names = [str(name) for name in self.class_names.tolist()]
        cells = [["true \\ predicted", *names, "total"]]
        for name, row in zip(names, self.counts, strict=True):
            cells.append([name, *(f"{value:.6g}" for value in row), f"{row.sum():.6g}"])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([*lines, f"{100 * self.accuracy:.1f}% correct"])


@answers_keywords()
@described_by(assess)
@by_rows("y", "weights", "offset")
def confusion(
    fit: Any,
    X: Any,
    y: Any,
    s: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
) -> Confusion | list[Confusion]:
    """Count predicted against true classes, or sum their weights.

    Returns
    -------
    Confusion
        A list of them if s is a list or None.

    Raises
    ------
    ValueError
        If the family has no classes; and as :func:`assess`.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = np.where(X[:, 0] + rng.logistic(size=100) > 0, "sick", "well")
    >>> print(ss.confusion(ss.path(X, y, family="binomial"), X, y, s=0.05))
    true \\ predicted  sick  well  total
                sick    24    14     38
                well     7    55     62
    79.0% correct
    """
    rows = read_known_rows(fit, X, y, s, weights, offset, lengths=lengths)
    shares, names = known_classes(rows)
    tables = []
    for codes in rows.codes().T:
        predicted = np.eye(shares.shape[1])[codes]
        tables.append(Confusion((rows.weights[:, None] * shares).T @ predicted, names))
    return tables if np.ndim(rows.lambdas) else tables[0]


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

"""How good a fit is on rows with known responses: measures, ROC, confusion, calibration."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve import checks
from sparsesolve.cv_result import CVPath, path_of
from sparsesolve.interpolation import read_s
from sparsesolve.measures import class_shares, known_measures, read_measure
from sparsesolve.prediction import linear_predictor, path_family, read_rows, with_offset
from sparsesolve.result import Path


@dataclass(frozen=True, eq=False, repr=False)
class Roc:
    """A receiver operating characteristic: what each threshold lets through."""

    thresholds: np.ndarray  #: (m + 1,) of the linear predictor, decreasing from inf
    fpr: np.ndarray  #: (m + 1,) share of the first class at or above each, from 0 to 1
    tpr: np.ndarray  #: (m + 1,) share of the second class, the target
    auc: float  #: area below: the chance that a target ranks higher, ties half

    def __repr__(self):
        return f"<Roc: {len(self.thresholds)} thresholds, area {self.auc:.4g}>"


@dataclass(frozen=True, eq=False, repr=False)
class Confusion:
    """Weights of rows by their class and by the class predicted; printed as a table."""

    counts: np.ndarray  #: (K, K) true class by row, predicted class by column
    class_names: np.ndarray  #: (K,)

    @property
    def accuracy(self) -> float:
        """The share on the diagonal."""
        return float(self.counts.trace() / self.counts.sum())

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


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """Probabilities predicted beside shares observed, in bins of rows."""

    predicted: np.ndarray  #: (B,) mean probability of the rows in each bin, ascending
    observed: np.ndarray  #: (B,) their share of the class
    weights: np.ndarray  #: (B,) the sum of their weights

    def __repr__(self):
        worst = np.abs(self.predicted - self.observed).max()
        return f"<Calibration: {len(self.predicted)} bins, off by {worst:.2g} at most>"


def assess(
    fit: Path | CVPath,
    X: Any,
    y: Any,
    s: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> dict[str, Any]:
    """All measures of a fit on rows with known responses, as glmnet's assess.glmnet.

    Parameters
    ----------
    fit : Path or CVPath
    X, y : array-like
        Rows, new ones or those of the fit, and their responses.
    s : float, array-like (S,) or, of a CVPath, "lambda_1se" or "lambda_min", default None
        None is every lambda of a Path, and lambda_1se of a CVPath.
    weights, offset : array-like, default None
        Of these rows; the offset is required where the fit had one.

    Returns
    -------
    dict of str to float, or to ndarray (S,) where s is a list or None
        "deviance", "mse", "mae", "class", "auc", "C": those that suit the family, with the
        definitions of :func:`cv_path`.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + rng.logistic(size=200) > 0
    >>> fit = ss.path(X[:100], y[:100], family="binomial")
    >>> found = ss.assess(fit, X[100:], y[100:], s=0.05)
    >>> {name: round(value, 2) for name, value in found.items()}
    {'deviance': 1.16, 'class': 0.35, 'mse': 0.41, 'mae': 0.77, 'auc': 0.77}
    """
    family, y, eta, w, single = _read(fit, X, y, s, weights, offset)
    found = {}
    for name in known_measures(family):
        values = read_measure(name, family).score(family, y, eta, w)
        found[name] = float(values[0]) if single else values
    return found


def roc(
    fit: Path | CVPath,
    X: Any,
    y: Any,
    s: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Roc | list[Roc]:
    """The receiver operating characteristic of a fit of two classes.

    Parameters
    ----------
    fit, X, y, s, weights, offset
        As for :func:`assess`.

    Returns
    -------
    Roc
        A list of them where s is a list or None.

    Raises
    ------
    ValueError
        If the fit has not two classes, or y holds one only.

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
    family, y, eta, w, single = _read(fit, X, y, s, weights, offset)
    if family.classify is None or family.several:
        raise ValueError(f"A {family.name} fit has not two classes; an ROC is of two")
    shares = w[:, None] * class_shares(family, y)
    if not shares.any(axis=0).all():
        raise ValueError("y holds one class only; an ROC needs rows of both")
    curves = [_roc(column, *shares.T) for column in eta.T]
    return curves[0] if single else curves


def _roc(eta, first, second):
    thresholds, rank = np.unique(-eta, return_inverse=True)
    sums = (np.cumsum(np.bincount(rank.ravel(), part)) for part in (first, second))
    fpr, tpr = (np.append(0.0, part / part[-1]) for part in sums)
    return Roc(np.append(np.inf, -thresholds), fpr, tpr, float(np.trapezoid(tpr, fpr)))


def confusion(
    fit: Path | CVPath,
    X: Any,
    y: Any,
    s: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Confusion | list[Confusion]:
    """Classes predicted beside true ones, counted or summed by weight.

    Parameters
    ----------
    fit, X, y, s, weights, offset
        As for :func:`assess`.

    Returns
    -------
    Confusion
        A list of them where s is a list or None.

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
    family, y, eta, w, single = _read(fit, X, y, s, weights, offset)
    shares = _shares(family, y)
    tables = []
    for codes in family.classify(eta).T:
        predicted = np.eye(shares.shape[1])[codes]
        tables.append(Confusion((w[:, None] * shares).T @ predicted, _names(fit, shares)))
    return tables[0] if single else tables


def calibration(
    fit: Path | CVPath,
    X: Any,
    y: Any,
    s: float | str | None = None,
    *,
    n_bins: int = 10,
    target: Any = None,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Calibration:
    """Whether rows of a predicted probability p are of the class in a share p of cases.

    Parameters
    ----------
    fit, X, y, s, weights, offset
        As for :func:`assess`; s must be one value.
    n_bins : int, default 10
        Bins of equally many rows, as far as ties allow.
    target : label, default None
        The class; None is the second of two.

    Returns
    -------
    Calibration
        Of as many bins as hold rows.

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
    family, y, eta, w, single = _read(fit, X, y, s, weights, offset)
    shares = _shares(family, y)
    if not single:
        raise ValueError("calibration is at one lambda; give s")
    if family.name == "squared_hinge":
        raise ValueError("A squared_hinge fit has no probabilities to calibrate")
    n_bins = checks.read_count("n_bins", n_bins, 1)
    k = _place(_names(fit, shares), target)
    mean = family.mean(eta)[..., 0]
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


def _shares(family, y):
    shares = class_shares(family, y)
    if shares is None:
        raise ValueError(f"A {family.name} fit has no classes")
    return shares


def _names(fit, shares):
    names = getattr(fit, "path", fit).class_names
    return np.arange(shares.shape[1]) if names is None else names


def _read(fit, X, y, s, weights, offset):
    """Family, y as read, linear predictors, weights, and whether s is a single lambda."""
    path = path_of(fit)
    if fit is not path:
        s = fit.read_s("lambda_1se" if s is None else s)
    s = path.lambdas if s is None else read_s(s)
    family = path_family(path)
    matrix = read_rows(path, X)
    n = matrix.shape[0]
    y = _as_fitted(path, family, y, n)
    w = checks.read_weights(weights, n)
    w = np.ones(n) if w is None else w
    eta = with_offset(path, linear_predictor(path, matrix, s), offset)
    return family, y.values, eta, w if y.counts is None else w * y.counts, s.ndim == 0


def _as_fitted(path, family, y, n):
    """The response of new rows, their labels coded as those of the fit, of which some may miss."""
    if family.name == "cox":  # not by the family, which may hold the strata of other rows
        return checks.Response(checks.read_survival(y, n))
    names = path.class_names
    labels = None if names is None or family.classify is None else checks.label_array(y)
    if labels is None or labels.ndim != 1:
        return family.read(y, n)
    found = checks.read_labels(y, n)
    code = {name: k for k, name in enumerate(names.tolist())}
    strange = [name for name in found[1].tolist() if name not in code]
    if strange:
        raise ValueError(f"y holds the class {strange[0]!r}, which the fit has not: {names}")
    codes = np.array([code[name] for name in found[1].tolist()])[found[0]]
    # every class is read once more, lest the reader miss one, and dropped again
    values = family.read(np.append(codes, np.arange(len(names))), n + len(names)).values
    return checks.Response(values[:n])

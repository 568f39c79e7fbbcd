"""The debiased (desparsified) lasso: an estimate and an interval for every feature.

With z_j the residual of column j on the others in a lasso at lambda_j, r = y - Xb and df = |E|,

    b_j + z_j'r / (z_j'x_j (1 - df/n)),    error  sigma (1 - df/n)^-1/2 |z_j| / |z_j'x_j|.

The bias left is sum over k of M_jk (beta_k - b_k) with |M_jk| = |z_j'x_k / z_j'x_j|, at most
n lambda_j / |z_j'x_j|; the largest is computed and kept. lambda_j is the least of a grid whose
factor |z|^2 / (z'x)^2 is at most 1.25 times that at (log p / n)^1/2.

Generalised linear models: the same with columns h^1/2 (x - mean), h the curvature, and residuals
-F'/h^1/2, without df, twice: the second time from the first estimate of the selected features.

References: Zhang and Zhang (2014); van de Geer, Buhlmann, Ritov, Dezeure (2014); Javanmard and
Montanari (2014); Bellec and Zhang (2022) on df; Dezeure, Buhlmann, Zhang (2017), simultaneous.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from sparsesolve.data import by_rows, read_flag, read_number
from sparsesolve.families import read_family
from sparsesolve.inference.event import predictor
from sparsesolve.inference.nodewise import Nodewise
from sparsesolve.inference.polyhedral import spread_words
from sparsesolve.inference.splitting import own_stream, read_columns
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.paths.options import PathOptions
from sparsesolve.paths.path import solve_path
from sparsesolve.results.doubts import doubts
from sparsesolve.results.fitted_data import FittedData
from sparsesolve.results.intervals import Intervals
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.information import COLLINEAR
from sparsesolve.selection.jobs import read_options, refuse_checkpoint
from sparsesolve.selection.refit import FAMILIES

# The variance factor of a nodewise lasso may exceed that at (log p / n)^1/2 by this factor.
INFLATION = 1.25
# Nodewise lambdas, relative to (log p / n)^1/2.
GRID = np.geomspace(1.0, 0.2, 10)
# Draws of the largest of all statistics.
DRAWS = 2000


class Working(NamedTuple):
    """The model as weighted least squares at a fit."""

    A: np.ndarray  # (n, p) columns h^1/2 (x - mean), of length n^1/2
    size: np.ndarray  # (p,) by which they were divided
    r: np.ndarray  # (n,) residuals
    b: np.ndarray  # (p,) coefficients of the fit
    left: float  # 1 - df/n


@by_rows("y", "weights", "offset", "family")
def debiased(
    X: Any,
    y: Any,
    features: ArrayLike | None = None,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    sigma: float | None = None,
    seed: int | np.random.Generator | None = 0,
    **options: Any,
) -> Intervals:
    """Estimate and test every feature, selected or not, by the debiased lasso.

    Each feature costs a lasso of it on all others: 4 ms at 300 rows of 2,000 features. With at
    least twice as many rows as features, gaussian is least squares, without bias.

    Parameters
    ----------
    X, y
        As in :func:`sparsesolve.path`; X is used as a dense array.
    features : array-like of int or str, default None
        The features to test, by number or name. None: all.
    level : float in (0, 1), default 0.95
        Level of the intervals.
    simultaneous : bool, default False
        Intervals that hold for all these features at once, and p-values that control the
        probability of any false rejection (Westfall and Young).
    sigma : float, default None
        Standard deviation of a gaussian response of weight 1; None takes it from the residuals,
        as sqrt(rss / (n - df)).
    seed : int or numpy Generator, default 0
        Seed of the folds and of simultaneous draws.
    **options
        Options of :func:`sparsesolve.cv_path`, whose fit at lambda_min is corrected: family
        gaussian, binomial, poisson, probit, cloglog or negative_binomial, weights (precisions of
        gaussian, else counts), offset, penalty factors.

    Returns
    -------
    Intervals
        ``leakage`` has for each feature the largest share of another coefficient's error (columns
        of standard deviation 1) that may be left in its estimate.

    Raises
    ------
    ValueError
        For other families and penalties, or a feature that does not exist or is constant.

    References
    ----------
    van de Geer, Buhlmann, Ritov, Dezeure (2014). Zhang, Zhang (2014). Bellec, Zhang (2022).
    Xia, Nan, Li (2021), on generalised linear models.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 120))
    >>> y = X[:, 0] - X[:, 1] + rng.normal(size=80)
    >>> table = ss.inference.debiased(X, y, [0, 1, 2], seed=0)
    >>> table.p_values < 0.05
    array([ True,  True, False])
    """
    level = read_number("level", level, 0.0, 1.0, open_low=True, open_high=True)
    simultaneous, rng = read_flag("simultaneous", simultaneous), own_stream(seed)
    refuse_checkpoint(options, debiased)
    known = {name: options[name] for name in options if name not in (cv_path.__kwdefaults__ or {})}
    known = read_options(known, cv_path)
    family = read_family(known["family"])
    name, penalty = family.name.split("(")[0], known["penalty"]
    if name not in FAMILIES or name == "cox" or penalty is not None:
        what = family.name if penalty is None else type(penalty).__name__
        other = ("split holds for it" if penalty is not None or name == "cox" else
                 "knockoffs takes every family")  # fmt: skip
        raise ValueError(f"debiased corrects a lasso of a single response without risk sets, not "
                         f"{what}; inference.{other}")  # fmt: skip
    doubts(X, y, family)
    matrix, names = read_columns(X, known["feature_names"], dense=True)
    which = _read_features(features, names, matrix.shape[1])
    one = PathOptions(**{**known, "n_lambdas": 1, "lambdas": None})
    data = FittedData(solve_path(matrix, y, one), matrix, y)
    n, p = int((data.weights > 0.0).sum()), matrix.shape[1]
    gaussian = family.name == "gaussian"
    if gaussian and n >= 2 * (p + 1):
        found = _least_squares(matrix, data, which, names)
    else:
        chosen = {**options, "seed": int(rng.integers(2**31))}
        cv = cv_path(matrix, y, **chosen)
        b = cv.path.coefs[:, [cv.index_min]].toarray().ravel()
        found = (_once if gaussian else _twice)(
            matrix, b, cv.path.intercepts[cv.index_min], data, which)  # fmt: skip
    return _table(found, data, which, names, level, simultaneous, sigma, rng)


def _read_features(features, names, p):
    """Return the numbers of features."""
    if features is None:
        return np.arange(p)
    given = np.atleast_1d(np.asarray(features, dtype=object)).tolist()
    at = {} if names is None else {str(name): j for j, name in enumerate(names)}
    for k, name in enumerate(given):
        if isinstance(name, str):
            if name not in at:
                raise ValueError(f"features holds {name!r}, which is not a column of X")
            given[k] = at[name]
    found = np.asarray(given)
    if found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= p:
        raise ValueError(f"features holds {features!r}; give columns, from 0 to {p - 1}, or names")
    return found.astype(np.intp)


def _working(matrix, b, intercept, data, left=1.0):
    """Return the Working model at coefficients."""
    eta = predictor(data, matrix, b, intercept)
    u = data.total * data.loss.at(eta)[1]
    h = data.total * data.loss.curvature_product(eta, np.ones(data.n))
    root = np.sqrt(np.maximum(h, 0.0))
    centre = (h @ matrix) / h.sum() if data.options.get("intercept", True) else 0.0
    A = root[:, None] * (matrix - centre)
    size = np.linalg.norm(A, axis=0) / np.sqrt(len(A))
    r = np.divide(u, root, out=np.zeros_like(u), where=root > 0.0)
    return Working(A / np.where(size > 0.0, size, 1.0), size, r, b, left)


def _corrected(work, which):
    """Return (estimates, factors of their errors, leakages, unit residuals (n, m))."""
    A, found = np.asfortranarray(work.A), []
    n, p = A.shape
    lams = np.sqrt(np.log(max(p, 2)) / n) * GRID
    if not (work.size[which] > 0.0).all():
        j = which[work.size[which] == 0.0][0]
        raise ValueError(f"column {j} is constant on these rows; leave it out of features")
    with one_blas_thread():
        nodewise = Nodewise(A, 4 * len(which) >= p)
        for j in which:
            z = nodewise.residual(j, lams, INFLATION)
            M = z @ A
            step = z @ work.r / (M[j] * work.left)
            leak = np.abs(np.delete(M, j)).max(initial=0.0) / M[j]
            length = np.linalg.norm(z)
            found.append((work.b[j] + step / work.size[j], length / M[j] / work.size[j], leak,
                          z / length))  # fmt: skip
    estimates, factors, leakage, unit = zip(*found, strict=True)
    return np.array(estimates), np.array(factors), np.array(leakage), np.array(unit).T


def _once(matrix, b, b0, data, which):
    """Return the corrected estimates of gaussian, the noise level, and what widens errors."""
    df, n = np.count_nonzero(b) + bool(data.options.get("intercept", True)), data.n_observed()
    if df >= n - 1:
        raise ValueError(f"lambda_min selects {df} features of {n:g} rows, which leaves none to "
                         "correct them; give a larger lambda_min_ratio")  # fmt: skip
    work = _working(matrix, b, b0, data, 1.0 - df / n)
    sigma = np.sqrt(work.r @ work.r / (n - df))
    return *_corrected(work, which), sigma, 1.0 / np.sqrt(work.left)


def _twice(matrix, b, b0, data, which):
    """Return the estimates of two steps, the second from the first on the selected features."""
    support = np.flatnonzero(b)
    if len(support):
        work = _working(matrix, b, b0, data)
        b = b.copy()
        b[support] = _corrected(work, support)[0]
        for _ in range(20 if data.options.get("intercept", True) else 0):
            eta = predictor(data, matrix, b, b0)
            u, ones = data.loss.at(eta)[1], np.ones(data.n)
            b0 += np.clip(u.sum() / data.loss.curvature_product(eta, ones).sum(), -1.0, 1.0)
    work = _working(matrix, b, b0, data)
    spread = work.r @ work.r / max(data.n_observed() - len(support) - 1, 1)
    return *_corrected(work, which), np.sqrt(spread), 1.0


def _least_squares(matrix, data, which, names):
    """Return least squares of all features, in the form of `_corrected`."""
    work = _working(matrix, np.zeros(matrix.shape[1]), 0.0, data)
    kept = np.flatnonzero(work.size > 0.0)
    if not np.isin(which, kept).all():
        raise ValueError("a feature is constant on these rows; leave it out of features")
    A, root = work.A[:, kept], np.sqrt(data.weights)
    Q, R = np.linalg.qr(np.column_stack([root, A]) if data.options.get("intercept", True) else A)
    left = np.abs(np.diag(R))[-len(kept) :] / np.sqrt(len(A))  # outside the columns before
    if left.min() < COLLINEAR:
        j = kept[left.argmin()]
        raise ValueError(f"column {j if names is None else repr(str(names[j]))} is a combination "
                         "of others and the intercept, as one level of a category is; leave it "
                         "out")  # fmt: skip
    solved = np.linalg.solve(R, Q.T)
    at = solved[-len(kept) :][np.searchsorted(kept, which)]  # rows: estimate = row @ r
    sigma = np.sqrt(np.sum((work.r - Q @ (Q.T @ work.r)) ** 2)
                    / (int((data.weights > 0.0).sum()) - len(R)))  # fmt: skip
    length = np.linalg.norm(at, axis=1)
    return (at @ work.r / work.size[which], length / work.size[which], np.zeros(len(which)),
            (at / length[:, None]).T, sigma, 1.0)  # fmt: skip


def _table(found, data, which, names, level, simultaneous, sigma, rng):
    """Return the Intervals of corrected estimates."""
    estimates, factors, leakage, unit, residual, wider = found
    gaussian = data.family.name == "gaussian"
    rule = ("the residuals" if sigma is None else "given") if gaussian else ""
    if sigma is not None and not gaussian:
        raise ValueError(f"sigma is of family='gaussian'; {data.family.name} knows its own")
    level_of_noise = 1.0 if not gaussian else residual if sigma is None else read_number(
        "sigma", sigma, 0.0, np.inf, open_low=True)  # fmt: skip
    doubt = spread_words(data, (residual / level_of_noise) ** 2, data.n_observed() / wider**2)
    residual = level_of_noise
    errors = residual * wider * factors
    t = np.abs(estimates / errors)
    p_values, reach = 2.0 * special.ndtr(-t), special.ndtri(0.5 + level / 2)
    if simultaneous:
        p_values, reach = _stepdown(unit, t, level, rng)
    of = "all intervals together cover" if simultaneous else "each interval covers"
    exact = gaussian and not leakage.any()
    words = [
        f"For many rows, {of} the coefficient{'s' * simultaneous} of the features in the model of "
        f"all {len(names) if names is not None else data.matrix.shape[1]} features with "
        f"probability {100 * level:g} %" + ("." if exact else ", if few have an influence.")
    ]
    words += [f"Least squares of all features, without bias; sigma = {residual:.4g}."] * exact
    if not exact:
        words += [f"The largest share of another coefficient's error left in an estimate is "
                  f"{leakage.max():.2g} (columns of standard deviation 1)."]  # fmt: skip
        words += [f"sigma = {residual:.4g}, {'from ' * (rule != 'given')}{rule}."] * gaussian
    if not gaussian:
        words += ["Intervals of large coefficients of this family are optimistic: they covered "
                  "84 to 85 % where 90 % were asked for."]  # fmt: skip
    words += doubt
    return Intervals(
        names=[f"x{j}" if names is None else str(names[j]) for j in which], features=which,
        estimates=estimates, errors=errors, p_values=p_values, lower=estimates - reach * errors,
        upper=estimates + reach * errors, level=level, method="debiased", words=words,
        sigma=float(residual), sigma_rule=rule, leakage=leakage,
    )  # fmt: skip


def _stepdown(unit, t, level, rng):
    """Return Westfall and Young's p-values, and the quantile of the largest statistic."""
    draws = np.abs(unit.T @ rng.standard_normal((len(unit), DRAWS)))  # (m, DRAWS)
    order = np.argsort(t, kind="stable")
    largest = np.maximum.accumulate(draws[order], axis=0)  # of this and the smaller ones
    p = (1.0 + (largest >= t[order][:, None]).sum(axis=1)) / (1.0 + DRAWS)
    found = np.empty(len(t))
    found[order] = np.maximum.accumulate(p[::-1])[::-1]
    return found, float(np.quantile(largest[-1], level))

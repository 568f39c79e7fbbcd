"""Selective inference at one lambda: estimates given the active set and signs of the lasso.

The polyhedral lemma: with c = Cov e_j / Cov_jj and r = beta - c beta_j, the event M beta >= k says
that beta_j lies between the largest (k - M r)_i / (M c)_i of rows with (M c)_i > 0 and the least
of those with (M c)_i < 0. Given the event and r, beta_j is a truncated normal.

The noise level of a gaussian response is that of the residuals of all features where rows allow
it, else of the lasso at lambda_min of a cross-validation: Reid, Tibshirani, Friedman (2016), "A
study of error variance estimation in lasso regression".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import answers_keywords, by_rows, less_offset, read_number, read_offset
from sparsesolve.families import read_family
from sparsesolve.inference.event import (
    canonical,
    certified,
    refuse_other_events,
    without_intercept,
)
from sparsesolve.inference.truncated import Truncated, intervals, p_values
from sparsesolve.results.cv_path import CVPath, one_lambda, path_of
from sparsesolve.results.fitted_data import FittedData, refuse_lost_limits, with_rows
from sparsesolve.results.intervals import Intervals
from sparsesolve.results.path import Path
from sparsesolve.results.status import warn
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.folds import Rows
from sparsesolve.selection.information import inverse
from sparsesolve.selection.relaxed import options_of

SAME_ROWS = (
    "lambda came from the same rows; the table treats it as fixed beforehand, for which no "
    "theorem exists"
)
# Fewer degrees of freedom than this say too little of a noise level.
FEWEST = 5


@answers_keywords()
@by_rows("y", "weights", "offset")
def selective(
    fit: Path | CVPath,
    X: Any,
    y: Any,
    s: float | str | None = None,
    *,
    level: float = 0.95,
    sigma: float | None = None,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Intervals:
    """Test the features that a lasso selects, given that it selects them with these signs.

    The polyhedral lemma at one lambda: no rows are set aside and nothing is random, but intervals
    can be very long, of infinite expected length; :func:`sparsesolve.inference.carve` avoids that.

    Parameters
    ----------
    fit : Path or CVPath
        A lasso or elastic net, with penalty factors and limits of 0 as it may be, of family
        gaussian, binomial, poisson, cox, probit, cloglog or negative_binomial.
    X, y : array-like
        The data of the fit.
    s : float
        Lambda, chosen before y was seen, on the scale of the path; it is solved exactly. A CVPath
        also takes "lambda_1se" (its default) and "lambda_min", with a warning.
    level : float in (0, 1), default 0.95
        Level of the intervals.
    sigma : float, default None
        Standard deviation of a gaussian response of weight 1. None estimates it: from all
        features if rows less features are at least as many as features, and 20; else by the lasso
        at lambda_min of a cross-validation, as sqrt(rss / (n - df)).
    weights, offset : array-like, default None
        Those of the fit, for a path from a file. Weights count rows; of gaussian they are
        precisions.

    Returns
    -------
    Intervals
        One row for each feature with a nonzero coefficient, on its coefficient in the best fit on
        these features alone.

    Raises
    ------
    ValueError
        If the event is not a polyhedron (other penalties or limits), selected columns are
        collinear, or the active set and signs cannot be certified: then the features in doubt are
        named.

    Warns
    -----
    UserWarning
        If lambda came from the same rows.

    References
    ----------
    Lee, Sun, Sun, Taylor (2016), "Exact post-selection inference, with application to the lasso".
    Taylor and Tibshirani (2018), "Post-selection inference for l1-penalized likelihood models".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 30))
    >>> y = 0.6 * X[:, 0] - 0.4 * X[:, 1] + rng.normal(size=100)
    >>> table = ss.inference.selective(ss.path(X, y), X, y, 0.25, sigma=1.0)
    >>> table.names, table.event, table.p_values.round(4)
    (['x0', 'x1'], 'certified', array([0.    , 0.4098]))
    """
    level = read_number("level", level, 0.0, 1.0, open_low=True, open_high=True)
    path, lam, words = path_of(fit), one_lambda(fit, s), []
    if isinstance(fit, CVPath) and lam in (fit.lambda_1se, fit.lambda_min):
        warn(SAME_ROWS, UserWarning)
        words = [SAME_ROWS[0].upper() + SAME_ROWS[1:] + "."]
    path = with_rows(path, weights, offset)
    refuse_lost_limits(path)
    refuse_other_events(path)
    matrix = canonical(path, X)
    FittedData(path, matrix, y).refuse_others()
    selection = certified(path, lam, matrix, y)
    sigma, rule = noise_level(matrix, y, options_of(path), sigma)
    return _table(selection, level, sigma, rule, words)


def _table(selection, level, sigma, rule, words):
    """Return the Intervals of a certified selection."""
    eta, beta = selection.unpenalised
    H = without_intercept(selection.information(eta), len(beta))
    covariance = sigma**2 * inverse(H)
    lo, hi = limits(covariance, beta, *selection.event())
    words = [*noise_words(selection, sigma, rule), *words]
    return conditional(selection, Truncated(beta, np.diag(covariance), lo, hi), (lo, hi), level,
                       "selective", "", words, sigma, rule)  # fmt: skip


def conditional(selection, law, truncation, level, method, rows, words, sigma, rule):
    """Return the Intervals of the laws of the estimates given the event.

    `truncation` is a pair of limits (q,), (q,); `rows` says in words which rows selected.
    """
    lower, upper = intervals(law, level)
    estimates, errors, lower, upper, lo, hi = (np.ldexp(part, -selection.columns[1]) for part in (
        law.x, law.sd, lower, upper, *truncation))  # fmt: skip
    q = len(estimates)
    long = long_words(lower, upper, errors) if method == "selective" else []
    return Intervals(
        names=selection.names, features=selection.support, estimates=estimates, errors=errors,
        p_values=p_values(law), lower=lower, upper=upper, level=level, method=method,
        words=[
            f"Given that the lasso at lambda = {selection.lam:.4g} chose {these(q)} with "
            f"{'this sign' if q == 1 else 'these signs'}{rows}: " + covers(selection, level),
            *words, *long,
        ],
        sigma=sigma, sigma_rule=rule, event="certified", truncation=np.stack([lo, hi], axis=1),
        lam=selection.lam,
    )  # fmt: skip


def limits(covariance, beta, M, k):
    """Return the ends (q,), (q,) between which M beta >= k holds each coefficient."""
    C = M @ (covariance / np.diag(covariance))  # (rows, q): M c of each
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = beta + (k - M @ beta)[:, None] / C
    lo = np.where(C > 0.0, ends, -np.inf).max(axis=0, initial=-np.inf)
    hi = np.where(C < 0.0, ends, np.inf).min(axis=0, initial=np.inf)
    return lo, hi


def these(m):
    """Return the words for m chosen features."""
    return "this feature" if m == 1 else f"these {m} features"


def covers(selection, level):
    """Return the words for what each interval covers."""
    gaussian = selection.path.family == "gaussian"
    best = "best linear fit" if gaussian else f"best {selection.path.family} fit"
    about = "" if gaussian else ", for many rows,"
    on = "it" if len(selection.support) == 1 else "them"
    return (f"each interval covers{about} the coefficient of the {best} on {on} with probability "
            f"{100 * level:g} %.")  # fmt: skip


def noise_level(matrix, y, options, sigma=None, seed=0):
    """Return (sigma, where it comes from) for the gaussian family; (1.0, "") for another.

    `sigma` is the standard deviation of a response of weight 1, or None to estimate it from all
    rows. `options` are those of path.
    """
    family = read_family(options["family"])
    if family.name != "gaussian":
        if sigma is not None:
            raise ValueError(f"sigma is of family='gaussian'; {family.name} knows its variance")
        return 1.0, ""
    if sigma is not None:
        return read_number("sigma", sigma, 0.0, np.inf, open_low=True, open_high=True), "given"
    rows = Rows(family, matrix, family.read(y, matrix.shape[0]), options)
    kept = rows.weights > 0.0
    n, p = int(kept.sum()), matrix.shape[1] + bool(options["intercept"])
    offset = read_offset(options["offset"], rows.n)
    target = rows.y if offset is None else less_offset(rows.y, offset)
    if n - p >= max(20, p):
        X = matrix[kept]
        X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
        X = np.column_stack([np.ones(n), X - X.mean(axis=0)]) if options["intercept"] else X
        root = np.sqrt(rows.weights[kept])
        b, _, rank, _ = np.linalg.lstsq(X * root[:, None], target[kept] * root, rcond=None)
        left = np.sum((root * (target[kept] - X @ b)) ** 2)
        return float(np.sqrt(left / (n - rank))), "the residuals of all features"
    given = {**options, "lambdas": None, "progress": False, "start": None}
    cv = cv_path(matrix, y, seed=seed, **given)
    df = cv.path.df[cv.index_min] + bool(options["intercept"])
    if n - df < FEWEST:
        raise ValueError(
            f"lambda_min selects {df} features of {n} rows, which leaves too few to estimate the "
            "noise level; give sigma="
        )
    link = cv.path.predict(matrix, cv.lambda_min, "link", offset=options["offset"])
    left = np.sum(rows.weights * (rows.y - link) ** 2)
    return float(np.sqrt(left / (n - df))), "the lasso at lambda_min of a cross-validation"


def noise_words(selection, sigma, rule):
    """Return sentences on the noise level, and on data whose variance the family does not know."""
    data, family = selection.data, selection.path.family
    eta = selection.unpenalised[0]
    degrees = selection.n_rows - selection.columns[0].shape[1]
    u = data.loss.at(eta)[1]
    seen = data.loss.curvature_product(eta, np.ones(data.n))
    words = []
    if family == "gaussian":
        words = [f"sigma = {sigma:.4g}, {'from ' if rule != 'given' else ''}{rule}."]
    kept = seen > 0.0
    spread = data.total * (u[kept] ** 2 / seen[kept]).sum() / degrees / sigma**2
    return words + spread_words(data, spread, degrees, rule == "given")


def spread_words(data, spread, degrees, both=True):
    """Return a sentence if residuals have `spread` times the variance that they should have.

    It is 1 but for 3 standard errors; a smaller one counts if `both`. Of yes and no, of survival
    times and of sizes that are given, residuals say nothing.
    """
    family = data.family.name
    counted = family == "poisson" or family == "binomial" and data.response.counts is not None
    error = 3.0 * np.sqrt(2.0 / max(degrees, 1.0))
    if not (family == "gaussian" or counted) or not (
            spread - 1.0 > error or both and 1.0 - spread > error):  # fmt: skip
        return []
    what = "with this sigma" if family == "gaussian" else f"of the {family} family"
    return [f"Residuals of these features have {spread:.2g} times the variance {what}: if no "
            f"feature is missing, intervals are too {'short' if spread > 1.0 else 'long'}."]


def long_words(lower, upper, errors):
    """Return a sentence where intervals are long because an estimate is next to a limit."""
    if not (upper - lower > 30.0 * errors).any():
        return []
    return ["Long intervals are those of estimates next to the limits of their event; "
            "inference.carve gives shorter ones."]  # fmt: skip

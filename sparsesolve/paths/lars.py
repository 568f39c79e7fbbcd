"""Least angle regression and the lasso path with every knot, from data or from X'X and X'y."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import (
    answers_keywords,
    by_rows,
    read_count,
    read_feature_names,
    read_gram,
    read_penalty_factor,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.paths.assembly import glmnet_factors, read_problem
from sparsesolve.paths.knots import follow_data, follow_knots, read_knot_options, wrap_knots
from sparsesolve.paths.options import Options
from sparsesolve.paths.path import path
from sparsesolve.paths.wrapping import with_encoder
from sparsesolve.penalties import ElasticNet
from sparsesolve.results.doubts import doubts
from sparsesolve.results.knot_path import KnotPath
from sparsesolve.solvers.homotopy.path import GramData
from sparsesolve.solvers.problem.problem import ADVICE, NEAR, Problem


@answers_keywords()
@by_rows("y", "weights", "offset")
@described_by(path)
def lars_path(
    X: Any,
    y: Any,
    *,
    method: str = "lasso",
    positive: bool = False,
    ridge: float = 0.0,
    lambda_min: float = 0.0,
    max_features: int | None = None,
    max_steps: int | None = None,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    intercept: bool = True,
    standardize: bool = True,
    penalty_factor: ArrayLike | None = None,
    tol: float = 1e-7,
    n_threads: int = 1,
    progress: bool = False,
    feature_names: ArrayLike | None = None,
) -> KnotPath:
    r"""Follow the lasso path, or least angle regression, from knot to knot.

    The lasso minimises, for every lambda,

    .. math:: \sum_i w_i (y_i - o_i - b_0 - x_i^\top b)^2 / 2
              + \rho \sum_j v_j b_j^2 / 2 + \lambda \sum_j v_j |b_j|

    with rho = ridge, offsets o, weights w scaled to sum 1, penalty factors v scaled to sum p,
    and b measured on columns of standard deviation 1 if `standardize`. With ridge = 0 this is the
    problem of :func:`sparsesolve.path` with alpha=1. The solution is piecewise linear in lambda.
    The path holds every lambda at which a feature joins or leaves (a knot), and the two ends;
    between them, interpolation is exact.

    Parameters
    ----------
    X : array-like, scipy sparse matrix, numpy.memmap, pandas or polars frame, (n, p)
        Never changed.
    y : array-like (n,)
        Real responses.
    method : {"lasso", "lar"}, default "lasso"
        "lar" is least angle regression: features join and never leave, whatever their sign.
    positive : bool, default False
        Keep coefficients nonnegative; for "lasso".
    ridge : float, default 0.0
        Strength of a ridge penalty that is the same at every lambda. With glmnet's alpha < 1 the
        ridge part shrinks along with lambda, and the path is curved; :func:`sparsesolve.path`
        computes it. Its solution at lambda' and alpha' is the one here at lambda = alpha' lambda'
        and ridge = (1 - alpha') lambda'.
    lambda_min : float, default 0.0
        Last lambda of the path. It is the last point, a knot or not.
    max_features : int, default None
        Stop before more than this many features are active.
    max_steps : int, default None
        Stop after this many knots, not counting the first.
    offset : array-like (n,), default None
        Known part of the linear predictor.
    standardize : bool, default True
        Penalise coefficients of columns divided by their weighted standard deviation (1/n form).
        False is what scikit-learn's ``lars_path`` does.
    penalty_factor : array-like (p,) or mapping from names, default None
        Multiplies lambda and ridge per feature. 0: the feature is unpenalised, and active from
        the start; inf: it never joins.
    tol : float, default 1e-7
        Threshold for each knot's certificate. The path is as exact as rounding allows for any
        `tol`; a knot that misses it is reported.

    Returns
    -------
    KnotPath
        A Path. `gaps` are relative duality gaps: for each knot, the larger of its own and that of
        the path between it and the knot before. The steps of "lar" minimise nothing; its gaps are
        the largest deviation of a correlation from the definition of the path, over the first
        lambda. `n_iters` counts the features that joined or left since the knot before.

    Warns
    -----
    ConvergenceWarning
        Once, with the knots whose certificate misses `tol`.

    Notes
    -----
    If several features reach their bound at one lambda (duplicates, integer designs), those that
    decrease the objective fastest join. A feature that depends on the active ones stays out until
    one of them leaves. With more features than samples, the path to lambda = 0 ends in the fit
    without error that has the smallest l1 norm.

    References
    ----------
    Efron, Hastie, Johnstone, Tibshirani (2004), "Least angle regression". Osborne, Presnell,
    Turlach (2000), "A new approach to variable selection in least squares problems". Bach,
    Jenatton, Mairal, Obozinski (2012), section 6.2.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> fit = ss.lars_path(X, X @ [2.0, 1.0])
    >>> fit.lambdas
    array([2., 1., 0.])
    >>> fit.coef(0.5)
    array([1.5, 0.5])
    """
    options = Options.of(locals(), "X", "y").plain()
    settings = read_knot_options(options, intercept, standardize, n_threads)
    doubts(X, y)
    problem, names, _, scale, given = read_problem(
        X, y, read_family("gaussian"), weights=weights, offset=offset, alpha=1.0,
        penalty_factor=penalty_factor, lower=0.0 if positive else None, upper=None,
        intercept=bool(intercept), standardize=bool(standardize), n_threads=settings["n_threads"],
        names=feature_names,
    )  # fmt: skip
    with one_blas_thread():
        followed = follow_data(problem, settings)
    fit = wrap_knots(problem, followed, options.tol, {
        "null_deviance": problem.null_deviance(*scale), "feature_names": names,
        "options": options.kept(penalty_factor=given["penalty_factor"]), "fitter": lars_path,
    })  # fmt: skip
    return with_encoder(fit, X)


@answers_keywords()
@described_by(lars_path, path)
def lars_path_gram(
    gram: ArrayLike,
    xty: ArrayLike,
    n_samples: int,
    *,
    yty: float | None = None,
    method: str = "lasso",
    positive: bool = False,
    ridge: float = 0.0,
    lambda_min: float = 0.0,
    max_features: int | None = None,
    max_steps: int | None = None,
    penalty_factor: ArrayLike | None = None,
    tol: float = 1e-7,
    progress: bool = False,
    feature_names: ArrayLike | None = None,
) -> KnotPath:
    r"""Follow the path of :func:`sparsesolve.lars_path` from X'X and X'y alone, without the data.

    Minimises, with n = n_samples and rho = ridge,

    .. math:: (b^\top X^\top X b - 2 b^\top X^\top y) / (2n)
              + \rho \sum_j v_j b_j^2 / 2 + \lambda \sum_j v_j |b_j|

    The path has no intercept. Centre (and scale) columns and response before taking the products
    if an intercept (and standardisation) is wanted. Products of floats do not separate columns
    that differ by less than about 3e-9 of their size; such columns count as one.

    Parameters
    ----------
    gram : array-like or frame (p, p)
        X'X, symmetric and positive semidefinite. Never changed.
    xty : array-like (p,)
        X'y.
    n_samples : int
        Number of samples, by which the squared error is divided.
    yty : float, default None
        y'y. Without it `dev_ratio` and `null_deviance` are NaN, and gaps are relative to the
        largest square that one column explains. This is at most y'y, so gaps can only look
        larger. At lambda = 0 the gap is inf if no y has these products with the columns.

    Returns
    -------
    KnotPath

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> ss.paths.lars_path_gram(X.T @ X, X.T @ X @ [2.0, 1.0], 4).coef(0.5)
    array([1.5, 0.5])
    """
    options = Options.of(locals(), "gram", "xty").plain()
    settings = read_knot_options(options, intercept=False, standardize=False, n_threads=1)
    data, problem, names, penalty_factor = read_moments(
        gram, xty, n_samples, yty, penalty_factor, bool(positive), feature_names
    )
    with one_blas_thread():
        followed = follow_knots(data, problem, settings)
    known = yty is not None
    return wrap_knots(problem, followed, options.tol, {
        "null_deviance": problem.null_deviance(float(n_samples), 1.0) if known else np.nan,
        "feature_names": names, "fitter": lars_path_gram,
        "options": options.kept(penalty_factor=penalty_factor),
    })  # fmt: skip


def read_moments(gram, xty, n_samples, yty, penalty_factor, positive, feature_names=None):
    """Return GramData, a Problem without a design, the names of columns and penalty factors, or
    None for either.

    All numbers are divided by powers of two, so that columns and y have size 1. The parameters
    are those of :func:`sparsesolve.paths.lars_path_gram`. Raises ValueError or TypeError with a
    sentence on what is wrong with them.
    """
    n = read_count("n_samples", n_samples, 1)
    G, cross, yty, names = read_gram(gram, xty, yty)
    names = read_feature_names(feature_names, names, len(G))
    penalty_factor = read_penalty_factor(penalty_factor, len(G), labels=names)
    factors, excluded = glmnet_factors(penalty_factor, len(G))
    size = np.sqrt(np.diagonal(G) / n)
    # The root of the square that each column explains.
    explained = np.abs(cross / n) / np.where(size > 0.0, size, 1.0)
    spread = explained.max() if yty is None else np.sqrt(yty / n)
    common, exponent = (int(np.frexp(largest)[1]) for largest in (size.max(), spread))
    if max(abs(common), abs(exponent)) > NEAR:
        raise ValueError(f"gram or yty is of a size that leaves 64-bit floats; {ADVICE}")
    G, cross = np.ldexp(G / n, -2 * common), np.ldexp(cross / n, -common - exponent)
    square = float(np.ldexp(spread, -exponent)) ** 2
    low = np.where(excluded | (size == 0.0) | positive, 0.0, -np.inf)
    high = np.where(excluded | (size == 0.0), 0.0, np.inf)
    problem = Problem(
        design=None, penalty=ElasticNet(len(G), 1.0, factors, low, high), weights=None, loss=None,
        response=None, offset=None, null_intercept=0.0, null_value=0.5 * square,
        unit=exponent + common, factor=np.ones(len(G)), shift=np.full(len(G), exponent - common),
        low=None, high=None, mean=0.0, exponent=exponent, intercept=False, grouped=False,
    )  # fmt: skip
    data = GramData(0.5 * (G + G.T), cross, square, yty is None, n)
    return data, problem, names, penalty_factor

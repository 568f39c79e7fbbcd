"""Cooperative learning: a lasso on several views of the same rows, whose predictions agree."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse

from sparsesolve.data import (
    by_rows,
    nonfinite_error,
    read_design,
    read_feature_names,
    read_flag,
    read_number,
    read_offset,
    read_shares,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.paths.guided import in_columns_of, inner_options
from sparsesolve.paths.options import takes_formula
from sparsesolve.paths.path import path, solve_path
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.penalties.groups import read_groups
from sparsesolve.results.path import Path


@takes_formula
@by_rows("y", "weights", "offset", "family")
@described_by(path)
def cooperative_path(
    X: Any, y: Any = None, views: Any = None, *, data: Any = None, rho: float = 0.5, **options: Any
) -> Path:
    r"""Solve a lasso on several views of the same rows, and penalise their disagreement.

    The columns of X belong to views, such as gene expression and proteins of the same patients.
    With :math:`\eta_v = X_v b_v` of each view, columns centred,

    .. math:: \min_b\; \sum_i \frac{w_i}{2} \Bigl(y_i - \sum_v \eta_{iv}\Bigr)^2
              + \frac{\rho}{2} \sum_i w_i \sum_{u < v} (\eta_{iu} - \eta_{iv})^2
              + \lambda \sum_j |b_j| .

    With rho = 0 it is the lasso on all columns (early fusion). With 1 and two views it is two
    separate lassos, each with half of y (late fusion); above, views are drawn together further.

    Parameters
    ----------
    views : array-like (p,) of labels, list of lists of features, or mapping from names to them
        The view of each column.
    rho : float >= 0, default 0.5
        Weight of the disagreement. Compare several by :func:`sparsesolve.cv_path`.
    **options
        Options of :func:`sparsesolve.path` with squared error, except `penalty`, `grouped`,
        `lower`, `upper`, `start` and `checkpoint`.

    Returns
    -------
    Path
        `gaps` are those of the problem above, relative to its objective at b = 0.

    Notes
    -----
    Each pair of views adds a row with response 0 for each row: with V views the lasso has
    n (1 + V (V - 1) / 2) rows, in dense memory. Cross-validate by
    ``cv_path(X, y, fit=partial(cooperative_path, views=views, rho=0.5))``.

    References
    ----------
    Ding, Li, Narasimhan, Tibshirani (2022), "Cooperative learning for multiview analysis".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> shared = rng.normal(size=(100, 1))
    >>> first, second = (shared + rng.normal(size=(100, 3)) for _ in range(2))
    >>> X, y = np.hstack([first, second]), shared[:, 0] + rng.normal(size=100)
    >>> views = ["genes"] * 3 + ["proteins"] * 3
    >>> fit = ss.paths.cooperative_path(X, y, views, rho=0.5)
    >>> fit.coef(0.1).round(2)
    array([0.12, 0.16, 0.07, 0.14, 0.11, 0.08])
    """
    rho = read_number("rho", rho, 0, np.inf)
    inner = inner_options("cooperative_path", options, own=("views", "rho"))
    if read_family(inner.family).name != "gaussian":
        raise ValueError("cooperative_path has squared error, family='gaussian'")
    intercept = read_flag("intercept", inner.intercept)
    standardize = inner.standardize is None or read_flag("standardize", inner.standardize)
    matrix, found = read_design(X)
    n, p = matrix.shape
    names = read_feature_names(inner.feature_names, found, p)
    response = read_family("gaussian").read(y, n)
    w, _ = read_shares(inner.weights, n, response.counts)
    target = response.values - (0.0 if inner.offset is None else read_offset(inner.offset, n))
    groups = _views(views, p, names)
    dense = matrix.toarray() if scipy.sparse.issparse(matrix) else np.asarray(matrix, dtype=float)
    if not np.isfinite(dense).all():
        raise nonfinite_error(matrix, names)
    means = w @ dense
    centre = means if intercept else np.zeros(p)
    spread = np.sqrt(w @ (dense - means) ** 2) if standardize else np.ones(p)
    scale = np.where(spread > 0.0, spread, 1.0)
    level = float(w @ target) if intercept else 0.0
    A, pairs = _with_agreement((dense - centre) / scale, groups, rho)
    own = _own_problem(inner, w, pairs, p)
    found = solve_path(A, np.r_[target - level, np.zeros(pairs * n)], own, names)
    coefs = scipy.sparse.diags_array(1.0 / scale) @ found.coefs
    found = replace(found, lambdas=found.lambdas * (1 + pairs))
    fit = in_columns_of(
        X, y, found, matrix, coefs, level - centre @ coefs,
        partial(cooperative_path, views=views, rho=rho), weights=inner.weights,
        offset=inner.offset, intercept=intercept, lambdas=inner.lambdas,
        standardize=standardize, lambda_min_ratio=inner.lambda_min_ratio,
    )  # fmt: skip
    warn_missed([fit], inner.tol)
    return fit


def _views(views, p, names):
    """Return the columns of each view."""
    if views is None:
        raise ValueError("views is missing; give the view of each column of X")
    layout = read_groups(views, p, names)
    if layout.n_named < 2:
        raise ValueError("views has one view; give two or more")
    if layout.n_named < len(layout.labels):
        alone = layout.member[layout.start[layout.n_named]]
        shown = alone if names is None else repr(str(names[alone]))
        raise ValueError(f"column {shown} is in no view; give each column one")
    return np.split(layout.member, layout.start[1:-1])


def _with_agreement(X, views, rho):
    """Return X with rows sqrt(rho) (X_v, -X_u) below it for each pair of views, and the pairs."""
    pairs = list(combinations(views, 2)) if rho > 0.0 else []
    A = np.zeros((len(X) * (1 + len(pairs)), X.shape[1]), order="F")
    A[: len(X)] = X
    for k, (u, v) in enumerate(pairs, 1):
        rows = slice(k * len(X), (k + 1) * len(X))
        A[rows, u] = np.sqrt(rho) * X[:, u]
        A[rows, v] = -np.sqrt(rho) * X[:, v]
    return A, len(pairs)


def _own_problem(inner, w, pairs, p):
    """Return the options of the lasso on all rows, whose weights are scaled to sum 1 as well."""
    lambdas = inner.lambdas if inner.lambdas is None else np.asarray(inner.lambdas) / (1 + pairs)
    ratio = inner.lambda_min_ratio
    if ratio is None and lambdas is None:
        ratio = 1e-2 if np.count_nonzero(w) < p else 1e-4
    return inner.plain(
        lambda_min_ratio=ratio, weights=np.tile(w, 1 + pairs), offset=None, intercept=False,
        standardize=False, lambdas=lambdas,
    )  # fmt: skip

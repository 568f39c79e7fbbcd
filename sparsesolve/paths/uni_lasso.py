"""The univariate-guided lasso: a lasso with limits, whose features are univariate predictions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from sparsesolve.data import (
    by_rows,
    nonfinite_error,
    read_design,
    read_flag,
    read_offset,
    read_shares,
    refuse_missing_side,
    refuse_no_event,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.paths.guided import in_columns_of, inner_options
from sparsesolve.paths.options import takes_formula
from sparsesolve.paths.path import path, solve_path
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.results.path import Path

# Newton steps of a univariate fit. A feature that tells classes with certainty has no finite
# slope; so few steps leave it at a moderate one.
STEPS = 8
# A column whose deviation is below this fraction of its mean is constant, and a leverage as near
# to 1 leaves nothing of the other rows.
CONSTANT = 1e-12


@takes_formula
@by_rows("y", "weights", "offset", "family")
@described_by(path)
def uni_lasso_path(
    X: Any, y: Any = None, *, data: Any = None, loo: bool = True, **options: Any
) -> Path:
    r"""Solve the univariate-guided lasso: coefficients keep the signs of univariate fits.

    Each feature is fitted alone, :math:`\hat\eta_j = \hat\beta_{0j} + \hat\beta_j x_j`. Its
    predictions, for each row by a fit without that row, become the features of a lasso without
    negative coefficients,

    .. math:: \min_{\theta_0, \theta \ge 0}\; \sum_i w_i f\Bigl(y_i, \theta_0 + \sum_j \theta_j
              \hat\eta_{ij}^{(-i)}\Bigr) + \lambda \sum_j \theta_j ,

    and :math:`\hat\beta_j \theta_j` is the coefficient of :math:`x_j`. A feature that predicts
    well alone is shrunk less, and no coefficient has another sign than its univariate fit.

    Parameters
    ----------
    loo : bool, default True
        Predict each row without it. Exact for squared error; for other families to first order,
        by the leverage of the row. False takes the fitted values.
    **options
        Options of :func:`sparsesolve.path`, except `penalty`, `grouped`, `lower`, `upper`,
        `standardize`, `start` and `checkpoint`. The family has one response and no kinks.

    Returns
    -------
    Path
        In the columns of X. `lambdas` and `gaps` are those of the lasso in theta.

    Notes
    -----
    The predictions take n p numbers of memory. Cross-validate by
    ``cv_path(X, y, fit=paths.uni_lasso_path)``, which repeats the univariate fits for each fold.

    References
    ----------
    Chatterjee, Hastie, Tibshirani (2025), "Univariate-guided sparse regression". Rad, Maleki
    (2020), "A scalable estimate of the out-of-sample prediction error via approximate
    leave-one-out cross-validation".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> fit = ss.paths.uni_lasso_path(X, 2 * X[:, 0] - X[:, 1] + rng.normal(size=100))
    >>> fit.coef(s=0.1)[:3].round(2)
    array([ 1.92, -1.05, -0.07])
    """
    read_flag("loo", loo)
    inner = inner_options("uni_lasso_path", options, own=("loo",), standardize=False)
    family = read_family(inner.family)
    if family.several or not family.smooth:
        raise ValueError(f"uni_lasso_path takes families of one response without kinks, not "
                         f"{family.name!r}")  # fmt: skip
    matrix, names = read_design(X)
    response = family.read(y, matrix.shape[0])
    w, _ = read_shares(inner.weights, matrix.shape[0], response.counts)
    if family.name == "cox":
        refuse_no_event(response.values, w)
    if family.name == "squared_hinge":
        refuse_missing_side(response.values, w, response.class_names)
    offset = read_offset(inner.offset, matrix.shape[0])
    offset = np.zeros(matrix.shape[0]) if offset is None else offset
    loss = family.loss(response.values, w)
    intercept = bool(inner.intercept) and family.intercept
    centred = intercept or not family.intercept  # only differences of rows matter to cox
    Z, lines = _predictions(matrix, names, loss, w, offset, centred, intercept, loo)
    inner.lower = 0.0
    found = solve_path(Z, y, inner, names)
    found = in_columns_of(
        X, y, found, matrix, scipy.sparse.diags_array(lines[1]) @ found.coefs,
        found.intercepts + lines[0] @ found.coefs, partial(uni_lasso_path, loo=loo),
    )  # fmt: skip
    warn_missed([found], inner.tol)
    return found


def _predictions(matrix, names, loss, w, offset, centred, intercept, loo):
    """Return the univariate predictions (n, p), and the intercepts and slopes (2, p)."""
    n, p = matrix.shape
    Z, lines = np.zeros((n, p), order="F"), np.zeros((2, p))
    start = _newton(np.ones((n, 1)), loss, offset, np.zeros(1))[0][0] if intercept else 0.0
    for j in range(p):
        x = matrix[:, [j]].toarray() if scipy.sparse.issparse(matrix) else matrix[:, [j]]
        x = np.asarray(x[:, 0], dtype=float)
        mean = float(w @ x)
        if not np.isfinite(mean):
            raise nonfinite_error(matrix, names)
        x = x - mean if centred else x
        if w @ x**2 <= CONSTANT**2 * mean**2:
            continue
        A = np.column_stack([np.ones(n), x]) if intercept else x[:, None]
        b, H, eta, u = _newton(A, loss, offset, np.r_[[start] * intercept, 0.0])
        Z[:, j] = A @ b
        if loo:
            lever = np.einsum("ij,ij->i", A, np.linalg.solve(H, A.T).T)  # times h: the leverage
            left = 1.0 - lever * loss.curvature_at(eta)
            Z[:, j] -= np.divide(lever * u, left, out=np.zeros(n), where=left > CONSTANT)
        lines[:, j] = b[0] - b[-1] * mean if intercept else 0.0, b[-1]
    return Z, lines


def _newton(A, loss, offset, b):
    """Return the minimiser b of loss(offset + A b), and the Hessian, eta and u = -loss' there."""
    eta = offset + A @ b
    value, u = loss.at(eta)
    for k in range(STEPS + 1):
        H = A.T @ np.column_stack([loss.curvature_product(eta, a) for a in A.T])
        step = np.linalg.lstsq(H, A.T @ u)[0]
        if k == STEPS or not step @ (A.T @ u) > 1e-15 * (value - loss.saturated):  # of rounding
            break
        for _ in range(STEPS):
            new = offset + A @ (b + step)
            below, slope = loss.at(new)
            if below <= value:
                break
            step = 0.5 * step
        else:
            break
        b, eta, value, u = b + step, new, below, slope
    return b, H, eta, u

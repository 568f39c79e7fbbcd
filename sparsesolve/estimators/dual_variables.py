"""Dual variables of a fitted linear model with a ridge penalty, and its support vectors.

    minimise over b, b0   sum_i w_i f(y_i, x_i'b + b0) + lam |b|^2 / 2,      lam b = X'u

u is minus the derivative of the loss. At a kink of the loss it is an interval. The gap bounds the
distance to the optimum, |b - optimum| <= sqrt(2 gap / lam), and so says which rows may lie on a
kink. Their u follow from lam b = X'u and sum u = 0 by least squares within bounds.
"""

import numpy as np
from scipy import sparse
from scipy.optimize import lsq_linear

# A row within this relative distance of a kink lies on it, whatever the gap.
NEAR = 1e-9
# A value within this fraction of its interval from an end counts as the end: the interior method
# stops short of it.
AT_BOUND = 1e-7
# With at most this many values, the rows on kinks are copied to a dense array.
DENSE = 4_000_000


def dual_variables(loss, X, coef, intercept, lam, gap, balanced):
    """Return u / lam, (n,): the coefficients of the rows of X in coef.

    loss : a Loss of the package with weights of sum 1
    gap : of the objective
    balanced : True if an unpenalised intercept makes u sum to 0
    """
    eta = np.asarray(X @ coef, dtype=float) + intercept
    if loss.smooth:
        return loss.at(eta)[1] / lam
    squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    reach = 2.0 * np.sqrt(2.0 * max(gap, 0.0) / lam) * np.sqrt(np.asarray(squares).ravel())
    reach += NEAR * (1.0 + np.abs(eta))
    low, high = np.array(loss.at(eta + reach)[1]), np.array(loss.at(eta - reach)[1])
    on = np.flatnonzero(high > low)
    if len(on):
        low[on] = _on_kinks(X, coef, lam, low, high, on, balanced)
    return low / lam


def _on_kinks(X, coef, lam, u, high, on, balanced):
    """Return u of the rows `on`; those of the other rows are known."""
    rest = u.copy()
    rest[on] = 0.0
    wanted = lam * coef - X.T @ rest
    rows = X[on]
    size = np.sqrt(lam)
    if sparse.issparse(rows) and rows.shape[0] * rows.shape[1] > DENSE:
        system = sparse.csr_array(rows.T)
        if balanced:
            system = sparse.vstack([system, np.full((1, len(on)), size)]).tocsr()
    else:
        system = (rows.toarray() if sparse.issparse(rows) else np.asarray(rows, dtype=float)).T
        if balanced:
            system = np.vstack([system, np.full((1, len(on)), size)])
    if balanced:
        wanted = np.append(wanted, -size * rest.sum())
    scale = high[on] - u[on]  # in these units the unknowns are between 0 and 1
    wanted = wanted - system @ u[on]
    system = system * scale if not sparse.issparse(system) else system @ sparse.diags_array(scale)
    unit = max(float(np.abs(wanted).max(initial=0.0)), np.finfo(float).tiny)
    found = lsq_linear(system / unit, wanted / unit, (0.0, 1.0), tol=1e-14, max_iter=200)
    share = found.x
    share[share < AT_BOUND], share[share > 1.0 - AT_BOUND] = 0.0, 1.0
    return u[on] + scale * share

"""A dual point that is orthogonal to what nothing holds back."""

import numpy as np

EPSILON = np.finfo(np.float64).eps
RANK = 1e-13  # eigenvalue, relative, that is rounding
ORTHOGONAL = 1e-11  # of the size of the terms: a product with the dual point that is rounding


def clear(loss, eta, u, columns, free=None):
    """u less H (a combination of the columns), so that it is orthogonal to them.

    H is the curvature of the loss at eta: a dual Newton step, which stays in the domain of the
    conjugate as shrinking does.

    Parameters
    ----------
    loss : Loss with a conjugate; of one response it has a diagonal curvature
    eta, u : (n,) or (K, n)
    columns : (n, f)
        Those that nothing holds back, a constant for the intercept among them.
    free : (K, f) booleans, default None
        Of K responses: for which of them nothing does; None means for all.

    Returns
    -------
    dual : (n,) or (K, n)
    missing : float
        What a step along these columns might still gain, which the gap at `dual` does not see:
        inf where it is not orthogonal but for rounding, and there is no certificate.
    """
    if eta.ndim == 1:
        dual, missing = _clear_one(loss.curvature_at(eta), u, columns)
    else:
        free = np.ones((len(eta), columns.shape[1]), dtype=bool) if free is None else free
        dual, missing = _clear_responses(loss, eta, u, columns, free), 0.0
    left, size = np.abs(dual @ columns), np.abs(u) @ np.abs(columns)
    if eta.ndim == 2:
        left, size = left[free], size[free]
    return dual, np.inf if (left > ORTHOGONAL * size).any() else missing


def _clear_one(h, u, columns):
    """Of one response; along nearly dependent columns a product that is rounding may stand for
    much, which is what is missing."""
    gram = columns.T @ (h[:, None] * columns)
    size = np.sqrt(np.diag(gram))
    size[size == 0.0] = 1.0
    level, axes = np.linalg.eigh(gram / np.outer(size, size))
    most = level.max(initial=0.0)
    kept = level > RANK * most
    along = axes[:, kept].T @ (columns.T @ u / size) / level[kept]
    dual = u - h * (columns @ (axes[:, kept] @ along / size))
    left = axes.T @ (columns.T @ dual / size)
    floor = np.maximum(level, EPSILON * most)
    return dual, 0.5 * float(np.sum(left[floor > 0.0] ** 2 / floor[floor > 0.0]))


def _clear_responses(loss, eta, u, columns, free):
    """Of K responses, whose curvature ties them: by a combination (K, f), 0 where not free."""
    units = np.eye(free.size)[free.ravel()].reshape(-1, *free.shape)
    bent = np.stack([loss.curvature_product(eta, unit @ columns.T) for unit in units])
    gram = (bent @ columns)[:, free]
    found = np.linalg.lstsq(gram, (u @ columns)[free], rcond=1e-13)[0]
    return u - np.tensordot(found, bent, 1)

"""A dual point that is orthogonal to the unpenalised columns.

    dual = u - H A c,    A'dual = 0,    H = F''(eta),    A the unpenalised columns and a constant

Given: a residual u = -F'(eta). Returned: the dual point, and what a step along A may still gain.
Invariant: the dual point is in the domain of F*.

Reference: Bach et al. 2012, section 1.4; the step is Newton's method on the dual.
"""

import numpy as np

from sparsesolve.solvers.costs.rounding import CENTRED, CURVATURE_RANK, ORTHOGONAL_TERMS

EPSILON = np.finfo(np.float64).eps
# Rounds in which samples are put to the ends of their slopes; each fixes some of them for good.
ROUNDS = 20
# Newton steps of a projection: some ten suffice, as each settles which samples are at their ends.
PROJECTIONS = 60
# The curvature of samples at their ends, relative to that of others, in these steps.
DAMPING = 1e-6
# The least part of such a step that is tried.
SHORTEST = 1e-9


def clear(loss, eta, u, columns, free=None):
    """Return u less H times a combination of the columns, orthogonal to them.

    H is the curvature of the loss at eta. This is a dual Newton step; it usually stays in the
    domain of the conjugate. Samples that leave the domain are put to its end: if unpenalised
    columns predict some responses with certainty, these samples end there.

    Parameters
    ----------
    loss : Loss
    eta, u : (n,) or (K, n)
    columns : (n, f)
        Unpenalised columns, a constant for the intercept among them.
    free : (K, f) bool, or None for all
        In which responses they are unpenalised.

    Returns
    -------
    dual : (n,) or (K, n)
    missing : float
        The possible gain of a step along these columns, which the gap at `dual` does not see.
        It is inf if `dual` is not orthogonal up to rounding: then there is no certificate.
    """
    if columns.shape[1] == 0:
        return u.copy(), 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # Beyond floats there is no certificate.
        if eta.ndim == 1:
            dual, missing = _clear_within(loss, eta, u, columns)
        else:
            dual, missing = _clear_responses(loss, eta, u, columns, free)
        terms = ORTHOGONAL_TERMS * np.abs(u) + CENTRED * loss.curvature_at(eta)
        left, size = np.abs(dual @ columns), terms @ np.abs(columns)
        astray = ~(left <= size)  # NaN counts too.
        astray = (astray if free is None else astray & free).any() or missing == np.inf
        if eta.ndim == 1 and loss.ends is not None and np.isfinite(u).all():
            low, high = loss.ends
            if astray or ((dual < low) | (dual > high)).any():
                return projected(u, low, high, columns, 1.0 + float(np.abs(eta).max()))
    return dual, np.inf if astray else missing


def projected(u, low, high, columns, far):
    """Return the point nearest to u that is within its ends and orthogonal to the columns A.

    It minimises sum_i (x_i - u_i)^2 / (2 s_i) over low <= x <= high with A'x = 0, where s_i is
    the length of an interval: x(nu) = clip(u - s A nu, low, high). Newton steps find the
    multipliers nu, at which the concave dual function has the slope A'x = 0. A column whose
    samples are all at their ends has no curvature, but for that of `DAMPING`.

    Parameters
    ----------
    u, low, high : (n,), low <= 0 <= high
    columns : (n, f)
    far : float
        A size of linear predictors, on which the rounding that is left in A'x counts.

    Returns
    -------
    dual, missing : as of `clear`
    """
    sizes = np.abs(columns)
    if not np.isfinite(np.square(sizes.sum(axis=0))).all():
        return u, np.inf
    length = high - low
    usual = np.mean(length[np.isfinite(length)]) if np.isfinite(length).any() else 1.0
    s = np.where(np.isfinite(length), length, usual)

    def at(nu):
        x = np.clip(u - s * (columns @ nu), low, high)
        moved = np.divide((x - u) ** 2, s, out=np.zeros_like(s), where=s > 0.0)
        left = x @ columns
        return x, left, 0.5 * float(moved.sum()) + float(left @ nu)

    nu = np.zeros(columns.shape[1])
    x, left, value = at(nu)
    for _ in range(PROJECTIONS):
        terms = np.abs(x) @ sizes
        if (np.abs(left) <= EPSILON * terms).all():
            break
        weights = s * np.where((low < x) & (x < high), 1.0, DAMPING)
        step, t = Curvature(columns.T @ (weights[:, None] * columns)).solve(left), 1.0
        new = at(nu + step)
        half = 0.5 * np.abs(left)
        while t > SHORTEST and not (new[2] > value or (np.abs(new[1]) <= half).all()):
            t *= 0.5
            new = at(nu + t * step)
        if t <= SHORTEST:
            break
        nu, (x, left, value) = nu + t * step, new
    if not (np.abs(left) <= ORTHOGONAL_TERMS * (np.abs(x) @ sizes)).all():
        return x, np.inf
    return x, far * float(np.sum(np.abs(left) / np.maximum(sizes.max(axis=0), 1e-300)))


def along_columns(loss, eta, u, columns):
    """Return a Newton step (K, f) of coefficients of the columns, and its expected gain."""
    u = np.atleast_2d(u)
    if eta.ndim == 1:
        gram = columns.T @ times_curvature(loss, eta, columns)
    else:
        gram = _gram_of_responses(loss, eta, columns)
    pull = (u @ columns).ravel()
    if not np.isfinite(gram).all():
        return np.full((len(u), columns.shape[1]), np.inf), np.inf
    step = Curvature(gram).solve(pull)
    return step.reshape(len(u), -1), 0.5 * float(pull @ step)


def _gram_of_responses(loss, eta, columns):
    """Return inner products under H of the columns in each of K responses, (K f, K f)."""
    (K, n), f = eta.shape, columns.shape[1]
    H = [loss.curvature_product(eta, np.outer(row, np.ones(n))) for row in np.eye(K)]
    gram = np.empty((K, f, K, f))
    for k in range(K):
        for j in range(k + 1):
            gram[k, :, j] = columns.T @ (H[k][j][:, None] * columns)
            gram[j, :, k] = gram[k, :, j].T
    return gram.reshape(K * f, K * f)


def times_curvature(loss, eta, columns):
    """Return H times the columns, (n, f)."""
    if not loss.coupled:
        return loss.curvature_at(eta)[:, None] * columns
    return np.stack([loss.curvature_product(eta, column) for column in columns.T], axis=1)


def _clear_within(loss, eta, u, columns):
    """Clear one response; samples that leave the range of their slopes are put to its end."""
    weighted = times_curvature(loss, eta, columns)
    dual, missing = _clear_one(weighted, u, columns)
    ends = loss.ends
    if ends is None:
        return dual, missing
    low, high = ends
    for _ in range(ROUNDS):
        out = (dual < low) | (dual > high)
        if missing == np.inf or not out.any():  # The latter is usual.
            break
        u, weighted = np.where(out, np.clip(dual, low, high), u), np.where(out[:, None], 0.0,
                weighted)
        dual, missing = _clear_one(weighted, u, columns)
    return dual, missing


def _clear_one(weighted, u, columns):
    """Clear one response.

    Along nearly dependent columns a product that is rounding may stand for much, which is
    missing.
    """
    gram = columns.T @ weighted
    if not np.isfinite(gram).all():
        return u.copy(), np.inf
    curvature = Curvature(gram)
    dual = u - weighted @ curvature.solve(columns.T @ u)
    return dual, curvature.missing(columns.T @ dual)


def _clear_responses(loss, eta, u, columns, free):
    """Clear K responses, whose curvature couples them: a combination (K, f)."""
    K, f = len(eta), columns.shape[1]
    mask = np.ones(K * f, dtype=bool) if free is None else free.ravel()
    gram = _gram_of_responses(loss, eta, columns)[np.ix_(mask, mask)]
    if not np.isfinite(gram).all():
        return u, np.inf
    curvature = Curvature(gram)
    size = (np.abs(u) @ np.abs(columns)).ravel()[mask]
    for _ in range(2):  # The second time removes what rounding left.
        step = np.zeros(K * f)
        step[mask] = curvature.solve((u @ columns).ravel()[mask])
        u = u - loss.curvature_product(eta, step.reshape(K, f) @ columns.T)
    left = (u @ columns).ravel()[mask]
    return u, 0.0 if (np.abs(left) <= ORTHOGONAL_TERMS * size).all() else curvature.missing(left)


class Curvature:
    """Curvature along some directions, scaled to a unit diagonal; flat ones are left alone."""

    def __init__(self, gram):
        size = np.sqrt(np.maximum(np.diag(gram), 0.0))
        self.size = np.where(size == 0.0, 1.0, size)
        self.level, self.axes = np.linalg.eigh(gram / np.outer(self.size, self.size))
        self.most = self.level.max(initial=0.0)

    def solve(self, pull):
        """Return the step that removes the pull."""
        kept = self.level > CURVATURE_RANK * self.most
        along = self.axes[:, kept].T @ (pull / self.size) / self.level[kept]
        return self.axes[:, kept] @ along / self.size

    def missing(self, left):
        """Return the gain that a step on the rest of the pull could have."""
        floor = np.maximum(self.level, EPSILON * self.most)
        along = self.axes.T @ (left / self.size)
        return 0.5 * float(np.sum(along[floor > 0.0] ** 2 / floor[floor > 0.0]))

"""A slow solver and a certificate for K responses, in numpy, sharing nothing with the package.

    minimise over b0 (K,), B (K, p)
        sum_i w_i loss(y_i, o_i + b0 + B z_i) + lam sum_j v_j Omega(B_j)
"""

import numpy as np
from scipy import special


def loss(family, Y, w, eta):
    """F (float) and its gradient (K, n) at eta (K, n); Y (n, K)."""
    if family == "multigaussian":
        return 0.5 * np.sum(w * (eta - Y.T) ** 2), w * (eta - Y.T)
    value = -np.sum(w * Y.T * special.log_softmax(eta, axis=0))
    return value, w * (special.softmax(eta, axis=0) - Y.T)


def penalty(B, lam, v, alpha, grouped):
    """lam Omega(B)."""
    one = np.sqrt((B**2).sum(axis=0)) if grouped else np.abs(B).sum(axis=0)
    return lam * np.sum(v * (alpha * one + 0.5 * (1 - alpha) * (B**2).sum(axis=0)))


def prox(B, step, lam, v, alpha, grouped, low, high):
    """argmin |X - B|^2 / (2 step) + lam Omega(X), low <= X <= high."""
    t = step * lam * v
    if grouped:
        norms = np.sqrt((B**2).sum(axis=0))
        shrunk = B * np.maximum(0.0, 1 - alpha * t / np.where(norms > 0, norms, np.inf))
    else:
        shrunk = np.sign(B) * np.maximum(np.abs(B) - alpha * t, 0.0)
    return np.clip(shrunk / (1 + (1 - alpha) * t), low[:, None].T, high[:, None].T)


def accelerated(gradient, prox, start, h, steps, quiet=1e-12):
    """Proximal gradient steps of length 1 / h with momentum, which ends where they turn back."""
    at = ahead = start
    momentum, still = 1.0, 0
    for _ in range(steps):
        new = prox(ahead - gradient(ahead) / h)
        if np.vdot(ahead - new, new - at) > 0:
            momentum = 1.0
        following = 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
        still = still + 1 if np.abs(new - at).max() < quiet else 0
        ahead = new + (momentum - 1) / following * (new - at)
        at, momentum = new, following
        if still > 20:
            break
    return at


def solve(Z, Y, lam, *, family, grouped=False, alpha=1.0, w=None, v=None, offset=None,
          intercept=True, low=None, high=None, steps=60_000):  # fmt: skip
    """Accelerated proximal gradient; returns (objective, b0, B)."""
    n, p = Z.shape
    K = Y.shape[1]
    w = np.full(n, 1 / n) if w is None else w
    v = np.ones(p) if v is None else v
    offset = np.zeros((K, n)) if offset is None else offset
    low = np.full(p, -np.inf) if low is None else low
    high = np.full(p, np.inf) if high is None else high
    A = np.hstack([np.full((n, 1), float(intercept)), Z])
    v, low, high = np.append(0.0, v), np.append(-np.inf, low), np.append(np.inf, high)
    h = np.linalg.eigvalsh(A.T @ (w[:, None] * A)).max()
    h *= 1.0 if family == "multigaussian" else 0.5
    B = accelerated(lambda B: loss(family, Y, w, offset + B @ A.T)[1] @ A,
                    lambda B: prox(B, 1 / h, lam, v, alpha, grouped, low, high),
                    np.zeros((K, p + 1)), h, steps)  # fmt: skip
    value = loss(family, Y, w, offset + B @ A.T)[0] + penalty(B, lam, v, alpha, grouped)
    return value, B[:, 0], B[:, 1:]


def objective(Z, Y, lam, b0, B, *, family, grouped=False, alpha=1.0, w=None, v=None, offset=None,
              **limits):  # fmt: skip
    """P(b0, B)."""
    n, p = Z.shape
    w = np.full(n, 1 / n) if w is None else w
    eta = b0[:, None] + B @ Z.T + (0.0 if offset is None else offset)
    v = np.ones(p) if v is None else v
    return loss(family, Y, w, eta)[0] + penalty(B, lam, v, alpha, grouped)


def certificate(Z, Y, lam, b0, B, *, family, grouped=False, alpha=1.0, w=None, v=None,
                offset=None, intercept=True, **limits):  # fmt: skip
    """P - D without limits, D at the residual made orthogonal to free columns by least squares.

    The projection is unlike the package's: in the plain metric. It leaves the simplex by less than
    rounding where the free columns are all but solved.
    """
    n, p = Z.shape
    w = np.full(n, 1 / n) if w is None else w
    v = np.ones(p) if v is None else v
    eta = b0[:, None] + B @ Z.T + (0.0 if offset is None else offset)
    value, gradient = loss(family, Y, w, eta)
    free = Z[:, v == 0]
    if intercept:
        free = np.hstack([np.ones((n, 1)), free])
    u = -gradient
    if free.shape[1]:
        weighted = w[:, None] * free
        u = u - np.linalg.lstsq(free.T @ weighted, free.T @ u.T, rcond=None)[0].T @ weighted.T
    C, t = u @ Z, lam * v
    sizes = np.sqrt((C**2).sum(axis=0)) if grouped else np.abs(C).max(axis=0)
    held = t > 0
    scale = min(1.0, np.min(alpha * t[held] / np.maximum(sizes[held], 1e-300), initial=1.0))
    best = np.inf
    for s in {scale, 1.0} if alpha < 1 else {scale}:
        with np.errstate(divide="ignore", invalid="ignore"):
            q = Y.T - s * u / w
            if family == "multigaussian":
                off = Y.T - q
                conjugate = np.sum(np.where(w > 0, w * (0.5 * off**2 - off * Y.T), 0))
            else:
                conjugate = np.sum(np.where(w > 0, w * special.xlogy(q, np.maximum(q, 1e-300)), 0))
        excess = np.sqrt((C**2).sum(axis=0)) if grouped else np.abs(C)
        excess = np.maximum(s * excess - alpha * t, 0.0)
        ridge = np.where(t > 0, 2 * (1 - alpha) * t, np.inf)
        squared = np.sum(excess**2 / ridge) if alpha < 1 else 0.0
        dual = -conjugate - squared - (0.0 if offset is None else np.sum(offset * s * u))
        best = min(best, value + penalty(B, lam, v, alpha, grouped) - dual)
    return best

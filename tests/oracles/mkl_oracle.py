"""Slow and obvious multiple kernel learning: a first-order method, and gaps made from the data.

Nothing here shares a line with the package. Kernels are dense float64 arrays, losses those of
numpy_losses, and

    P = sum_i w_i loss(y_i, o_i + b0 + sum_m f_m(i)) + lam phi(d, ||f_1||, .., ||f_M||).
"""

import numpy as np
from scipy.optimize import brentq


def problem(seed, n=40, M=6, noise=0.5):
    """Gaussian kernels of single columns, and a response that a few of them explain."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, M))
    kernels = np.array([np.exp(-np.subtract.outer(x, x) ** 2) for x in X.T])
    signal = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - X[:, 2]
    return X, kernels, signal + noise * rng.normal(size=n)


def treated(K, n, centre, scale):
    """Kernel (n, n) of the first n samples and block (k, n) of k others, from the joint one."""
    C = np.eye(len(K)) - centre * (np.arange(len(K)) < n) / n
    K = C @ K @ C.T
    if scale == "trace":
        K = K / np.diag(K)[:n].mean()
    if scale == "diagonal":
        K = K / np.sqrt(np.outer(np.diag(K), np.diag(K)))
    return K[:n, :n], K[n:, :n]


# phi, and (lam phi)* with the largest scale at which it is finite


def phi(name, n, d, p=2.0, alpha=0.5):
    v = d * n
    if name == "l1":
        return v.sum()
    if name == "l1_squared":
        return v.sum() ** 2 / 2
    if name == "lp":
        r = 2 * p / (p + 1)
        return (v**r).sum() ** (2 / r) / 2
    return (d * (alpha * n + (1 - alpha) * n * n / 2)).sum()


def conjugate(name, s, d, lam, p=2.0, alpha=0.5):
    if name == "l1":
        return 0.0 if (s <= lam * d * (1 + 1e-12)).all() else np.inf
    if name == "l1_squared":
        return (s / d).max() ** 2 / (2 * lam)
    if name == "lp":
        r = 2 * p / (p + 1)
        q = r / (r - 1)
        return ((s / d) ** q).sum() ** (2 / q) / (2 * lam)
    return (np.maximum(s - lam * alpha * d, 0) ** 2 / (2 * lam * (1 - alpha) * d)).sum()


def relative_gap(kernels, y, fit, k, loss, *, name="l1", d=None, w=None, offset=0.0, **shape):
    """The gap of the k-th solution of a path, over the null objective, by its best dual point."""
    n, lam = len(y), fit.lambdas[k]
    d = np.ones(len(kernels)) if d is None else d
    w = np.full(n, 1 / n) if w is None else w / w.sum()
    alpha, beta = fit.dual_coefs[:, k], fit.kernel_weights[:, k]
    f = np.einsum("m,mij,j->i", beta, kernels, alpha)
    norms = beta * np.sqrt(np.maximum(np.einsum("i,mij,j->m", alpha, kernels, alpha), 0))
    np.testing.assert_allclose(norms, fit.kernel_norms[:, k], atol=1e-8 * (1 + norms.max()))
    eta = offset + fit.intercepts[k] + f
    primal = w @ loss.value(y, eta) + lam * phi(name, norms, d, **shape)
    residual = -w * loss.slope(y, eta)
    candidates = [residual - w * residual.sum()]
    if alpha.any():
        candidates.append(alpha * (alpha @ residual) / (alpha @ alpha))
    return min(primal - dual(u, kernels, y, lam, loss, name, d, w, offset, **shape)
               for u in candidates) / null_value(y, w, loss, offset)  # fmt: skip


def dual(u, kernels, y, lam, loss, name, d, w, offset, **shape):
    """The dual objective at u, made feasible by scaling."""
    s = np.sqrt(np.maximum(np.einsum("i,mij,j->m", u, kernels, u), 0))
    if name == "l1":
        u = u * min(1.0, lam / max((s / d).max(), 1e-300))
        s = s * min(1.0, lam / max((s / d).max(), 1e-300))
    v = np.where(w > 0, -u / np.where(w > 0, w, 1), 0.0)
    terms = np.where(w > 0, w * loss.conjugate(y, v), 0.0)
    return -terms.sum() - (offset * u).sum() - conjugate(name, s, d, lam, **shape)


def null_value(y, w, loss, offset=0.0):
    """The objective with an intercept alone, less the least that the loss takes."""
    offset = np.broadcast_to(offset, y.shape)
    a = brentq(lambda a: w @ loss.slope(y, offset + a), -50, 50, xtol=1e-14)
    return w @ loss.value(y, offset + a) - w @ loss.saturated(y)

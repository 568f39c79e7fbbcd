"""A slow, plain active-set solver that gives the certificate its reference points.

Proximal Newton: the loss is replaced by 1/2 sum_i h_i (t_i - b0 - x_i b)^2, h its curvature and t
the working response at the current b (for the squared error that is the loss itself). The inner
solver is feature-sign search (Lee et al., 2007): on a set S with assumed signs theta solve, with
H = diag(h) and columns centred under h,

    (X_S'H X_S + lambda (1 - alpha) I + E) x = X_S'H t - lambda alpha theta + E b_S,

walk from b towards x to the lowest point of the piecewise quadratic objective, drop what became
zero, repeat until the signs hold, then let in columns that violate |x_j'r| / n <= lambda alpha.
E, a tiny multiple of the diagonal, is a proximal step: it keeps the system solvable with collinear
columns, and its fixed points are the solutions of the problem without it.
"""

import time

import numpy as np
from scipy import linalg, sparse


def columns(X, S, h=None):
    """The columns S of X as a dense array, centred (under weights h)."""
    part = X[:, S]
    part = part.toarray() if sparse.issparse(part) else part
    return part - np.average(part, axis=0, weights=h)


def lowest_point(b, d, linear, square, l1):
    """Minimise t linear + t^2 square / 2 + l1 |b + t d|_1 over t in [0, 1]; returns t."""
    with np.errstate(divide="ignore", invalid="ignore"):
        stops = -b / d
    stops = np.unique(np.concatenate((stops[(stops > 0) & (stops < 1)], [1.0])))
    start = 0.0
    for stop in stops:
        middle = (start + stop) / 2
        slope = linear + l1 * (np.sign(b + middle * d) @ d)
        if slope + stop * square > 0:  # the minimum lies before the next kink
            return min(max(-slope / square, start), stop) if square > 0 else start
        start = stop
    return 1.0


def settle(XS, t, h, b, theta, l1, l2):
    """Minimise over the columns XS from b; returns coefficients, zero where dropped."""
    G = XS.T @ (h[:, None] * XS)
    G[np.diag_indices_from(G)] += l2
    E = 1e-9 * G.diagonal()
    c = XS.T @ (h * t)
    keep = np.ones(b.size, dtype=bool)
    for _ in range(10 * b.size + 50):
        H = G[np.ix_(keep, keep)]
        H[np.diag_indices_from(H)] += E[keep]
        right = c[keep] - l1 * theta[keep] + E[keep] * b[keep]
        x = linalg.solve(H, right, assume_a="pos", check_finite=False, overwrite_a=True)
        wrong = (b[keep] == 0) & (x * theta[keep] <= 0)
        if wrong.any() and not wrong.all():  # a newcomer that would leave the wrong way
            keep[np.flatnonzero(keep)[wrong]] = False
            continue
        d = np.zeros(b.size)
        d[keep] = x - b[keep]
        t = lowest_point(b, d, (G @ b - c) @ d, d @ G @ d, l1)
        gone = (b != 0) & (np.abs(b + t * d) <= 1e-14 * np.abs(b))
        b = np.where(gone, 0.0, b + t * d)
        keep &= ~gone
        settled = t == 1.0 and np.all(np.sign(b[keep]) == theta[keep])
        theta = np.where(b != 0, np.sign(b), theta)
        if settled or not keep.any():
            break
    return b


def solve(certificate, lam, b, tol, max_rounds=300):
    """Coefficients (p,) with a relative gap of at most tol at lam, or the best found."""
    q, X, n, loss = certificate.q, certificate.X, certificate.n, certificate.loss
    l1, l2, best = lam * q.alpha, lam * (1 - q.alpha), (np.inf, b)
    last, before = np.inf, b
    for _ in range(max_rounds):
        S, B = np.flatnonzero(b), sparse.csc_matrix(b[:, None])
        eta = certificate.predictors(B)
        R = certificate.y - loss.mean(eta)
        z = X.T @ R[:, 0] / n
        primal = certificate.primal(B, eta, lam)[0]
        if q.loss != "gaussian" and primal > last + 1e-13 * certificate.null:
            b = (b + before) / 2  # too long a step of Newton's
            continue
        last, before = primal, b
        gap = primal - certificate.dual(R, np.array([lam]))[0]
        if gap < best[0]:
            best = (gap, b)
        if gap <= tol * certificate.null:
            break
        excess = np.where(b == 0, np.abs(z) - l1, -np.inf)
        worst = np.argsort(-excess)[: max(10, S.size // 4)]
        S = np.union1d(S, worst[excess[worst] > 0])
        theta = np.where(b[S] != 0, np.sign(b[S]), np.sign(z[S]))
        h = np.maximum(loss.bend(eta)[:, 0], 1e-8) / n
        XS = columns(X, S, h)
        start, b = b[S], np.zeros_like(b)
        b[S] = settle(XS, XS @ start + R[:, 0] / (n * h), h, start, theta, l1, l2)
    return best[1]


def path(certificate, tol=1e-9, budget=np.inf):
    """Coefficients csc (p, L), each from its predecessor; after `budget` seconds only copied."""
    b, found, end = np.zeros(certificate.X.shape[1]), [], time.monotonic() + budget
    for lam in certificate.q.lambdas:
        b = solve(certificate, lam, b, tol) if time.monotonic() < end else b
        found.append(sparse.csc_matrix(b[:, None]))
    return sparse.hstack(found, format="csc")

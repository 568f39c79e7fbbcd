"""Losses with kinks: with any convex penalty bounded by linear programmes with cuts, and with a
ridge penalty by its dual.

    minimise over b0, b   sum_i w_i max_k (slope_ki eta_i + constant_ki)  +  sum_t term_t(b)
                          with eta = o + b0 + Xb

Kelley's method: each term is replaced by the largest of its tangents at the points met so far. The
value of a programme is a lower bound of the minimum, whatever it is solved for; the objective at
its solution is an upper one. It shares no line with the package.
"""

import numpy as np
from scipy.optimize import linprog, minimize

FAR = 1e3  # coefficients are sought within these limits
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def pieces(kind, y, q=0.3, epsilon=0.2):
    """Slopes and constants (k, n) of which the loss is the largest line."""
    one = np.ones(len(y))
    if kind == "hinge":
        return np.stack([-y, 0 * y]), np.stack([one, 0 * one])
    if kind == "quantile":
        return np.stack([-q * one, (1 - q) * one]), np.stack([q * y, (q - 1) * y])
    return np.stack([-one, one, 0 * one]), np.stack([y - epsilon, -y - epsilon, 0 * one])


def loss(kind, y, w, eta):
    """F(eta)."""
    slopes, constants = pieces(kind, y)
    return w @ (slopes * eta + constants).max(axis=0)


def squares(level):
    """The terms level_j b_j^2 / 2."""
    def term(j):
        return lambda b: (0.5 * level[j] * b[j] ** 2, level[j] * b[j] * np.eye(len(b))[j])
    return [term(j) for j in range(len(level)) if level[j] > 0.0]


def sizes(level):
    """The terms level_j |b_j|."""
    def term(j):
        return lambda b: (level[j] * abs(b[j]),
                          level[j] * (1.0 if b[j] >= 0.0 else -1.0) * np.eye(len(b))[j])
    return [term(j) for j in range(len(level)) if level[j] > 0.0]


def lengths(groups, level):
    """The terms level_g |b_g|_2."""
    def term(g, a):
        def at(b):
            size, slope = np.linalg.norm(b[g]), np.zeros(len(b))
            if size > 0.0:
                slope[g] = a * b[g] / size
            return a * size, slope
        return at
    return [term(g, a) for g, a in zip(groups, level, strict=True)]


def bounds(kind, X, y, w, terms, offset=0.0, intercept=True, close=1e-8, rounds=200):
    """A lower and an upper bound of the minimum, `close` to one another relative to it."""
    n, p = X.shape
    slopes, constants = pieces(kind, y)
    E = np.column_stack([X, np.ones(n)])
    none = np.zeros((n, len(terms)))
    A = [np.column_stack([s[:, None] * E, -np.eye(n), none]) for s in slopes]
    rhs = [-(s * offset + c) for s, c in zip(slopes, constants, strict=True)]
    price = np.r_[np.zeros(p + 1), w, np.ones(len(terms))]
    free = (None, None) if intercept else (0, 0)
    limits = [*[(-FAR, FAR)] * p, free, *[(None, None)] * n, *[(0, None)] * len(terms)]
    low, high = -np.inf, np.inf
    for _ in range(rounds):
        found = linprog(price, A_ub=np.vstack(A), b_ub=np.concatenate(rhs), bounds=limits,
                        options=TIGHT)  # fmt: skip
        b, eta = found.x[:p], offset + E @ found.x[: p + 1]
        low = max(low, found.fun)
        values = [term(b) for term in terms]
        high = min(high, loss(kind, y, w, eta) + sum(value for value, _ in values))
        if high - low <= close * max(abs(high), 1e-3):
            break
        cuts = np.zeros((len(terms), len(price)))
        cuts[:, :p] = [slope for _, slope in values]
        cuts[:, p + 1 + n :] = -np.eye(len(terms))
        A.append(cuts)
        rhs.append(np.array([slope @ b - value for value, slope in values]))
    return low, high


def objective(kind, X, y, w, lam, b, b0):
    """Of a ridge penalty: sum_i w_i f(y_i, x_i'b + b0) + lam |b|^2 / 2."""
    return loss(kind, y, w, X @ b + b0) + 0.5 * lam * b @ b


def lower_bound(kind, X, y, w, lam, intercept):
    """A value of its dual near the maximum, by SLSQP: weights of each row's lines, on simplices.

    The dual variables of row i are t_i >= 0 of sum w_i, one a line; its value is the sum of t c
    less |X'(sum of t s)|^2 / (2 lam). Feasible up to 1e-12, which the caller allows for.
    """
    slopes, constants = pieces(kind, y)
    k, n = slopes.shape

    def negative(t):
        z = X.T @ (slopes * t.reshape(k, n)).sum(axis=0)
        gradient = slopes * (X @ z) / lam - constants
        return 0.5 * z @ z / lam - constants.ravel() @ t, gradient.ravel()

    sums = np.tile(np.eye(n), k)
    level = np.r_[w, 0.0] if intercept else w
    rows = np.vstack([sums, slopes.ravel()]) if intercept else sums
    start = np.tile(w / k, k)
    found = minimize(
        negative, start, jac=True, method="SLSQP", bounds=[(0, None)] * (k * n),
        constraints={"type": "eq", "fun": lambda t: rows @ t - level, "jac": lambda t: rows},
        options={"ftol": 1e-13, "maxiter": 500},
    )  # fmt: skip
    return -found.fun

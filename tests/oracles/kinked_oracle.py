"""Losses with kinks and any convex penalty, bounded below by linear programmes with cuts.

    minimise over b0, b   sum_i w_i max_k (slope_ki eta_i + constant_ki)  +  sum_t term_t(b)
                          with eta = o + b0 + Xb

Kelley's method: each term is replaced by the largest of its tangents at the points met so far. The
value of a programme is a lower bound of the minimum, whatever it is solved for; the objective at
its solution is an upper one. It shares no line with the package.
"""

import numpy as np
from scipy.optimize import linprog

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

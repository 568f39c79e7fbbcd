"""The quadratic program of a Newton step on kernel norms, small and dense.

    minimise over t, a   1/2 [t; a]'S[t; a] - c'[t; a]    subject to   t >= low

Given: S, positive semidefinite, c, the bounds low <= 0 of t, and which t are free at first. There
are at most a few hundred variables. Returned: [t; a].
Invariant: [t; a] is feasible, and the variables that are not free lie at their bounds.
An active-set method: it moves towards the minimiser over the free variables, stops at the first
bound it meets, and then frees the bound that gains most.
Reference: Nocedal and Wright (2006), "Numerical optimization", section 16.5.
"""

import numpy as np

# This is added to the unit diagonal, because duplicates of a kernel make S singular.
RIDGE = 1e-13
# A bound is freed if the gradient there exceeds this share of the largest |c_j|.
VIOLATION = 1e-12


def bounded_step(S, c, low, start):
    """Return [t; a]; low (k,) <= 0 bounds t, and start (k,) says which t are free at first."""
    k, size = len(low), len(c)
    diagonal = np.diagonal(S)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    S = scale[:, None] * S * scale + np.diag(np.full(size, RIDGE))  # S now has a unit diagonal
    c, low = scale * c, low / scale[:k]
    bounds = np.concatenate([low, np.full(size - k, -np.inf)])
    x = np.zeros(size)
    free = np.concatenate([start | (c[:k] > 0.0), np.ones(size - k, dtype=bool)])
    x[:k] = np.where(free[:k], 0.0, np.maximum(low, 0.0))
    for _ in range(20 * size + 20):
        places = np.flatnonzero(free)
        target = x.copy()
        rest = c[places] - S[places][:, ~free] @ x[~free]
        target[places] = _solve(S[np.ix_(places, places)], rest)
        move = target - x
        short = places[target[places] < bounds[places]]
        if len(short):
            steps = (bounds[short] - x[short]) / move[short]
            first = int(np.argmin(steps))
            x = x + max(steps[first], 0.0) * move
            hit = short[steps <= steps[first]]
            x[hit], free[hit] = bounds[hit], False
            continue
        x = target
        if free.all():
            break
        pull = c - S @ x
        pull[free] = 0.0
        worst = int(np.argmax(pull))
        if pull[worst] <= VIOLATION * np.abs(c).max(initial=1e-300):
            break
        free[worst] = True
    return scale * x


def _solve(S, c):
    try:
        factor = np.linalg.cholesky(S)
        half = np.linalg.solve(factor, c)
        return np.linalg.solve(factor.T, half)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(S, c, rcond=1e-13)[0]

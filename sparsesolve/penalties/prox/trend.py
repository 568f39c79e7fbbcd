"""Trend filtering: proximal operator and dual norm of the l1 norm of differences of high order.

    argmin_b  |b - v|^2 / 2 + t |D b|_1,       D b = differences of order q of b

The dual problem is a quadratic programme with bounds,

    min_u  |v - D'u|^2 / 2    subject to  |u_i| <= t,      b = v - D'u.

A primal-dual interior point method reaches its neighbourhood in some 20 banded systems. Then the
entries at a bound stay there, the others and b solve a linear system, and the sides are corrected
until the optimality conditions hold to rounding. Systems have both b and u as unknowns, because
the condition number of D D' alone grows like p^(2 q).
Given: v (p,), t > 0, q >= 1. Returned: b. Dual norms follow from z = D'u: u is z cumulated q
times, from both ends so that rounding does not grow along the whole vector.
Reference: Kim, Koh, Boyd, Gorinevsky, "l1 trend filtering" (2009).
"""

from math import comb

import numpy as np
from scipy.linalg import LinAlgError, solve_banded

# Each step of the interior point method multiplies the duality measure by this.
SHRINK = 0.1
# Steps go this fraction of the way to the boundary.
INSIDE = 0.99
# Relative gap at which interior steps end.
NEAR = 1e-13
# Rounding may take an entry beyond its bound by this fraction of t and of the largest |v|.
BEYOND_BOUND = 1e-12


def differences(b, q):
    """Return D b, (p - q,)."""
    return np.diff(b, n=q)


def adjoint(u, q):
    """Return D'u, (p,)."""
    return (-1.0) ** q * np.diff(np.pad(u, q), n=q)


def solve_adjoint(z, q):
    """Return u (p - q,) with D'u = z, for z orthogonal to the polynomials of degree below q."""
    left, right = z, z[::-1]
    for _ in range(q):
        left, right = np.cumsum(left), np.cumsum(right)
    m = len(z) - q
    left, right = (-1.0) ** q * left[:m], right[:m][::-1]
    half = m // 2
    return np.concatenate([left[:half], right[half:]])


def polynomials(p, q):
    """Return an orthonormal basis (p, q) of the polynomials of degree below q at 0, .., p - 1."""
    if not p:
        return np.zeros((0, 0))
    x = np.linspace(-1.0, 1.0, p) if p > 1 else np.zeros(p)
    return np.linalg.qr(np.polynomial.legendre.legvander(x, min(q, p) - 1))[0]


def prox_trend(v, t, q):
    """Return argmin_b |b - v|^2 / 2 + t |D b|_1, a new array (p,)."""
    if len(v) <= q or not t > 0.0:
        return v.copy()
    basis = polynomials(len(v), q)
    flat = basis @ (basis.T @ v)
    rest = v - flat
    if np.abs(solve_adjoint(rest, q)).max() <= t:
        return flat
    return flat + _corrected(_interior(rest, t, q), rest, t, q)


class _Banded:
    """The matrix of [b + D'u; on[i] (D b)_i - w_i u_i], with its unknowns in a narrow band."""

    def __init__(self, p, q):
        m = p - q
        self.q, self.width = q, 2 * q - 1
        self.b = np.r_[np.arange(q), q + 2 * np.arange(m) + 1]  # place of each b_j
        self.u = q + 2 * np.arange(m)
        self.given = np.zeros((2 * self.width + 1, p + m))
        self.given[self.width, self.b] = 1.0
        for k in range(q + 1):
            self._set(self.b[k : k + m], self.u, (-1.0) ** (q - k) * comb(q, k))

    def _set(self, rows, columns, values):
        self.given[self.width + rows - columns, columns] = values

    def solve(self, on, w, first, second):
        """Return (b, u) for right-hand sides (p,) and (m,); `on` (m,) bool, w (m,)."""
        m = len(self.u)
        for k in range(self.q + 1):
            value = np.where(on, (-1.0) ** (self.q - k) * comb(self.q, k), 0.0)
            self._set(self.u, self.b[k : k + m], value)
        self._set(self.u, self.u, -w)
        right = np.empty(len(self.b) + m)
        right[self.b], right[self.u] = first, second
        found = solve_banded((self.width, self.width), self.given, right, check_finite=False)
        return found[self.b], found[self.u]


def _interior(v, t, q):
    """Return u near the optimum, within its bounds."""
    p, m = len(v), len(v) - q
    system, everywhere = _Banded(p, q), np.ones(m, dtype=bool)
    u, below, above = np.zeros(m), np.full(m, t), np.full(m, t)
    low = np.full(m, np.abs(differences(v, q)).max())  # multipliers of -u <= t and u <= t
    high = low.copy()
    for _ in range(60):  # some 20 are enough
        b = v - adjoint(u, q)
        jump = differences(b, q)
        measure = low @ below + high @ above  # the gap, up to the error of b - (low - high)
        if min(t * np.abs(jump).sum() - u @ jump, measure) <= NEAR * (v @ v):
            break
        mu = SHRINK * measure / (2 * m)
        pull = jump + mu / below - mu / above
        try:  # y = -D'step:  y + D'step = 0, D y - w step = -pull
            step = system.solve(everywhere, low / below + high / above, np.zeros(p), -pull)[1]
        except LinAlgError:
            break
        if not np.isfinite(step).all():
            break
        low_step = mu / below - low - low / below * step
        high_step = mu / above - high + high / above * step
        far = min(
            _reach(below, step), _reach(above, -step), _reach(low, low_step),
            _reach(high, high_step),
        )  # fmt: skip
        u, below, above = u + far * step, below + far * step, above - far * step
        low, high = low + far * low_step, high + far * high_step
    return np.clip(u, -t, t)


def _reach(x, step):
    """Return the step length, at most 1, that keeps x + length * step positive."""
    falling = step < 0.0
    return min(1.0, INSIDE * float((x[falling] / -step[falling]).min(initial=np.inf)))


def _corrected(u, v, t, q):
    """Return the best b with entries of u at bounds, the others from a linear system."""
    system, scale = _Banded(len(v), q), np.abs(v).max()
    best = v - adjoint(u, q)
    jump = differences(best, q)
    least = t * np.abs(jump).sum() - u @ jump
    side = np.where(np.abs(jump) > t - np.abs(u), np.sign(u), 0.0)
    for _ in range(50):
        free = side == 0.0
        b, u = system.solve(free, np.where(free, 0.0, -1.0), v, np.where(free, 0.0, t * side))
        jump = differences(b, q)
        out = free & (np.abs(u) > t * (1.0 + BEYOND_BOUND))
        back = (side * jump < -BEYOND_BOUND * scale) & ~free
        if not out.any() and not back.any():
            return b
        inside = np.clip(u, -t, t)
        shifted = v - adjoint(inside, q)
        jump = differences(shifted, q)
        gap = t * np.abs(jump).sum() - inside @ jump
        if gap < least:
            best, least = shifted, gap
        side = np.where(out, np.sign(u), np.where(back, 0.0, side))
    return best

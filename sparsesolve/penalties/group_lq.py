"""GroupLq: disjoint groups of features by their lq norms, for any q >= 1.

q = 1 is a weighted lasso, q = 2 the group lasso, q = inf that of the largest coefficients. With
q < 2 a group's coefficients are drawn to few large ones, with q > 2 towards one size.
Reference: Fornasier, Rauhut, "Recovery algorithms for vector-valued data with joint sparsity
constraints" (2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsesolve.penalties.forms import on_support
from sparsesolve.penalties.groups import NormOfGroups
from sparsesolve.penalties.norm import read_number, soft, units_of
from sparsesolve.penalties.prox.balls import project_l1
from sparsesolve.penalties.prox.powers import power_lengths
from sparsesolve.penalties.rows import Rows

# The relative size of a last step, and of an interval that bisection leaves.
SAME = 4e-16


class GroupLq(NormOfGroups):
    r"""The group lasso with lq norms of disjoint groups, for any q from 1 to inf.

    :math:`\Omega(b) = \sum_g d_g \lVert b_g \rVert_q`.

    For q = 2 and q = inf, :class:`GroupL2` and :class:`GroupLinf` have faster solvers, limits and
    penalty factors.

    Parameters
    ----------
    groups : sequence or mapping
        Groups as :class:`GroupL2` takes them. Features in none are groups of one.
    q : float >= 1
        The power of the norm; inf is the largest size.
    weights : array-like (G,) or mapping from labels, default None
        d_g >= 0 of the groups named, in the order in which they first appear; None means the
        square roots of their sizes. 0 leaves a group without a penalty.

    Raises
    ------
    ValueError, TypeError
        If q is not a number of at least 1; when a path is fitted, if groups overlap or do not fit
        its features, or weights do not fit.

    References
    ----------
    Bach, Jenatton, Mairal, Obozinski (2012), section 1.3.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> penalty = ss.penalties.GroupLq(["a", "a", "b", "b", "c", "c"], 1.5)
    >>> fit = ss.path(X, X[:, 0] + 0.2 * X[:, 1], penalty=penalty)
    >>> fit.coef(0.3 * fit.lambdas[0]).round(2)
    array([0.7 , 0.08, 0.  , 0.  , 0.  , 0.  ])
    """

    absolute = True  # Omega depends on sizes alone and grows with them.

    def __init__(self, groups: Any, q: float, weights: Any = None):
        super().__init__(groups, weights)
        self.q = float(q) if q == np.inf else read_number("q", q, 1.0)

    def _arguments(self):
        return f"{self.groups!r}, q={self.q!r}, weights={self.weights!r}"

    def norm(self, b: np.ndarray) -> float:
        return float(self.d @ norms(self.of, b, self.q, len(self.d)))

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the largest norm of the dual power over its weight."""
        some = self.d > 0.0
        size = norms(self.of, z, dual_power(self.q), len(self.d))
        return float((size[some] / self.d[some]).max(initial=0.0))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return the prox, group by group."""
        level = t * self.d
        if self.q == 1.0:
            return soft(v, level[self.of])
        if self.q == np.inf:
            return _prox_linf(v, level, self.of)
        return prox_lq(v, level, self.of, self.q)

    def kernel(self) -> Any:
        """Return the unit vectors of the features whose group has weight 0."""
        return units_of(self.d[self.of] == 0.0) if self.n_features else None

    def part(self, which: np.ndarray) -> Any:
        """Return the norm on the features `which`, with the groups cut to these."""
        made = GroupLq(self.groups, self.q, self.weights)
        kept, made.of = np.unique(self.of[which], return_inverse=True)
        made.d, made.n_features = self.d[kept], len(which)
        return made

    def over_responses(self, n_responses: int) -> Any:
        """Return the norm on arrays (K, p): a group has its features' coefficients in all rows."""
        made = GroupLq(self.groups, self.q, self.weights)
        made.of, made.d = np.tile(self.of, n_responses), self.d
        made.n_features = n_responses * self.n_features
        return Rows(made)

    def majorant(self, b: np.ndarray, smoothing: float) -> np.ndarray | None:
        """Return w (p,) with Omega <= sum_j w_j b_j^2 / 2 + constant; None if q > 2."""
        if self.q > 2.0:
            return None
        size = np.hypot(b, smoothing)
        whole = norms(self.of, size, self.q, len(self.d))[self.of]
        return self.d[self.of] * (size / whole) ** (self.q - 2.0) / whole

    def tangent(self, b: np.ndarray) -> Any:
        """Return the coefficients of groups that are not 0 as directions, if 1 < q < inf."""
        if not 1.0 < self.q < np.inf:
            return None
        size = norms(self.of, b, self.q, len(self.d))
        moving = (size[self.of] > 0.0) & ((b != 0.0) | (self.q >= 2.0))
        moving |= self.d[self.of] == 0.0
        which = np.flatnonzero(moving)
        of = self.of[which]
        whole = np.where(size[of] > 0.0, size[of], 1.0)
        share = np.abs(b[which]) / whole  # |b_j| / |b_g|, within [0, 1]
        slope = np.sign(b[which]) * share ** (self.q - 1.0)
        d, gradient = np.where(size[of] > 0.0, self.d[of], 0.0), np.zeros(len(b))
        gradient[which] = d * slope

        def curvature(z):
            same = of[:, None] == of
            with np.errstate(divide="ignore"):
                bend = np.where(share > 0.0, share ** (self.q - 2.0), float(self.q == 2.0))
            C = np.diag(bend) - np.where(same, np.outer(slope, slope), 0.0)
            return (self.q - 1.0) * (d / whole)[:, None] * C

        return on_support(b, gradient, moving)._replace(curvature=curvature)


def dual_power(q):
    """Return q' with 1 / q + 1 / q' = 1."""
    return np.inf if q == 1.0 else 1.0 if q == np.inf else q / (q - 1.0)


def norms(of, x, q, count):
    """Return the lq norm of each group, (count,), by sizes relative to its largest entry."""
    size, largest = np.abs(x), np.zeros(count)
    np.maximum.at(largest, of, size)
    if q == np.inf:
        return largest
    whole = np.where(largest > 0.0, largest, 1.0)
    with np.errstate(under="ignore"):
        return largest * np.bincount(of, (size / whole[of]) ** q, count) ** (1.0 / q)


def prox_lq(v, level, of, q):
    """Return argmin_b |b - v|^2 / 2 + sum_g level_g |b_g|_q for 1 < q < inf.

    With r = |b_g|_q and x = |b_g| / r the optimality conditions are

        r x_j + level_g x_j^(q - 1) = |v_j|,      |x|_q = 1.

    For a given r the first have one root x(r), and 1 / |x(r)|_q rises with r; it is linear if
    q = 2 and nearly so otherwise. Safeguarded Newton steps find where it is 1.
    """
    G, a = len(level), np.abs(v)
    open_ = (norms(of, v, dual_power(q), G) > level) & (level > 0.0)
    low, high = np.zeros(G), norms(of, v, q, G)  # bounds of r
    r, moving = np.where(open_, high, 1.0), open_[of]
    k, x = level[of] / q, np.zeros_like(a)
    for _ in range(200):  # some five Newton steps are enough, and bisections end sooner
        own = r[of]
        x[moving] = power_lengths(a[moving] / own[moving], k[moving] / own[moving], q)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            whole = norms(of, x, q, G)
            # dx/dr = -x / (r + (q - 1) level x^(q - 2))
            fall = x**2 / (own * x + (q - 1.0) * q * k * x ** (q - 1.0))
            fall = np.where(moving & (x > 0.0), fall * (x / whole[of]) ** (q - 1.0), 0.0)
            slope = np.bincount(of, fall, G) / whole**2  # of 1 / |x|
            low, high = np.where(whole > 1.0, r, low), np.where(whole > 1.0, high, r)
            new = r - (1.0 / whole - 1.0) / slope
        new = np.where((new > low) & (new < high), new, 0.5 * (low + high))
        done = (np.abs(new - r) <= SAME * r) | (np.abs(whole - 1.0) <= SAME)
        r = np.where(open_ & ~done, new, r)
        if (done | ~open_).all():
            break
    b = np.where(moving, r[of] * x, 0.0)
    return np.copysign(np.where(level[of] > 0.0, b, a), v)


def _prox_linf(v, level, of):
    """Return v less its projection on l1 balls, group by group."""
    out = np.array(v, dtype=float)
    for g in np.flatnonzero(level > 0.0):
        which = np.flatnonzero(of == g)
        out[which] -= project_l1(v[which], level[g])
    return out

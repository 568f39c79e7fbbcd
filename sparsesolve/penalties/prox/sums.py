"""Sums of norms: bounds of their dual norm, and their prox from the proxes of the terms.

    polar(z)      the least nu with z = sum_k z_k,  z_k of dual norm nu at most under term k
    prox(v, t)    argmin_b |b - v|^2 / 2 + t sum_k Omega_k(b)

The lower bound of the dual norm is Dinkelbach's iteration: nu = z'b / Omega(b) at b = prox_nu(z)
rises to it. The upper bound is a decomposition of z: the z_k of the prox, and what they leave of z
is given to some of them. That bound is valid whatever the accuracy, and it is the one returned.

The dual problem of the prox is min |v - sum_k z_k|^2 / 2 over z_k in t times the unit ball of the
dual norm of Omega_k. With all others fixed, the best z_k is x minus the prox of Omega_k at x,
where x is v minus the sum of the others. Steps go round the terms, and each round starts from an
extrapolation of the last one until the dual objective would rise. Each round has a duality gap,
which is that of the value returned by its last prox:

    t Omega(b) - z'b + |b - (v - z)|^2 / 2,      z = sum_k z_k.

References: Dinkelbach, "On nonlinear fractional programming" (1967); Dykstra's algorithm as in
Boyle, Dykstra (1986); Chambolle, Pock, "A remark on accelerated block coordinate descent for
computing the proximity operators of a sum of convex functions" (2015).
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.norm import ORTHOGONAL

# With a level, a bound may err by this fraction of the distance between it and the level.
NOTABLE = 0.1
# Most rounds of a prox. It usually ends before, when its gap is below NEAR.
ROUNDS = 1000
# Most rounds of a bound, and of each prox for it. The bound is valid after any number, and the
# next one continues from there.
QUICK = 40
# The gap of a prox is evaluated once in this many rounds, since it needs a value of the norm.
BETWEEN = 5
# A gap below this fraction of |v|^2 is rounding.
NEAR = 1e-14
# Stop after this many rounds that do not halve the distance between the bounds, and, once the gap
# of a prox is within 100 times NEAR, after as many evaluations that do not halve it.
PATIENCE = 3


def polar(own, z):
    """Return an upper bound of the dual norm."""
    return bounds(own, z)[0]


def bounds(own, z, near=None, level=0.0):
    """Return `polar`, and (b, xi) as a start for the next z, given as `near`.

    With a level, it is enough to know by how much z exceeds the level, to a tenth of the excess.
    Near a solution z exceeds the level by little, if at all, and few rounds suffice.
    """
    b, xi = (z, None) if near is None else near
    if not z.any():
        return 0.0, None
    lower, upper, best = max(_lower(own, z, z), _lower(own, z, b)), np.inf, b
    nu, waited = max(lower, level), 0
    if level > 0.0 and xi is not None:
        upper = own.upper(z, xi)
        if upper <= level * (1.0 + own.close) or upper - lower <= NOTABLE * (lower - level):
            return upper, (b, xi)
    for _ in range(own.rounds_at_level if level > 0.0 else QUICK):
        b, xi = own.prox(z, nu, xi, quick=level > 0.0)
        best = b if b.any() else best
        before, apart = lower, upper - lower
        lower = max(lower, _lower(own, z, b), _lower(own, z, z - own.total(xi)))
        upper = min(upper, own.upper(z, xi))
        waited = waited + 1 if upper - lower > 0.5 * apart else 0
        if upper <= max(lower, level) * (1.0 + own.close) or waited >= PATIENCE:
            break
        if upper - lower <= NOTABLE * (lower - level) and level > 0.0:
            break
        # lower may equal the dual norm up to rounding. A level above it has b = 0.
        nu = lower if lower > before * (1.0 + 4e-16) else lower + 0.01 * (upper - lower)
    return upper, (best, xi)


class ByTheSum:
    """The methods of a norm whose `_sum` is a `SumOfNorms` or a `SumOfTerms`."""

    _sum: Any

    def norm(self, b: np.ndarray) -> float:
        """Return the sum over the terms."""
        return self._sum.value(b)

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return ``argmin_b |b - v|^2 / 2 + t Omega(b)``, for t > 0."""
        return self._sum.prox(v, t)[0]

    def dual_norm(self, z: np.ndarray) -> float:
        """Return an upper bound of the dual norm of z."""
        return polar(self._sum, z)

    def polar_near(self, z: np.ndarray, near: Any, level: float) -> tuple[float, Any]:
        """Return `polar` to the accuracy that `level` needs, and where the iteration ended.

        The next call starts from there, given as `near`.
        """
        return bounds(self._sum, z, near, level)

    def prox_near(self, v: np.ndarray, t: float, near: Any) -> tuple[np.ndarray, Any]:
        """Return `prox`, and where the iteration ended; the next call starts from there."""
        return self._sum.prox(v, t, near)

    def dual_of_prox(self, near: Any, t: float) -> np.ndarray:
        """Return a point of t times the dual ball: what the prox that ended there subtracted."""
        return self._sum.feasible_total(near, t)


def _lower(own, z, b):
    value = own.value(b)
    return float(np.vdot(z, b)) / value if value > 0.0 else 0.0


class SumOfTerms:
    """Omega = sum of the terms, for arrays of one shape.

    Parameters
    ----------
    terms : list of penalties
    kernels : list of (p, k) with orthonormal columns, or None for a term that has no kernel
    """

    # Relative distance at which the two bounds of a dual norm agree. Above it, more rounds follow.
    close = 1e-9
    # Most proxes for a bound that is compared with a level. Each is slow; the bound of the next
    # z, which is near this one, continues from where this one ended.
    rounds_at_level = 2

    def __init__(self, terms, kernels=None):
        self.terms, self.kernels = terms, kernels or [None] * len(terms)

    def value(self, b):
        """Return Omega(b)."""
        return sum(float(term.value(b)) for term in self.terms)

    def total(self, parts):
        """Return sum_k z_k."""
        return sum(parts)

    def prox(self, v, t, near=None, quick=False):
        """Return b and the parts z_k, from a guess of the parts; `quick` limits the rounds."""
        parts = [np.zeros_like(v) for _ in self.terms] if near is None else self._within(near, t)
        last, ahead, momentum, fallen = parts, parts, 1.0, np.inf
        best, least, waited, size = (np.zeros_like(v), parts), np.inf, 0, float(np.vdot(v, v))
        for k in range(QUICK if quick else ROUNDS):
            b, new = self._round(v, t, ahead)
            rest = v - self.total(new)
            objective = float(np.vdot(rest, rest))
            if objective > fallen and momentum > 1.0:  # restart without momentum
                momentum, ahead, fallen = 1.0, last, np.inf
                continue
            if k % BETWEEN == 0:
                gap = t * self.value(b) - float(np.vdot(v - rest, b))
                gap += 0.5 * float(np.vdot(b - rest, b - rest))
                waited = 0 if gap < 0.5 * least or gap > 100 * NEAR * size else waited + 1
                if gap < least:
                    best, least = (b, new), gap
                if gap <= NEAR * size or waited >= PATIENCE:
                    break
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            along = (momentum - 1.0) / following
            ahead = [x + along * (x - y) for x, y in zip(new, last, strict=True)]
            last, momentum, fallen = new, following, objective
        return self._or_zero(v, t, best[0]), best[1]

    def _round(self, v, t, parts):
        """Return the answer of the last prox, and the parts after one round."""
        parts = list(parts)
        rest = v - self.total(parts)
        b = rest
        for k, term in enumerate(self.terms):
            without = rest + parts[k]
            b = term.prox(without, t)
            parts[k] = without - b
            rest = b
        return b, parts

    def feasible_total(self, parts, t):
        """Return the sum of parts, scaled into t times their dual balls: a dual point."""
        return self.total(self._within(parts, t))

    def _within(self, parts, t):
        out = []
        for k, z in enumerate(self._seen(parts)):
            level = float(self.terms[k].polar(z))
            out.append(z if level <= t else z * (t / level))
        return out

    def _seen(self, parts):
        """Return the parts without what is along the kernel of their term, which is rounding."""
        return [z if N is None else z - (z @ N) @ N.T
                for z, N in zip(parts, self.kernels, strict=True)]  # fmt: skip

    def _or_zero(self, v, t, b):
        """Return b, or 0 where that is as good."""
        zero = float(np.vdot(v, b)) <= t * self.value(b) * (1.0 + 1e-12)
        return np.zeros_like(v) if zero else b

    def _polar(self, k, z):
        """Return the polar of term k, inf where z is not orthogonal to its kernel."""
        kernel = self.kernels[k]
        if kernel is not None and np.linalg.norm(z @ kernel) > ORTHOGONAL * np.linalg.norm(z):
            return np.inf
        return float(self.terms[k].polar(z))

    def upper(self, z, parts):
        """Return an upper bound of the dual norm.

        What the parts leave of z is given to the term for which the bound is lowest. What is
        along the kernel of that term is given to the first term without a kernel.
        """
        parts = self._seen(parts)
        left = z - self.total(parts)
        levels = [float(term.polar(part)) for term, part in zip(self.terms, parts, strict=True)]
        norms = [j for j, kernel in enumerate(self.kernels) if kernel is None]
        found = np.inf
        for k, kernel in enumerate(self.kernels):
            own, more = list(levels), left
            if kernel is not None and norms:
                along = (left @ kernel) @ kernel.T
                own[norms[0]], more = self._polar(norms[0], parts[norms[0]] + along), left - along
            own[k] = self._polar(k, parts[k] + more)
            found = min(found, max(own))
        return found

"""Lower and upper bounds of the dual norm of a sum of norms.

    the least nu with z = sum_k z_k,  z_k of dual norm nu at most under term k

The lower bound is Dinkelbach's iteration: nu = z'b / Omega(b) at b = prox_nu(z) rises to the dual
norm. The upper bound is a decomposition of z: the z_k of the prox, and what they leave of z is
given to some of them. That bound is valid whatever the accuracy, and it is the one returned.

Given: a `SumOfNorms` or a `SumOfTerms`, whose ``close`` is the relative distance at which the
bounds agree, and z. Reference: Dinkelbach, "On nonlinear fractional programming" (1967).
"""

from typing import Any

import numpy as np

# A lower bound that has grown by less than this fraction has only changed by rounding.
EPSILON = 4e-16
# With a level, the bound may err by this fraction of the distance between the bound and the
# level.
NOTABLE = 0.1
# The next nu lies at this fraction of the way from the lower to the upper bound.
ABOVE = 0.01
# Stop after this many rounds that do not halve the distance between the bounds.
PATIENCE = 2
# Most rounds without a level. The bound is valid after any number of rounds.
ROUNDS = 30


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
    for _ in range(own.rounds_at_level if level > 0.0 else ROUNDS):
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
        nu = lower if lower > before * (1.0 + EPSILON) else lower + ABOVE * (upper - lower)
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
        """Return a point of t times the dual ball: what the prox that ended there has subtracted.
        """
        return self._sum.feasible_total(near, t)


def _lower(own, z, b):
    value = own.value(b)
    return float(np.vdot(z, b)) / value if value > 0.0 else 0.0

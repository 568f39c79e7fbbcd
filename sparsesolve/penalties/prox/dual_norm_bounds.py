"""Dual norms of sums of norms, from below and above.

    the least nu with z = sum_k z_k,  z_k of dual norm nu at most under term k

By Dinkelbach's iteration: nu = z'b / Omega(b) at b = prox_nu(z) grows to the dual norm from below.
From above, the z_k of the prox and what they leave of z, given to some of them, are a
decomposition of z. That bound is valid whatever the accuracy, and the one returned.
Given: a `SumOfNorms` or a `SumOfTerms`, whose ``close`` is the relative distance of bounds that
agree, and z. Reference: Dinkelbach, "On nonlinear fractional programming" (1967).
"""

import numpy as np

EPSILON = 4e-16
NOTABLE = 0.1  # of what z is above a level: by how much a bound may be off
ABOVE = 0.01  # of the way from the lower to the upper bound of a dual norm
PATIENCE = 2  # rounds that do not halve what is between the bounds
ROUNDS = 30


def polar(own, z):
    """An upper bound of the dual norm."""
    return bounds(own, z)[0]


def bounds(own, z, near=None, level=0.0):
    """`polar`, and (b, xi) to begin with at the next z, as `near` here.

    With a level a bound that tells by how much z is above it, to a tenth of that, is enough:
    so it is near solutions, of which z is hardly above.
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
        # lower may be the dual norm but for rounding: then a level above it has b = 0
        nu = lower if lower > before * (1.0 + EPSILON) else lower + ABOVE * (upper - lower)
    return upper, (best, xi)


def _lower(own, z, b):
    value = own.value(b)
    return float(np.vdot(z, b)) / value if value > 0.0 else 0.0

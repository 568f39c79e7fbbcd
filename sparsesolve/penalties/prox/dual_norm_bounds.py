"""Dual norm of overlapping l2 groups, from below and above.

    the least nu with z = sum_g xi_g, |xi_g| <= nu d_g, xi_g zero outside group g

By Dinkelbach's iteration: nu = z'b / Omega(b) at b = prox_nu(z) grows to the dual norm from below.
From above, the xi_g of the prox and what they leave of z, given to one group each, are a
decomposition of z. That bound is valid whatever the accuracy, and the one returned.
Given: a `SumOfNorms`, z (p,). Reference: Dinkelbach, "On nonlinear fractional programming" (1967).
"""

import numpy as np

EPSILON = 4e-16
CLOSE = 1e-13  # relative: bounds of a dual norm that agree
NOTABLE = 0.1  # of what z is above a level: by how much a bound may be off
ABOVE = 0.01  # of the way from the lower to the upper bound of a dual norm
PATIENCE = 2  # rounds that do not halve what is between the bounds
ROUNDS = 30


def polar(own, z):
    """An upper bound of the dual norm, mostly within 1e-10 of it."""
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
    for _ in range(ROUNDS):
        b, xi = own.prox(z, nu, xi)
        best = b if b.any() else best
        before, apart = lower, upper - lower
        lower = max(lower, _lower(own, z, b), _lower(own, z, z - own.total(xi)))
        upper = min(upper, _upper(own, z, xi))
        waited = waited + 1 if upper - lower > 0.5 * apart else 0
        if upper <= max(lower, level) * (1.0 + CLOSE) or waited >= PATIENCE:
            break
        if upper - lower <= NOTABLE * (lower - level) and level > 0.0:
            break
        # lower may be the dual norm but for rounding: then a level above it has b = 0
        nu = lower if lower > before * (1.0 + EPSILON) else lower + ABOVE * (upper - lower)
    return upper, (best, xi)


def _lower(own, z, b):
    value = own.value(b)
    return float(z @ b) / value if value > 0.0 else 0.0


def _upper(own, z, xi):
    """The largest |xi_g| / d_g after what is left of z is given to one group each."""
    whole = xi.copy()
    whole[own.own] += (z - own.total(xi))[own.features[own.own]]
    return float((own.lengths(whole) / own.d).max())

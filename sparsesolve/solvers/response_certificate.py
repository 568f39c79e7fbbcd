"""The duality gap of a problem with K responses, over all columns.

The dual point is s u', where u' = u - F''(eta) Z_f C is orthogonal to the columns Z_f that nothing
holds back, the intercept's among them (a Newton step for these alone: to first order what u would
be had they been solved, and u' stays in the domain of F*), and s <= 1 makes it feasible:

    gap = F(eta) + F*(-s u') + eta's u'
          + sum_j [lam Omega_j(B_j) + (lam Omega_j)*(s Z_j'u') - s B_j'Z_j'u'],

a sum of terms none of which is negative. Best of s = 1 or feasible, s feasible as if for the lasso
without limits, and s = 0, which alone is left where u' could not be found.
Reference: Bach et al. 2012, section 1.4.
"""

import numpy as np

from sparsesolve.solvers.response_newton import (
    Preconditioner,
    conjugate_gradients,
    rounding_floor,
)

VIOLATION = 1e-12  # relative
ORTHOGONAL = 1e-10  # product with a free column, from which u' is not what it must be


def working_gap(d, lam):
    """The gap over the working columns of a ResponseDescent, free ones as if solved, about.

    A step on the free ones would gain what they add.
    """
    free = d.net.unheld(d.B, d.g, lam)
    curvature = np.outer(d.scales(), np.maximum(d.shared.squares, 1e-300))
    total = 0.5 * (d.g[free] ** 2 / curvature[free]).sum()
    scales = {d.net.feasible_scale(d.B, d.g, lam, strict) for strict in (False, True)}
    return total + min(
        d.loss.fenchel_young_at(d.eta, s * d.u) + d.net.excess(d.B, d.g, lam, s) for s in scales
    )


def dual_point(d, lam):
    """u' (K, n)."""
    free = d.net.unheld(d.B, d.g, lam)
    places = np.flatnonzero(free.any(axis=0))
    u = d.u
    if not len(places):
        return u
    free, part, scales = free[:, places], d.columns.some(places), d.scales()
    if len(places) == 1:  # the intercept alone, as a rule
        own = np.maximum(scales[:, None] * d.shared.squares[places], 1e-300)

        def precondition(x):
            return x / own
    else:
        precondition = Preconditioner().separate(
            part.gram(d.shared.h), np.arange(len(places)), free, scales, np.zeros(len(places))
        )
    enough = rounding_floor(free, scales, d.shared.squares[places])

    def product(C):
        return free * part.correlate(d.loss.curvature_product(d.eta, part.combine(C)))

    most = 20 + 4 * int(free.sum())
    for _ in range(2):  # the second time for what rounding left
        rest = free * part.correlate(u)
        C, count, flat = conjugate_gradients(product, precondition, rest, enough, most)
        if flat or not count:
            break
        u = u - d.loss.curvature_product(d.eta, part.combine(C))
    return u


def certify(d, lam, net, others, products):
    """The gap over all columns, which of `others`, those not at work, violate their bound, and the
    sizes of the others' products.

    Parameters
    ----------
    net : ElasticNetRows
        Of all features.
    others : (count,) features
    products : callable (u, others) -> (K, count)
    """
    u = dual_point(d, lam)
    C, beyond = d.columns.correlate(u), products(u, others)
    net, zero = net.take(others), np.zeros_like(beyond)
    gaps = [d.loss.fenchel_young_at(d.eta, 0.0 * u) + d.net.value(d.B, lam)]
    left = np.where(d.net.unheld(d.B, d.g, lam), C, 0.0)
    rounding = np.abs(d.B * left).sum()
    for strict in (False, True):
        if np.abs(left).max(initial=0.0) > ORTHOGONAL:
            break
        s = min(
            d.net.feasible_scale(d.B, C, lam, strict),
            net.feasible_scale(zero, beyond, lam, strict),
        )
        inside, outside = d.net.excess(d.B, C, lam, s), net.excess(zero, beyond, lam, s)
        gaps.append(d.loss.fenchel_young_at(d.eta, s * u) + inside + outside + rounding)
    sizes = net.polar(beyond)
    violating = sizes > lam * np.asarray(net.l1) * (1 + VIOLATION)
    return min(gaps), others[violating], sizes

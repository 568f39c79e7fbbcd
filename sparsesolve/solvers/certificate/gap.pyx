"""The duality gap: the one formula by which every solver certifies its solutions.

    minimise over b0, b   P(b0, b) = F(eta) + lam Omega(b),    eta = offset + b0 + Zb

Given: a point, and a dual point u that is orthogonal to what nothing penalises. With z = Z'u,
Fenchel's inequality bounds P less its minimum, for every scale s, by

    gap(s) =   F(eta) + F*(-s u) + s u'eta                                      samples
             + sum over blocks g  [lam Omega_g(b_g) + (lam Omega_g)*(s z_g) - s z_g'b_g]    blocks
             + what a step along unpenalised directions may still gain           missing.

Samples and blocks are sums of terms none of which is negative. A block is a column under the
elastic net, a row of the coefficients of K responses, or a group of them; an inactive block has
b_g = 0 and adds its conjugate alone, which is 0 where z_g is below its threshold. At s = 0 the
gap is the objective less the least value of F.
Returned: the least over two scales and 0. `feasible` keeps the conjugates finite; `strict` keeps
them at 0 as for a norm, since limits that are far away multiply what rounding takes z beyond lam.
What rounding may hide is added: EPSILON times the least value of F. What the last digits of the
returned coefficients and intercept cost is `Problem.rounding_cost`.

The parts come from: `Loss.fenchel_young`; `block_gap` and `BlockPenalty.block_gap`;
`dual_point.clear` (orthogonality, and what is missing); the screening of inactive blocks.
Python solvers call `duality_gap`, or `gap_of_terms` where they have the terms in closed form
(`unexplained`, `squares_excess`, `ridge_excess`);
compiled ones put the terms together by `assembled`, and ScaledDual tries the scales.
Reference: Bach et al. 2012, section 1.4.
"""
from libc.math cimport INFINITY

import numpy as np

from sparsesolve.solvers import tolerances

cdef double EPSILON = 2.220446049250313e-16     # of the least value of F
cdef double ROUNDING = tolerances.ROUNDING


def duality_gap(loss, penalty, double lam, b, eta, double value, dual, z, double missing=0.0):
    """The gap of a point over all blocks.

    Parameters
    ----------
    loss : Loss
    penalty : Penalty on arrays of the shape of b
    lam : float
    b : (p,) or (K, p) coefficients; 0 where they are not penalised
    eta : (n,) or (K, n) linear predictors
    value : float, F(eta)
    dual : (n,) or (K, n), orthogonal to what nothing penalises
    z : (p,) or (K, p), Z'dual; 0 where coefficients are not penalised. Not asked if missing is inf
    missing : float
        What a step along unpenalised directions may still gain; inf: there is no dual point.
    """
    cdef double penalty_value = penalty.value(b, lam), rounding = EPSILON * abs(loss.saturated)
    cdef double gap = abs(value - loss.saturated) + penalty_value     # rounding may take F below it
    if missing == np.inf:
        return gap + rounding
    return rounding + least_gap(
        loss, eta, dual, scales(penalty, z, lam),
        lambda s: blocks_gap(penalty, lam, penalty_value, b, s * z), missing, gap)


def least_gap(loss, eta, dual, scales, blocks, double missing=0.0, double at_zero=INFINITY):
    """The least gap at some multiples of a dual point; blocks(s) is what all blocks add at s."""
    cdef double gap = at_zero
    for s in scales:
        samples = loss.fenchel_young_at(eta, dual if s == 1.0 else s * dual)
        gap = assembled(samples, blocks(s), missing, gap)
    return gap


def gap_of_terms(double samples, double blocks, double missing=0.0, double at_zero=INFINITY):
    """The gap where a solver has its terms in closed form; see `assembled`."""
    return assembled(samples, blocks, missing, at_zero)


def unexplained(basis, r):
    """The gap |P r|^2 / 2 of squared error where coefficients on a span have no penalty.

    basis : (k, n), orthonormal rows of the span that P projects on; r : (n,) the residual.
    """
    return 0.5 * float(np.square(basis @ r).sum())


def squares_excess(r, dual):
    """Fenchel-Young of |y - .|^2 / 2 at a dual point that is no multiple of r: |r - dual|^2 / 2.

    r : (n,) the residual; dual : (n,).
    """
    apart = r - dual
    return 0.5 * float(np.vdot(apart, apart))


def ridge_excess(g, z, double lam):
    """What lam |g|^2 / 2 adds at products z: value + conjugate - inner, as one square.

    |z - lam g|^2 / (2 lam); the sum of the three would cancel to the rounding of each. lam > 0.
    """
    apart = z - lam * g
    return float(np.vdot(apart, apart)) / (2.0 * lam)


def blocks_gap(penalty, double lam, double penalty_value, b, z):
    """What all blocks add at a dual point of products z; `penalty_value` is the penalty at b."""
    return penalty_value + penalty.conjugate(z, lam) - float(np.vdot(b, z))


def scales(penalty, z, double lam):
    """The scales, one or two, that are tried for a dual point of products z."""
    feasible = penalty.feasible_scale(z, lam)
    # of a whole vector a bound is enough that compares with lam
    largest = penalty.polar(z) if getattr(penalty, "has_blocks", True) else penalty.polar(z, lam)
    strict = lam / largest if largest > lam else 1.0
    same = abs(strict - feasible) <= ROUNDING * feasible
    return [min(strict, feasible)] if same else [feasible, strict]


cdef class ScaledDual:
    """What has a dual point in compiled code; its gap is the least at two multiples of it."""

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        """The largest s <= 1 that keeps conjugates at s times the dual point finite.

        strict: as if for a norm without limits but those at which coefficients are.
        """
        return 1.0

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        """The gap at `scale` times the dual point."""
        return 0.0

    cdef double gap(self, double lam) noexcept nogil:
        cdef double feasible = self.scale(lam, False), strict = feasible
        if not self.plain:
            strict = self.scale(lam, True)
        cdef double gap = self.gap_at(lam, feasible)
        return gap if strict == feasible else min(gap, self.gap_at(lam, strict))

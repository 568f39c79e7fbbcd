"""How the terms of a duality gap add up, inlined, and ScaledDual, which tries multiples."""
from libc.math cimport sqrt


cdef inline double assembled(double samples, double blocks, double missing,
                             double at_zero) noexcept nogil:
    """The gap at a dual point, or at the dual point 0 where that is less or the other is NaN.

    samples: Fenchel-Young of F, which losses never give below 0; blocks: what coefficients add,
    less than 0 by rounding alone; missing: what unpenalised directions may still gain.
    """
    cdef double gap = samples + max(blocks, 0.0) + missing
    return gap if gap < at_zero else at_zero


cdef inline double squares_gap(double square, double scale, double left) noexcept nogil:
    """Fenchel-Young of |y - .|^2 / 2 at scale * (r - its projection on unpenalised columns).

    square: |r|^2 of the residual r; left: at least the length of that projection.
    """
    cdef double apart = (1.0 - scale) * sqrt(max(square, 0.0)) + scale * left
    return 0.5 * apart * apart


cdef class ScaledDual:
    cdef bint plain                     # whether both scales are one: neither limits nor ridges

    cdef double scale(self, double lam, bint strict) noexcept nogil
    cdef double gap_at(self, double lam, double scale) noexcept nogil
    cdef double gap(self, double lam) noexcept nogil

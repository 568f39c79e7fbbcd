"""Homotopy: the path from event to event."""
from sparsesolve.solvers.homotopy.active_set cimport ActiveSet

cdef class Homotopy(ActiveSet):
    cdef double last, floor, tie, scale
    cdef bint lasso, positive
    cdef int most, here                 # `here` counts events at this lambda.
    cdef const double[::1] size         # (p,) |a_j|

    cdef int _run(self) noexcept nogil
    cdef int _next(self, double* step, int* index) noexcept nogil
    cdef void _advance(self, double t, int kind, int index) noexcept nogil
    cdef bint _resolve_ties(self) noexcept nogil
    cdef bint _descend(self, int newest) noexcept nogil
    cdef bint _at_zero(self, int k) noexcept nogil
    cdef int _side(self, int i) noexcept nogil

"""Homotopy: the path from event to event."""
from sparsesolve.linalg.basis cimport Basis

cdef class Homotopy:
    cdef readonly Basis basis
    cdef readonly double lam            # where the path has come to
    cdef readonly int n_knots, n_events # since `begin`
    cdef double last, floor, tie, scale
    cdef bint lasso, positive
    cdef int most, rank, n_slots, here  # here: events at this lam
    cdef const double[::1] factor, size                 # (p,) v_j and |a_j|
    cdef int[::1] member_, place_, slot_                # of the active ones: feature, column of the window or 0, row of B
    cdef double[::1] b, d, s, v
    cdef int[::1] feature, state, tied                  # of the window, from 1
    cdef double[::1] c, w, old                          # correlation, v, and the coefficient of a feasible direction
    cdef double[:, ::1] B                               # (knots, slots)
    cdef double[::1] lams
    cdef int[::1] slots                                 # feature of each column of B
    cdef int[:, ::1] events                             # kind, column of the window, sign, knot

    cdef int _run(self) noexcept nogil
    cdef bint _roomy(self, int events) noexcept nogil
    cdef int _next(self, double* step, int* index) noexcept nogil
    cdef void _advance(self, double t, int kind, int index) noexcept nogil
    cdef void _log(self, int kind, int i, int sign) noexcept nogil
    cdef bint _join(self, int index) noexcept nogil
    cdef double _tiny(self) noexcept nogil
    cdef bint _take(self, int i, int sign, double tiny) noexcept nogil
    cdef int _leave(self, int k) noexcept nogil
    cdef void _drop(self, int k, int i) noexcept nogil
    cdef int _position(self, int i) noexcept nogil
    cdef bint _settle(self) noexcept nogil
    cdef bint _descend(self, int newest) noexcept nogil
    cdef bint _at_zero(self, int k) noexcept nogil
    cdef int _side(self, int i) noexcept nogil

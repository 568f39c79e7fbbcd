"""ActiveSet: which columns of a window are active, with their signs and coefficients."""
from sparsesolve.linalg.factors.qr_window cimport QRWindow

cdef enum State:            # State of a column of the window.
    # A REFUSED column depends on the active ones and waits until one of them leaves. A SHUT
    # column never joins.
    OUT, IN, REFUSED, SHUT

cdef class ActiveSet:
    cdef readonly QRWindow basis
    cdef readonly double lam            # Lambda that the path has reached.
    cdef readonly int n_knots, n_events # Counted since `begin`.
    cdef int rank, n_slots
    cdef const double[::1] factor                       # (p,) v_j
    # For each active column: its feature, its column of the window or 0, and its column of B.
    cdef int[::1] member_, place_, slot_
    cdef double[::1] b, d, s, v
    cdef int[::1] feature, state, tied                  # For each column of the window, from 1.
    # For each column of the window: correlation, v, and the coefficient of a feasible direction.
    cdef double[::1] c, w, old
    cdef double[::1] limit  # v of the columns that may join, FAR for others.
    cdef double[:, ::1] B                               # (knots, slots)
    cdef double[::1] lams
    cdef int[::1] slots                                 # The feature of each column of B.
    cdef int[:, ::1] events                             # Kind, column of the window, sign, knot.

    cdef bint _roomy(self, int events) noexcept nogil
    cdef bint _join(self, int index) noexcept nogil
    cdef int _leave(self, int k) noexcept nogil
    cdef double _tiny(self) noexcept nogil
    cdef bint _take(self, int i, int sign, double tiny) noexcept nogil
    cdef void _drop(self, int k, int i) noexcept nogil
    cdef int _position(self, int i) noexcept nogil
    cdef void _log(self, int kind, int i, int sign) noexcept nogil

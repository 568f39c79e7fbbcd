"""Residuals: those met along a path, and how the current one is seen from any two of them."""

cdef enum:
    SLOTS = 64                          # residuals remembered at most
    FEW = 8                             # where they are long
    VALUES = 16777216                   # of all of them together

cdef struct Span:                       # of two remembered residuals, against the current one
    double first, second                # coefficients of the projection
    double distance                     # from it
    long round                          # when this was computed
    int gap                             # where the difference from the projection is kept; -1 nowhere

cdef class Residuals:
    cdef Py_ssize_t n
    cdef int n_slots, most, latest
    cdef long round
    cdef double travelled               # length of the path of r so far
    cdef double level                   # |r|^2
    cdef const double* current          # the residual that spans are compared with
    cdef Span* spans                    # (SLOTS, SLOTS)
    cdef int[::1] members               # how many columns refer to a slot
    cdef double[::1] last, dots
    cdef double[:, ::1] remembered, inner

    cdef void travel(self, const double* r) noexcept nogil
    cdef void compare(self, const double* r) noexcept nogil
    cdef int free_slot(self) noexcept nogil
    cdef void remember(self, int slot, const double* r) noexcept nogil
    cdef void _project(self, Span* span, int first, int second) noexcept nogil

    cdef inline Span* span(self, const int* slots) noexcept nogil:
        """The current residual against two remembered ones (one, where the second is -1)."""
        cdef int first = slots[0], second = slots[1]
        cdef Span* span
        if second < 0:
            second = first
        span = &self.spans[first * SLOTS + second]
        if span.round != self.round:
            self._project(span, first, second)
        return span


cdef inline void forget(int* slots, int slot) noexcept nogil:
    if slots[1] == slot:
        slots[1] = -1
    if slots[0] == slot:
        slots[0] = slots[1] = -1

"""Residuals: those met along a path, and how the current one is seen from any two of them."""
from libc.stdint cimport int16_t


cdef enum:
    SLOTS = 64                          # residuals remembered at most, a power of 2
    FEW = 8                             # where they are long
    WORTH = 16                          # columns to one of them
    VALUES = 16777216                   # of all of them together
    GAPS = 256                          # differences from spans kept at a time

cdef struct Span:                       # of two remembered residuals, against the current one
    double first, second                # coefficients of the projection
    double distance                     # from it
    long round                          # when this was computed
    # where the difference from the projection is kept; -1 nowhere
    int gap

cdef struct Gap:                        # such a difference: unit times whole numbers, nearly
    double unit
    double lost                         # length of what they are off by

cdef inline int slot_of(int name) noexcept nogil:
    return name & (SLOTS - 1)


cdef class Residuals:
    cdef Py_ssize_t n
    cdef int n_slots, most, latest
    cdef long round
    cdef double level                   # |r|^2
    cdef const double* current          # the residual that spans are compared with
    cdef Span* spans                    # (SLOTS, SLOTS)
    cdef int[::1] members               # how many columns refer to a slot
    # of the residuals in the slots: the slot, and SLOTS times how often it was used
    cdef int[::1] names
    cdef double[::1] dots
    cdef double[:, ::1] remembered, inner
    cdef int n_gaps
    cdef Gap* gap                       # (GAPS,)
    cdef int16_t[:, ::1] fine           # (GAPS, n), padded: their whole numbers
    cdef double[::1] rest

    cdef int gap_of(self, const int* names) noexcept nogil
    cdef void compare(self, const double* r) noexcept nogil
    cdef int remember(self) noexcept nogil
    cdef void _project(self, Span* span, int first, int second) noexcept nogil

    cdef inline bint known(self, int* names) noexcept nogil:
        """Forget those of two names whose residual is gone; returns whether the first is there.

        -1 is none, and there is no second without a first.
        """
        if names[1] >= 0 and self.names[slot_of(names[1])] != names[1]:
            names[1] = -1
        if names[0] >= 0 and self.names[slot_of(names[0])] != names[0]:
            names[0] = names[1] = -1
        return names[0] >= 0

    cdef inline void take(self, int* names, int name) noexcept nogil:
        """The residual of this name is the first of two from now on."""
        if self.known(names):
            self.members[slot_of(names[0])] -= 1
        names[1], names[0] = names[0], name
        self.members[slot_of(name)] += 1

    cdef inline const double* named(self, int name) noexcept nogil:
        return &self.remembered[slot_of(name), 0]

    cdef inline Span* span(self, const int* names) noexcept nogil:
        """The current residual against two that are known (one, where the second is -1)."""
        cdef int first = slot_of(names[0]), second = first if names[1] < 0 else slot_of(names[1])
        cdef Span* span = &self.spans[first * SLOTS + second]
        if span.round != self.round:
            self._project(span, first, second)
        return span

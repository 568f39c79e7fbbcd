"""The residuals seen along a path, and the projection of the current one on any two of them.

What is linear in r and known at two residuals is known at the projection; Cauchy-Schwarz and the
distance from it bound the rest. Slots hold the residuals, each under a name. When another takes
the slot, the name is gone. `members` counts who refers to a name.
"""
from libc.math cimport INFINITY, sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers.screening.quantised cimport SS_FINE, padded, ss_quantise_i16
from sparsesolve.linalg.kernels.vector cimport dot, ss_add_dots, ss_largest_f64

# Names of residuals start again from here.
cdef int LAST_NAME = 0x7fffff00
# The unit of a gap of residuals that are equal.
cdef double SMALLEST = 1e-300


cdef class Residuals:
    """No residuals at first, of n samples; as many slots as pay compared with p products.

    `quantised` makes room for their gaps.
    """

    def __cinit__(self, Py_ssize_t n, Py_ssize_t p, bint quantised):
        self.n, self.most = n, max(FEW, min(SLOTS, VALUES // max(n, 1), p // WORTH))
        self.spans = <Span*> calloc(SLOTS * SLOTS, sizeof(Span))
        self.gap = <Gap*> calloc(GAPS, sizeof(Gap))
        if self.spans == NULL or self.gap == NULL:
            raise MemoryError
        if quantised:
            self.fine, self.rest = np.zeros((GAPS, padded(n)), dtype=np.int16), np.empty(n)
        self.dots = np.zeros(SLOTS)
        self.members, self.names = np.zeros(SLOTS, dtype=np.intc), np.arange(-SLOTS, 0,
                dtype=np.intc)
        self.remembered, self.inner = np.zeros((self.most, n)), np.zeros((SLOTS, SLOTS))

    def __dealloc__(self):
        free(self.spans)
        free(self.gap)

    cdef void compare(self, const double* r) noexcept nogil:
        """Make r the current residual: compute its products with those remembered."""
        self.round += 1
        self.n_gaps = 0
        self.current = r
        self.level = dot(self.n, r, r)
        memset(&self.dots[0], 0, self.n_slots * sizeof(double))
        ss_add_dots(self.n, self.n_slots, &self.remembered[0, 0], NULL, self.n, r, &self.dots[0])

    cdef void _project(self, Span* span, int first, int second) noexcept nogil:
        """Project the current residual on two remembered ones; its distance has room for
        rounding.
        """
        cdef double a, c = 0.0, one = self.inner[first, first], two = self.inner[second, second]
        cdef double cross = self.inner[first, second], rest, square, size
        a = self.dots[first] / one if one > 0.0 else 0.0
        if first != second and one > 0.0:
            rest = two - cross * cross / one
            if rest > 1e-10 * two:
                c = (self.dots[second] - cross * a) / rest
                a -= c * cross / one
        square = (self.level - 2.0 * a * self.dots[first] - 2.0 * c * self.dots[second]
                  + a * a * one + 2.0 * a * c * cross + c * c * two)
        size = self.level + a * a * one + c * c * two
        span.first, span.second, span.round, span.gap = a, c, self.round, -1
        span.distance = sqrt(max(square, 0.0) + 1e-13 * size)

    cdef int gap_of(self, const int* names) noexcept nogil:
        """The number of the gap between the current residual and its projection; -1 if there is
        no room.
        """
        cdef Span* span = self.span(names)
        cdef const double* first = self.named(names[0])
        cdef const double* second = self.named(max(names[1], 0))
        cdef Py_ssize_t i
        cdef Gap* gap
        if span.gap < 0 and self.n_gaps < GAPS:
            for i in range(self.n):
                self.rest[i] = self.current[i] - span.first * first[i] - span.second * second[i]
            gap = &self.gap[self.n_gaps]
            gap.unit = ss_largest_f64(self.n, &self.rest[0]) / SS_FINE
            # all of it is lost
            if gap.unit < SMALLEST:
                gap.unit = 0.0
            if gap.unit < INFINITY:
                gap.lost = ss_quantise_i16(self.n, &self.rest[0], gap.unit,
                                           &self.fine[self.n_gaps, 0])
                span.gap = self.n_gaps
                self.n_gaps += 1
        return span.gap

    cdef int remember(self) noexcept nogil:
        """Remember the current residual; returns its name.

        Where no slot is free, the one with fewest members is used.
        """
        cdef int slot = self.n_slots, k
        if slot < self.most:
            self.n_slots += 1
        else:
            slot = 1 if self.latest == 0 else 0
            for k in range(self.most):
                if self.members[k] < self.members[slot] and k != self.latest:
                    slot = k
        self.members[slot] = 0
        self.latest = slot
        self.names[slot] = slot if self.names[slot] >= LAST_NAME else self.names[slot] + SLOTS
        memcpy(&self.remembered[slot, 0], self.current, self.n * sizeof(double))
        self.dots[slot] = self.level
        for k in range(self.n_slots):
            self.inner[slot, k] = self.inner[k, slot] = self.dots[k]
        return self.names[slot]

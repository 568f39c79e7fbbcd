"""The residuals met along a path: their inner products, and the current one's projection on any two of them.

What is linear in r and known at two residuals is known at the projection; Cauchy-Schwarz and the distance from it
bound the rest.  Slots hold the residuals; who refers to one counts in `members`.
"""
from libc.math cimport sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemv

import numpy as np

from sparsesolve.linalg.vector cimport dot


cdef class Residuals:
    """None at first, of n samples."""

    def __cinit__(self, Py_ssize_t n):
        self.n, self.most = n, max(FEW, min(SLOTS, VALUES // max(n, 1)))
        self.spans = <Span*> calloc(SLOTS * SLOTS, sizeof(Span))
        if self.spans == NULL:
            raise MemoryError
        self.last, self.dots = np.zeros(n), np.zeros(SLOTS)
        self.members = np.zeros(SLOTS, dtype=np.intc)
        self.remembered, self.inner = np.zeros((self.most, n)), np.zeros((SLOTS, SLOTS))

    def __dealloc__(self):
        free(self.spans)

    cdef void travel(self, const double* r) noexcept nogil:
        """Lengthen the path by the way to r, which is the current residual from now on."""
        cdef Py_ssize_t i
        cdef double step = 0.0
        for i in range(self.n):
            step += (r[i] - self.last[i]) * (r[i] - self.last[i])
            self.last[i] = r[i]
        self.travelled += sqrt(step) * (1.0 + 1e-12)
        self.compare(r)

    cdef void compare(self, const double* r) noexcept nogil:
        """Look at r, without going there: its products with the remembered residuals."""
        cdef int n = self.n, one = 1
        cdef double unit = 1.0, zero = 0.0
        self.round += 1
        self.current = r
        self.level = dot(self.n, r, r)
        if self.n_slots > 0:
            dgemv("T", &n, &self.n_slots, &unit, &self.remembered[0, 0], &n, <double*> r, &one, &zero,
                  &self.dots[0], &one)

    cdef void _project(self, Span* span, int first, int second) noexcept nogil:
        """The current residual's projection on two remembered ones, its distance with room for rounding."""
        cdef double a, c = 0.0, one = self.inner[first, first], two = self.inner[second, second]
        cdef double cross = self.inner[first, second], rest, square, size
        a = self.dots[first] / one if one > 0.0 else 0.0
        if first != second and one > 0.0:
            rest = two - cross * cross / one
            if rest > 1e-10 * two:
                c = (self.dots[second] - cross * a) / rest
                a -= c * cross / one
        square = (self.level - 2.0 * a * self.dots[first] - 2.0 * c * self.dots[second] + a * a * one
                  + 2.0 * a * c * cross + c * c * two)
        size = self.level + a * a * one + c * c * two
        span.first, span.second, span.round, span.gap = a, c, self.round, -1
        span.distance = sqrt(max(square, 0.0) + 1e-13 * size)

    cdef int free_slot(self) noexcept nogil:
        """A slot for another residual; where all are taken that of fewest members, who are to forget it."""
        cdef int slot, k
        if self.n_slots < self.most:
            return self.n_slots
        slot = 1 if self.latest == 0 else 0
        for k in range(self.most):
            if self.members[k] < self.members[slot] and k != self.latest:
                slot = k
        return slot

    cdef void remember(self, int slot, const double* r) noexcept nogil:
        """Put the current residual there."""
        cdef int k
        self.n_slots = max(self.n_slots, slot + 1)
        self.members[slot] = 0
        self.latest = slot
        memcpy(&self.remembered[slot, 0], r, self.n * sizeof(double))
        self.dots[slot] = self.level
        for k in range(self.n_slots):
            self.inner[slot, k] = self.inner[k, slot] = self.dots[k]

"""SupportFactor: a Cholesky factor of an active set's support, kept as columns come and go.

    L L' = G + level L2  over the free columns that do not depend on those before them

Given: the Gram matrix G of the working columns, and an active set with support and held columns;
L2 is the diagonal of its l2.
Returned: the active set's `order`, the column of each row of L, and `position`, the row of each
column, -1 without one; and here `refused`, the free columns that depend on those in L.
Invariant: `level` is the lam whose ridge is in L, not necessarily the last. Rows enter in blocks
and leave by rotations; L is recomputed only where that is cheaper.
Reference: Golub, Van Loan (2013), "Matrix Computations", section 6.5.
"""
from libc.math cimport fabs

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.factors.cholesky cimport Cholesky
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic

# Rows that enter the factor at a time: a block of 64 x 64 doubles stays in the first cache.
DEF CHUNK = 64
cdef double PIVOT = costs.rounding.PIVOT
cdef double STALE_RIDGE = costs.subproblem.STALE_RIDGE
cdef double RIDGE_JUMP = costs.subproblem.RIDGE_JUMP
cdef double BLOCK_SPEED = costs.subproblem.BLOCK_SPEED


cdef class SupportFactor:

    def __cinit__(self, Gram gram):
        self.gram, self.cholesky = gram, Cholesky(64)
        self.corner = np.empty(CHUNK * CHUNK)
        self.accepted = np.empty(CHUNK, dtype=np.intc)

    cdef int reserve(self, int capacity) except -1:
        self.cholesky.reserve(capacity)
        self.cross = np.empty(<Py_ssize_t> capacity * CHUNK)
        self.refused = np.empty(capacity, dtype=np.intc)
        return 0

    cdef void restart(self) noexcept nogil:
        """Forget all columns."""
        self.n_refused = 0
        self.cholesky.truncate(0)

    cdef void follow(self, ActiveSetQuadratic active, double lam) noexcept nogil:
        """Bring the factor to the columns of the support, as far as they are independent."""
        cdef int k, j, count = 0, size = self.cholesky.size
        if self._stale(active, lam):
            for k in range(size):
                active.position[active.order[k]] = -1
            self.cholesky.truncate(0)
        if self.cholesky.size == 0:
            self.level, self.refined = lam, 0
        self._shrink(active)
        for k in range(active.n_support):
            j = active.support[k]
            if active.position[j] < 0 and not active.held[j]:
                active.which[count] = j
                count += 1
        self.n_refused = 0
        self.refined += (lam == self.lam != self.level and count == 0
                         and self.cholesky.size == size)
        self.lam = lam
        self._extend(active, count)

    cdef bint _stale(self, ActiveSetQuadratic active, double lam) noexcept nogil:
        """Return True if an old ridge in the factor has cost as much as a new factor.

        A step costs s^2, a factor s^3 / 3 in blocks.
        """
        cdef int k
        if (fabs(lam - self.level) <= STALE_RIDGE * lam
                and fabs(lam - self.lam) <= RIDGE_JUMP * lam
                and 3.0 * BLOCK_SPEED * self.refined <= self.cholesky.size):
            return False
        for k in range(active.n_support):
            if active.l2[active.support[k]] > 0.0:
                return True
        return False

    cdef void _shrink(self, ActiveSetQuadratic active) noexcept nogil:
        """Remove from the factor the columns that have left the support."""
        cdef int k, j, first = -1, leaving = 0, s = self.cholesky.size, kept
        cdef double below, rotations, rebuilt
        for k in range(s):
            # in the factor, not known to be in the support
            active.position[active.order[k]] = -2
        for k in range(active.n_support):
            j = active.support[k]
            if active.position[j] == -2 and not active.held[j]:
                active.position[j] = 0
        rotations = 0.0
        for k in range(s):
            if active.position[active.order[k]] == -2:
                leaving += 1
                rotations += 2.0 * (s - k) * (s - k) + 1.0 * k * (s - k)
                if first < 0:
                    first = k
        if leaving > 0:
            below = s - first - leaving
            rebuilt = (below * below * (first + below / 3.0) + 64.0 * below * first) / BLOCK_SPEED
            if rebuilt < rotations:
                self.cholesky.truncate(first)
            else:
                for k in range(s - 1, first - 1, -1):
                    if active.position[active.order[k]] == -2:
                        self.cholesky.remove(k)
        kept = 0
        for k in range(s):
            j = active.order[k]
            if active.position[j] == -2 or kept >= self.cholesky.size:
                active.position[j] = -1
            else:
                active.order[kept] = j
                active.position[j] = kept
                kept += 1

    cdef void _extend(self, ActiveSetQuadratic active, int count) noexcept nogil:
        """Append the columns which[0..count) to the factor, chunk by chunk."""
        cdef int start, width, k, t, j, s
        cdef Py_ssize_t ld = self.gram.capacity
        cdef const double* G = self.gram.G
        for start in range(0, count, CHUNK):
            width = min(CHUNK, count - start)
            s = self.cholesky.size
            for k in range(width):
                j = active.which[start + k]
                for t in range(s):
                    self.cross[t + k * s] = G[active.order[t] + j * ld]
                for t in range(width):
                    self.corner[t + k * width] = G[active.which[start + t] + j * ld]
                self.corner[k + k * width] += self.level * active.l2[j]
                active.values[k] = self.corner[k + k * width]
            self.cholesky.append(width, &self.cross[0], &self.corner[0], active.values, PIVOT,
                                 &self.accepted[0])
            for k in range(width):
                j = active.which[start + k]
                if self.accepted[k]:
                    active.order[s] = j
                    active.position[j] = s
                    s += 1
                else:
                    self.refused[self.n_refused] = j
                    self.n_refused += 1

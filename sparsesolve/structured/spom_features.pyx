"""Explicit features of SPOM: theta = c_g V for the group g of each feature, V (p, K).

A step touches only the nonzero features. Squared norms of V change by new^2 - old^2.
"""
import numpy as np
from scipy import sparse

from sparsesolve.structured.spom_blocks cimport Block


cdef class Features(Block):
    """Explicit features: X by compressed rows; `of` (p,) is the group of each feature."""

    cdef const long long[::1] start
    cdef const int[::1] at
    cdef const double[::1] x
    cdef const int[::1] of
    cdef double[:, ::1] V, B
    cdef double[::1] move                # (p,) workspace, 0 except within `curvature`
    # Lists of the nonzero features of a group: -1 ends a list, -2 means in none.
    cdef int[::1] head, following

    def __init__(self, start, at, x, of, Py_ssize_t p, Py_ssize_t K, state, bint averaged):
        Block.__init__(self, K, state, averaged)
        self.start, self.at, self.x, self.of = start, at, x, of
        self.head = np.full(self.n_groups, -1, dtype=np.intc)
        self.following = np.full(p, -2, dtype=np.intc)
        self.V, self.B = np.zeros((p, K)), np.zeros((p if averaged else 0, K))
        self.move = np.zeros(p)

    cdef void add_scores(self, Py_ssize_t first, Py_ssize_t L, double* S) noexcept nogil:
        cdef Py_ssize_t i, k, K = self.K
        cdef long long j
        cdef double by
        cdef const double* v
        for i in range(L):
            for j in range(self.start[first + i], self.start[first + i + 1]):
                by, v = self.x[j] * self.c[self.of[self.at[j]]], &self.V[self.at[j], 0]
                for k in range(K):
                    S[i * K + k] += by * v[k]

    cdef void change(self, Py_ssize_t first, Py_ssize_t L, const double* D,
                     double step) noexcept nogil:
        cdef Py_ssize_t i, k, f, g, K = self.K
        cdef long long j
        cdef double by, moved
        for i in range(L):
            for k in range(K):
                if D[i * K + k] == 0.0:
                    continue
                for j in range(self.start[first + i], self.start[first + i + 1]):
                    f = self.at[j]
                    g = self.of[f]
                    if self.following[f] == -2:
                        self.following[f], self.head[g] = self.head[g], <int> f
                    by = (step if self.dual else step / self.c[g]) * self.x[j] * D[i * K + k]
                    moved = self.V[f, k] + by
                    self.square[g] += by * (moved + self.V[f, k])
                    self.V[f, k] = moved
                    if self.averaged:
                        self.B[f, k] += self.clock[g] * by

    cdef double curvature(self, Py_ssize_t first, Py_ssize_t L, const double* D) noexcept nogil:
        cdef Py_ssize_t i, k, f, K = self.K
        cdef long long j
        cdef double by, total = 0.0
        for k in range(K):
            for i in range(L):
                if D[i * K + k] == 0.0:
                    continue
                for j in range(self.start[first + i], self.start[first + i + 1]):
                    f, by = self.at[j], self.x[j] * D[i * K + k]
                    total += self.c[self.of[f]] * by * (2.0 * self.move[f] + by)
                    self.move[f] += by
            for i in range(L):
                if D[i * K + k] != 0.0:
                    for j in range(self.start[first + i], self.start[first + i + 1]):
                        self.move[self.at[j]] = 0.0
        return total

    def put(self, V):
        """Set theta = V (p, K)."""
        cdef int f, g
        V = np.asarray(V, dtype=float)
        np.asarray(self.V)[:] = V
        np.asarray(self.head)[:], np.asarray(self.following)[:] = -1, -2
        for f in np.flatnonzero(V.any(axis=1)):
            g = self.of[f]
            self.following[f], self.head[g] = self.head[g], f
        np.asarray(self.square)[:] = np.bincount(self.of, np.sum(V * V, axis=1), self.n_groups)
        np.asarray(self.c)[:] = 1.0

    def gather(self, D):
        """Set the stored parameters to sum_i phi(x_i) D_i for D (n, K); `c` stays."""
        c = np.array(self.c)
        shape = len(self.start) - 1, len(self.of)
        at, first = np.asarray(self.at)[: self.start[shape[0]]], np.asarray(self.start)
        x = sparse.csr_array((np.asarray(self.x)[: self.start[shape[0]]], at, first), shape=shape)
        self.put(x.T @ np.asarray(D))
        np.asarray(self.c)[:] = c

    def fold(self, int g):
        """Fold c into V for this group, which gets c = 1; if c is 0, V becomes 0."""
        cdef int f = self.head[g], after
        cdef Py_ssize_t k
        cdef double c = self.c[g], square = 0.0
        while f >= 0:
            after = self.following[f]
            for k in range(self.K):
                if self.averaged:
                    self.B[f, k] -= self.clock[g] * self.V[f, k]
                self.V[f, k] *= c
                square += self.V[f, k] * self.V[f, k]
            if c == 0.0:
                self.following[f] = -2
            f = after
        if c == 0.0:
            self.head[g] = -1
        self.clock[g], self.c[g], self.square[g] = 0.0, 1.0, square

    def parameters(self, count=0):
        """Return theta (p, K), or with a count the mean of `count` iterates."""
        of, V = np.asarray(self.of), np.asarray(self.V)
        if count:
            return (np.asarray(self.clock)[of, None] * V - np.asarray(self.B)) / count
        return np.asarray(self.c)[of, None] * V

    def forget_averages(self):
        """Start a new mean."""
        np.asarray(self.B)[:] = 0.0
        np.asarray(self.clock)[:] = 0.0

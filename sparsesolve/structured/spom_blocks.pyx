"""Blocks of parameters of SPOM: theta_m = c_m times what is stored, so that shrinking a group
costs one product.

Explicit features store V (p, K), of which a step touches the features that are on.  A kernel
stores A (n, K), theta = c sum_i phi(x_i) A_i, and the scores F = K A of all training positions,
label by label: a step adds a row of K to F for each label that was wrong at a position, and
reading scores costs nothing.  A sparse K costs its nonzeros.

Squared norms follow the steps.  Of V they change by new^2 - old^2; of a kernel, for theta + a
sum_i phi(x_i) D_i,

    |theta|^2 + 2 a sum_i D_i . F_i + a^2 sum_ij (D_i . D_j) K_ij.

(Both lines printed in Martins et al. for this recursion hold slips; this one agrees with norms
computed from A.) Means of iterates: sum_t c(t) V(t) = clock V - B, clock the sum of c so far, B
the sum of clock times each change of V.
"""
import numpy as np


cdef class Block:
    """What the pass asks of parameters in G groups; `state` (3, G) is its part of c, square and clock of all blocks."""

    def __init__(self, Py_ssize_t K, state, bint averaged):
        self.K, self.n_groups, self.averaged = K, state.shape[1], averaged
        self.c, self.square, self.clock = state
        self.c[:] = 1.0

    cdef void add_scores(self, Py_ssize_t first, Py_ssize_t L, double* S) noexcept nogil:
        """S (L, K) += scores of training positions first .. first + L."""

    cdef void change(self, Py_ssize_t first, Py_ssize_t L, const double* D, double step) noexcept nogil:
        """theta += step sum_i phi(x_i) D_i for D (L, K)."""


cdef class Features(Block):
    """Explicit features: X by compressed rows, `of` (p,) the group of each."""

    cdef const long long[::1] start
    cdef const int[::1] at
    cdef const double[::1] x
    cdef const int[::1] of
    cdef double[:, ::1] V, B
    cdef int[::1] head, following       # lists of a group's features that are not 0: -1 ends one, -2 is in none

    def __init__(self, start, at, x, of, Py_ssize_t p, Py_ssize_t K, state, bint averaged):
        Block.__init__(self, K, state, averaged)
        self.start, self.at, self.x, self.of = start, at, x, of
        self.head = np.full(self.n_groups, -1, dtype=np.intc)
        self.following = np.full(p, -2, dtype=np.intc)
        self.V, self.B = np.zeros((p, K)), np.zeros((p if averaged else 0, K))

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

    cdef void change(self, Py_ssize_t first, Py_ssize_t L, const double* D, double step) noexcept nogil:
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
                    by = step / self.c[g] * self.x[j] * D[i * K + k]
                    moved = self.V[f, k] + by
                    self.square[g] += by * (moved + self.V[f, k])
                    self.V[f, k] = moved
                    if self.averaged:
                        self.B[f, k] += self.clock[g] * by

    def fold(self, int g):
        """Put c into V in this group, which gets c = 1; where c is 0 it begins at nothing."""
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
        """theta (p, K), or with a count the mean of so many iterates."""
        of, V = np.asarray(self.of), np.asarray(self.V)
        if count:
            return (np.asarray(self.clock)[of, None] * V - np.asarray(self.B)) / count
        return np.asarray(self.c)[of, None] * V

    def forget_averages(self):
        """Begin a new mean."""
        np.asarray(self.B)[:] = 0.0
        np.asarray(self.clock)[:] = 0.0


cdef class Kernel(Block):
    """One kernel between all training positions: dense (n, n) float64 or float32, or compressed rows."""

    cdef const double[:, ::1] dense
    cdef const float[:, ::1] single
    cdef const long long[::1] start
    cdef const int[::1] at
    cdef const double[::1] x
    cdef int kind                       # 0 float64, 1 float32, 2 sparse
    cdef Py_ssize_t n
    cdef double[:, ::1] F, A, B         # (K, n), (n, K), (n, K)

    def __init__(self, matrix, Py_ssize_t K, state, bint averaged):
        Block.__init__(self, K, state, averaged)
        self.n = n = matrix.shape[0]
        if hasattr(matrix, "indptr"):
            self.kind, self.x = 2, np.ascontiguousarray(matrix.data, dtype=float)
            self.start = np.asarray(matrix.indptr, dtype=np.longlong)
            self.at = np.asarray(matrix.indices, dtype=np.intc)
        elif matrix.dtype == np.float32:
            self.kind, self.single = 1, matrix
        else:
            self.kind, self.dense = 0, matrix
        self.F, self.A, self.B = np.zeros((K, n)), np.zeros((n, K)), np.zeros((n if averaged else 0, K))

    cdef double entry(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """K_ij; of compressed rows by bisection."""
        cdef long long low, high, middle
        if self.kind == 0:
            return self.dense[i, j]
        if self.kind == 1:
            return self.single[i, j]
        low, high = self.start[i], self.start[i + 1]
        while low < high:
            middle = (low + high) // 2
            if self.at[middle] < j:
                low = middle + 1
            else:
                high = middle
        return self.x[low] if low < self.start[i + 1] and self.at[low] == j else 0.0

    cdef void add_scores(self, Py_ssize_t first, Py_ssize_t L, double* S) noexcept nogil:
        cdef Py_ssize_t i, k
        for k in range(self.K):
            for i in range(L):
                S[i * self.K + k] += self.c[0] * self.F[k, first + i]

    cdef void change(self, Py_ssize_t first, Py_ssize_t L, const double* D, double step) noexcept nogil:
        cdef Py_ssize_t i, j, k, K = self.K
        cdef double by = step / self.c[0], along = 0.0, bent = 0.0, product
        cdef long long a
        for i in range(L):
            for k in range(K):
                along += D[i * K + k] * self.F[k, first + i]
            for j in range(i + 1):
                product = 0.0
                for k in range(K):
                    product += D[i * K + k] * D[j * K + k]
                if product != 0.0:
                    bent += (1.0 if i == j else 2.0) * product * self.entry(first + i, first + j)
        self.square[0] += 2.0 * by * along + by * by * bent
        for i in range(L):
            for k in range(K):
                product = by * D[i * K + k]
                if product == 0.0:
                    continue
                self.A[first + i, k] += product
                if self.averaged:
                    self.B[first + i, k] += self.clock[0] * product
                if self.kind == 0:
                    for j in range(self.n):
                        self.F[k, j] += product * self.dense[first + i, j]
                elif self.kind == 1:
                    for j in range(self.n):
                        self.F[k, j] += product * self.single[first + i, j]
                else:
                    for a in range(self.start[first + i], self.start[first + i + 1]):
                        self.F[k, self.at[a]] += product * self.x[a]

    def fold(self, int g):
        """Put c into what is stored, and begin at c = 1."""
        A, F, c = np.asarray(self.A), np.asarray(self.F), self.c[0]
        if self.averaged:
            np.asarray(self.B)[:] -= self.clock[0] * A
        self.clock[0] = 0.0
        A *= c
        F *= c
        self.square[0] = float(np.sum(A * F.T))
        self.c[0] = 1.0

    def parameters(self, count=0):
        """theta by its coefficients (n, K), or with a count the mean of so many iterates."""
        A = np.asarray(self.A)
        if count:
            return (self.clock[0] * A - np.asarray(self.B)) / count
        return self.c[0] * A

    def forget_averages(self):
        """Begin a new mean."""
        np.asarray(self.B)[:] = 0.0
        self.clock[0] = 0.0

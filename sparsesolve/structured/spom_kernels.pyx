"""One kernel of SPOM: theta = c sum_i phi(x_i) A_i with coefficients A (n, K).

The block also stores the scores F = K A of all training positions, label by label. Reading scores
costs nothing, and a step adds a row of K to F for each label that was wrong at a position. A
sparse K costs its nonzeros. The squared norm is updated with the steps: for theta + a sum_i
phi(x_i) D_i it is

    |theta|^2 + 2 a sum_i D_i . F_i + a^2 sum_ij (D_i . D_j) K_ij.

(Both lines that Martins et al. print for this recursion have slips; this one agrees with norms
computed from A.)

`change` leaves the update of F to `spread`, which adds rows of K to columns lo .. hi of F. An
entry of F gets its terms in one order, however the columns are divided, so threads do not change
a bit.
"""
import numpy as np

from sparsesolve.structured.spom_blocks cimport Block


cdef void spread(const KernelView* view, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t first,
                 Py_ssize_t L, const double* D) noexcept nogil:
    """Add rows of K to columns lo .. hi of F, for the step of the last `change`.

    A sparse K is added to all columns, in the call with lo = 0.
    """
    cdef Py_ssize_t i, j, k, n = view.n, K = view.K
    cdef double by
    cdef long long a
    cdef double* F
    cdef const double* row
    cdef const float* short_row
    for i in range(L):
        for k in range(K):
            by, F = view.by * D[i * K + k], view.F + k * n
            if by == 0.0:
                continue
            if view.kind == 0:
                row = view.dense + (first + i) * n
                for j in range(lo, hi):
                    F[j] += by * row[j]
            elif view.kind == 1:
                short_row = view.single + (first + i) * n
                for j in range(lo, hi):
                    F[j] += by * short_row[j]
            elif lo == 0:
                for a in range(view.start[first + i], view.start[first + i + 1]):
                    F[view.at[a]] += by * view.x[a]


cdef class Kernel(Block):
    """One kernel between all training positions: dense (n, n) float64 or float32, or sparse rows.
    """


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
        self.matrix = matrix
        self.F, self.A = np.zeros((K, n)), np.zeros((n, K))
        self.B = np.zeros((n if averaged else 0, K))
        self.view.kind, self.view.n, self.view.K, self.view.F = self.kind, n, K, &self.F[0, 0]
        if self.kind == 0:
            self.view.dense = &self.dense[0, 0]
        elif self.kind == 1:
            self.view.single = &self.single[0, 0]
        else:
            self.view.start = &self.start[0]
            if len(self.x):
                self.view.at, self.view.x = &self.at[0], &self.x[0]

    cdef double entry(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """Return K_ij; in compressed rows it is found by bisection."""
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

    cdef void change(self, Py_ssize_t first, Py_ssize_t L, const double* D,
                     double step) noexcept nogil:
        cdef Py_ssize_t i, k, K = self.K
        cdef double by = step if self.dual else step / self.c[0], along = 0.0, product
        for i in range(L):
            for k in range(K):
                along += D[i * K + k] * self.F[k, first + i]
        self.square[0] += 2.0 * by * along + by * by * self.squared_length(first, L, D)
        self.view.by = by
        for i in range(L):
            for k in range(K):
                product = by * D[i * K + k]
                if product == 0.0:
                    continue
                self.A[first + i, k] += product
                if self.averaged:
                    self.B[first + i, k] += self.clock[0] * product

    cdef double curvature(self, Py_ssize_t first, Py_ssize_t L, const double* D) noexcept nogil:
        return self.c[0] * self.squared_length(first, L, D)

    cdef double squared_length(self, Py_ssize_t first, Py_ssize_t L,
                               const double* D) noexcept nogil:
        """Return |sum_i phi(x_i) D_i|^2."""
        cdef Py_ssize_t i, j, k, K = self.K
        cdef double product, total = 0.0
        for i in range(L):
            for j in range(i + 1):
                product = 0.0
                for k in range(K):
                    product += D[i * K + k] * D[j * K + k]
                if product != 0.0:
                    total += (1.0 if i == j else 2.0) * product * self.entry(first + i, first + j)
        return total

    def put(self, A):
        """Set theta = sum_i phi(x_i) A_i."""
        A = np.asarray(A, dtype=float)
        np.asarray(self.A)[:] = A
        np.asarray(self.F)[:] = np.asarray(self.matrix @ A).T
        self.c[0], self.square[0] = 1.0, float(np.sum(A * np.asarray(self.F).T))

    def gather(self, D):
        """Set the stored parameters to sum_i phi(x_i) D_i for D (n, K); `c` stays."""
        cdef double c = self.c[0]
        self.put(D)
        self.c[0] = c

    def fold(self, int g):
        """Fold c into the stored parameters, and set c = 1."""
        A, F, c = np.asarray(self.A), np.asarray(self.F), self.c[0]
        if self.averaged:
            np.asarray(self.B)[:] -= self.clock[0] * A
        self.clock[0] = 0.0
        A *= c
        F *= c
        self.square[0] = float(np.sum(A * F.T))
        self.c[0] = 1.0

    def parameters(self, count=0):
        """Return the coefficients (n, K) of theta, or with a count those of the mean of iterates.
        """
        A = np.asarray(self.A)
        if count:
            return (self.clock[0] * A - np.asarray(self.B)) / count
        return self.c[0] * A

    def forget_averages(self):
        """Start a new mean."""
        np.asarray(self.B)[:] = 0.0
        self.clock[0] = 0.0

"""SPOM: blocks of parameters, features and kernels.

A block is theta_m = c_m times the stored parameters, so that shrinking a group costs one product.
Means of iterates are sum_t c(t) V(t) = clock V - B, where clock is the sum of c so far and B the
sum of clock times each change of V. In the dual (`ascend` in spom_step.pyx) the stored parameters
are sum_i phi(x_i) D_i for dual variables D, and theta_m is beta_m / (lam N) times that.
Threads share the columns of kernels: each entry belongs to one thread, which adds in one order, so
any number of threads gives the same bits.
Reference: Martins, Smith, Xing, Aguiar, Figueiredo (2011), "Online learning of
structured predictors with multiple kernels", algorithm 3.
"""
from cython.parallel cimport prange
from libc.stdlib cimport calloc, free

import numpy as np
from scipy import sparse


cdef struct KernelView:
    int kind                            # 0 float64, 1 float32, 2 sparse
    Py_ssize_t n, K
    double by                           # what the current step multiplies D by
    double* F                           # (K, n) scores
    const double* dense
    const float* single
    const long long* start              # compressed rows
    const int* at
    const double* x


cdef class Block:
    """Parameters in G groups. Features and Kernel add the methods of a pass over training
    positions first .. first + L: `add_scores` to S (L, K); `change`, which adds step sum_i phi(x_i)
    D_i to theta, for D (L, K), or with `dual` to the stored parameters; and `curvature`, which is
    sum_g c_g |sum_i phi_g(x_i) D_i|^2.

    Parameters
    ----------
    of : (r,) intc, the group of each row
    state : (3, G), the block's part of c, square and clock of all blocks
    """

    cdef readonly Py_ssize_t K, n_groups
    cdef double[::1] c                      # (G,) multiplier of the stored parameters of a group
    cdef double[::1] square                 # (G,) squared norms of the stored parameters
    cdef double[::1] clock                  # (G,) sum of c over the averaged iterates
    cdef const int[::1] of
    cdef double[:, ::1] V, B                # (r, K) stored parameters, and the sums for means
    cdef bint averaged
    cdef public bint dual           # `change` moves the stored parameters in place of theta

    def __init__(self, of, Py_ssize_t K, state, bint averaged):
        self.K, self.n_groups, self.averaged, self.of = K, state.shape[1], averaged, of
        self.c, self.square, self.clock = state
        self.c[:] = 1.0
        self.V, self.B = np.zeros((len(of), K)), np.zeros((len(of) if averaged else 0, K))

    def gather(self, D):
        """Set the stored parameters to sum_i phi(x_i) D_i for D (n, K); `c` stays."""
        c = np.array(self.c)
        self.put(self.combined(np.asarray(D)))
        np.asarray(self.c)[:] = c

    def parameters(self, count=0):
        """Return theta (r, K), or with a count the mean of `count` iterates."""
        of, V = np.asarray(self.of), np.asarray(self.V)
        if count:
            return (np.asarray(self.clock)[of, None] * V - np.asarray(self.B)) / count
        return np.asarray(self.c)[of, None] * V

    def forget_averages(self):
        """Start a new mean."""
        np.asarray(self.B)[:] = 0.0
        np.asarray(self.clock)[:] = 0.0


cdef class Features(Block):
    """Explicit features, theta = c_g V for the group g of each feature, V (p, K).

    X by compressed rows; `of` (p,) is the group of each feature. A step touches only the nonzero
    features. Squared norms of V change by new^2 - old^2.
    """

    cdef const long long[::1] start
    cdef const int[::1] at
    cdef const double[::1] x
    cdef double[::1] move                # (p,) workspace, 0 except within `curvature`
    # Lists of the nonzero features of a group: -1 ends a list, -2 means in none.
    cdef int[::1] head, following

    def __init__(self, start, at, x, of, Py_ssize_t p, Py_ssize_t K, state, bint averaged):
        Block.__init__(self, of, K, state, averaged)
        self.start, self.at, self.x = start, at, x
        self.head = np.full(self.n_groups, -1, dtype=np.intc)
        self.following = np.full(p, -2, dtype=np.intc)
        self.move = np.zeros(p)

    def add_scores(self, Py_ssize_t first, Py_ssize_t L, double[:, ::1] S):
        cdef Py_ssize_t i, k, K = self.K
        cdef long long j
        cdef double by
        cdef const double* v
        for i in range(L):
            for j in range(self.start[first + i], self.start[first + i + 1]):
                by, v = self.x[j] * self.c[self.of[self.at[j]]], &self.V[self.at[j], 0]
                for k in range(K):
                    S[i, k] += by * v[k]

    def change(self, Py_ssize_t first, Py_ssize_t L, const double[:, ::1] D, double step):
        cdef Py_ssize_t i, k, f, g, K = self.K
        cdef long long j
        cdef double by, moved
        for i in range(L):
            for k in range(K):
                if D[i, k] == 0.0:
                    continue
                for j in range(self.start[first + i], self.start[first + i + 1]):
                    f = self.at[j]
                    g = self.of[f]
                    if self.following[f] == -2:
                        self.following[f], self.head[g] = self.head[g], <int> f
                    by = (step if self.dual else step / self.c[g]) * self.x[j] * D[i, k]
                    moved = self.V[f, k] + by
                    self.square[g] += by * (moved + self.V[f, k])
                    self.V[f, k] = moved
                    if self.averaged:
                        self.B[f, k] += self.clock[g] * by

    def curvature(self, Py_ssize_t first, Py_ssize_t L, const double[:, ::1] D):
        cdef Py_ssize_t i, k, f, K = self.K
        cdef long long j
        cdef double by, total = 0.0
        for k in range(K):
            for i in range(L):
                if D[i, k] == 0.0:
                    continue
                for j in range(self.start[first + i], self.start[first + i + 1]):
                    f, by = self.at[j], self.x[j] * D[i, k]
                    total += self.c[self.of[f]] * by * (2.0 * self.move[f] + by)
                    self.move[f] += by
            for i in range(L):
                if D[i, k] != 0.0:
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
        self._square()
        np.asarray(self.c)[:] = 1.0

    def _square(self):
        V = np.asarray(self.V)
        np.asarray(self.square)[:] = np.bincount(self.of, np.sum(V * V, axis=1), self.n_groups)

    def replace(self, theta):
        """Move theta (p, K), whose `c` are all 1, within a step."""
        V = np.asarray(self.V)
        if self.averaged:
            np.asarray(self.B)[:] += np.asarray(self.clock)[np.asarray(self.of), None] * (theta - V)
        V[:] = theta
        self._square()

    def combined(self, D):
        """Return X'D (p, K)."""
        shape, first = (len(self.start) - 1, len(self.of)), np.asarray(self.start)
        count = first[shape[0]]
        x, at = np.asarray(self.x)[:count], np.asarray(self.at)[:count]
        return sparse.csr_array((x, at, first), shape=shape).T @ D

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
    """One kernel: theta = c sum_i phi(x_i) V_i with coefficients V (n, K).

    The matrix between all training positions is dense (n, n) float64 or float32, or sparse rows.
    The block also stores the scores F = K V of these positions, label by label. Reading scores
    costs nothing, and a step adds a row of K to F for each label that was wrong at a position. A
    sparse K costs its nonzeros. The squared norm is updated with the steps: for theta + a sum_i
    phi(x_i) D_i it is

        |theta|^2 + 2 a sum_i D_i . F_i + a^2 sum_ij (D_i . D_j) K_ij.

    (Both lines that Martins et al. print for this recursion have slips; this one agrees with norms
    computed from V.) `change` leaves the update of F to `spread`, which adds rows of K to columns
    lo .. hi of F. An entry of F gets its terms in one order, however the columns are divided, so
    threads do not change a bit.
    """

    cdef const double[:, ::1] dense
    cdef const float[:, ::1] single
    cdef const long long[::1] start
    cdef const int[::1] at
    cdef const double[::1] x
    cdef int kind                       # as in KernelView
    cdef readonly Py_ssize_t n
    cdef object matrix
    cdef double[:, ::1] F               # (K, n)
    cdef KernelView view

    def __init__(self, matrix, Py_ssize_t K, state, bint averaged):
        self.n = n = matrix.shape[0]
        Block.__init__(self, np.zeros(n, dtype=np.intc), K, state, averaged)
        if hasattr(matrix, "indptr"):
            self.kind, self.x = 2, np.ascontiguousarray(matrix.data, dtype=float)
            self.start = np.asarray(matrix.indptr, dtype=np.longlong)
            self.at = np.asarray(matrix.indices, dtype=np.intc)
        elif matrix.dtype == np.float32:
            self.kind, self.single = 1, matrix
        else:
            self.kind, self.dense = 0, matrix
        self.matrix, self.F = matrix, np.zeros((K, n))
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

    def add_scores(self, Py_ssize_t first, Py_ssize_t L, double[:, ::1] S):
        cdef Py_ssize_t i, k
        for k in range(self.K):
            for i in range(L):
                S[i, k] += self.c[0] * self.F[k, first + i]

    def change(self, Py_ssize_t first, Py_ssize_t L, const double[:, ::1] D, double step):
        cdef Py_ssize_t i, k, K = self.K
        cdef double by = step if self.dual else step / self.c[0], along = 0.0, product
        for i in range(L):
            for k in range(K):
                along += D[i, k] * self.F[k, first + i]
        self.square[0] += 2.0 * by * along + by * by * self.squared_length(first, L, &D[0, 0])
        self.view.by = by
        for i in range(L):
            for k in range(K):
                product = by * D[i, k]
                if product == 0.0:
                    continue
                self.V[first + i, k] += product
                if self.averaged:
                    self.B[first + i, k] += self.clock[0] * product

    def curvature(self, Py_ssize_t first, Py_ssize_t L, const double[:, ::1] D):
        return self.c[0] * self.squared_length(first, L, &D[0, 0])

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

    def put(self, V):
        """Set theta = sum_i phi(x_i) V_i."""
        V = np.asarray(V, dtype=float)
        np.asarray(self.V)[:] = V
        np.asarray(self.F)[:] = np.asarray(self.matrix @ V).T
        self.c[0], self.square[0] = 1.0, float(np.sum(V * np.asarray(self.F).T))

    def combined(self, D):
        """Return D, the coefficients of sum_i phi(x_i) D_i."""
        return D

    def fold(self, int g):
        """Fold c into the stored parameters, and set c = 1."""
        V, F, c = np.asarray(self.V), np.asarray(self.F), self.c[0]
        if self.averaged:
            np.asarray(self.B)[:] -= self.clock[0] * V
        V *= c
        F *= c
        self.clock[0], self.c[0], self.square[0] = 0.0, 1.0, float(np.sum(V * F.T))


# Additions of one step, over all kernels, from which threads share them: below, waking a thread
# (some 10 us) costs more than it saves. benchmarks/structured/spom.py --threads shows the ratio.
cdef double PARALLEL = 1e5
# Columns of a kernel that a thread takes at once: 16 KB of scores for each label, which fit in
# the first-level cache.
DEF PIECE = 2048


cdef class Spread:
    """Adds rows of all kernels among the blocks to their scores, on several threads."""

    cdef list blocks                    # keeps the kernels of the views
    cdef KernelView** views
    cdef Py_ssize_t n_kernels, n
    cdef int n_threads

    def __cinit__(self, blocks, n, n_threads):
        cdef Kernel kernel
        self.blocks, self.n, self.n_threads = blocks, n, n_threads
        self.views = <KernelView**> calloc(len(blocks) + 1, sizeof(KernelView*))
        if self.views == NULL:
            raise MemoryError()
        for block in blocks:
            if isinstance(block, Kernel):
                kernel = block
                self.views[self.n_kernels] = &kernel.view
                self.n_kernels += 1

    def __dealloc__(self):
        free(self.views)

    def add(self, Py_ssize_t first, Py_ssize_t L, const double[:, ::1] D):
        """Add the rows of the last `change` of every kernel, for D (L, K)."""
        cdef Py_ssize_t i, k, wrong = 0, pieces = (self.n + PIECE - 1) // PIECE
        cdef Py_ssize_t task, piece
        cdef int threads = self.n_threads
        if threads > 1:
            for i in range(L):
                for k in range(D.shape[1]):
                    wrong += D[i, k] != 0.0
            if <double> wrong * self.n * self.n_kernels < PARALLEL:
                threads = 1
        with nogil:
            for task in prange(self.n_kernels * pieces, num_threads=threads, schedule="static"):
                piece = task % pieces * PIECE
                spread(self.views[task // pieces], piece, min(piece + PIECE, self.n), first, L,
                       &D[0, 0])

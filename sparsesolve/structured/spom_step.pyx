"""One step of SPOM on one sequence: scores, the labelling or the marginals, and the updates.

    loss of sequence s at theta,    theta - eta g,    g = phi(y^) - phi(y) or E phi - phi(y)

y^ is the labelling with the largest score plus wrong labels (hinge), and E the mean under the
model (log loss). Given: blocks of parameters, see spom_blocks; transitions, start and stop scores
are `tied`, and are stored as they are. `ascend` is a step in the dual, see spom_dual.py. Threads
share the columns of kernels: each entry belongs to one thread, which adds in one order, so any
number of threads gives the same bits.
Reference: Martins, Smith, Xing, Aguiar, Figueiredo (2011), "Online learning of
structured predictors with multiple kernels", algorithm 3.
"""
from cython.parallel cimport prange
from libc.stdlib cimport calloc, free

import numpy as np

from sparsesolve.losses.chain cimport chain
from sparsesolve.losses.chain.sequences cimport Chains
from sparsesolve.structured.spom_blocks cimport Block
from sparsesolve.structured.spom_kernels cimport Kernel, KernelView, spread

# Additions of one step, over all kernels, from which threads share them: below, waking a thread
# (some 10 us) costs more than it saves. benchmarks/structured/spom.py --threads shows the ratio.
cdef double SPOM_PARALLEL_WORK = 1e5


# Columns of a kernel that a thread takes at once: 16 KB of scores for each label, which fit in
# the first-level cache.
DEF PIECE = 2048
cdef double PARALLEL = SPOM_PARALLEL_WORK


cdef class SequenceStep:
    """One step of SPOM on one sequence: scores, the labelling or the marginals, and the updates.
    """

    cdef readonly list blocks
    cdef const long long[::1] ptr
    cdef const int[::1] y
    cdef Chains chains
    cdef Py_ssize_t K
    cdef readonly bint hinge
    # Scores, labels minus those they are compared with, marginals; T and pairs are (K, K).
    cdef double[:, ::1] S, D, mu, T, pairs
    cdef double[::1] work, delta
    cdef double[:, ::1] M, P, wide              # (K, width)
    cdef int[::1] path
    cdef readonly double[::1] tied              # (K K + 2 K,) transitions, start, stop
    # Cost of the labels that the last loss compared with: wrong labels, or entropy.
    cdef readonly double cost
    cdef KernelView** views                     # views of the blocks that are kernels
    cdef Py_ssize_t n_kernels, pieces
    cdef int n_threads

    def __cinit__(self, blocks, *args, **options):
        self.views = <KernelView**> calloc(len(blocks) + 1, sizeof(KernelView*))
        if self.views == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.views)

    def __init__(self, blocks, ptr, y, Py_ssize_t K, bint hinge, int n_threads=1):
        cdef Kernel kernel
        self.n_threads, self.pieces = n_threads, (len(y) + PIECE - 1) // PIECE
        for block in blocks:
            if isinstance(block, Kernel):
                kernel = block
                self.views[self.n_kernels] = &kernel.view
                self.n_kernels += 1
        self.blocks, self.ptr, self.y, self.K, self.hinge = blocks, ptr, y, K, hinge
        self.chains = Chains(ptr, K)
        longest, width = self.chains.longest, self.chains.width
        self.S, self.D, self.mu = np.zeros((3, longest, K))
        self.T, self.pairs = np.zeros((2, K, K))
        self.M, self.P, self.wide = np.zeros((3, K, width))
        self.work, self.delta = np.zeros(self.chains.room()), np.zeros(longest * width)
        self.path, self.tied = np.zeros(longest, dtype=np.intc), np.zeros(K * K + 2 * K)

    def loss(self, Py_ssize_t s):
        """Return the loss of sequence s.

        D (L, K) and `pairs` become labels minus the best labelling, or minus marginals.
        """
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first, i, k
        cdef double gold = 0.0, total = 0.0
        cdef Block block
        self.S[:L] = 0.0
        for block in self.blocks:
            block.add_scores(first, L, &self.S[0, 0])
        with nogil:
            # 1. Scores with start, stop and costs of the hinge loss; the score of the labels.
            for k in range(K):
                self.S[0, k] += self.tied[K * K + k]
                self.S[L - 1, k] += self.tied[K * K + K + k]
            for i in range(L):
                if self.hinge:
                    for k in range(K):
                        self.S[i, k] += 1.0
                    self.S[i, self.y[first + i]] -= 1.0
                gold += self.S[i, self.y[first + i]]
                if i > 0:
                    gold += self.tied[self.y[first + i - 1] * K + self.y[first + i]]
            # 2. The best labelling, or the marginals.
            self.D[:L] = 0.0
            self.pairs[:] = 0.0
            self.chains.load(&self.tied[0])
            if self.hinge:
                total = self._decode(L)
            else:
                total = self._sum(s, L)
            # 3. Labels minus these, and the cost.
            for i in range(L):
                self.D[i, self.y[first + i]] += 1.0
                if i > 0:
                    self.pairs[self.y[first + i - 1], self.y[first + i]] += 1.0
            if self.hinge:
                self.cost = 0.0
                for i in range(L):
                    self.cost += self.path[i] != self.y[first + i]
            else:
                self.cost = max(total - gold + self.along(s, L, &self.D[0, 0], &self.pairs[0, 0]),
                                0.0)
        return max(total - gold, 0.0)

    cdef double along(self, Py_ssize_t s, Py_ssize_t L, const double* D,
                      const double* pairs) noexcept nogil:
        """Return <theta, sum phi D> from the scores of the last `loss`, without the costs."""
        cdef Py_ssize_t i, k, K = self.K, first = self.ptr[s]
        cdef double total = 0.0
        for i in range(L):
            for k in range(K):
                total += D[i * K + k] * (self.S[i, k] - (self.hinge and k != self.y[first + i]))
        for k in range(K * K):
            total += pairs[k] * self.tied[k]
        return total

    cdef double _decode(self, Py_ssize_t L) noexcept nogil:
        cdef double best = chain.ss_chain_viterbi(L, self.K, self.chains.width, &self.S[0, 0],
                                                  &self.chains.T[0, 0],
                                                  &self.delta[0], &self.path[0])
        cdef Py_ssize_t i
        for i in range(L):
            self.D[i, self.path[i]] -= 1.0
            if i > 0:
                self.pairs[self.path[i - 1], self.path[i]] -= 1.0
        return best

    cdef double _sum(self, Py_ssize_t s, Py_ssize_t L) noexcept nogil:
        cdef double total = 0.0
        cdef Py_ssize_t i, k, K = self.K
        self.M[:] = 0.0
        self.P[:] = 0.0
        if self.chains.sum_one(s, &self.S[0, 0], 1.0, False, &self.mu[0, 0], &self.M[0, 0],
                               &self.P[0, 0], NULL, &total, &self.work[0]):
            self.M[:] = 0.0
            self.P[:] = 0.0
            self.chains.sum_one(s, &self.S[0, 0], 1.0, True, &self.mu[0, 0], &self.M[0, 0],
                                &self.P[0, 0], NULL, &total, &self.work[0])
        for i in range(L):
            for k in range(K):
                self.D[i, k] = -self.mu[i, k]
        for i in range(K):
            for k in range(K):
                self.pairs[i, k] = -(self.M[i, k] * self.chains.E[i, k] + self.P[i, k])
        return total

    def step(self, Py_ssize_t s, double eta):
        """Subtract eta g from theta, after `loss` of the same sequence."""
        self._move(s, eta, eta)

    def _move(self, Py_ssize_t s, double by, double tied):
        """Change blocks by `by` times D, transitions and ends by `tied` times theirs."""
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first
        cdef Py_ssize_t i, k, a, wrong = 0
        cdef Py_ssize_t task, piece, tasks = self.n_kernels * self.pieces, n = self.y.shape[0]
        cdef int threads = self.n_threads
        cdef const double* D = &self.D[0, 0]
        cdef Block block
        for block in self.blocks:
            block.change(first, L, D, by)
        if threads > 1:
            for i in range(L * K):
                wrong += D[i] != 0.0
            if <double> wrong * n * self.n_kernels < PARALLEL:
                threads = 1
        with nogil:
            for task in prange(tasks, num_threads=threads, schedule="static"):
                piece = task % self.pieces * PIECE
                spread(self.views[task // self.pieces], piece, min(piece + PIECE, n), first, L, D)
        for k in range(K):
            for a in range(K):
                self.tied[k * K + a] += tied * self.pairs[k, a]
            self.tied[K * K + k] += tied * self.D[0, k]
            self.tied[K * K + K + k] += tied * self.D[L - 1, k]

    def ascend(self, Py_ssize_t s, double[:, ::1] D, double[:, ::1] E, double[::1] costs, double c):
        """Take a step of block Frank-Wolfe on sequence s: D (n, K), E (N, K K) and costs (N,) in
        place.

        Transitions are c times sums of E and of the ends of D. Returns the gap of the sequence,
        loss(theta) minus the cost of its mixture, plus <theta, phi> of its mixture.
        """
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first, i, k
        cdef double gap, curvature = 0.0, share
        cdef Block block
        gap = self.loss(s) - costs[s] + self.along(s, L, &D[first, 0], &E[s, 0])
        if gap <= 0.0:
            return gap
        for i in range(L):
            for k in range(K):
                self.D[i, k] -= D[first + i, k]
        for i in range(K):
            for k in range(K):
                self.pairs[i, k] -= E[s, i * K + k]
                curvature += self.pairs[i, k] * self.pairs[i, k]
            curvature += self.D[0, i] * self.D[0, i] + self.D[L - 1, i] * self.D[L - 1, i]
        curvature *= c
        for block in self.blocks:
            curvature += block.curvature(first, L, &self.D[0, 0])
        share = 1.0 if gap >= curvature else gap / curvature
        self._move(s, share, share * c)
        for i in range(L):
            for k in range(K):
                D[first + i, k] += share * self.D[i, k]
        for i in range(K):
            for k in range(K):
                E[s, i * K + k] += share * self.pairs[i, k]
        costs[s] += share * (self.cost - costs[s])
        return gap

    def along_dual(self, Py_ssize_t s, double[:, ::1] D, double[:, ::1] E):
        """Return <theta, sum phi D_s> after `loss` of the same sequence."""
        return self.along(s, self.ptr[s + 1] - self.ptr[s], &D[self.ptr[s], 0], &E[s, 0])

    def answer(self, Py_ssize_t s, double[:, ::1] D, double[:, ::1] E):
        """Copy the labels of the last `loss` of sequence s into D (n, K) and E (N, K K)."""
        first, last = self.ptr[s], self.ptr[s + 1]
        np.asarray(D)[first:last] = np.asarray(self.D)[: last - first]
        np.asarray(E)[s] = np.asarray(self.pairs).ravel()

"""One step of SPOM on one sequence: scores, the labelling or the marginals, and the change of
every block.

    loss of sequence s at theta,    theta - eta g,    g = phi(y^) - phi(y) or E phi - phi(y)

with y^ the labelling of the largest score plus wrong labels (hinge), and E under the model (log
loss). Given: blocks of parameters, see spom_blocks; transitions, start and stop scores are `tied`,
stored as they are. Reference: Martins, Smith, Xing, Aguiar, Figueiredo (2011), "Online learning of
structured predictors with multiple kernels", algorithm 3.
"""
import numpy as np

from sparsesolve.losses.chain cimport chain
from sparsesolve.losses.chain.sequences cimport Chains
from sparsesolve.structured.spom_blocks cimport Block


cdef class SequenceStep:
    """One step of SPOM on one sequence: scores, the labelling or the marginals, and the change of every block."""

    cdef readonly list blocks
    cdef const long long[::1] ptr
    cdef const int[::1] y
    cdef Chains chains
    cdef Py_ssize_t K
    cdef bint hinge
    cdef double[:, ::1] S, D, mu, T, pairs      # scores and labels less what they are compared with; (K, K)
    cdef double[::1] work, delta
    cdef double[:, ::1] M, P, wide              # (K, width)
    cdef int[::1] path
    cdef readonly double[::1] tied              # (K K + 2 K,) transitions, start, stop

    def __init__(self, blocks, ptr, y, Py_ssize_t K, bint hinge):
        self.blocks, self.ptr, self.y, self.K, self.hinge = blocks, ptr, y, K, hinge
        self.chains = Chains(ptr, K)
        longest, width = self.chains.longest, self.chains.width
        self.S, self.D, self.mu = np.zeros((3, longest, K))
        self.T, self.pairs = np.zeros((2, K, K))
        self.M, self.P, self.wide = np.zeros((3, K, width))
        self.work, self.delta = np.zeros(self.chains.room()), np.zeros(longest * width)
        self.path, self.tied = np.zeros(longest, dtype=np.intc), np.zeros(K * K + 2 * K)

    def loss(self, Py_ssize_t s):
        """The loss of sequence s; D (L, K) and `pairs` are labels less the best labelling, or less marginals."""
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first, i, k
        cdef double gold = 0.0, total = 0.0
        cdef Block block
        self.S[:L] = 0.0
        for block in self.blocks:
            block.add_scores(first, L, &self.S[0, 0])
        with nogil:
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
            self.D[:L] = 0.0
            self.pairs[:] = 0.0
            self.chains.load(&self.tied[0])
            if self.hinge:
                total = self._decode(L)
            else:
                total = self._sum(s, L)
            for i in range(L):
                self.D[i, self.y[first + i]] += 1.0
                if i > 0:
                    self.pairs[self.y[first + i - 1], self.y[first + i]] += 1.0
        return max(total - gold, 0.0)

    cdef double _decode(self, Py_ssize_t L) noexcept nogil:
        cdef double best = chain.ss_chain_viterbi(L, self.K, self.chains.width, &self.S[0, 0], &self.chains.T[0, 0],
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
        if self.chains.sum_one(s, &self.S[0, 0], 1.0, False, &self.mu[0, 0], &self.M[0, 0], &self.P[0, 0], NULL, &total,
                               &self.work[0]):
            self.M[:] = 0.0
            self.P[:] = 0.0
            self.chains.sum_one(s, &self.S[0, 0], 1.0, True, &self.mu[0, 0], &self.M[0, 0], &self.P[0, 0], NULL, &total,
                                &self.work[0])
        for i in range(L):
            for k in range(K):
                self.D[i, k] = -self.mu[i, k]
        for i in range(K):
            for k in range(K):
                self.pairs[i, k] = -(self.M[i, k] * self.chains.E[i, k] + self.P[i, k])
        return total

    def step(self, Py_ssize_t s, double eta):
        """theta -= eta g, after `loss` of the same sequence."""
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first, k, a
        cdef Block block
        for block in self.blocks:
            block.change(first, L, &self.D[0, 0], eta)
        for k in range(K):
            for a in range(K):
                self.tied[k * K + a] += eta * self.pairs[k, a]
            self.tied[K * K + k] += eta * self.D[0, k]
            self.tied[K * K + K + k] += eta * self.D[L - 1, k]

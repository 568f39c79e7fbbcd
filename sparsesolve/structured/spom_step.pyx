"""SPOM: one step on one sequence.

    loss of sequence s at theta,    theta - eta g,    g = phi(y^) - phi(y) or E phi - phi(y)

y^ is the labelling with the largest score plus wrong labels (hinge), and E the mean under the
model (log loss). Transitions, start and stop scores are `tied`, and are stored as they are; the
blocks of other parameters are those of spom_blocks.pyx.
Reference: Martins, Smith, Xing, Aguiar, Figueiredo (2011), "Online learning of
structured predictors with multiple kernels", algorithm 3.
"""
import numpy as np

from sparsesolve.losses.chain cimport chain
from sparsesolve.losses.chain.sequences cimport Chains
from sparsesolve.structured.spom_blocks import Spread


cdef class SequenceStep:
    """One step of SPOM on one sequence: scores, the labelling or the marginals, and the updates.

    `hinge` is True, False for the log loss, or the costs (K, K) of the hinge loss.
    """

    cdef readonly list blocks
    cdef const long long[::1] ptr
    cdef const int[::1] y
    cdef Chains chains
    cdef Py_ssize_t K
    cdef readonly bint hinge
    # Scores, labels minus those they are compared with, marginals; pairs are (K, K).
    cdef double[:, ::1] S, D, mu, pairs
    cdef double[::1] work, delta
    cdef double[:, ::1] M, P                    # (K, width)
    cdef int[::1] path
    cdef readonly double[::1] tied              # (K K + 2 K,) transitions, start, stop
    # Cost of the labels that the last loss compared with: wrong labels, or entropy.
    cdef readonly double cost
    # <theta, phi D> for the D of the last loss, without the costs.
    cdef readonly double inner
    cdef const double[:, ::1] wrong             # (K, K) costs, from the true label to another
    cdef object spread                          # adds rows of kernels

    def __init__(self, blocks, ptr, y, Py_ssize_t K, hinge, int n_threads=1):
        self.spread = Spread(blocks, len(y), n_threads)
        self.blocks, self.ptr, self.y, self.K = blocks, ptr, y, K
        self.hinge = hinge is not False
        self.wrong = 1.0 - np.eye(K) if hinge is True or hinge is False else hinge
        self.chains = Chains(ptr, K)
        longest, width = self.chains.longest, self.chains.width
        self.S, self.D, self.mu = np.zeros((3, longest, K))
        self.pairs = np.zeros((K, K))
        self.M, self.P = np.zeros((2, K, width))
        self.work, self.delta = np.zeros(self.chains.room()), np.zeros(longest * width)
        self.path, self.tied = np.zeros(longest, dtype=np.intc), np.zeros(K * K + 2 * K)

    def loss(self, Py_ssize_t s):
        """Return the loss of sequence s.

        D (L, K) and `pairs` become labels minus the best labelling, or minus marginals.
        """
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first, i, k
        cdef double gold = 0.0, total = 0.0
        self.S[:L] = 0.0
        for block in self.blocks:
            block.add_scores(first, L, self.S)
        with nogil:
            # 1. Scores with start, stop and costs of the hinge loss; the score of the labels.
            for k in range(K):
                self.S[0, k] += self.tied[K * K + k]
                self.S[L - 1, k] += self.tied[K * K + K + k]
            for i in range(L):
                if self.hinge:
                    for k in range(K):
                        self.S[i, k] += self.wrong[self.y[first + i], k]
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
            self.inner = self.along(s, L, &self.D[0, 0], &self.pairs[0, 0])
            if self.hinge:
                self.cost = 0.0
                for i in range(L):
                    self.cost += self.wrong[self.y[first + i], self.path[i]]
            else:
                self.cost = max(total - gold + self.inner, 0.0)
        return max(total - gold, 0.0)

    cdef double along(self, Py_ssize_t s, Py_ssize_t L, const double* D,
                      const double* pairs) noexcept nogil:
        """Return <theta, sum phi D> from the scores of the last `loss`, without the costs."""
        cdef Py_ssize_t i, k, K = self.K, first = self.ptr[s]
        cdef double total = 0.0
        for i in range(L):
            for k in range(K):
                total += D[i * K + k] * self.S[i, k]
                if self.hinge:
                    total -= D[i * K + k] * self.wrong[self.y[first + i], k]
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
        cdef bint logs
        for logs in range(2):               # with logarithms where scaled numbers vanish
            self.M[:] = 0.0
            self.P[:] = 0.0
            if not self.chains.sum_one(s, &self.S[0, 0], 1.0, logs, &self.mu[0, 0], &self.M[0, 0],
                                       &self.P[0, 0], NULL, &total, &self.work[0]):
                break
        for i in range(L):
            for k in range(K):
                self.D[i, k] = -self.mu[i, k]
        for i in range(K):
            for k in range(K):
                self.pairs[i, k] = -(self.M[i, k] * self.chains.E[i, k] + self.P[i, k])
        return total

    def step(self, Py_ssize_t s, double by, double tied):
        """Change blocks by `by` times D of the last `loss`, of the same sequence, and transitions
        and ends by `tied` times theirs.
        """
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first
        cdef Py_ssize_t k, a
        for block in self.blocks:
            block.change(first, L, self.D, by)
        self.spread.add(first, L, self.D)
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
            curvature += block.curvature(first, L, self.D)
        share = 1.0 if gap >= curvature else gap / curvature
        self.step(s, share, share * c)
        for i in range(L):
            for k in range(K):
                D[first + i, k] += share * self.D[i, k]
        for i in range(K):
            for k in range(K):
                E[s, i * K + k] += share * self.pairs[i, k]
        costs[s] += share * (self.cost - costs[s])
        return gap

    def answer(self, Py_ssize_t s, double[:, ::1] D, double[:, ::1] E):
        """Copy the labels of the last `loss` of sequence s into D (n, K) and E (N, K K)."""
        first, last = self.ptr[s], self.ptr[s + 1]
        np.asarray(D)[first:last] = np.asarray(self.D)[: last - first]
        np.asarray(E)[s] = np.asarray(self.pairs).ravel()

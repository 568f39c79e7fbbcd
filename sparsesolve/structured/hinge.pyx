"""Structured hinge loss on chains, one sequence at a time: decoding and averaged subgradients.

    minimise over w   lam |w|^2 / 2
                      + (1/N) sum_s max_y' [score_s(y') - score_s(y_s) + number of wrong labels]

w holds all coefficients in the order of CRFPath: K for each feature, then intercepts, transitions,
start and stop.

`averaged_epoch` takes steps w += phi(y) - phi(y') with the most violated labelling y', without the
penalty, and keeps the sums for the mean of all iterates. It has no certificate; frank_wolfe.pyx
adds the dual and has one.
Invariant: `path` holds the last decoded labelling, `scores` its scores with the costs.
Reference: Collins (2002), "Discriminative training methods for hidden Markov models".
"""
import numpy as np

from sparsesolve.losses.chain cimport chain


cdef class HingePass:
    """One worker over sequences of X by rows.

    Parameters
    ----------
    start, at, x : X by compressed rows
    ptr : (N + 1,) starts of the sequences
    y : (n,) labels by number
    K : int
    p : int
    closed : (K, K) 0, or -inf for a transition that is forbidden
    """

    def __init__(self, start, at, x, ptr, y, Py_ssize_t K, Py_ssize_t p, closed):
        self.start, self.at, self.x, self.ptr, self.y, self.closed = start, at, x, ptr, y, closed
        self.K, self.p, self.N = K, p, len(ptr) - 1
        self.width = (K + chain.SS_LANES - 1) // chain.SS_LANES * chain.SS_LANES
        longest = int(np.diff(ptr).max())
        self.scores, self.delta = np.empty(longest * K), np.empty(longest * self.width)
        self.T, self.path = np.full((K, self.width), -np.inf), np.empty(longest, dtype=np.intc)

    cdef double decode(self, Py_ssize_t s, const double* w) noexcept nogil:
        """Decode the largest score plus wrong labels into `path`; return the hinge loss."""
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first, i, k
        cdef const double* tied = w + self.p * K        # intercepts, transitions, start, stop
        cdef double best, gold = 0.0
        cdef double* S = &self.scores[0]
        # Rows of X are numbered over all sequences, scores from 0.
        chain.ss_row_products(0, L, K, &self.start[first], &self.at[0], &self.x[0], w, S)
        for i in range(L):
            for k in range(K):
                S[i * K + k] += tied[k] + 1.0
            S[i * K + self.y[first + i]] -= 1.0
        for k in range(K):
            S[k] += tied[K + K * K + k]
            S[(L - 1) * K + k] += tied[2 * K + K * K + k]
        for i in range(K):
            for k in range(K):
                self.T[i, k] = tied[K + i * K + k] + self.closed[i, k]
        for i in range(L):
            gold += S[i * K + self.y[first + i]]
            if i > 0:
                gold += self.T[self.y[first + i - 1], self.y[first + i]]
        best = chain.ss_chain_viterbi(L, K, self.width, S, &self.T[0, 0], &self.delta[0],
                                      &self.path[0])
        return best - gold

    def averaged_epoch(self, const int[::1] order, double[::1] w, double[::1] total, double count):
        """Take steps over the sequences in this order: w in place, total += count times each
        step.

        The mean of `count` iterates is w - total / count. Returns (sum of hinge losses, count).
        """
        cdef Py_ssize_t r, s
        cdef double lost, sum_lost = 0.0
        with nogil:
            for r in range(order.shape[0]):
                s = order[r]
                lost = self.decode(s, &w[0])
                if lost > 0.0:
                    sum_lost += lost
                    self._step(s, 1.0, &w[0])
                    self._step(s, count, &total[0])
                count = count + 1.0
        return sum_lost, count

    cdef void _step(self, Py_ssize_t s, double by, double* w) noexcept nogil:
        """Add by (phi(y) - phi(path)) to w."""
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first, i
        cdef int gold, wrong
        cdef long long j
        cdef double* tied = w + self.p * K
        for i in range(L):
            gold, wrong = self.y[first + i], self.path[i]
            if i > 0 and (gold != wrong or self.y[first + i - 1] != self.path[i - 1]):
                tied[K + self.y[first + i - 1] * K + gold] += by
                tied[K + self.path[i - 1] * K + wrong] -= by
            if gold == wrong:
                continue
            for j in range(self.start[first + i], self.start[first + i + 1]):
                w[self.at[j] * K + gold] += by * self.x[j]
                w[self.at[j] * K + wrong] -= by * self.x[j]
            tied[gold] += by
            tied[wrong] -= by
        tied[K + K * K + self.y[first]] += by
        tied[K + K * K + self.path[0]] -= by
        tied[2 * K + K * K + self.y[first + L - 1]] += by
        tied[2 * K + K * K + self.path[L - 1]] -= by

    def risk(self, double[::1] w):
        """Return (1/N) sum of hinge losses at w and a subgradient, of the shape of w: a bundle
        oracle.
        """
        cdef Py_ssize_t s
        cdef double total = 0.0
        found = np.zeros(w.shape[0])
        cdef double[::1] slope = found
        with nogil:
            for s in range(self.N):
                total += self.decode(s, &w[0])
                self._step(s, -1.0 / self.N, &slope[0])
        return total / self.N, found

    def objective(self, double[::1] w, double lam):
        """Return the primal objective at w."""
        cdef Py_ssize_t s
        cdef double total = 0.0
        with nogil:
            for s in range(self.N):
                total += self.decode(s, &w[0])
        return 0.5 * lam * float(np.dot(w, w)) + total / self.N

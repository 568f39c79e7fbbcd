"""Log loss of chains: conditional random fields as a loss of the package.

    F(eta) = sum_s w_s [log sum_y' exp(score_s(y')) - score_s(y_s)]

Transitions are part of eta, which makes them coordinates like any other. For n positions and K
labels eta holds

    S (n, K)    scores of the labels at each position
    T (K, K)    transitions, from row to column
    start (K,)  scores of a sequence's first label      stop (K,)  of its last label

It is flat, n K + K K + 2 K long, and counts as that many coupled samples of one response. So a
design has the rows of X, K times, and an indicator for each transition. Penalties, first-order
solvers and certificates apply without a change.

-F' = w (y - mu): labels and pairs of labels minus their marginals. With u = -s F'(eta) and
0 <= s <= 1, the dual point is (1 - s) y + s mu in the marginal polytope. By concavity of the
entropy H, with H(y) = 0,

    F*(-u) <= -s sum_s w_s H(mu_s),   H(mu) = log Z - <score, mu>,
    so   F(eta) + F*(-u) + eta'u <= (1 - s) F(eta).

Reference: Lafferty, McCallum, Pereira, "Conditional random fields" (2001).
"""
from libc.math cimport INFINITY, fabs
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from sparsesolve.losses.base cimport Loss
from sparsesolve.losses.chain.sequences cimport Chains

# u counts as a multiple of -F' if it differs from one by at most this fraction of the largest
# |u|.
cdef double SAME = 1e-9


cdef class ChainLog(Loss):
    """F of n positions in sequences.

    Parameters
    ----------
    y : (n,) labels, 0 .. K - 1
    w : (n_sequences,) weights that sum to 1; a sequence of weight 0 takes no part
    ptr : (n_sequences + 1,) where sequences begin
    K : int
    allowed : (K, K) bool, or None for all
    n_threads : int
    """

    cdef readonly Chains chains
    cdef readonly int n_threads
    cdef readonly Py_ssize_t K, n_positions
    cdef const double[::1] w            # (n_sequences,) sum 1
    cdef const int[::1] y               # (n_positions,)
    cdef double[:, ::1] closed          # (K, K) 0, or -inf where a transition is forbidden
    cdef double[::1] scores, pairs_at   # (n_positions K,) with start and stop; (K K,)
    cdef double[::1] total              # (n_sequences,) log Z
    cdef double[:, :, ::1] sums         # (n_blocks, K, K)
    cdef double[::1] last_eta, last_u   # what was evaluated last
    cdef double[::1] spare              # (n,) work
    cdef double last_value

    def __init__(self, y, w, ptr, Py_ssize_t K, allowed=None, int n_threads=1):
        self.chains, self.K, self.n_threads = Chains(ptr, K), K, n_threads
        self.y = np.ascontiguousarray(y, dtype=np.intc)
        self.w = np.ascontiguousarray(w, dtype=float)
        self.n_positions = n = self.chains.n
        self.n, self.n_responses, self.coupled = n * K + K * K + 2 * K, 1, True
        self.closed = np.zeros((K, K)) if allowed is None else np.where(allowed, 0.0, -np.inf)
        self.scores, self.pairs_at = np.empty(n * K), np.empty(K * K)
        self.total = np.empty(self.chains.n_sequences)
        self.sums = np.empty((self.chains.n_blocks, K, K))
        self.last_eta, self.last_u, self.spare = np.full((3, self.n), np.nan)
        self.saturated = 0.0

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        cdef Py_ssize_t K = self.K, n = self.n_positions, s, i, k
        cdef const double* T = eta + n * K
        cdef double value = 0.0, gold
        if memcmp(eta, &self.last_eta[0], self.n * sizeof(double)) == 0:
            memcpy(u, &self.last_u[0], self.n * sizeof(double))
            return self.last_value
        memcpy(&self.scores[0], eta, n * K * sizeof(double))
        for k in range(K * K):
            self.pairs_at[k] = T[k] + (&self.closed[0, 0])[k]
        for s in range(self.chains.n_sequences):
            for k in range(K):
                self.scores[self.chains.ptr[s] * K + k] += T[K * K + k]
                self.scores[(self.chains.ptr[s + 1] - 1) * K + k] += T[K * K + K + k]
        self.chains.load(&self.pairs_at[0])
        self.chains.sum_all(&self.scores[0], &self.w[0], u, &self.total[0], &self.sums[0, 0, 0],
                            NULL, self.n_threads)
        memset(u + n * K, 0, (K * K + 2 * K) * sizeof(double))
        for i in range(self.chains.n_blocks):
            for k in range(K * K):
                u[n * K + k] -= (&self.sums[i, 0, 0])[k]
        for s in range(self.chains.n_sequences):
            gold = self._less_marginals(s, u)
            if self.w[s] > 0.0:
                value += self.w[s] * max(self.total[s] - gold, 0.0)
        memcpy(&self.last_eta[0], eta, self.n * sizeof(double))
        memcpy(&self.last_u[0], u, self.n * sizeof(double))
        self.last_value = value
        return value

    cdef double _less_marginals(self, Py_ssize_t s, double* u) noexcept nogil:
        """Turn marginals of sequence s into w (y - mu), add its part to T, start and stop.

        Returns the score of its labels.
        """
        cdef Py_ssize_t K = self.K, n = self.n_positions, i, k, first = self.chains.ptr[s]
        cdef Py_ssize_t last = self.chains.ptr[s + 1] - 1
        cdef double gold = 0.0, w = self.w[s]
        cdef double* start = u + n * K + K * K
        if w == 0.0:
            memset(u + first * K, 0, (last + 1 - first) * K * sizeof(double))
            return 0.0
        for i in range(first, last + 1):
            gold += self.scores[i * K + self.y[i]]
            for k in range(K):
                u[i * K + k] *= -w
            u[i * K + self.y[i]] += w
            if i < last:
                gold += self.pairs_at[self.y[i] * K + self.y[i + 1]]
                u[n * K + self.y[i] * K + self.y[i + 1]] += w
        for k in range(K):
            start[k] += u[first * K + k]
            start[K + k] += u[last * K + k]
        return gold

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        """Set h to bounds of the variances: for labels w mu (1 - mu), exactly.

        For a transition it is the largest variance of its count, w (L - 1)^2 / 4; for start and
        stop that of a label."""
        cdef Py_ssize_t K = self.K, n = self.n_positions, i, k, s, L
        cdef double p, w
        self.evaluate(eta, h)
        for k in range(K * K + 2 * K):
            h[n * K + k] = 0.0
        for s in range(self.chains.n_sequences):
            w, L = self.w[s], self.chains.ptr[s + 1] - self.chains.ptr[s]
            for k in range(K * K):
                h[n * K + k] += 0.25 * w * (L - 1) * (L - 1)
            for i in range(self.chains.ptr[s], self.chains.ptr[s + 1]):
                for k in range(K):
                    p = 0.0 if w == 0.0 else ((self.y[i] == k) - h[i * K + k] / w)
                    h[i * K + k] = w * p * (1.0 - p)
            for k in range(K):
                h[n * K + K * K + k] += h[self.chains.ptr[s] * K + k]
                h[n * K + K * K + K + k] += h[(self.chains.ptr[s + 1] - 1) * K + k]

    def counts(self):
        """Return the weights of each transition, start and stop in the data, (K K + 2 K,)."""
        cdef Py_ssize_t K = self.K, s, i
        counts = np.zeros(K * K + 2 * K)
        cdef double[::1] c = counts
        for s in range(self.chains.n_sequences):
            c[K * K + self.y[self.chains.ptr[s]]] += self.w[s]
            c[K * K + K + self.y[self.chains.ptr[s + 1] - 1]] += self.w[s]
            for i in range(self.chains.ptr[s], self.chains.ptr[s + 1] - 1):
                c[self.y[i] * K + self.y[i + 1]] += self.w[s]
        return counts

    def label_weights(self):
        """Return how often the data have each label, by weights w: (K,)."""
        each = np.repeat(self.w, np.diff(self.chains.ptr))
        return np.bincount(self.y, each, self.K)

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        """Return (1 - s) F(eta), a bound, where u is s times -F'(eta); else INFINITY."""
        cdef Py_ssize_t i
        cdef double up = 0.0, down = 0.0, s, largest = 0.0, off = 0.0
        self.evaluate(eta, &self.spare[0])      # returns at once if eta was the last one
        for i in range(self.n):
            up += u[i] * self.last_u[i]
            down += self.last_u[i] * self.last_u[i]
            largest = max(largest, fabs(self.last_u[i]))
        s = up / down if down > 0.0 else 1.0
        for i in range(self.n):
            off = max(off, fabs(u[i] - s * self.last_u[i]))
        if off > SAME * largest or s < 0.0 or s > 1.0 + SAME:
            return INFINITY
        return max(1.0 - s, 0.0) * self.last_value

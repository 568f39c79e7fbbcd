"""Decoding and summing over many chains that share their transitions.

    score(y) = sum_i S[i, y_i] + sum_i T[y_i, y_i+1]

Given: scores S (n, K) of all positions, T (K, K), and ptr, which divides the positions into
sequences. Start and stop scores are part of S in the first and last row of a sequence. -inf
forbids a label or a transition. Returned: labellings of the largest score; or log Z, node
marginals and sums of pair marginals. Invariant: sequences are processed in blocks that do not
depend on the number of threads, so results have the same bits. Memory: one padded copy of the
scores of the longest sequence for each thread. Nothing is recursive. `times` is the product of a
sparse matrix with K columns at once; its rows are independent, with the same bits as well.

Reference: Rabiner, "A tutorial on hidden Markov models" (1989), section V.A on scaling.
"""
from cython.parallel cimport prange
from libc.math cimport INFINITY, exp, isnan
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from sparsesolve.losses.chain cimport chain

# Number of blocks of sequences, with about equally many positions each. Threads take them one by
# one.
DEF BLOCKS = 32
# In `times`, a thread takes this many rows at once.
DEF STRETCH = 512


cdef class Chains:
    """Sequences of n positions and K labels; `ptr` (n_sequences + 1,) holds their starts."""

    def __init__(self, ptr, Py_ssize_t K):
        self.ptr = np.ascontiguousarray(ptr, dtype=np.longlong)
        self.K, self.n_sequences = K, len(ptr) - 1
        self.n = int(ptr[self.n_sequences])
        self.longest = int(np.diff(ptr).max())
        self.width = (K + chain.SS_LANES - 1) // chain.SS_LANES * chain.SS_LANES
        self.T, self.E, self.Et = np.zeros((3, K, self.width))
        cuts = np.searchsorted(ptr, np.linspace(0, self.n, BLOCKS + 1)[1:BLOCKS])
        self.block = np.unique(np.concatenate([[0], cuts, [self.n_sequences]])).astype(np.longlong)
        self.n_blocks = len(self.block) - 1

    @property
    def starts(self):
        """The starts of the sequences, (n_sequences + 1,)."""
        return np.asarray(self.ptr)

    cdef void load(self, const double* T) noexcept nogil:
        """Set the transitions (K, K)."""
        cdef Py_ssize_t a, b
        cdef double most = -INFINITY
        for a in range(self.K * self.K):
            most = max(most, T[a])
        self.top_pair = most if most > -INFINITY else 0.0
        for a in range(self.K):
            for b in range(self.width):
                self.T[a, b] = T[a * self.K + b] if b < self.K else -INFINITY
                self.E[a, b] = exp(self.T[a, b] - self.top_pair)
        for a in range(self.K):
            for b in range(self.K):
                self.Et[b, a] = self.E[a, b]

    cdef Py_ssize_t room(self) noexcept nogil:
        """Return the number of doubles of workspace that `sum_one` needs."""
        return (self.longest + 2 * chain.SS_BATCH + 2) * self.width + self.longest + 2 * self.K

    cdef bint sum_one(self, Py_ssize_t s, const double* S, double w, bint in_logs, double* mu,
                      double* M, double* P,
                      double* pairs, double* total, double* work) noexcept nogil:
        """Compute log Z of sequence s, its node marginals mu, and w times its pair marginals.

        Pair marginals are added to M (over E), or to P if they are computed in logarithms. S and
        mu are those of the sequence. log Z is -INFINITY if no labelling is possible. Returns True
        if scaling failed after M was changed. Then the whole block has to be computed again, with
        this sequence in logarithms.
        """
        cdef Py_ssize_t L = self.ptr[s + 1] - self.ptr[s]
        cdef double* top = work
        cdef double* e = top + L
        cdef double* rest = e + L * self.width
        total[0] = -INFINITY
        if chain.ss_chain_exponentials(L, self.K, self.width, S, e, top) == 0:
            return False
        if not in_logs:
            total[0] = chain.ss_chain_forward(L, self.K, self.width, e, top, &self.E[0, 0],
                                              self.top_pair, mu, rest)
            if not isnan(total[0]):
                return not chain.ss_chain_backward(L, self.K, self.width, e, &self.E[0, 0],
                                                   &self.Et[0, 0], w, mu, M, pairs, rest)
        total[0] = chain.ss_chain_logarithmic(L, self.K, self.width, S, &self.T[0, 0], w, mu, P,
                                              pairs, rest)
        return False

    cdef void sum_block(self, Py_ssize_t block, const double* S, const double* w, double* mu,
                        double* total, double* sums, double* pairs) noexcept nogil:
        """Call `sum_one` for the sequences of a block; sums (K, K) are w times pair marginals.

        A weight of 0 leaves mu unchanged.
        """
        cdef Py_ssize_t K = self.K, first = self.block[block], last = self.block[block + 1]
        cdef Py_ssize_t s = first, at, a, b
        cdef Py_ssize_t square = K * self.width
        cdef double* work = <double*> malloc((self.room() + 2 * square) * sizeof(double))
        cdef double* M = work + self.room()
        cdef double* P = M + square
        cdef char* in_logs = <char*> malloc(last - first)
        memset(in_logs, 0, last - first)
        memset(M, 0, 2 * square * sizeof(double))
        while s < last:
            at = self.ptr[s]
            if w[s] == 0.0:
                total[s] = 0.0
            elif self.sum_one(s, S + at * K, w[s], in_logs[s - first], mu + at * K, M, P,
                              NULL if pairs == NULL else pairs + (at - s) * K * K, total + s, work):
                in_logs[s - first] = 1
                memset(M, 0, 2 * square * sizeof(double))
                s = first
                continue
            s = s + 1
        for a in range(K):
            for b in range(K):
                sums[a * K + b] = M[a * self.width + b] * self.E[a, b] + P[a * K + b]
        free(work)
        free(in_logs)

    cdef void sum_all(self, const double* S, const double* w, double* mu, double* total,
                      double* sums, double* pairs, int n_threads) noexcept nogil:
        """Call `sum_block` for every block; sums (n_blocks, K, K)."""
        cdef Py_ssize_t block
        for block in prange(self.n_blocks, num_threads=n_threads, schedule="dynamic"):
            self.sum_block(block, S, w, mu, total, sums + block * self.K * self.K, pairs)

    def viterbi(self, const double[:, ::1] S, const double[:, ::1] T, int n_threads=1):
        """Return each sequence's labels of the largest score, (n,), and these scores."""
        cdef int[::1] path = np.empty(self.n, dtype=np.intc)
        cdef double[::1] best = np.empty(self.n_sequences)
        cdef Py_ssize_t block
        self.load(&T[0, 0])
        with nogil:
            for block in prange(self.n_blocks, num_threads=n_threads, schedule="dynamic"):
                self._decode(block, &S[0, 0], &path[0], &best[0])
        return np.asarray(path), np.asarray(best)

    cdef void _decode(self, Py_ssize_t block, const double* S, int* path,
                      double* best) noexcept nogil:
        """Decode the sequences of one block."""
        cdef Py_ssize_t s, at
        cdef double* delta = <double*> malloc(self.longest * self.width * sizeof(double))
        for s in range(self.block[block], self.block[block + 1]):
            at = self.ptr[s]
            best[s] = chain.ss_chain_viterbi(self.ptr[s + 1] - at, self.K, self.width,
                                             S + at * self.K, &self.T[0, 0], delta, path + at)
        free(delta)

    def marginals(self, const double[:, ::1] S, const double[:, ::1] T, w=None,
                  bint each_pair=False, int n_threads=1):
        """Return node marginals (n, K), log Z (n_sequences,), and pair marginals.

        The latter are sums (K, K) with weights w (n_sequences,), 1 if None. With `each_pair` they
        are (n - n_sequences, K, K), sequence by sequence.
        """
        cdef double[::1] weight = np.ones(self.n_sequences) if w is None else w
        cdef double[:, ::1] mu = np.zeros((self.n, self.K))
        cdef double[::1] total = np.empty(self.n_sequences)
        cdef double[:, :, ::1] sums = np.empty((self.n_blocks, self.K, self.K))
        cdef Py_ssize_t n_pairs = (self.n - self.n_sequences) * self.K * self.K if each_pair else 0
        cdef double[::1] pairs = np.empty(n_pairs)
        cdef double* each = NULL
        if pairs.shape[0] > 0:
            each = &pairs[0]
        self.load(&T[0, 0])
        with nogil:
            self.sum_all(&S[0, 0], &weight[0], &mu[0, 0], &total[0], &sums[0, 0, 0], each,
                         n_threads)
        if each_pair:
            return np.asarray(mu), np.asarray(total), np.asarray(pairs).reshape(-1, self.K, self.K)
        return np.asarray(mu), np.asarray(total), np.asarray(sums).sum(axis=0)

    def best(self, const double[:, ::1] S, const double[:, ::1] T, int count):
        """Return the `count` best labellings of one sequence (m, n) and their scores (m,), best
        first.

        m is less than `count` if there are not so many. Every label keeps a list of its best
        prefixes. The time is n K count (K + log), the memory 12 bytes n K count.
        """
        cdef Py_ssize_t K = self.K, n = self.n, i, a, b, r, winner, m = count
        cdef double[:, :, ::1] delta = np.full((2, K, m), -INFINITY)
        cdef int[:, :, ::1] back = np.full((n, K, m), -1, dtype=np.intc)
        cdef int[::1] place = np.zeros(K, dtype=np.intc)
        cdef Py_ssize_t now = 0
        cdef double value, most
        for b in range(K):
            delta[0, b, 0] = S[0, b]
        # 1. For every label the m best prefixes, merged from the sorted lists one position before.
        for i in range(1, n):
            for b in range(K):
                place[:] = 0
                for r in range(m):
                    most, winner = -INFINITY, -1
                    for a in range(K):
                        if place[a] < m:
                            value = delta[now, a, place[a]] + T[a, b]
                            if value > most:
                                most, winner = value, a
                    delta[1 - now, b, r] = most + S[i, b]
                    if winner < 0:
                        continue
                    back[i, b, r] = <int> (winner * m + place[winner])
                    place[winner] += 1
            now = 1 - now
        # 2. The best ends, and their paths backwards.
        last = np.asarray(delta[now]).ravel()
        order = np.argsort(-last, kind="stable")[:count]
        order = order[last[order] > -INFINITY]
        paths = np.empty((len(order), n), dtype=np.intc)
        for r in range(len(order)):
            winner = order[r]
            for i in range(n - 1, 0, -1):
                b = winner // m
                paths[r, i] = b
                winner = back[i, b, winner - b * m]
            paths[r, 0] = winner // m
        return paths, last[order]


def times(const long long[::1] start, const int[::1] at, const double[::1] x,
          const double[:, ::1] W, int n_threads=1):
    """Return X W (n, K) for X of compressed rows (start, at, x)."""
    cdef Py_ssize_t n = start.shape[0] - 1, K = W.shape[1], stretch
    cdef Py_ssize_t count = (n + STRETCH - 1) // STRETCH
    found = np.empty((n, K))
    cdef double[:, ::1] out = found
    if n == 0:
        return found
    if x.shape[0] == 0:
        found[:] = 0.0
        return found
    with nogil:
        for stretch in prange(count, num_threads=n_threads, schedule="dynamic"):
            chain.ss_row_products(stretch * STRETCH, min(n, (stretch + 1) * STRETCH), K, &start[0],
                                  &at[0], &x[0], &W[0, 0], &out[0, 0])
    return found

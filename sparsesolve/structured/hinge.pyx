"""Structured hinge loss on chains, one sequence at a time: decoding and averaged subgradients.

    minimise over w   lam |w|^2 / 2
                      + (1/N) sum_s max_y' [score_s(y') - score_s(y_s) + number of wrong labels]

w holds all coefficients in the order of CRFPath: K for each feature, then intercepts, transitions,
start and stop.

`averaged_epoch` takes steps w += phi(y) - phi(y') with the most violated labelling y', without the
penalty, and keeps the sums for the mean of all iterates. It has no certificate.
Invariant: `path` holds the last decoded labelling, `scores` its scores with the costs.
Reference: Collins (2002), "Discriminative training methods for hidden Markov models".

Block Frank-Wolfe steps on the dual have one. The dual point of each sequence is a mixture of
labellings. It is kept as D (n, K), the labels minus the mixture, and E, the pairs minus those of
the mixture. A step moves towards the most violated
labelling as far as the dual rises. The gap of a sequence is lam <w_s - w_y', w> - l_s + l_y'.
The sum of the gaps over a pass at a fixed w is a certificate, `frank_wolfe_gap`.
Invariant: w is the sum of the sequences' phi(D, E) / (lam N).
Reference: Lacoste-Julien, Jaggi, Schmidt, Pletscher (2013), "Block-coordinate Frank-Wolfe
optimization for structural SVMs".
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
    costs : (K, K) what it costs to take the label of a row for that of a column
    """

    cdef const long long[::1] start, ptr
    cdef const int[::1] at, y
    cdef const double[::1] x
    cdef const double[:, ::1] closed, costs
    cdef Py_ssize_t K, p, width, N
    cdef double[::1] scores, delta          # (longest, K) and (longest, width), one sequence
    cdef double[:, ::1] T                   # (K, width)
    cdef int[::1] path

    def __init__(self, start, at, x, ptr, y, Py_ssize_t K, Py_ssize_t p, closed, costs):
        self.start, self.at, self.x, self.ptr, self.y, self.closed = start, at, x, ptr, y, closed
        self.K, self.p, self.N, self.costs = K, p, len(ptr) - 1, costs
        self.width = (K + chain.SS_LANES - 1) // chain.SS_LANES * chain.SS_LANES
        longest = int(np.diff(ptr).max())
        self.scores, self.delta = np.empty(longest * K), np.empty(longest * self.width)
        self.T, self.path = np.full((K, self.width), -np.inf), np.empty(longest, dtype=np.intc)

    cdef double decode(self, Py_ssize_t s, const double* w) noexcept nogil:
        """Decode the largest score plus costs into `path`; return the hinge loss."""
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first, i, k
        cdef const double* tied = w + self.p * K        # intercepts, transitions, start, stop
        cdef double best, gold = 0.0
        cdef double* S = &self.scores[0]
        # Rows of X are numbered over all sequences, scores from 0.
        chain.ss_row_products(0, L, K, &self.start[first], &self.at[0], &self.x[0], w, S)
        for i in range(L):
            for k in range(K):
                S[i * K + k] += tied[k] + self.costs[self.y[first + i], k]
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


cdef class FrankWolfePass(HingePass):
    """A HingePass that also holds a dual point; it takes the same arguments."""

    cdef readonly double[:, ::1] D          # (n, K) labels minus the dual mixture
    cdef readonly double[:, ::1] E          # (N, K K) pairs of labels minus those of the mixture
    cdef readonly double[::1] loss          # (N,) cost of the mixture's wrong labels
    cdef double[:, ::1] move                # (p, K) workspace, 0 except during a step
    cdef double[::1] pairs, ends            # (K K,) and (3 K,) workspaces, likewise

    def __init__(self, start, at, x, ptr, y, Py_ssize_t K, Py_ssize_t p, closed, costs):
        HingePass.__init__(self, start, at, x, ptr, y, K, p, closed, costs)
        self.D, self.E = np.zeros((len(y), K)), np.zeros((self.N, K * K))
        self.loss = np.zeros(self.N)
        self.move, self.pairs, self.ends = np.zeros((p, K)), np.zeros(K * K), np.zeros(3 * K)

    def frank_wolfe_epoch(self, const int[::1] order, double[::1] w, double lam):
        """Take steps over the sequences in this order, with w in place.

        Returns the sum of the sequences' gaps, each at its own w.
        """
        cdef Py_ssize_t r
        cdef double total = 0.0
        with nogil:
            for r in range(order.shape[0]):
                total += self._frank_wolfe(order[r], &w[0], lam, True)
        return total / self.N

    def frank_wolfe_gap(self, double[::1] w, double lam):
        """Return the duality gap at w, with all sequences at the same w."""
        cdef Py_ssize_t s
        cdef double total = 0.0
        with nogil:
            for s in range(self.N):
                total += self._frank_wolfe(s, &w[0], lam, False)
        return total / self.N

    cdef double _frank_wolfe(self, Py_ssize_t s, double* w, double lam, bint step) noexcept nogil:
        """Return N times the gap of sequence s; with `step`, also step to its most violated
        labelling.
        """
        cdef Py_ssize_t K = self.K, first = self.ptr[s], L = self.ptr[s + 1] - first, i, k
        cdef long long j
        cdef int f
        cdef double wrong = 0.0, along = 0.0, square = 0.0, gap, share, d
        cdef double* tied = w + self.p * K
        cdef double* ends = &self.ends[0] if step else NULL
        # 1. Most violated labelling, and its gap: D + path - gold, that is (labels - mixture) -
        # (labels - path), times the scores without the costs.
        self.decode(s, w)
        for i in range(L):
            wrong += self.costs[self.y[first + i], self.path[i]]
            for k in range(K):
                d = self.D[first + i, k] + (self.path[i] == k) - (self.y[first + i] == k)
                along += d * (self.scores[i * K + k] - self.costs[self.y[first + i], k])
        for k in range(K * K):
            along += self.E[s, k] * tied[K + k]
        for i in range(1, L):
            along += tied[K + self.path[i - 1] * K + self.path[i]]
            along -= tied[K + self.y[first + i - 1] * K + self.y[first + i]]
        gap = wrong - self.loss[s] + along
        if not step or gap <= 0.0:
            return gap
        # 2. Difference of features, feature by feature, and its squared length.
        for i in range(L):
            for j in range(self.start[first + i], self.start[first + i + 1]):
                f = self.at[j]
                for k in range(K):
                    d = self.D[first + i, k] + (self.path[i] == k) - (self.y[first + i] == k)
                    self.move[f, k] += self.x[j] * d
            for k in range(K):
                d = self.D[first + i, k] + (self.path[i] == k) - (self.y[first + i] == k)
                ends[k] += d
                if i == 0:
                    ends[K + k] += d
                if i == L - 1:
                    ends[2 * K + k] += d
        for k in range(K * K):
            self.pairs[k] = self.E[s, k]
        for i in range(1, L):
            self.pairs[self.path[i - 1] * K + self.path[i]] += 1.0
            self.pairs[self.y[first + i - 1] * K + self.y[first + i]] -= 1.0
        for i in range(L):
            for j in range(self.start[first + i], self.start[first + i + 1]):
                f = self.at[j]
                for k in range(K):
                    d = self.D[first + i, k] + (self.path[i] == k) - (self.y[first + i] == k)
                    square += self.x[j] * d * self.move[f, k]
        for k in range(3 * K):
            square += ends[k] * ends[k]
        for k in range(K * K):
            square += self.pairs[k] * self.pairs[k]
        # 3. Step length. w_s = phi / (lam N), so the dual rises by
        # share gap / N - share^2 square / (2 lam N^2).
        share = 1.0 if square == 0.0 else min(gap * lam * self.N / square, 1.0)
        # 4. Update w, the dual point and its loss; clear the workspaces.
        for i in range(L):
            for j in range(self.start[first + i], self.start[first + i + 1]):
                f = self.at[j]
                for k in range(K):
                    w[f * K + k] -= share / (lam * self.N) * self.move[f, k]
                    self.move[f, k] = 0.0
            for k in range(K):
                d = self.D[first + i, k] + (self.path[i] == k) - (self.y[first + i] == k)
                self.D[first + i, k] -= share * d
        for k in range(K):
            tied[k] -= share / (lam * self.N) * ends[k]
            tied[K + K * K + k] -= share / (lam * self.N) * ends[K + k]
            tied[2 * K + K * K + k] -= share / (lam * self.N) * ends[2 * K + k]
        for k in range(3 * K):
            ends[k] = 0.0
        for k in range(K * K):
            tied[K + k] -= share / (lam * self.N) * self.pairs[k]
            self.E[s, k] -= share * self.pairs[k]
        self.loss[s] += share * (wrong - self.loss[s])
        return gap

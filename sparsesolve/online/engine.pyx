"""The contract of an online method: how weights are read and learned, one row at a time.

    for each step s:   eta_i = offset_i + b0 + x_i'w_s,   g_s = the weighted mean of f'(y_i, eta_i)
    x_i,
                       w_{s+1} = what the method makes of w_s, g_s and the penalty

Given: rows in the form of CSR, a Loss that knows `sample`, and the numbers of `Clock` for each
step. Returned: the loss of each row before it was learned, and a bound of |g_s|^2. Invariant: an
Engine reads and changes what it stores of the features in a row, and of no other. `gather` makes
up for the penalty of the steps in which a feature did not occur.
Reference: Duchi and Singer, "Efficient online and batch learning using forward backward splitting"
(2009), sections 5 and 6.
"""
from copy import deepcopy

import numpy as np

from sparsesolve.losses.base cimport Loss

# Rows between the one that is learned and the one whose weights are prefetched; 2 hide the
# latency of memory.
DEF AHEAD = 2


cdef class Engine:
    """Base of all methods: the loop over rows. A subclass overrides the four `cdef` methods.

    Parameters
    ----------
    n_responses : int, K
    n_features : int
    intercept : bool
    kind : (p,) intc array or None
        Column of `level` and `scale` for each feature; None: all use the first.
    width : int
        Doubles stored for each feature.
    """

    def __init__(self, n_responses, n_features, intercept, kind=None, width=1):
        self.width = width
        self.n_responses, self.n_features, self.has_intercept = n_responses, n_features, intercept
        self.kind = kind
        self.record = np.zeros(self.width * max(n_features, 1))
        self.intercept_record = np.zeros((2, n_responses))

    # Attributes that a subclass learns besides the two records.
    learned = ()

    def state(self):
        """Return what has been learned, as arrays and numbers."""
        parts = [getattr(self, name) for name in ("record", "intercept_record", *self.learned)]
        return [part if isinstance(part, int | float | list) else np.asarray(part)
                for part in parts]

    def restore(self, state):
        """Continue from a state of another engine, which has less in pickles of before 0.2."""
        self.record, self.intercept_record = [np.array(part) for part in state[:2]]
        for name, part in zip(self.learned, state[2:]):
            setattr(self, name, deepcopy(part))

    def weights(self, level, scale, plain, features=None):
        """Return the weights (K, p) and intercepts (K,) at a step with these numbers of `Clock`.

        With features (m,) the weights are those of these features, (K, m).
        """
        raise NotImplementedError

    def rows(self):
        """Return the stored numbers of the features, (p, width)."""
        return np.asarray(self.record).reshape(-1, self.width)

    def grow(self, n_features):
        """Allocate memory for `n_features` features; new ones start at zero."""
        room = np.zeros(self.width * n_features)
        room[: self.width * self.n_features] = self.record[: self.width * self.n_features]
        self.record, self.n_features = room, n_features

    cdef void fetch(self, const int* index, Py_ssize_t count) noexcept nogil:
        """Prefetch the memory of a row that comes soon."""
        cdef Py_ssize_t a
        cdef Py_ssize_t width = self.width
        for a in range(count):
            ss_fetch(&self.record[width * index[a]])

    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil:
        """Bring the features of a row up to step s, and add x'w and the intercept to eta (K,)."""

    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil:
        """Learn from a row of step s; slope (K,) is that of the loss times the row's share of the
        step.
        """

    cdef void commit(self, Py_ssize_t s) noexcept nogil:
        """End step s, after all its rows."""

    def run(self, Loss loss, times, const Py_ssize_t[::1] start, const int[::1] index,
            const double[::1] x, const double[:, ::1] y, const double[::1] w, offset,
            const Py_ssize_t[::1] steps):
        """Learn S steps; step s has the rows steps[s]:steps[s + 1].

        Parameters
        ----------
        loss : Loss
        times : dict
            rate (S,), level and scale (S + 1, kinds), plain (S + 1,): see Clock.
        start, index, x : CSR, (n + 1,), (nnz,), (nnz,)
        y : (n, K or 1), w : (n,) positive weights, offset : (n, K) or None
        steps : (S + 1,)

        Returns
        -------
        losses : (n,)
        squares : (S,)
            Upper bounds of the squared length of each step's mean gradient.
        """
        cdef Py_ssize_t s, i, K = self.n_responses, n = w.shape[0], S = steps.shape[0] - 1
        cdef Py_ssize_t first, last, k, a
        cdef double total, square, length, share, lost
        cdef double[::1] losses = np.zeros(n), squares = np.zeros(S)
        cdef const double[:, ::1] known = np.zeros((1, K)) if offset is None else offset
        cdef Py_ssize_t stride = 0 if offset is None else 1
        cdef Py_ssize_t most = int(np.diff(steps).max(initial=0))
        cdef double[:, ::1] eta = np.zeros((most + 1, K)), slope = np.zeros((most + 1, K))
        cdef int* at = NULL if index.shape[0] == 0 else <int*> &index[0]
        cdef double* value = NULL if x.shape[0] == 0 else <double*> &x[0]
        self.rate, self.level, self.scale = times["rate"], times["level"], times["scale"]
        self.plain, self.batched = times["plain"], most > 1
        with nogil:
            for s in range(S):
                first, last, total, square, lost = steps[s], steps[s + 1], 0.0, 0.0, 0.0
                # 1. Predict the rows of the step, before any of them is learned.
                for i in range(first, last):
                    total += w[i]
                    if i + AHEAD < n:
                        self.fetch(at + start[i + AHEAD], start[i + AHEAD + 1] - start[i + AHEAD])
                    for k in range(K):
                        eta[i - first, k] = known[stride * i, k]
                    self.gather(s, at + start[i], value + start[i], start[i + 1] - start[i],
                                &eta[i - first, 0])
                    losses[i] = loss.sample(&y[i, 0], &eta[i - first, 0], &slope[i - first, 0])
                    lost += w[i] * losses[i]
                self.suffered = lost / total
                # 2. Learn their mean gradient.
                for i in range(first, last):
                    share = w[i] / total
                    length = 1.0 if self.has_intercept else 0.0
                    for a in range(start[i], start[i + 1]):
                        length += value[a] * value[a]
                    for k in range(K):
                        square += share * length * slope[i - first, k] * slope[i - first, k]
                        slope[i - first, k] *= share
                    self.scatter(s, at + start[i], value + start[i], start[i + 1] - start[i],
                                 &slope[i - first, 0])
                squares[s] = square
                self.commit(s)
        loss.raise_pending()
        return np.asarray(losses), np.asarray(squares)

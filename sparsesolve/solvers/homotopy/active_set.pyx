"""The active columns of a homotopy: which join, which leave, and how that is undone.

Given: the columns of a window in the basis of the active ones (linalg/factors/qr_window) and
their correlations. Kept for every active column: its feature, sign, penalty factor and
coefficient; its column of the window, if it is still there; and its column of the matrix B of
knots, a new one each time a feature joins. Every join and leave is logged, so that `undo` can
revert those that a wrong window led to. Columns without a penalty are active from the start.

Reference: Efron, Hastie, Johnstone, Tibshirani (2004), "Least angle regression".
"""
from libc.math cimport INFINITY

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.factors.qr_window cimport QRWindow

cdef enum Event:
    JOIN, LEAVE

# Times lambda, a bound that no correlation meets.
cdef double FAR = 1e200
cdef double HOMOTOPY_PIVOT = costs.rounding.HOMOTOPY_PIVOT
cdef double HOMOTOPY_PIVOT_PER_COLUMN = costs.rounding.HOMOTOPY_PIVOT_PER_COLUMN


cdef class ActiveSet:
    """The active columns and the window they come from; both are empty at first.

    Parameters
    ----------
    v : (p,) penalty factors
    rank : int
        How many columns can be independent.
    active, columns : int
        How many active columns, and columns of the window, to make room for at first.
    """

    def __init__(self, const double[::1] v, int rank, int active, int columns):
        self.basis = QRWindow(active, columns)
        self.factor, self.rank, self.lam = v, rank, 0.0
        self.member_, self.place_, self.slot_ = np.zeros((3, 1), dtype=np.intc)
        self.feature, self.state, self.tied = np.zeros((3, 1), dtype=np.intc)
        self.b, self.d, self.s, self.v = np.zeros((4, 1))
        self.c, self.w, self.old, self.limit = np.zeros((4, 1))

    # Calls between two runs of the homotopy.

    @property
    def active(self):
        """Active features, in the order of the factor."""
        return np.array(self.member_[: self.basis.size])

    @property
    def window(self):
        """The features of the window's columns, and a mask of those that are not active."""
        cdef int m = self.basis.width
        return np.array(self.feature[1 : m + 1]), np.asarray(self.state[1 : m + 1]) != IN

    def begin(self, int[::1] features, const double[::1] c, int n_knots, int room, bint same=False):
        """Prepare for `n_knots` knots and `room` events; the basis holds the window `features`.

        c (p,) are exact correlations at the current lam. They first correct the active
        coefficients. `same` says that the window is the one before, its active columns included.
        """
        cdef int s = self.basis.size, m = self.basis.width, k, i, j
        self._reserve(s + room, 1 + m + room)
        self.B, self.lams = np.zeros((n_knots, s + room)), np.empty(n_knots)
        self.slots = np.empty(s + room, dtype=np.intc)
        self.events = np.empty((room, 4), dtype=np.intc)
        self.n_slots, self.n_knots, self.n_events = s, 0, 0
        for k in range(s):
            self.slots[k], self.slot_[k] = self.member_[k], k
            if not same:
                self.place_[k] = 0
        for i in range(1, m + 1):
            if not same:
                self.feature[i], self.state[i] = features[i - 1], OUT
            elif self.state[i] == REFUSED:
                self.state[i] = OUT
            j = self.feature[i]
            self.c[i], self.w[i], self.tied[i] = c[j], self.factor[j], 0
            self.limit[i] = self.w[i] if self.state[i] == OUT else FAR
        self._correct(np.asarray(c)[self.active])

    def enclose(self, const unsigned char[::1] shut):
        """Let all columns be in the window, as they are in the basis. shut (p,) marks those that
        never join.
        """
        cdef int i, k
        self._reserve(self.basis.size, 1 + shut.shape[0])
        for i in range(1, shut.shape[0] + 1):
            self.feature[i], self.state[i] = i - 1, SHUT if shut[i - 1] else OUT
        for k in range(self.basis.size):
            i = 1 + self.member_[k]
            self.place_[k], self.state[i] = i, IN

    def _reserve(self, int active, int columns):
        """Make room for so many active columns and columns of the window, entry 0 included."""
        if active > self.b.shape[0]:
            self.member_, self.place_, self.slot_ = _longer((self.member_, self.place_,
                                                             self.slot_), active)
            self.b, self.d, self.s, self.v = _longer((self.b, self.d, self.s, self.v), active)
        if columns > self.c.shape[0]:
            self.feature, self.state, self.tied = _longer((self.feature, self.state, self.tied),
                                                          columns)
            self.c, self.w, self.old, self.limit = _longer((self.c, self.w, self.old, self.limit),
                                                          columns)

    def admit(self):
        """Make all independent columns of the window active, with least-squares coefficients."""
        cdef int i
        exact = np.asarray(self.c[1 : self.basis.width + 1])
        for i in range(1, self.basis.width + 1):
            self._join(i)
        self._correct(exact[np.asarray(self.place_[: self.basis.size]) - 1])

    def _correct(self, exact):
        """Take a step of iterative refinement: solve A_J'A_J x = c_J - lam v s and add x to b."""
        cdef int s = self.basis.size
        if s == 0:
            return
        excess = exact - self.lam * np.asarray(self.v[:s]) * np.asarray(self.s[:s])
        half = self.basis.half_solved(excess[:, None])
        np.asarray(self.c)[1 : self.basis.width + 1] -= self.basis.window().T @ half[:, 0]
        np.asarray(self.b)[:s] += self.basis.half_solved(half, True)[:, 0]

    def knots(self):
        """Return the knots since `begin`: lambdas (K,), features (U,), coefficients B (K, U)."""
        K, U = self.n_knots, self.n_slots
        return np.asarray(self.lams)[:K], np.asarray(self.slots)[:U], np.asarray(self.B)[:K, :U]

    def events_by_knot(self):
        """Return how many columns joined or left before each knot, and since the last, (K + 1,).
        """
        return np.bincount(np.asarray(self.events)[: self.n_events, 3], minlength=self.n_knots + 1)

    def undo(self, int kept):
        """Undo the joins and leaves after knot number `kept` (0: since `begin`).

        The correction of b by exact correlations stays.
        """
        cdef int e, i
        while self.n_events > 0 and self.events[self.n_events - 1, 3] > kept:
            self.n_events -= 1
            e = self.n_events
            i = self.events[e, 1]
            if self.events[e, 0] == JOIN:
                self._drop(self._position(i), i)
            else:
                self.basis.left[i] = max(self.basis.left[i], HOMOTOPY_PIVOT * self.basis.square[i])
                self._take(i, self.events[e, 2], 0.0)

    @property
    def coefficients(self):
        """Coefficients of the active columns."""
        return np.array(self.b[: self.basis.size])

    def reset(self, double lam, const double[::1] b):
        """Continue from lam, where the active coefficients are b."""
        cdef int k
        self.lam = lam
        for k in range(self.basis.size):
            self.b[k] = b[k]

    cdef bint _roomy(self, int events) noexcept nogil:
        """Return True if the log has room for so many events."""
        return self.n_events + events <= self.events.shape[0]

    cdef void _log(self, int kind, int i, int sign) noexcept nogil:
        self.events[self.n_events, 0] = kind
        self.events[self.n_events, 1] = i
        self.events[self.n_events, 2] = sign
        self.events[self.n_events, 3] = self.n_knots
        self.n_events += 1

    cdef bint _join(self, int index) noexcept nogil:
        """Let window column |index| become active with the sign of index; False if it depends on
        others.
        """
        cdef int i = abs(index), sign = 1 if index > 0 else -1
        if not self._take(i, sign, self._tiny()):
            return False
        self.slot_[self.basis.size - 1] = self.n_slots
        self.slots[self.n_slots] = self.feature[i]
        self.n_slots += 1
        self._log(JOIN, i, sign)
        return True

    cdef double _tiny(self) noexcept nogil:
        """Return the share of a column's square that must lie outside the span of the active
        ones.

        With less, rounding hides whether the column is independent.
        """
        if self.basis.size >= self.rank:
            return INFINITY
        return HOMOTOPY_PIVOT + HOMOTOPY_PIVOT_PER_COLUMN * self.basis.size

    cdef bint _take(self, int i, int sign, double tiny) noexcept nogil:
        cdef int s = self.basis.size
        if not self.basis.join(i, sign * self.w[i], tiny):
            return False
        self.member_[s], self.place_[s] = self.feature[i], i
        self.b[s], self.d[s], self.s[s], self.v[s] = 0.0, 0.0, sign, self.w[i]
        self.state[i], self.limit[i] = IN, FAR
        return True

    cdef int _leave(self, int k) noexcept nogil:
        """Let active column k leave; return its column of the window."""
        cdef int i = self.place_[k], sign = 1 if self.s[k] > 0.0 else -1
        if i == 0:
            i = self.basis.width + 1
            self.basis.recall(k, i)
            self.feature[i], self.w[i] = self.member_[k], self.v[k]
        self.c[i] = self.lam * self.w[i] * sign
        self._drop(k, i)
        self._log(LEAVE, i, sign)
        return i

    cdef void _drop(self, int k, int i) noexcept nogil:
        cdef int j
        self.basis.leave(k, i)
        self.state[i], self.limit[i] = OUT, self.w[i]
        for j in range(k, self.basis.size):
            self.member_[j], self.place_[j] = self.member_[j + 1], self.place_[j + 1]
            self.slot_[j] = self.slot_[j + 1]
            self.b[j], self.d[j] = self.b[j + 1], self.d[j + 1]
            self.s[j], self.v[j] = self.s[j + 1], self.v[j + 1]
        for j in range(1, self.basis.width + 1):
            if self.state[j] == REFUSED:
                self.state[j] = OUT

    cdef int _position(self, int i) noexcept nogil:
        """Return the active column that is column i of the window, or -1."""
        cdef int k
        for k in range(self.basis.size):
            if self.place_[k] == i:
                return k
        return -1


def _longer(arrays, least):
    """Return longer copies, filled with zeros: `least` values, or half as many again as before."""
    held = len(arrays[0])
    longer = np.zeros((len(arrays), max(least, held + held // 2)),
                      dtype=np.asarray(arrays[0]).dtype)
    longer[:, :held] = arrays
    return longer

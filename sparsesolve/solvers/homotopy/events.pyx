"""Homotopy: from event to event along the path of the lasso, or of least angle regression.

    minimise over b   |y - A b|^2 / 2 + rho sum_j v_j b_j^2 / 2 + lam sum_j v_j |b_j|
                      for every lam

Given: the correlations c_j = a_j'(y - A b) - rho v_j b_j of its window, and b at
one lam. Returned per step: b at the next knot. Invariant: c_j = lam v_j s_j for active j, with
s_j the sign of b_j.

As lam falls by t, b moves by t d with (A_J'A_J + rho V_J) d = V_J s_J, and c by -t a_j'A_J d. The
first event ends the step: a column of the window reaches |c_j| = lam v_j and joins, or an active
coefficient with v_j > 0 reaches 0 and leaves. Columns outside the window are not examined here:
the caller checks them at the knots and undoes wrong steps (`undo`).

Events at one lambda are resolved together. Let P be the active columns and E those on the
boundary whose coefficient is 0. Then d minimises |A d|^2 / 2 - sum_j v_j s_j d_j subject to s_j
d_j >= 0 on E, by the method of Lawson and Hanson: every change of its active set lowers that
function, so that no order of joins and leaves can cycle. A column that depends on the active ones
moves with them and need not join.

Kept for every active column: its feature, sign, penalty factor and coefficient; its column of the
window in the basis of the active ones (linalg/factors/qr_window), if it is still there; and its
column of the matrix B of knots, a new one each time a feature joins. Every join and leave is
logged, so that `undo` can revert those that a wrong window led to. Columns without a penalty are
active from the start.

Reference: Osborne, Presnell, Turlach (2000); Efron, Hastie, Johnstone, Tibshirani (2004); Bach et
al. 2012, section 6.2.
"""

from libc.math cimport INFINITY, fabs
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.factors.qr_window cimport QRWindow
from sparsesolve.linalg.kernels.vector cimport axpy, ss_reach
from sparsesolve.solvers import tolerances

# State of a column of the window. A REFUSED column depends on the active ones and waits until one
# of them leaves. An EXCLUDED column never joins.
cdef enum State:
    OUT, IN, REFUSED, EXCLUDED

# Times lambda, a bound that no correlation meets.
cdef double FAR = 1e200
cdef double ROUNDING = tolerances.ROUNDING
cdef enum Kind:
    JOIN, LEAVE, END

# Why `run` returned. CROWDED: it needs more room for events at one lambda.
cpdef enum Reason:
    RUNNING, CROWDED, STUCK, AT_END, FULL


cdef class Homotopy:
    """The path between two changes of the window; no column is active at first.

    Parameters
    ----------
    v, size : (p,)
        Penalty factors, and |a_j| with the ridge's part included.
    scale : float
        |y|, the unit of rounding.
    lasso : bool
        If True, coefficients leave at 0; else least angle regression.
    positive : bool
        If True, coefficients may not be negative.
    most : int
        The largest number of active columns.
    rank : int
        How many columns can be independent.
    """

    cdef readonly QRWindow basis
    cdef readonly double lam            # Lambda that the path has reached.
    cdef readonly int n_knots, n_events # Counted since `begin`.
    cdef double last, floor, tie, scale
    cdef bint lasso, positive
    cdef int most, rank, n_slots
    cdef int here                                       # Events at this lambda.
    cdef const double[::1] factor, size                 # (p,) v_j and |a_j|
    # For each active column: its feature, its column of the window or 0, and its column of B.
    cdef int[::1] member_, place_, slot_
    cdef double[::1] b, d, s, v
    cdef int[::1] feature, state, tied                  # For each column of the window, from 1.
    # For each column of the window: correlation, v, and the coefficient of a feasible direction.
    cdef double[::1] c, w, old
    cdef double[::1] limit  # v of the columns that may join, FAR for others.
    cdef double[:, ::1] B                               # (knots, slots)
    cdef double[::1] lams
    cdef int[::1] slots                                 # The feature of each column of B.
    cdef int[:, ::1] events                             # Kind, column of the window, sign, knot.

    def __init__(self, const double[::1] v, const double[::1] size, double scale, bint lasso,
                 bint positive, int most, int rank):
        self.basis = QRWindow()
        self.factor, self.size, self.scale, self.lam = v, size, scale, 0.0
        self.lasso, self.positive, self.most, self.rank = lasso, positive, most, rank
        self.member_, self.place_, self.slot_ = np.zeros((3, 1), dtype=np.intc)
        self.feature, self.state, self.tied = np.zeros((3, 1), dtype=np.intc)
        self.b, self.d, self.s, self.v = np.zeros((4, 1))
        self.c, self.w, self.old, self.limit = np.zeros((4, 1))

    # Calls between two runs of the homotopy.

    def start(self, double first, double last):
        """Set the first and the last lambda of the path."""
        # not to be told from a tie
        self.lam, self.last, self.tie = first, last, 1e-13 * first
        self.floor = max(last, 10.0 * self.tie)

    @property
    def active(self):
        """Active features, in the order of the factor."""
        return np.array(self.member_[: self.basis.size])

    @property
    def window(self):
        """The features of the window's columns, and a mask of those that are not active."""
        cdef int m = self.basis.width
        return np.array(self.feature[1 : m + 1]), np.asarray(self.state[1 : m + 1]) != IN

    def begin(self, int[::1] features, const double[::1] c, int n_knots, int n_events,
              bint same=False):
        """Prepare for `n_knots` knots and `n_events` events; the basis holds the window `features`.

        c (p,) are exact correlations at the current lam. They first correct the active
        coefficients. `same` says that the window is the one before, its active columns included.
        """
        cdef int s = self.basis.size, m = self.basis.width, k, i, j
        self._reserve(s + n_events, 1 + m + n_events)
        self.B, self.lams = np.zeros((n_knots, s + n_events)), np.empty(n_knots)
        self.slots = np.empty(s + n_events, dtype=np.intc)
        self.events = np.empty((n_events, 4), dtype=np.intc)
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

    def enclose(self, const unsigned char[::1] excluded):
        """Let all columns be in the window, as they are in the basis. `excluded` (p,) marks those
        that never join.
        """
        cdef int i, k
        self._reserve(self.basis.size, 1 + excluded.shape[0])
        for i in range(1, excluded.shape[0] + 1):
            self.feature[i], self.state[i] = i - 1, EXCLUDED if excluded[i - 1] else OUT
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
        self.here = 0
        while self.n_events > 0 and self.events[self.n_events - 1, 3] > kept:
            self.n_events -= 1
            e = self.n_events
            i = self.events[e, 1]
            if self.events[e, 0] == JOIN:
                self._drop(self._position(i), i)
            else:
                # rounding, which grows with every active column
                self.basis.left[i] = max(self.basis.left[i], 1e-13 * self.basis.square[i])
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

    cdef bint _has_capacity(self, int events) noexcept nogil:
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
        """Return the fraction of a column's square that must lie outside the span of the active
        ones.

        With less, rounding hides whether the column is independent.
        """
        if self.basis.size >= self.rank:
            return INFINITY
        return 1e-13 + 4e-15 * self.basis.size

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


    # From event to event.

    def run(self):
        """Follow the path until the room for knots or events is used up, or it ends; return a
        Reason.
        """
        cdef int reason
        with nogil:
            reason = self._run()
        return reason

    cdef int _run(self) noexcept nogil:
        cdef int kind, index
        cdef double t
        while self.n_knots < self.B.shape[0] and self._has_capacity(1):
            self.basis.direction(&self.d[0])
            kind = self._next(&t, &index)
            if self.here > 0 and t <= self.tie and kind != END and self.lasso:
                if not self._resolve_ties():
                    return CROWDED
                kind = self._next(&t, &index)
            self.here = self.here + 1 if t <= self.tie else 1
            # Events at one lambda, in multiples of the number of columns, after which rounding
            # hides their order.
            if self.here > 8 * (self.basis.size + self.basis.width + 1):
                return STUCK
            self._advance(t, kind, index)
            if kind == END:
                return AT_END
            if kind == LEAVE:
                self._leave(index)
            elif self.basis.size >= self.most:
                return FULL
            elif not self._join(index):
                self.state[abs(index)] = REFUSED
        return RUNNING

    cdef int _next(self, double* step, int* index) noexcept nogil:
        """Find the first event: its distance, its kind, and its active or window column."""
        cdef int i, k, side, kind = END
        cdef double t, rate, bound, best = self.lam - self.last, tiny = self._tiny()
        cdef const double* along = self.basis.along
        index[0] = -1
        i = 0
        while True:
            i = ss_reach(i + 1, self.basis.width + 1, self.lam, best, &self.limit[0], &self.c[0],
                         along)
            if i > self.basis.width:
                break
            bound = self.lam * self.w[i]
            if self.state[i] != OUT or self.basis.left[i] <= tiny * self.basis.square[i]:
                continue
            for side in range(2 - self.positive):
                if self.tied[i] == 1 - 2 * side:
                    continue
                rate = self.w[i] - (1 - 2 * side) * along[i]
                if rate > ROUNDING * self.w[i]:
                    t = max(bound - (1 - 2 * side) * self.c[i], 0.0)
                    if t < best * rate:
                        best, kind, index[0] = t / rate, JOIN, i if side == 0 else -i
        if self.lasso:
            for k in range(self.basis.size):
                rate = -self.s[k] * self.d[k]
                if rate > 0.0 and self.v[k] > 0.0:
                    t = max(self.s[k] * self.b[k], 0.0)
                    if t < best * rate:
                        best, kind, index[0] = t / rate, LEAVE, k
        if self.lam - best <= self.floor:       # What is left of the path is rounding.
            step[0] = self.lam - self.last
            return END
        step[0] = best
        return kind

    cdef void _advance(self, double t, int kind, int index) noexcept nogil:
        """Lower lambda by t. The end is a new knot unless t is rounding."""
        cdef int i, k
        for k in range(self.basis.size):
            self.b[k] += t * self.d[k]
        axpy(self.basis.width, -t, self.basis.along + 1, &self.c[1])
        memset(&self.tied[1], 0, self.basis.width * sizeof(int))
        self.lam = self.last if kind == END else self.lam - t
        if kind == LEAVE:
            self.b[index] = 0.0
        if t > self.tie or kind == END:
            self.n_knots += 1       # The knot's row of B is 0.
        elif self.n_knots == 0:
            return
        else:
            for i in range(self.n_slots):
                self.B[self.n_knots - 1, i] = 0.0
        self.lams[self.n_knots - 1] = self.lam
        for k in range(self.basis.size):
            if not self.lasso or not self._at_zero(k):
                self.B[self.n_knots - 1, self.slot_[k]] = self.b[k]

    # Ties: several events at one lambda.

    cdef bint _resolve_ties(self) noexcept nogil:
        """Find the active set with which the path leaves this lambda, where several events
        coincide.

        Returns False if the log has no room for the changes.
        """
        cdef int i, k, best, count = 0
        cdef double most, excess
        for k in range(self.basis.size):
            count += self._at_zero(k)
        for i in range(1, self.basis.width + 1):
            self.old[i] = 0.0
            self.tied[i] = self._side(i)
            count += self.tied[i] != 0
        if not self._has_capacity(4 * count + 4):
            return False
        for k in range(self.basis.size - 1, -1, -1):
            if self._at_zero(k):
                i = self._leave(k)
                self.tied[i] = 1 if self.c[i] > 0.0 else -1
                self.old[i] = 0.0
        while self._has_capacity(2):
            best, most = 0, ROUNDING
            for i in range(1, self.basis.width + 1):
                if self.tied[i] != 0 and self.state[i] == OUT:
                    excess = 1.0 - self.tied[i] * self.basis.along[i] / self.w[i]
                    if excess > most:
                        best, most = i, excess
            if best == 0:
                break
            if not self._join(self.tied[best] * best) or not self._descend(best):
                self.state[best] = REFUSED
        self.basis.direction(&self.d[0])
        return True

    cdef bint _descend(self, int newest) noexcept nogil:
        """Move to the direction of the active set, or towards it as far as signs allow.

        A coefficient that turns to 0 on the way leaves. Returns False if that is the newest one.
        """
        cdef int k, i, worst
        cdef double part, least, value
        while True:
            self.basis.direction(&self.d[0])
            worst, least = -1, 1.0
            for k in range(self.basis.size):
                i = self.place_[k]
                if i > 0 and self.tied[i] != 0:
                    value = self.s[k] * self.d[k]
                    if value <= 0.0:
                        part = self.old[i] / (self.old[i] - value) if self.old[i] > 0.0 else 0.0
                        if worst < 0 or part < least:
                            worst, least = k, part
            for k in range(self.basis.size):
                i = self.place_[k]
                if i > 0 and self.tied[i] != 0:
                    self.old[i] += least * (self.s[k] * self.d[k] - self.old[i])
            if worst < 0:
                return True
            i = self._leave(worst)
            self.old[i] = 0.0
            if i == newest:         # Only rounding does that.
                return False
            if not self._has_capacity(2):
                return True

    cdef bint _at_zero(self, int k) noexcept nogil:
        """Return True if an active coefficient is 0 but for rounding."""
        return (self.v[k] > 0.0
                and self.s[k] * self.b[k] * self.size[self.member_[k]] <= 1e-13 * self.scale)

    cdef int _side(self, int i) noexcept nogil:
        """Return the sign, 1 or -1, of an inactive column of the window on the boundary, else 0.
        """
        cdef double rounding = (2.0 * self.tie * self.w[i]
                         + 1e-13 * self.scale * self.size[self.feature[i]])
        if (self.state[i] == IN or self.state[i] == EXCLUDED
                or fabs(self.c[i]) < self.lam * self.w[i] - rounding):
            return 0
        return 1 if self.c[i] > 0.0 else 0 if self.positive else -1


def _longer(arrays, least):
    """Return longer copies, filled with zeros: `least` values, or half as many again as before."""
    held = len(arrays[0])
    longer = np.zeros((len(arrays), max(least, held + held // 2)),
                      dtype=np.asarray(arrays[0]).dtype)
    longer[:, :held] = arrays
    return longer

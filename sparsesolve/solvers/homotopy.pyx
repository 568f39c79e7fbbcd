"""Homotopy: from event to event along the path of the lasso, or of least angle regression.

    minimise over b   |y - A b|^2 / 2 + rho sum_j v_j b_j^2 / 2 + lam sum_j v_j |b_j|     for every lam

Given: the columns of a window in the basis of the active ones (linalg/basis), their correlations
c_j = a_j'(y - A b) - rho v_j b_j, and b at one lam.  Left behind per step: b at the next knot.
Invariant: c_j = lam v_j s_j for active j, with s_j the sign of b_j.  As lam falls by t, b moves by t d with
(A_J'A_J + rho V_J) d = V_J s_J and c by -t a_j'A_J d, up to the first event: a column of the window reaches
|c_j| = lam v_j and joins, or an active coefficient reaches 0 and leaves.  Columns outside the window are none of this
file's business: whoever runs it checks them at the knots and takes back the steps that were wrong (`undo`).

Events that coincide are settled together: with P the active columns, E those on the boundary whose coefficient is 0,
d minimises |A d|^2 / 2 - sum_j v_j s_j d_j subject to s_j d_j >= 0 on E, by Lawson and Hanson's method: every change
of its active set lowers that function, so that no order of joins and leaves comes back.  A column that depends on the
active ones moves with them and need not join.
Reference: Osborne, Presnell, Turlach (2000); Efron, Hastie, Johnstone, Tibshirani (2004); Bach et al. 2012, 6.2.
"""
from libc.math cimport INFINITY, fabs

import numpy as np

from sparsesolve.linalg.basis cimport Basis

cdef enum State:            # of a column of the window
    OUT, IN, REFUSED        # REFUSED: it depends on the active ones, until one of them leaves

cdef enum Kind:
    JOIN, LEAVE, END

cpdef enum Reason:          # why `run` returned; CROWDED: it needs more room for events at one place
    RUNNING, CROWDED, STUCK, AT_END, FULL

cdef double TINY = 1e-13            # of a column's square, and as much again for
cdef double TINY_PER_COLUMN = 4e-15 # every active column: below it a column counts as dependent
cdef double STILL = 1e-12           # of v_j: a column whose distance from the boundary changes by less keeps it
cdef double ROUNDING = 1e-13        # of the first lam, and of |a_j| |y|: what cannot be told from a tie
DEF MODEST = 256        # active columns and columns of the window to make room for at once, and beyond
DEF SPARE = 160
DEF PATIENCE = 8                    # times as many events at one place as there are columns


cdef class Homotopy:
    """The path between two changes of the window.

    Parameters
    ----------
    v, size : (p,) penalty factors; |a_j|, the ridge's part included
    scale : float
        |y|, to know rounding by.
    first, last : float
        Between which lams the path lies.
    lasso, positive : bool
        Whether coefficients leave at 0, and whether they may not be negative.
    most, rank : int
        Active columns allowed, and how many can be independent.
    """

    def __init__(self, const double[::1] v, const double[::1] size, double scale, double first, double last, bint lasso,
                 bint positive, int most, int rank):
        self.basis = Basis(min(rank, MODEST) + SPARE, min(v.shape[0], 2 * MODEST) + SPARE)
        self.factor, self.size, self.scale = v, size, scale
        self.lam, self.last, self.tie = first, last, ROUNDING * first
        self.floor = max(last, 10.0 * self.tie)
        self.lasso, self.positive, self.most, self.rank = lasso, positive, most, rank
        self.member_, self.place_, self.slot_ = np.zeros((3, 1), dtype=np.intc)
        self.b, self.d, self.s, self.v = np.zeros((4, 1))
        self.feature = np.zeros(1, dtype=np.intc)
        self.state = np.zeros(1, dtype=np.intc)

    # between two runs

    @property
    def active(self):
        """Features that are active, in the order of the factor."""
        return np.array(self.member_[: self.basis.size])

    @property
    def window(self):
        """Features of the window's columns, and which of them are not active."""
        cdef int m = self.basis.width
        return np.array(self.feature[1 : m + 1]), np.asarray(self.state[1 : m + 1]) != IN

    def begin(self, int[::1] features, const double[::1] c, int n_knots, int room, bint same=False):
        """Prepare for `n_knots` knots and `room` events, where the basis holds the window `features`.

        c (p,) are exact correlations at the current lam and coefficients, which they correct first. `same` says that
        the window is the one before, its active columns included.
        """
        cdef int s = self.basis.size, m = features.shape[0], more = s + room, k
        ints, reals = np.zeros((3, more), dtype=np.intc), np.zeros((4, more))
        ints[0, :s], ints[2, :s] = self.member_[:s], np.arange(s)
        if same:
            ints[1, :s] = self.place_[:s]
        for k, old in enumerate((self.b, self.d, self.s, self.v)):
            reals[k, :s] = old[:s]
        self.member_, self.place_, self.slot_ = ints
        self.b, self.d, self.s, self.v = reals
        ints, reals = np.zeros((3, 1 + m + room), dtype=np.intc), np.zeros((3, 1 + m + room))
        ints[0, 1 : m + 1] = features
        ints[1][np.asarray(self.place_[:s])] = IN       # entry 0 is that of no column
        reals[0, 1 : m + 1] = np.asarray(c)[features]
        reals[1, 1 : m + 1] = np.asarray(self.factor)[features]
        self.feature, self.state, self.tied = ints
        self.c, self.w, self.old = reals
        self.B, self.lams = np.zeros((n_knots, more)), np.zeros(n_knots)
        self.slots = np.append(self.member_[:s], np.zeros(room, dtype=np.intc))
        self.events = np.zeros((room, 4), dtype=np.intc)
        self.n_slots, self.n_knots, self.n_events = s, 0, 0
        self._correct(np.asarray(c)[self.active])

    def _correct(self, exact):
        """One step of iterative refinement: A_J'A_J x = c_J - lam v s, b += x."""
        cdef int s = self.basis.size
        if s == 0:
            return
        excess = exact - self.lam * np.asarray(self.v[:s]) * np.asarray(self.s[:s])
        half = self.basis.half_solved(excess[:, None])
        np.asarray(self.c)[1 : self.basis.width + 1] -= self.basis.window().T @ half[:, 0]
        np.asarray(self.b)[:s] += self.basis.half_solved(half, True)[:, 0]

    def knots(self):
        """(lams (K,), features (U,), B (K, U)): the knots since `begin`."""
        K, U = self.n_knots, self.n_slots
        return np.asarray(self.lams)[:K], np.asarray(self.slots)[:U], np.asarray(self.B)[:K, :U]

    def events_by_knot(self):
        """How many columns joined or left on the way to each knot, and since the last, (K + 1,)."""
        return np.bincount(np.asarray(self.events)[: self.n_events, 3], minlength=self.n_knots + 1)

    def undo(self, int kept):
        """Take back what happened after knot number `kept` (0: all since `begin`), but for the correction of b."""
        cdef int e, i
        while self.n_events > 0 and self.events[self.n_events - 1, 3] > kept:
            self.n_events -= 1
            e = self.n_events
            i = self.events[e, 1]
            if self.events[e, 0] == JOIN:
                self._drop(self._position(i), i)
            else:
                self.basis.left[i] = max(self.basis.left[i], TINY * self.basis.square[i])
                self._take(i, self.events[e, 2], 0.0)
        self.here = 0

    def reset(self, double lam, const double[::1] b):
        """Continue from lam, where the active coefficients are b."""
        cdef int k
        self.lam = lam
        for k in range(self.basis.size):
            self.b[k] = b[k]

    # the path

    def run(self):
        """Follow the path until the room for knots or events is used up, or it ends; says why."""
        cdef int reason
        with nogil:
            reason = self._run()
        return reason

    cdef int _run(self) noexcept nogil:
        cdef int kind, index
        cdef double t
        while self.n_knots < self.B.shape[0] and self._roomy(1):
            self.basis.direction(&self.d[0])
            kind = self._next(&t, &index)
            if self.here > 0 and t <= self.tie and kind != END and self.lasso:
                if not self._settle():
                    return CROWDED
                kind = self._next(&t, &index)
            self.here = self.here + 1 if t <= self.tie else 1
            if self.here > PATIENCE * (self.basis.size + self.basis.width + 1):
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

    cdef bint _roomy(self, int events) noexcept nogil:
        """Whether so many events fit in."""
        return self.n_events + events <= self.events.shape[0]

    cdef int _next(self, double* step, int* index) noexcept nogil:
        """The first event: how far, which kind, and of which active or window column."""
        cdef int i, k, side, kind = END
        cdef double t, rate, best = self.lam - self.last, tiny = self._tiny()
        cdef const double* left = self.basis.left
        cdef const double* square = self.basis.square
        index[0] = -1
        for i in range(1, self.basis.width + 1):
            if self.state[i] != OUT or left[i] <= tiny * square[i]:
                continue
            for side in range(2 - self.positive):
                if self.tied[i] == 1 - 2 * side:
                    continue
                rate = self.w[i] - (1 - 2 * side) * self.basis.along[i]
                if rate > STILL * self.w[i]:
                    t = max(self.lam * self.w[i] - (1 - 2 * side) * self.c[i], 0.0)
                    if t < best * rate:
                        best, kind, index[0] = t / rate, JOIN, i if side == 0 else -i
        if self.lasso:
            for k in range(self.basis.size):
                rate = -self.s[k] * self.d[k]
                if rate > 0.0:
                    t = max(self.s[k] * self.b[k], 0.0)
                    if t < best * rate:
                        best, kind, index[0] = t / rate, LEAVE, k
        if self.lam - best <= self.floor:       # what is left of the path is rounding
            step[0] = self.lam - self.last
            return END
        step[0] = best
        return kind

    cdef void _advance(self, double t, int kind, int index) noexcept nogil:
        """Go down by t, to a knot unless this is the place of the last one."""
        cdef int i, k
        for k in range(self.basis.size):
            self.b[k] += t * self.d[k]
        for i in range(1, self.basis.width + 1):
            self.c[i] -= t * self.basis.along[i]
            self.tied[i] = 0
        self.lam = self.last if kind == END else self.lam - t
        if kind == LEAVE:
            self.b[index] = 0.0
        if t > self.tie or kind == END:
            self.n_knots += 1
        elif self.n_knots == 0:
            return
        self.lams[self.n_knots - 1] = self.lam
        for i in range(self.n_slots):
            self.B[self.n_knots - 1, i] = 0.0
        for k in range(self.basis.size):
            if self.s[k] * self.b[k] > 0.0 or not self.lasso:
                self.B[self.n_knots - 1, self.slot_[k]] = self.b[k]

    cdef void _log(self, int kind, int i, int sign) noexcept nogil:
        self.events[self.n_events, 0] = kind
        self.events[self.n_events, 1] = i
        self.events[self.n_events, 2] = sign
        self.events[self.n_events, 3] = self.n_knots
        self.n_events += 1

    cdef bint _join(self, int index) noexcept nogil:
        """Window column |index| becomes active with the sign of index."""
        cdef int i = abs(index), sign = 1 if index > 0 else -1
        if not self._take(i, sign, self._tiny()):
            return False
        self.slot_[self.basis.size - 1] = self.n_slots
        self.slots[self.n_slots] = self.feature[i]
        self.n_slots += 1
        self._log(JOIN, i, sign)
        return True

    cdef double _tiny(self) noexcept nogil:
        """What has to be left of a column's square, or it cannot be told from a combination of the active ones."""
        return INFINITY if self.basis.size >= self.rank else TINY + TINY_PER_COLUMN * self.basis.size

    cdef bint _take(self, int i, int sign, double tiny) noexcept nogil:
        cdef int s = self.basis.size
        if not self.basis.join(i, sign * self.w[i], tiny):
            return False
        self.member_[s], self.place_[s] = self.feature[i], i
        self.b[s], self.d[s], self.s[s], self.v[s] = 0.0, 0.0, sign, self.w[i]
        self.state[i] = IN
        return True

    cdef int _leave(self, int k) noexcept nogil:
        """Active column k leaves; returns its column of the window."""
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
        self.state[i] = OUT
        for j in range(k, self.basis.size):
            self.member_[j], self.place_[j], self.slot_[j] = self.member_[j + 1], self.place_[j + 1], self.slot_[j + 1]
            self.b[j], self.d[j], self.s[j], self.v[j] = self.b[j + 1], self.d[j + 1], self.s[j + 1], self.v[j + 1]
        for j in range(1, self.basis.width + 1):
            if self.state[j] == REFUSED:
                self.state[j] = OUT

    cdef int _position(self, int i) noexcept nogil:
        """Which active column is column i of the window."""
        cdef int k
        for k in range(self.basis.size):
            if self.place_[k] == i:
                return k
        return -1

    # ties

    cdef bint _settle(self) noexcept nogil:
        """Find the active set in which the path leaves this lam, where several events coincide; False without room."""
        cdef int i, k, best, count = 0
        cdef double most, excess
        for k in range(self.basis.size):
            count += self._at_zero(k)
        for i in range(1, self.basis.width + 1):
            self.old[i] = 0.0
            self.tied[i] = self._side(i)
            count += self.tied[i] != 0
        if not self._roomy(4 * count + 4):
            return False
        for k in range(self.basis.size - 1, -1, -1):
            if self._at_zero(k):
                i = self._leave(k)
                self.tied[i] = 1 if self.c[i] > 0.0 else -1
                self.old[i] = 0.0
        while self._roomy(2):
            best, most = 0, STILL
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
        """Go to the direction of the active set, or towards it as far as signs allow, dropping what turns to zero."""
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
            if i == newest:         # only rounding does that
                return False
            if not self._roomy(2):
                return True

    cdef bint _at_zero(self, int k) noexcept nogil:
        """Whether an active coefficient cannot be told from 0."""
        return self.s[k] * self.b[k] * self.size[self.member_[k]] <= ROUNDING * self.scale

    cdef int _side(self, int i) noexcept nogil:
        """1 or -1 where an inactive column of the window is on the boundary."""
        cdef double slack = 2.0 * self.tie * self.w[i] + ROUNDING * self.scale * self.size[self.feature[i]]
        if self.state[i] == IN or fabs(self.c[i]) < self.lam * self.w[i] - slack:
            return 0
        return 1 if self.c[i] > 0.0 else 0 if self.positive else -1

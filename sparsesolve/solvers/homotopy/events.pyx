"""Homotopy: from event to event along the path of the lasso, or of least angle regression.

    minimise over b   |y - A b|^2 / 2 + rho sum_j v_j b_j^2 / 2 + lam sum_j v_j |b_j|
                      for every lam

Given: an ActiveSet, the correlations c_j = a_j'(y - A b) - rho v_j b_j of its window, and b at
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

Reference: Osborne, Presnell, Turlach (2000); Efron, Hastie, Johnstone, Tibshirani (2004); Bach et
al. 2012, section 6.2.
"""
from libc.math cimport fabs
from libc.string cimport memset

from sparsesolve.solvers import costs
from sparsesolve.linalg.kernels.vector cimport axpy, ss_reach
from sparsesolve.solvers.homotopy.active_set cimport IN, OUT, REFUSED, SHUT, ActiveSet

cdef enum Kind:
    JOIN, LEAVE, END

# Why `run` returned. CROWDED: it needs more room for events at one lambda.
cpdef enum Reason:
    RUNNING, CROWDED, STUCK, AT_END, FULL

cdef double RATE = costs.rounding.RATE
cdef double TIE = costs.rounding.TIE
# Events at one lambda, in multiples of the number of columns, after which rounding hides their
# order.
DEF PATIENCE = 8


cdef class Homotopy(ActiveSet):
    """The path between two changes of the window.

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
    active, columns : int
        How many active columns, and columns of the window, to make room for at first.
    """

    def __init__(self, const double[::1] v, const double[::1] size, double scale, bint lasso,
                 bint positive, int most,
                 int rank, int active, int columns):
        ActiveSet.__init__(self, v, rank, active, columns)
        self.size, self.scale = size, scale
        self.lasso, self.positive, self.most = lasso, positive, most

    def start(self, double first, double last):
        """Set the first and the last lambda of the path."""
        self.lam, self.last, self.tie = first, last, TIE * first
        self.floor = max(last, 10.0 * self.tie)

    def undo(self, int kept):
        ActiveSet.undo(self, kept)
        self.here = 0

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
        while self.n_knots < self.B.shape[0] and self._roomy(1):
            self.basis.direction(&self.d[0])
            kind = self._next(&t, &index)
            if self.here > 0 and t <= self.tie and kind != END and self.lasso:
                if not self._resolve_ties():
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
                if rate > RATE * self.w[i]:
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
        if not self._roomy(4 * count + 4):
            return False
        for k in range(self.basis.size - 1, -1, -1):
            if self._at_zero(k):
                i = self._leave(k)
                self.tied[i] = 1 if self.c[i] > 0.0 else -1
                self.old[i] = 0.0
        while self._roomy(2):
            best, most = 0, RATE
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
            if not self._roomy(2):
                return True

    cdef bint _at_zero(self, int k) noexcept nogil:
        """Return True if an active coefficient is 0 but for rounding."""
        return (self.v[k] > 0.0
                and self.s[k] * self.b[k] * self.size[self.member_[k]] <= TIE * self.scale)

    cdef int _side(self, int i) noexcept nogil:
        """Return the sign, 1 or -1, of an inactive column of the window on the boundary, else 0.
        """
        cdef double rounding = (2.0 * self.tie * self.w[i]
                         + TIE * self.scale * self.size[self.feature[i]])
        if (self.state[i] == IN or self.state[i] == SHUT
                or fabs(self.c[i]) < self.lam * self.w[i] - rounding):
            return 0
        return 1 if self.c[i] > 0.0 else 0 if self.positive else -1

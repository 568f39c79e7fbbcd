"""Proximal Newton for K responses with few coefficients: the whole Hessian of those at work, kept from point to point.

    minimise over B   F(offset + ZB) + lam sum_j v_j [alpha pen(B_j) + (1 - alpha) |B_j|_2^2 / 2]

with pen the l1 norm of the row B_j of K coefficients, or grouped its l2 norm.  A step minimises the quadratic model
over the coefficients at work, as for one response (gram_quadratic, group_gram_quadratic), with a Hessian s H: H is that
of an earlier point, s is learnt from how the gradient changed along the last step, the gradient is the true one.  H is
taken anew where steps stop paying.  The gap is over all coefficients, at a dual point orthogonal to those that nothing
holds back.
Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014); Bach et al. 2012, sections 1.4 and 6.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.gram cimport Gram
from sparsesolve.linalg.small cimport small_factor, small_solve
from sparsesolve.linalg.vector cimport axpy, dot
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.elastic_net cimport ElasticNet, conjugate, feasible_scale
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers.group_gram_quadratic cimport GroupGramQuadratic
from sparsesolve.solvers.gram_quadratic cimport GramQuadratic
from sparsesolve.solvers.response_hessian cimport ResponseHessian
from sparsesolve.solvers.working_columns cimport CONVERGED, MAX_ITER, STALLED, WorkingColumns
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.penalties.group_l2 import GroupL2
from sparsesolve.penalties.row_shift import centre
from sparsesolve.solvers.dual_point import clear

cdef double ARMIJO = 0.1            # share of the model's decrease that a step must reach
cdef double ROUNDING = 1e-14        # of the objective: less of an increase is none
cdef double SLOW = 0.2              # of the gap, left by a step: H is to be taken anew
cdef double FORCING = 0.1           # of the gap at its start to which a step's model is solved,
cdef double LEAST_FORCING = 1e-3    # and less while steps do what their models say
cdef double NEAR = 0.3              # of the gap asked for: to less no model is solved
cdef double AHEAD = 0.3             # of the way between two lams: what passes lam so much lower comes in
cdef double IDLE = 0.8              # of lam: coefficients of 0 with less go when H is taken anew
cdef double VIOLATION = 1e-12       # relative
cdef double FEW = 1e-12             # of a diagonal: a smaller pivot is rounding
cdef double ORTHOGONAL = 1e-10      # product with what nothing holds back, from which the dual point is none
DEF HALVINGS = 30
DEF PATIENCE = 6                    # steps that bring neither gap nor objective down
DEF ROUNDS = 1000                   # inner steps of one model


cdef ElasticNet coefficient_net(ElasticNetRows rows, int K):
    """The same penalty on coefficients one by one."""
    cdef ElasticNet net = ElasticNet(len(rows.l1) * K, rows.alpha)
    net.factors, net.l1, net.l2, net.lower, net.upper = np.repeat(
        [rows.factors, rows.l1, rows.l2, rows.lower, rows.upper], K, axis=1)
    return net


cdef BlockPenalty coefficient_groups(ElasticNetRows rows, int K):
    """The same penalty, each row a group; rows that are shut out are for the caller not to let in."""
    cdef Py_ssize_t q = rows.l1.shape[0]
    cdef BlockPenalty groups = GroupL2(np.repeat(np.arange(q), K), np.ones(q)).over(q * K)
    groups.weight, groups.ridge, groups.alpha = np.array(rows.l1), np.array(rows.l2), rows.alpha
    groups.factors = np.array(rows.factors)
    return groups


cdef class ResponseSet:
    """Solver state along a path; answers what ResponseBlocks answers.

    Parameters
    ----------
    problem : Problem of K responses
    """
    cdef readonly Loss loss
    cdef readonly Design design
    cdef readonly object problem
    cdef readonly ElasticNetRows net        # of all rows, the intercept's the last one
    cdef object penalty                     # of all coefficients, for the quadratic
    cdef WorkingColumns quadratic
    cdef Gram gram
    cdef ResponseHessian hessian
    cdef bint grouped, with_intercept, moving
    cdef int K
    cdef Py_ssize_t n, q                    # rows of coefficients
    cdef readonly double value
    cdef double s, forcing, level, before   # multiplier of H; the last lam and the one before it
    cdef long moves
    cdef double[:, ::1] offset, eta, u, image, trial, trial_u, dual
    cdef double[:, ::1] B, last_B, C        # (q, K); the solution before; products of all rows
    cdef double[::1] old, old_g, rest
    cdef double[:, ::1] inner               # of the intercepts, (K, K)
    cdef double[:, :, ::1] bends            # F'' here, (K, K, n)
    cdef int[::1] place                     # of a row among the Hessian's columns, or -1
    cdef int[::1] at_work                   # whether a coefficient is, (q K,)

    def __init__(self, problem, int n_threads=1):
        loss, design = problem.loss, problem.design
        self.problem, self.loss, self.design, self.grouped = problem, loss, design, problem.grouped
        self.with_intercept = problem.intercept
        self.K, self.n, self.q = loss.n_responses, loss.n, design.p + problem.intercept
        self.net = ElasticNetRows(problem.penalty, problem.grouped).take(
            np.append(np.arange(design.p), np.full(int(problem.intercept), -1)).astype(np.intc))
        self.hessian = ResponseHessian(self.n, self.K)
        if self.grouped:
            self.penalty = coefficient_groups(self.net, self.K)
            self.quadratic = GroupGramQuadratic(None, self.penalty)
            self.gram = (<GroupGramQuadratic> self.quadratic).gram
        else:
            self.penalty, self.gram = coefficient_net(self.net, self.K), Gram()
            self.quadratic = GramQuadratic(self.gram)
        self.offset = np.array(problem.offset, dtype=float, order="C")
        self.eta, self.u, self.image, self.trial, self.trial_u, self.dual = np.zeros((6, self.K, self.n))
        self.B, self.last_B, self.C = np.zeros((3, self.q, self.K))
        self.inner, self.rest = np.zeros((self.K, self.K)), np.zeros(self.K)
        self.bends = np.zeros((self.K, self.K, self.n if self.with_intercept else 1))
        self.place = np.full(self.q, -1, dtype=np.intc)
        self.at_work = np.zeros(self.q * self.K, dtype=np.intc)
        self.s, self.forcing, self.level, self.moves = 1.0, FORCING, 0.0, 0
        free = (np.asarray(self.net.l1) == 0.0) & (np.asarray(self.net.l2) == 0.0) & (np.asarray(self.net.upper) > 0.0)
        free[:design.p] &= np.asarray(design.spread) > 0.0
        start = np.zeros((self.q, self.K))
        if self.with_intercept:
            start[design.p] = problem.null_intercept
        self._enter(np.flatnonzero(np.repeat(free, self.K)), start.ravel())
        self._place()
        self._weigh()

    # what stands

    @property
    def iterations(self):
        """Steps, and those on their models, so far."""
        return self.moves + self.quadratic.iterations

    @property
    def loss_value(self):
        """F at the current point, less its least value."""
        return self.value - self.loss.saturated

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients (K, count).

        Where only differences between responses count, rows are shifted to their least penalty.
        """
        cdef int[::1] rows = np.empty(self.q, dtype=np.intc)
        cdef int t, count = 0
        cdef Py_ssize_t j, k
        cdef double[:, ::1] values
        self._lay_out()
        for j in range(self.design.p):
            for k in range(self.K):
                if self.B[j, k] != 0.0:
                    rows[count] = j
                    count += 1
                    break
        which, out = np.asarray(rows)[:count], np.empty((self.K, count))
        values = out
        for t in range(count):
            for k in range(self.K):
                values[k, t] = self.B[rows[t], k]
        if self.loss.symmetric and count:
            centre(values, self.net.take(which))
            kept = out.any(axis=0)
            if not kept.all():
                which, out = which[kept], out[:, kept]
        return which, out

    @property
    def intercept(self):
        """Intercepts (K,) of the standardised design; of mean 0 where only differences count."""
        out = np.zeros(self.K)
        if self.with_intercept:
            self._lay_out()
            out[:] = self.B[self.q - 1]
        return out - out.mean() if self.loss.symmetric else out

    cdef void _lay_out(self) noexcept nogil:
        """B."""
        cdef int t
        memset(&self.B[0, 0], 0, self.q * self.K * sizeof(double))
        for t in range(self.quadratic.size):
            (&self.B[0, 0])[self.quadratic.index[t]] = self.quadratic.b[t]

    def correlations(self):
        """For each column the size of its products with the dual point, (p,): largest or l2."""
        self._make_dual(0.0)
        return self.net.polar(np.ascontiguousarray(np.transpose(self.C)))[:self.design.p]

    # coefficients at work

    def _enter(self, const Py_ssize_t[::1] coefficients, start=None):
        """Let coefficients come to work, from 0 or `start` (q K,)."""
        cdef Py_ssize_t t, j, count = coefficients.shape[0]
        cdef int known = self.quadratic.size
        cdef int[::1] columns = np.empty(known + count, dtype=np.intc), which = np.empty(count, dtype=np.intc)
        cdef double[:, ::1] values = np.zeros((2, count))       # coefficients and gradients
        if count == 0:
            return
        fresh = []
        for t in range(count):
            j = coefficients[t] // self.K
            if self.place[j] < 0:
                self.place[j] = self.hessian.size + len(fresh)
                fresh.append(j)
        if fresh:
            self._unpack(np.array(fresh))
        if start is not None:
            np.asarray(values)[0] = start[np.asarray(coefficients)]
        for t in range(count):
            which[t] = coefficients[t]
            values[1, t] = (&self.C[0, 0])[which[t]]
            self.at_work[which[t]] = True
        for t in range(known + count):          # as numbered in the Hessian
            j = self.quadratic.index[t] if t < known else which[t - known]
            columns[t] = self.place[j // self.K] * self.K + j % self.K
        self.hessian.extend(self.gram, &columns[0], <int> (known + count))
        self.quadratic.append(None, self.penalty, which, values[0], values[1])
        if self.old is None or self.old.shape[0] < self.quadratic.capacity:
            self.old, self.old_g = np.zeros((2, self.quadratic.capacity))

    def _unpack(self, rows):
        """Give the Hessian the columns of rows that come to work for the first time."""
        real = rows < self.design.p
        if real.all():
            columns = self.design.unpacked(rows.astype(np.intc))
        else:
            columns = np.ones((self.n, len(rows)))
            columns[:, real] = self.design.unpacked(rows[real].astype(np.intc))
        loose = np.asarray(self.net.l1)[rows] == 0.0
        self.hessian.append(columns, self.loss.symmetric & (loose | self.grouped))

    cdef int _weigh(self) except -1:
        """Take H here, anew, for the coefficients that are not zero or nearly so."""
        which, start = self.quadratic.members()
        kept = np.abs(np.asarray(self.C).ravel()[which]) >= IDLE * self.level * np.repeat(self.net.l1, self.K)[which]
        kept |= start != 0.0
        if self.grouped:
            kept = np.repeat(kept.reshape(-1, self.K).any(axis=1), self.K)
        self.hessian.weigh(self.loss, &self.eta[0, 0])
        np.asarray(self.at_work)[which[~kept]] = False
        self.quadratic.restart()
        whole = np.zeros(self.q * self.K)
        whole[which] = start
        self.s = 1.0
        self._enter(which[kept].astype(np.intp), whole)
        return 0

    # the point

    cdef int _column(self, int t) noexcept nogil:
        """A coefficient at work as the Hessian numbers it."""
        cdef int c = self.quadratic.index[t]
        return self.place[c // self.K] * self.K + c % self.K

    cdef void _place(self) noexcept nogil:
        """Everything from the coefficients anew."""
        cdef int t
        memcpy(&self.eta[0, 0], &self.offset[0, 0], self.K * self.n * sizeof(double))
        for t in range(self.quadratic.size):
            if self.quadratic.b[t] != 0.0:
                self.hessian.add(self._column(t), self.quadratic.b[t], &self.eta[0, 0])
        self.value = self.loss.evaluate(&self.eta[0, 0], &self.u[0, 0])
        self._slopes()

    cdef void _slopes(self) noexcept nogil:
        """C, and the quadratic's g, of the coefficients at work."""
        cdef int t
        for t in range(self.quadratic.size):
            self.quadratic.g[t] = self.hessian.correlate(self._column(t), &self.u[0, 0])
            (&self.C[0, 0])[self.quadratic.index[t]] = self.quadratic.g[t]

    cdef double _go(self, double lam, double least, int halvings) noexcept nogil:
        """Go from `old` towards b as far as lowers the objective, for a step of 1 by `least`; how far."""
        cdef int t, tries, m = self.quadratic.size
        cdef Py_ssize_t size = self.K * self.n
        cdef double step = 1.0, value, charge, slack
        memset(&self.image[0, 0], 0, size * sizeof(double))
        for t in range(m):
            if self.quadratic.b[t] != self.old[t]:
                self.hessian.add(self._column(t), self.quadratic.b[t] - self.old[t], &self.image[0, 0])
            self.old_g[t] = self.quadratic.b[t]     # where the step leads
        slack = ROUNDING * (fabs(self.value) + fabs(self.value - self.loss.saturated))
        for tries in range(halvings):
            memcpy(&self.trial[0, 0], &self.eta[0, 0], size * sizeof(double))
            axpy(size, step, &self.image[0, 0], &self.trial[0, 0])
            value = self.loss.evaluate(&self.trial[0, 0], &self.trial_u[0, 0])
            charge = self.quadratic.charge(&self.old[0], lam)
            if value - self.value + charge <= slack - step * least:
                self.eta, self.trial = self.trial, self.eta
                self.u, self.trial_u = self.trial_u, self.u
                self.value = value
                return step
            step *= 0.5
            for t in range(m):
                self.quadratic.b[t] = self.old[t] + step * (self.old_g[t] - self.old[t])
        memcpy(self.quadratic.b, &self.old[0], m * sizeof(double))
        return 0.0

    cdef void _carry_on(self, double lam) noexcept:
        """Start from where the last two solutions lead in a straight line, if that is lower."""
        cdef int t, c, m = self.quadratic.size
        cdef double forward = 0.0
        if self.before > self.level > lam > 0.0:
            forward = (self.level - lam) / (self.before - self.level)
        for t in range(m):
            c = self.quadratic.index[t]
            self.old[t] = self.quadratic.b[t]
            self.old_g[t] = forward * (self.old[t] - (&self.last_B[0, 0])[c])
        memset(&self.last_B[0, 0], 0, self.q * self.K * sizeof(double))
        for t in range(m):
            (&self.last_B[0, 0])[self.quadratic.index[t]] = self.old[t]
        self.before, self.level = self.level, lam
        if forward > 0.0:
            self.quadratic.carry(m, &self.old_g[0], lam)
            self._go(lam, 0.0, 1)

    # along the path

    def solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        cdef double gap, last = INFINITY, goal = 0.5 * target, near
        cdef int outcome, tries = 0
        cdef long limit = self.iterations + budget
        near = lam - AHEAD * (self.level - lam) if 0.5 * self.level < lam <= self.level else lam
        self._place()
        self._carry_on(lam)
        self._enter(self._violators(near, lam))
        self._slopes()
        while True:
            outcome = self._fit(lam, goal, limit)
            gap = self._gap(lam)
            if gap <= target:
                return CONVERGED, gap
            if outcome == MAX_ITER:
                return MAX_ITER, gap
            entering = self._violators(lam, lam)
            if len(entering):
                self._enter(entering)
                goal, tries = max(0.5 * target, 0.03 * gap), 0
            elif goal > 0.5 * target:
                goal = 0.5 * target
            elif tries == 4:
                return STALLED, gap
            else:
                tries = tries + 1 if gap > 0.5 * last else 0
                goal *= 0.1
                self._weigh()
            last = gap
            self._slopes()

    def _violators(self, double near, double lam):
        """Coefficients not at work whose products, as last known, pass `near`, or that nothing holds back at lam."""
        cdef Py_ssize_t j, k, c
        cdef int count = 0
        cdef bint comes
        cdef double size
        out = np.empty(self.q * self.K, dtype=np.intp)
        cdef Py_ssize_t[::1] which = out
        for j in range(self.q):
            size = 0.0
            for k in range(self.K):
                size += self.C[j, k] * self.C[j, k]
            for k in range(self.K):
                c = j * self.K + k
                if self.at_work[c] or (self.net.upper[j] == 0.0 and self.net.lower[j] == 0.0):
                    continue
                if self.grouped:
                    comes = size > (near * self.net.l1[j] * (1.0 + VIOLATION)) ** 2
                else:
                    comes = fabs(self.C[j, k]) > near * self.net.l1[j] * (1.0 + VIOLATION)
                    comes = comes and (self.net.upper[j] if self.C[j, k] > 0.0 else -self.net.lower[j]) > 0.0
                if comes:
                    which[count] = c
                    count += 1
        return out[:count]

    cdef int _fit(self, double lam, double goal, long limit) except -1:
        """Steps until the gap over the coefficients at work is about `goal`; g and C are those of u."""
        cdef WorkingColumns quadratic = self.quadratic
        cdef double gap, last = 0.0, best = INFINITY, level, linear, bent, modelled, step, value
        cdef int t, m, patience = PATIENCE
        cdef Py_ssize_t size = self.K * self.n
        cdef bint fresh = False
        while True:
            PyErr_CheckSignals()
            gap = self._working_gap(lam)
            if gap <= goal:
                return CONVERGED
            if self.iterations >= limit:
                return MAX_ITER
            patience = PATIENCE if gap < best else patience - 1
            best = min(best, gap)
            if patience == 0:
                return STALLED
            if last > 0.0:
                self.forcing = min(max((gap / last) ** 2, LEAST_FORCING), FORCING)
                if gap > SLOW * last and not fresh:
                    self._weigh()
                    self._slopes()
                    fresh = True
            last = gap
            m, level = quadratic.size, 1.0 / self.s
            memcpy(&self.old[0], quadratic.b, m * sizeof(double))
            for t in range(m):
                quadratic.g[t] *= level
            memcpy(&self.old_g[0], quadratic.g, m * sizeof(double))
            quadratic.residual_square = max(2.0 * (self.value - self.loss.saturated) * level, 0.0)
            quadratic.solve(lam * level, max(NEAR * goal, self.forcing * gap) * level, min(limit - self.iterations, ROUNDS))
            linear = quadratic.charge(&self.old[0], lam)
            modelled = 0.0
            for t in range(m):
                linear -= self.s * self.old_g[t] * (quadratic.b[t] - self.old[t])
                modelled += (quadratic.b[t] - self.old[t]) * (self.old_g[t] - quadratic.g[t])
            step = self._go(lam, -ARMIJO * min(linear, 0.0), HALVINGS)
            self.moves += 1
            if step > 0.0:
                bent = (dot(size, &self.trial_u[0, 0], &self.image[0, 0])
                        - dot(size, &self.u[0, 0], &self.image[0, 0])) / step
                if bent > 0.0 and modelled > 0.0:
                    self.s = min(max(bent / modelled, 0.1 * self.s), 10.0 * self.s)
                fresh = False
            elif fresh:
                self._slopes()
                return STALLED
            else:
                self._weigh()
                fresh = True
            self._slopes()

    # certificates

    cdef double _working_gap(self, double lam) noexcept nogil:
        """The gap over the coefficients at work, about, at multiples of u; free ones as if a step took them out."""
        cdef int t, k
        cdef double level = 1.0 / self.s, best = INFINITY, scale, last = -1.0, total
        cdef Py_ssize_t i
        for t in range(self.quadratic.size):
            self.quadratic.g[t] = self.quadratic.g[t] * level
        self.quadratic.estimate_slack(lam * level)
        for k in range(2):
            scale = self.quadratic.scale(lam * level, k)
            if scale == last:
                continue
            last = scale
            memcpy(&self.trial[0, 0], &self.u[0, 0], self.K * self.n * sizeof(double))
            for i in range(self.K * self.n):
                (&self.trial[0, 0])[i] *= scale
            total = self.quadratic.column_gap(lam * level, scale) + 0.5 * (scale * self.quadratic.slack) ** 2
            best = min(best, self.s * total + self.loss.fenchel_young(&self.eta[0, 0], &self.trial[0, 0]))
        self.quadratic.slack = 0.0
        for t in range(self.quadratic.size):
            self.quadratic.g[t] = self.quadratic.g[t] * self.s
        return best

    def _make_dual(self, double lam):
        """The dual point, and C of all rows with it: u less what the coefficients that nothing holds back see of it."""
        cdef int t
        cdef bint plain = self.with_intercept
        cdef WorkingColumns quadratic = self.quadratic
        free = []
        for t in range(quadratic.size):
            if quadratic.free(t, lam):
                free.append(quadratic.index[t])
                plain = plain and quadratic.index[t] // self.K == self.q - 1
        if plain and len(free) == self.K:
            self._clear_of_intercepts()
        elif free:
            rows, places = np.unique(np.array(free) // self.K, return_inverse=True)
            mask = np.zeros((self.K, len(rows)), dtype=bool)
            mask[np.array(free) % self.K, places] = True
            columns = np.asarray(self.hessian.rows)[np.asarray(self.place)[rows]].T
            dual, missing = clear(self.loss, np.asarray(self.eta), np.asarray(self.u), columns, mask)
            self.dual = np.ascontiguousarray(dual)
        else:
            self.dual = np.array(self.u)
        with nogil:
            self._meet_all()

    cdef void _meet_all(self) noexcept nogil:
        """C of all rows with the dual point."""
        cdef Py_ssize_t i, j, k
        cdef double total
        for k in range(self.K):
            total = 0.0
            for i in range(self.n):
                total += self.dual[k, i]
            for j in range(self.design.p):
                self.C[j, k] = self.design.correlate(j, &self.dual[k, 0], total)
            if self.with_intercept:
                self.C[self.design.p, k] = total

    cdef void _clear_of_intercepts(self) noexcept:
        cdef int k, l, K = self.K, tries
        cdef Py_ssize_t i, n = self.n
        cdef double trace
        cdef double[:, :, ::1] bends = self.bends
        cdef double[:, ::1] unit = self.trial_u, M = self.inner
        cdef double[::1] rest = self.rest
        with nogil:
            trace = 0.0
            M[:, :] = 0.0
            unit[:, :] = 0.0
            for k in range(K):
                for i in range(n):
                    unit[k, i] = 1.0
                self.loss.curvature_times(&self.eta[0, 0], &unit[0, 0], &bends[k, 0, 0])
                for i in range(n):
                    unit[k, i] = 0.0
                for l in range(K):
                    for i in range(n):
                        M[k, l] += bends[k, l, i]
                trace += M[k, k]
            if self.loss.symmetric:         # no pull along (1, ..., 1), nor curvature
                for k in range(K):
                    for l in range(K):
                        M[k, l] += trace / K
            small_factor(K, &M[0, 0], FEW)
            memcpy(&self.dual[0, 0], &self.u[0, 0], K * n * sizeof(double))
            for tries in range(2):          # the second time for what rounding left
                for k in range(K):
                    rest[k] = 0.0
                    for i in range(n):
                        rest[k] += self.dual[k, i]
                small_solve(K, &M[0, 0], &rest[0])
                for k in range(K):
                    axpy(K * n, -rest[k], &bends[k, 0, 0], &self.dual[0, 0])

    cdef double _gap(self, double lam) except *:
        """The gap over all coefficients, at the best of some multiples of the dual point."""
        cdef WorkingColumns quadratic = self.quadratic
        cdef int t
        cdef double best, scale, last = -1.0, rounding = 0.0
        self._make_dual(lam)
        quadratic.slack = 0.0
        best = self._gap_at(lam, 0.0)
        for t in range(quadratic.size):
            quadratic.g[t] = (&self.C[0, 0])[quadratic.index[t]]
            if quadratic.free(t, lam):
                if fabs(quadratic.g[t]) > ORTHOGONAL:
                    return best
                rounding += fabs(quadratic.g[t] * quadratic.b[t])
        for t in range(2):
            scale = self._scale(lam, t)
            if scale != last:
                best = min(best, self._gap_at(lam, scale) + rounding)
            last = scale
        return best

    cdef double _scale(self, double lam, bint strict) noexcept nogil:
        """The largest multiple of the dual point that is feasible; strict: as if for the lasso without limits."""
        cdef double s = self.quadratic.scale(lam, strict), l1, l2, limit
        cdef Py_ssize_t j, k
        for j in range(self.q):
            l1, l2 = lam * self.net.l1[j], 0.0 if strict else lam * self.net.l2[j]
            if self.grouped:
                if not self.at_work[j * self.K]:
                    s = min(s, feasible_scale(self._length(j), l1, l2, 0.0, self.net.upper[j]))
                continue
            for k in range(self.K):
                if not self.at_work[j * self.K + k]:
                    limit = self.net.upper[j] if self.C[j, k] > 0.0 else -self.net.lower[j]
                    s = min(s, feasible_scale(fabs(self.C[j, k]), l1, l2, 0.0,
                                              INFINITY if strict and limit > 0.0 else limit))
        return s

    cdef double _gap_at(self, double lam, double scale) noexcept nogil:
        cdef double total, l1, l2
        cdef Py_ssize_t i, j, k
        if scale == 0.0:
            total = self.quadratic.penalty_value(lam)
        else:
            total = self.quadratic.column_gap(lam, scale)
            for j in range(self.q):
                l1, l2 = lam * self.net.l1[j], lam * self.net.l2[j]
                if self.grouped:
                    if not self.at_work[j * self.K]:
                        total += conjugate(scale * self._length(j), l1, l2, 0.0, self.net.upper[j])
                    continue
                for k in range(self.K):
                    if not self.at_work[j * self.K + k]:
                        total += conjugate(scale * self.C[j, k], l1, l2, self.net.lower[j], self.net.upper[j])
        for i in range(self.K * self.n):
            (&self.trial[0, 0])[i] = scale * (&self.dual[0, 0])[i]
        return total + self.loss.fenchel_young(&self.eta[0, 0], &self.trial[0, 0])

    cdef double _length(self, Py_ssize_t j) noexcept nogil:
        """Of a row of C."""
        return sqrt(dot(self.K, &self.C[j, 0], &self.C[j, 0]))

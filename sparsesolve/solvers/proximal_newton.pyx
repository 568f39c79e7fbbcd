"""Proximal Newton over a certified working set, for any smooth convex loss.

    minimise over a, b   F(eta) + lam Omega(b),   eta = offset + a + Zb

Given: what WorkingSet is given, with a loss in place of a response.  Returned per lam: a gap over *all* columns.
Invariant: eta, and u = -F'(eta), at the current a and b.

A step minimises a quadratic model with a Hessian s Z'HZ, H diagonal, whose weights H are those of an earlier point:
its Gram matrix and factor are kept from step to step and from lam to lam, the gradient is the true one, and the
multiplier s is learnt from how the gradient changed along the last step.  H is taken anew where steps stop paying.
The intercept is out of the model by centring columns under H.  A step is shortened until the objective decreases as
Armijo asks.

The dual point is u less H (a combination of the constant and of the columns that nothing holds back) that makes it
orthogonal to these: a dual Newton step, which stays in the domain of F*, as shrinking it does.  Where the loss has no
conjugate the certificate is the largest violation of the optimality conditions, relative to the null residual.
Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014); Tseng, Yun (2009) for the step length.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy

import numpy as np

from sparsesolve.linalg.packed cimport SparsePacked
from sparsesolve.linalg.vector cimport axpy, dot, ss_multiply
from sparsesolve.losses.base cimport Loss
from sparsesolve.losses.gaussian import Gaussian
from sparsesolve.solvers.gram_quadratic cimport GramQuadratic
from sparsesolve.solvers.quadratic cimport CONVERGED, MAX_ITER, Quadratic
from sparsesolve.solvers.working_set cimport WorkingSet

cdef double ARMIJO = 0.1            # share of the model's decrease that a step must reach
cdef double ROUNDING = 1e-14        # of the objective: less of an increase is none
cdef double FLAT = 1e-6             # of a sample's weight: the least curvature in the model, lest it divide by zero
cdef double SLOW = 0.1              # decrease of the gap in a step from which H is taken anew
BLOCK_COST = 0.3    # of a multiply-add in a block operation
SPARSE_COST = 6.0   # of one with a stored value of a sparse column
SAMPLE_COST = 30.0  # multiply-adds that a sample's loss costs in a step
cdef double FORCING = 0.02          # of the gap at its start to which a step's model is solved
DEF HALVINGS = 40
DEF IDLE = 4                        # steps that change nothing but rounding, and do not lower the gap, before it is given up


cdef class ProximalNewton(WorkingSet):
    """Solver state along a path; answers what WorkingSet answers."""

    cdef readonly Loss loss
    cdef readonly bint centred              # whether there is an intercept
    cdef readonly long weighings            # times that H was taken
    cdef double value                       # F(eta)
    cdef double multiplier                  # s
    cdef double pull                        # sum of u
    cdef double decrease                    # of the gap in the last step: new over old
    cdef int debt                           # steps that were needed since because H is old
    cdef bint sparse                        # whether the working columns are
    cdef bint flat                          # whether the last step decreased the objective by no more than rounding
    cdef double g_unit                      # g is Z'u divided by this
    cdef double kkt_unit                    # of a violation of the optimality conditions: null value over null |r|
    cdef double[::1] w, offset, eta, dual, image, trial, trial_u, h, root_h, inverse, before, change, slope
    cdef double[:, ::1] solved_eta, solved_b        # of the last two lams
    cdef readonly long newton_steps

    def __init__(self, problem, int n_threads):
        self._begin(problem, n_threads, problem.intercept)
        n = self.design.n
        self.w, self.centred = problem.weights, problem.intercept
        if problem.loss is None:
            self.loss, self.offset = Gaussian(problem.response, problem.weights), np.zeros(n)
        else:
            self.loss, self.offset = problem.loss, problem.offset
        self.eta = np.add(self.offset, problem.null_intercept)
        self.response = np.empty(n)         # here: u
        self.dual, self.image, self.trial, self.trial_u = np.zeros((4, n))
        self.h, self.root_h, self.inverse = np.zeros((3, n))
        self.solved_eta, self.solved_b = np.zeros((2, n)), np.zeros((2, 0))
        self.before = self.change = self.slope = np.empty(0)
        self.value = self.loss.evaluate(&self.eta[0], &self.response[0])
        self.loss.raise_pending()
        self.sparse = isinstance(self.columns, SparsePacked)
        self._weigh()
        self._enter_unpenalised()
        self._linearise()
        self._make_dual(0.0)
        size = sqrt(dot(n, &self.r[0], &self.r[0]))
        self.kkt_unit = problem.null_value / size if size > 0.0 else 0.0

    @property
    def loss_value(self):
        """The loss less its least value."""
        return self.value - self.loss.saturated

    @property
    def intercept(self):
        """Of the standardised problem; columns are centred under the weights."""
        return np.dot(self.w, np.subtract(self.eta, self.offset)) if self.centred else 0.0

    # the model

    cdef void _weigh(self):
        """Take H at the current point, and with it Gram matrix, factor and working copies anew."""
        cdef Py_ssize_t i
        cdef double total = 0.0
        which, start = self.quadratic.members()
        self.loss.curvature(&self.eta[0], &self.h[0])
        for i in range(self.design.n):
            self.h[i] = max(self.h[i], FLAT * self.w[i])
            total += self.h[i]
        for i in range(self.design.n):
            self.h[i] /= total
            self.root_h[i] = sqrt(self.h[i])
            self.inverse[i] = 1.0 / self.root_h[i] if self.root_h[i] > 0.0 else 0.0
        self.multiplier, self.decrease, self.debt = total, 0.0, 0
        self.columns.restart(self.root_h)
        self.quadratic.restart()
        self.quadratic.append(self.design, self.penalty, which, start, np.zeros(len(which)))
        self.weighings += 1

    cdef double _price(self):
        """What taking H anew costs, in steps, both in multiply-adds."""
        cdef double n = self.design.n, m = self.quadratic.size, entries = m * n, products = BLOCK_COST * m * entries / 2.0
        if self.sparse:
            entries = SPARSE_COST * self.working_values
            products = m * (0.1 * n + entries / 2.0)
        if not isinstance(self.quadratic, GramQuadratic):
            return 1.0
        return (entries + products + BLOCK_COST * m * m * m / 3.0) / (2.0 * entries + SAMPLE_COST * n + 4.0 * m * m)

    def _continue_with(self, quadratic):
        which, start = self.quadratic.members()
        quadratic.append(self.design, self.penalty, which, start, np.zeros(len(which)))
        (<Quadratic> quadratic).iterations = self.quadratic.iterations
        self.quadratic = quadratic

    cdef double _linearise(self) noexcept nogil:
        """The model's residual and gradient at the current point; returns the sum of u over s."""
        cdef Py_ssize_t i
        cdef double total = 0.0, level = 1.0 / self.multiplier
        if self.centred:
            for i in range(self.design.n):
                total += self.response[i] * level
        for i in range(self.design.n):
            self.u[i] = (self.response[i] * level - total * self.h[i]) * self.inverse[i]
        self.quadratic.receive(&self.u[0])
        self.g_unit = self.multiplier
        return total

    # along the path

    cdef void _keep_history(self, double lam) noexcept:
        cdef int k
        WorkingSet._keep_history(self, lam)
        if self.solved_b.shape[1] < self.quadratic.capacity:
            wider = np.zeros((2, self.quadratic.capacity))
            wider[:, :self.solved_b.shape[1]] = self.solved_b
            self.solved_b = wider
        for k in range(self.quadratic.size):
            self.solved_b[1, k], self.solved_b[0, k] = self.solved_b[0, k], self.quadratic.b[k]
        memcpy(&self.solved_eta[1, 0], &self.solved_eta[0, 0], self.design.n * sizeof(double))
        memcpy(&self.solved_eta[0, 0], &self.eta[0], self.design.n * sizeof(double))

    cdef void _anticipate(self, double lam):
        WorkingSet._anticipate(self, lam)
        self._make_room()
        if self.lams[1] > self.lams[0] > lam > 0.0:
            with nogil:
                self._extrapolate(lam, (self.lams[0] - lam) / (self.lams[1] - self.lams[0]))

    cdef void _extrapolate(self, double lam, double forward) noexcept nogil:
        """Start from the solution carried on in a straight line from the last two lams, if that lowers the objective."""
        cdef int k, m = min(self.quadratic.size, <int> self.solved_b.shape[1])
        cdef double old, new, value, stop, shift = 0.0, gain = 0.0
        cdef Py_ssize_t i, n = self.design.n
        cdef bint stopped = False
        for k in range(m):
            old = self.quadratic.b[k]
            new = old + forward * (old - self.solved_b[1, k])
            stop = min(max(new, self.quadratic.lower[k]), self.quadratic.upper[k])
            if old * stop <= 0.0 and self.quadratic.l1[k] > 0.0:
                stop = 0.0
            self.before[k] = old
            self.change[k] = new - stop     # what is not to be done of it
            stopped = stopped or new != stop
            self.quadratic.b[k] = stop
            gain += self._charge(k, lam)
        for k in range(m, self.quadratic.size):
            self.change[k] = 0.0
        for i in range(n):
            self.image[i] = 0.0
        if stopped:
            shift = self.columns.subtract(&self.change[0], &self.image[0])
        for i in range(n):
            self.trial[i] = (self.eta[i] + forward * (self.eta[i] - self.solved_eta[1, i])
                             + self.image[i] * self.inverse[i] + shift)
        value = self.loss.evaluate(&self.trial[0], &self.trial_u[0])
        if value + gain < self.value:
            self.eta, self.trial = self.trial, self.eta
            self.response, self.trial_u = self.trial_u, self.response
            self.value = value
        else:
            for k in range(m):
                self.quadratic.b[k] = self.before[k]

    def _make_room(self):
        if self.before.shape[0] < self.quadratic.capacity:
            self.before, self.change, self.slope = np.empty((3, self.quadratic.capacity))

    cdef int fit(self, double lam, double goal, long limit) except -1:
        cdef double gap, short, last = 0.0, total, level, best = INFINITY
        cdef int k, outcome = CONVERGED, idle = 0
        cdef bint first
        self._make_room()
        while True:
            total = self._linearise()
            self.pull = total * self.multiplier
            level = 1.0 / self.multiplier
            self.quadratic.estimate_slack(lam * level)
            gap = self.quadratic.best_gap(lam * level) + 0.5 * total * total   # the latter for the intercept
            gap *= self.multiplier
            short = gap if self.loss.has_conjugate else self._violation(lam)
            idle = 0 if short < best else idle + self.flat
            best = min(best, short)
            if short <= goal or idle == IDLE:
                break
            if self.quadratic.iterations >= limit:
                outcome = MAX_ITER
                break
            if (gap > SLOW * last and self.decrease > SLOW if last > 0.0 else self.debt > self._price()):
                self._weigh()
                last = 0.0
                continue
            self.debt += last > 0.0
            self.decrease = gap / last if last > 0.0 else 0.0
            first, last = last == 0.0, gap
            for k in range(self.quadratic.size):
                self.before[k], self.slope[k] = self.quadratic.b[k], self.quadratic.g[k] * self.multiplier
            with nogil:
                self.quadratic.solve(lam * level, FORCING * gap * level, max(limit - self.quadratic.iterations, 1))
            self.quadratic.iterations += 1
            self.flat = not self._step(lam, total, first)
            self.newton_steps += 1
            self.loss.raise_pending()
            PyErr_CheckSignals()
        self._make_dual(lam)
        return outcome

    cdef bint _step(self, double lam, double total, bint learn) except -1:
        """Go towards the model's answer as far as the objective decreases; whether it did by more than rounding."""
        cdef int k, tries, m = self.quadratic.size
        cdef Py_ssize_t i, n = self.design.n
        cdef double* b = self.quadratic.b
        cdef double slope = -total * total * self.multiplier, rounding, value, t = 1.0, shift, bent = 0.0, along = 0.0
        for k in range(m):
            self.change[k] = b[k] - self.before[k]
            slope += self._charge(k, lam) - self.slope[k] * self.change[k]
        for i in range(n):
            self.image[i] = 0.0
        shift = self.columns.subtract(&self.change[0], &self.image[0])
        for i in range(n):
            self.image[i] = total - shift - self.image[i] * self.inverse[i]
            bent += self.h[i] * self.image[i] * self.image[i]
        rounding = ROUNDING * (fabs(self.value) + self.quadratic.penalty_value(lam))
        for tries in range(HALVINGS):
            for i in range(n):
                self.trial[i] = self.eta[i] + t * self.image[i]
            value = self.loss.evaluate(&self.trial[0], &self.trial_u[0])
            shift = value - self.value
            for k in range(m):
                b[k] = self.before[k] + t * self.change[k]
                shift += self._charge(k, lam)
            if shift <= ARMIJO * t * slope + rounding:
                break
            t *= 0.5
        else:
            for k in range(m):
                b[k] = self.before[k]
            return False
        for i in range(n):
            along += (self.response[i] - self.trial_u[i]) * self.image[i]
        if (learn or t < 1.0) and bent > 0.0 and along > 0.0:   # later steps are short, and in odd directions
            along /= t * bent
            self.multiplier = max(along, 0.1 * self.multiplier if t == 1.0 else 2.0 * self.multiplier)
        self.eta, self.trial = self.trial, self.eta
        self.response, self.trial_u = self.trial_u, self.response
        self.value = value
        return shift < -rounding

    cdef double _charge(self, int k, double lam) noexcept nogil:
        """What the penalty charges more for the coefficient of working column k than it did before the step."""
        cdef double old = self.before[k], new = self.quadratic.b[k]
        return (lam * self.quadratic.l1[k] * (fabs(new) - fabs(old))
                + 0.5 * lam * self.quadratic.l2[k] * (new - old) * (new + old))

    # the certificate

    cdef int _make_dual(self, double lam) except -1:
        """The dual point, and r and g with it, once the model has been made at the current point.

        Its H will do where that stays in the domain of F*: columns centred under it are orthogonal to what is taken
        out of u, and g is known.
        """
        cdef int k, unheld = 0
        cdef Py_ssize_t i, n = self.design.n
        for i in range(n):
            self.dual[i] = self.u[i] * self.root_h[i] * self.multiplier
        for k in range(self.quadratic.size):
            self.quadratic.g[k] *= self.multiplier
        self.g_unit = 1.0
        for k in range(self.quadratic.size):
            unheld += self.quadratic.free(k, lam)
        if self.loss.has_conjugate and (
                unheld > 0 or self.loss.fenchel_young(&self.eta[0], &self.dual[0]) == INFINITY):
            self._clear_of([k for k in range(self.quadratic.size) if self.quadratic.free(k, lam)])
        self.quadratic.slack = 0.0
        for i in range(n):
            self.r[i] = self.dual[i] / self.root_w[i] if self.root_w[i] > 0.0 else 0.0
        return 0

    def _clear_of(self, unheld):
        """The dual point from u, by taking out what the constant and these working columns see of it under H now."""
        cdef Py_ssize_t i
        self.loss.curvature(&self.eta[0], &self.trial[0])
        h = np.asarray(self.trial)
        which = self.quadratic.members()[0][unheld]
        columns = self.design.unpacked(which)
        if self.centred:
            columns = np.column_stack([np.ones(self.design.n), columns])
        gram = columns.T @ (h[:, None] * columns)
        found = np.linalg.lstsq(gram, columns.T @ self.response, rcond=1e-13)[0]
        self.dual = self.response - h * (columns @ found)
        for i in range(self.design.n):
            self.u[i] = self.dual[i] * self.inverse[i]
        self.columns.correlate(&self.u[0], 0.0, self.quadratic.g)

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        cdef Py_ssize_t i
        cdef double gap = self.quadratic.column_gap(lam, scale) + self.outside_gap(lam, scale)
        for i in range(self.design.n):
            self.trial[i] = scale * self.dual[i]
        gap += self.loss.fenchel_young(&self.eta[0], &self.trial[0])
        return min(max(gap, 0.0), self.value - self.loss.saturated + self.quadratic.penalty_value(lam))

    cdef double gap(self, double lam) noexcept nogil:
        cdef int k, j
        cdef double most, g
        if self.loss.has_conjugate:
            return WorkingSet.gap(self, lam)
        most = self._violation(lam)
        for k in range(self.bounds.n_undecided):
            j = self.bounds.undecided[k]
            g = self.bounds.exact[k]
            if (g > 0.0 and self.penalty.upper[j] > 0.0) or (g < 0.0 and self.penalty.lower[j] < 0.0):
                most = max(most, (fabs(g) - lam * self.penalty.l1[j]) * self.kkt_unit)
        return most

    cdef double _violation(self, double lam) noexcept nogil:
        """Largest violation of the optimality conditions by intercept and working columns, in units of the null value.

        Taken while g is that of the model, at u over s.
        """
        cdef int j
        cdef double most = fabs(self.pull), level = lam / self.g_unit
        for j in range(self.quadratic.size):
            most = max(most, self.g_unit * self._column_violation(j, level))
        return most * self.kkt_unit

    cdef double _column_violation(self, int j, double lam) noexcept nogil:
        """Distance of the gradient of working column j from what its coefficient asks for."""
        cdef double b = self.quadratic.b[j], level = lam * self.quadratic.l1[j]
        cdef double g = self.quadratic.g[j] - lam * self.quadratic.l2[j] * b
        cdef double up = g - (level if b >= 0.0 else -level), down = -g - (level if b <= 0.0 else -level)
        # `up`: what is gained per unit of increase
        if b >= self.quadratic.upper[j]:
            up = 0.0
        if b <= self.quadratic.lower[j]:
            down = 0.0
        return max(up, down, 0.0)

"""LossWorkingSet: a working set for any smooth convex loss, with quadratic model and certificate.

    minimise over a, b   F(eta) + lam Omega(b),   eta = offset + a + Zb

Given: what WorkingSet takes, with a loss in place of a response. A subclass solves for
the working columns. Invariant: the model stands at the current a and b.

The dual point is u = -F'(eta) less H times a combination of the constant and of the unpenalised
columns, chosen such that u is orthogonal to these. This dual Newton step stays in the domain of
F*, as shrinking does.
"""
from libc.math cimport INFINITY, NAN, fabs
from libc.string cimport memcpy

import numpy as np

from sparsesolve.linalg.working.pack import pack
from sparsesolve.linalg.kernels.vector cimport axpy, ss_multiply, ss_scale
from sparsesolve.losses.gaussian import Gaussian
from sparsesolve.solvers import costs
from sparsesolve.solvers.certificate import dual_point
from sparsesolve.solvers.subproblem.gram_active_set cimport GramActiveSet
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.working_set.working_set cimport WorkingSet

cdef double EPSILON = 2.2e-16
cdef double ORTHOGONAL_TERMS = costs.rounding.ORTHOGONAL_TERMS
MOST_GRAM_ROWS = costs.working_set.MOST_GRAM_ROWS
RIDGE_FOR_CONJUGATE_GRADIENTS = costs.working_set.RIDGE_FOR_CONJUGATE_GRADIENTS
SMALL_ROW_SYSTEM = costs.working_set.SMALL_ROW_SYSTEM
LARGE_ROW_SYSTEM = costs.working_set.LARGE_ROW_SYSTEM
NEAR_SQUARE = costs.working_set.NEAR_SQUARE


cdef class LossWorkingSet(WorkingSet):
    """The working set of a loss, which starts at the null model with the unpenalised columns."""

    def __init__(self, problem, int n_threads):
        loss = Gaussian(problem.response, problem.weights) if problem.loss is None else problem.loss
        centred = problem.intercept or loss.shift_invariant
        n, p = problem.design.n, problem.design.p
        self._begin(problem, n_threads, centred, models=True)
        self.missed = max(self.missed, costs.working_set.MISSED_THRESHOLD_LOSS)
        self.fillable = loss.coupled and not self.columns.dense
        self.fits_intercept = problem.intercept
        offset = np.zeros(n) if problem.loss is None else problem.offset
        self.model = LocalModel(loss, problem.weights, offset, problem.null_intercept, centred,
                               self.columns.dense,
                                n <= max(SMALL_ROW_SYSTEM,
                                         min(NEAR_SQUARE * p, LARGE_ROW_SYSTEM)))
        self.dual, self.inverse_root_w = np.zeros((2, n))
        np.divide(1.0, self.root_w, out=np.asarray(self.inverse_root_w),
                  where=np.greater(self.root_w, 0.0))
        self.repack()
        self.add_to_working_set(self.inactive.unpenalised())
        self.model.reserve(self.quadratic.capacity)
        self.linearise()
        self.make_dual(0.0)

    @property
    def loss_value(self):
        """Return the loss less its least value."""
        return self.model.here.value - self.model.loss.saturated

    @property
    def intercept(self):
        """Return the intercept of the standardised problem, with columns centred by weights."""
        return self.model.level() if self.fits_intercept else 0.0

    cdef int add_to_working_set(self, const int[::1] which) except -1:
        """Add columns to the working set, with coefficients of 0."""
        cdef int k, before = self.quadratic.size
        WorkingSet.add_to_working_set(self, which)
        self.model.reserve(self.quadratic.capacity)
        if self.cleared:
            self.model.here.n_known = -1
        if self.model.here.n_known >= 0:
            for k in range(before, self.quadratic.size):
                self.model.here.g[k] = self.quadratic.g[k]
            self.model.here.n_known = self.quadratic.size
        return 0

    cdef int _choose(self) except -1:
        """Choose as for squared error, but avoid conjugate gradients that would not converge.

        They do not converge if the curvature of some samples has almost vanished.
        """
        cdef bint ridged = (self.penalty.alpha < RIDGE_FOR_CONJUGATE_GRADIENTS
                            and self.quadratic.size > self.design.n)
        cdef bint by_products = isinstance(self.quadratic, GramActiveSet)
        cdef bint few = self.filled or self.design.n <= MOST_GRAM_ROWS
        if ridged or not (self.model.rooted and by_products and few):
            WorkingSet._choose(self)
        return 0

    # The quadratic model.

    cdef void repack(self):
        """Empty the working columns, so that they are filled for the model's H."""
        self.columns.root = self.model.loss.root if self.model.rooted else None
        self.columns.restart(self.model.root_h)

    cdef int fill(self) except -1:
        """Hold working columns as dense if F'' has a factor; H must be refreshed then."""
        self.fillable, self.filled = False, self.model.densify()
        if not self.filled:
            return 0
        self.columns = pack(self.design, self.root_w, self.model.centred, dense=True,
                            n_threads=self.columns.n_threads)
        if self.penalty.has_groups:
            self._continue_with(type(self.quadratic)(self.columns, self.penalty))
        else:
            self._continue_with(self._by_products())
        return 0

    def _renew_gradients(self):
        self.model.here.n_known = -1

    cdef double linearise(self) noexcept nogil:
        """Set the quadratic at the current point, in units of s; return the sum of u in them."""
        cdef Py_ssize_t i
        cdef int k
        cdef double total = 0.0, level = 1.0 / self.model.multiplier
        if self.model.here.n_known < 0:
            self.model.measure(self.columns)
        if self.model.centred:
            total = self.model.here.pull * level
        if self.quadratic.wants_residual:
            for i in range(self.design.n):
                self.u[i] = (self.model.here.u[i] * level
                             - total * self.model.h[i]) * self.model.inverse[i]
            if self.model.rooted:
                self.model.loss.root.solve(&self.u[0])
            self.quadratic.take_residual(&self.u[0])
        for k in range(self.quadratic.size):
            self.quadratic.g[k] = self.model.here.g[k] * level
        self.quadratic.residual_square = max(self.model.here.square * level * level - total * total,
                                             0.0)
        self.g_unit, self.quadratic.rounding_steps = self.model.multiplier, 0.0
        return total

    cdef double _settled(self, double lam) noexcept nogil:
        return self.model.multiplier * WorkingSet._settled(self, lam)

    # The certificate.

    cdef int make_dual(self, double lam) except -1:
        """Make the dual point, with r and g, from the model at the current point.

        The model's H serves if the dual point stays in the domain of F*. Columns centred under H
        are orthogonal to the part removed from u, so g is already known.
        """
        cdef LocalModel model = self.model
        cdef int k, unpenalised = 0
        cdef Py_ssize_t i, n = self.design.n
        cdef bint tied = model.centred and not model.loss.shift_invariant
        cdef double pull = model.here.pull if tied else 0.0
        memcpy(&self.dual[0], model.here.u, n * sizeof(double))
        if pull != 0.0:
            axpy(n, -pull, &model.h[0], &self.dual[0])
        for k in range(self.quadratic.size):
            self.quadratic.g[k] *= self.g_unit
            unpenalised += self.quadratic.free(k, lam)
        self.g_unit = 1.0
        self.cleared = unpenalised > 0 or (tied and not model.loss.admits(model.here.eta,
                &self.dual[0]))
        self.missing = 0.0
        if self.cleared:
            if unpenalised > 0 or model.loss.coupled or not self._orthogonal_to_constant(pull):
                self._orthogonal_to([k for k in range(self.quadratic.size)
                                     if self.quadratic.free(k, lam)])
            for i in range(n):
                self.u[i] = self.dual[i] * model.inverse[i]
            if model.rooted:
                model.loss.root.solve(&self.u[0])
            self.columns.correlate(&self.u[0], 0.0, self.quadratic.g)
        self.show_dual()
        return 0

    cdef void show_dual(self) noexcept nogil:
        """Examine the inactive columns at the dual point."""
        self.quadratic.unpenalised_norm, self.scaled = 0.0, NAN
        ss_multiply(self.design.n, &self.inverse_root_w[0], &self.dual[0], &self.r[0])

    cdef bint _orthogonal_to_constant(self, double pull) noexcept nogil:
        """Make u orthogonal to the constant, by H; return True if rounding allows it."""
        cdef Py_ssize_t i
        cdef double total = 0.0, left = 0.0, size = 0.0
        self.model.loss.curvature(self.model.here.eta, &self.model.work[0])
        for i in range(self.design.n):
            total += self.model.work[i]
        for i in range(self.design.n):
            self.dual[i] = self.model.here.u[i] - pull * (self.model.work[i] / total)
            left += self.dual[i]
            size += fabs(self.model.here.u[i])
        self.missing = 0.5 * left * left / total
        return fabs(left) <= ORTHOGONAL_TERMS * size and self.missing < INFINITY

    def _orthogonal_to(self, unpenalised):
        """Make the dual point orthogonal to the constant and to these working columns."""
        cdef LocalModel model = self.model
        columns = self.spans.apart(self.quadratic.members()[0][unpenalised])
        if model.centred and not model.loss.shift_invariant:
            columns = np.column_stack([np.ones(self.design.n), columns])
        eta, u = <double[:self.design.n]> model.here.eta, <double[:self.design.n]> model.here.u
        self.dual, self.missing = dual_point.clear(model.loss, np.asarray(eta), np.asarray(u),
                                                   columns)

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        return WorkingSet.gap_at(self, lam, scale) + EPSILON * fabs(self.model.loss.saturated)

    cdef double samples_gap(self, double scale) noexcept nogil:
        if scale != self.scaled:
            ss_scale(self.design.n, scale, &self.dual[0], &self.u[0])
            self.scaled, self.excess = scale, self.model.loss.fenchel_young(self.model.here.eta,
                    &self.u[0])
        return self.excess

    cdef double primal(self, double lam) noexcept nogil:
        # Rounding may take the loss below its least value by no more than its error.
        return (fabs(self.model.here.value - self.model.loss.saturated)
                + self.quadratic.penalty_value(lam))

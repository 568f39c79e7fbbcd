"""WorkingCoefficients: coefficients and gradients of the working columns, and their certificate.

    minimise over b   |r|^2 / 2 + lam Omega(b),   r = y - Z b,   lower_j <= b_j <= upper_j

Given and returned: see the solvers, which inherit the table: active_set with the elastic net, and
block_descent with a penalty on groups (GroupCoefficients), whose columns enter in whole groups, in
the order of the penalty's blocks. The dual point is a feasible multiple of the
residual, made orthogonal to the unpenalised columns.
Invariant: g = Z'r at the current b.
Reference: Bach et al. 2012, section 1.4 (Fenchel duality and gaps).
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, copysign, fabs, sqrt
from libc.string cimport memcpy

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.factors.span import SHAKY
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled, squares_gap

cdef double LAST_DIGITS = tolerances.LAST_DIGITS
# Relative rounding of one product of columns, or of one change of the residual: two units in the
# last place.
cdef double PRODUCT = 4e-16


def projection(inner, gradient):
    """Length of the projection on columns by inner products (f, f) and gradients (f, K).

    It is INFINITY where columns are dependent and yet see more than rounding, along directions
    that cannot be told apart. Also returns whether inner products tell the columns apart; else ask
    the columns (linalg.factors.span).
    """
    # without it a column far smaller than others would pass for a dependent one
    size = np.sqrt(np.diag(inner))
    size[size == 0.0] = 1.0
    eigenvalues, axes = np.linalg.eigh(inner / np.outer(size, size))
    most = eigenvalues.max()
    along = np.abs(axes.T @ (gradient / size[:, None]))
    kept, apart = eigenvalues > LAST_DIGITS * most, bool(eigenvalues[0] > SHAKY * most)
    # more than rounding
    if np.any(along[~kept] > 250 * PRODUCT * np.sqrt(most)):
        return INFINITY, apart
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.sum(along[kept] ** 2 / eigenvalues[kept, None]))), apart


def rounding_of_products(double square, double longest, double lam):
    """Return the rounding of products of residuals with a column of length 1.

    It is 0 if it stays below 1e-9 lam for the longest column. `square` is the squared length of
    the responses: residuals are rounded in proportion to it.
    """
    cdef double rounding = 4e-16 * sqrt(square)
    return rounding if rounding * longest > 1e-9 * lam else 0.0


cdef class WorkingCoefficients(ScaledDual):
    """A table of numbers for each working column, in order of entry; `restart` empties it."""

    def __cinit__(self, *args, **kwargs):
        self.plain = True
        WorkingCoefficients.reserve(self, 64)

    cdef int reserve(self, int capacity) except -1:
        """Make room for `capacity` working columns."""
        cdef int old = self.capacity
        if capacity <= old:
            return 0
        capacity = max(capacity, 2 * old)
        table, integers = np.zeros((16, capacity)), np.zeros((6, capacity), dtype=np.intc)
        if old:
            table[:, :old] = self.table
            integers[:, :old] = self.integers
        self.table, self.integers, self.capacity = table, integers, capacity
        cdef double[:, ::1] t = table
        cdef int[:, ::1] i = integers
        self.b, self.g, self.d, self.q, self.l1, self.l2 = (&t[0, 0], &t[1, 0], &t[2, 0], &t[3, 0],
                                                            &t[4, 0], &t[5, 0])
        self.rhs, self.lower, self.upper, self.diag, self.values = (&t[6, 0], &t[7, 0], &t[8, 0],
                &t[9, 0], &t[10, 0])
        self.x, self.old, self.conjugate = &t[11, 0], &t[12, 0], &t[13, 0]
        self.product, self.residual = &t[14, 0], &t[15, 0]
        self.index, self.support, self.order, self.position = &i[0, 0], &i[1, 0], &i[2, 0], &i[3, 0]
        self.held, self.which = &i[4, 0], &i[5, 0]
        return 0

    cpdef int append(self, Design design, penalty, const int[::1] which, const double[::1] start,
                     const double[::1] gradient) except -1:
        """Append columns `which` of the design with their coefficients and gradients."""
        cdef int k, m = self.size, count = which.shape[0]
        if count == 0:
            return 0
        if self.columns is not None:
            if self.columns.size == m:
                self.columns.append(design, &which[0], count)
            if self.gram is not None:
                self.gram.follow(self.columns)
        self.reserve(m + count)
        for k in range(count):
            self.index[m + k] = which[k]
            self.position[m + k] = -1
            self.b[m + k] = start[k]
            self.g[m + k] = gradient[k]
        self.size = m + count
        return self.describe(penalty, m)

    def members(self):
        """Feature numbers and coefficients of the working columns, in order of entry."""
        return self.integers[0, :self.size].copy(), self.table[0, :self.size].copy()

    def coefficients(self):
        """Feature numbers and values of the nonzero coefficients, in ascending order of feature."""
        cdef int count = self.list_nonzero()
        return self.integers[5, :count].copy(), self.table[10, :count].copy()

    cdef int list_nonzero(self) except -1:
        """List the nonzero coefficients in `which` and `values`; returns how many there are."""
        cdef Py_ssize_t k, j
        cdef int count = 0
        if self.n_ranked != self.size:
            self.ranks, self.n_ranked = self.integers[0, :self.size].argsort(), self.size
        for k in range(self.size):
            j = self.ranks[k]
            if self.b[j] != 0.0:
                self.which[count], self.values[count] = self.index[j], self.b[j]
                count += 1
        return count

    # The certificate.

    def certified(self, double lam):
        """Return the gap over the working columns and the objective, for tests."""
        return self.gap(lam), self.primal(lam)

    cdef double primal(self, double lam) noexcept nogil:
        """The objective: the duality gap at the dual point 0."""
        return 0.5 * max(self.residual_square, 0.0) + self.penalty_value(lam)

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        """The gap at scale * (r - its projection on unpenalised columns)."""
        return assembled(squares_gap(self.residual_square, scale, self.unpenalised_norm),
                         self.column_gap(lam, scale), 0.0, INFINITY)

    cdef double gap(self, double lam) noexcept nogil:
        """The gap over the working columns at the best of two scales and zero."""
        return min(ScaledDual.gap(self, lam), self.primal(lam))

    cdef bint solved(self, double lam, double target) noexcept nogil:
        """Return True if the gap over the working columns is at most `target`."""
        self.estimate_unpenalised_norm(lam)
        return self.gap(lam) <= target

    cdef void estimate_unpenalised_norm(self, double lam) noexcept nogil:
        """Estimate `unpenalised_norm` as if the unpenalised columns were orthogonal."""
        cdef int j
        cdef double total = 0.0
        for j in range(self.size):
            if self.diag[j] > 0.0 and self.free(j, lam):
                total += self.g[j] * self.g[j] / self.diag[j]
        self.unpenalised_norm = sqrt(total)

    # For subclasses: the penalty.

    cdef int describe(self, penalty, int first) except -1:
        """Set what the penalty says of the columns from `first` on, and their squares."""
        return 0

    cdef bint free(self, int j, double lam) noexcept nogil:
        """Return True if column j has no penalty beyond rounding, and presses on no limit."""
        return False

    cdef double penalty_value(self, double lam) noexcept nogil:
        """The penalty on the working columns."""
        return 0.0

    cdef double column_gap(self, double lam, double scale) noexcept nogil:
        """The columns' part of the gap: value(b) + conjugate(z) - z'b at z = scale * g."""
        return 0.0

    cdef double penalty_change(self, const double* before, double lam) noexcept nogil:
        """The penalty of the coefficients less that of those before."""
        return 0.0

    cdef bint extrapolate(self, int count, const double* change, double lam) noexcept nogil:
        """b += change for the first `count`, truncated by kinks; return whether none was."""
        return True

    # For subclasses: solving.

    cdef bint second_order(self, bint wanted, double lam) noexcept nogil:
        """Return True if the gap that `solve` leaves is of second order in the error of b.

        With groups that has a price, and is done only if it is wanted.
        """
        return not self.curved

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        """Bring the gap over the working columns to `target`; returns an Outcome."""
        return STALLED

    cdef int solve_in_chunks(self, double lam, double target, long limit) except -1:
        """Solve until there have been `limit` iterations in all, listening for Ctrl-C."""
        cdef int outcome
        while True:
            with nogil:
                # some milliseconds, and more than it takes to tell a stall
                outcome = self.solve(lam, target, min(2500, limit - self.iterations))
            PyErr_CheckSignals()
            if outcome != MAX_ITER or self.iterations >= limit:
                return outcome

    cdef void restart(self) noexcept nogil:
        """Remove all working columns."""
        self.size = self.n_ranked = 0
        if self.gram is not None:
            self.gram.size = 0
        self.unpenalised_norm = 0.0

    cdef double rounding(self) noexcept nogil:
        """Accumulated rounding of g for columns of length 1, relative to the response."""
        return PRODUCT * self.rounding_steps

    cdef void count_rounding(self, double distance) noexcept nogil:
        """Count the rounding of a step: columns of that length in all were added to g."""
        self.rounding_steps += (1.0 + distance / sqrt(self.residual_square)
                                if self.residual_square > 0.0 else INFINITY)

    cdef int conjugate_gradients(self, int size, double* out, int steps, double lam,
                                 double forcing) noexcept nogil:
        """Solve A x = residual approximately, and add x to `out`; return the number of steps.

        `residual` is what x leaves at the end. Steps end where its preconditioned length falls
        to `forcing` times that at the start; with 0, to the length that ended the last call.
        """
        cdef int step = 0
        cdef double curvature, rho = self.precondition(0.0, lam)
        if forcing > 0.0:
            self.cg_goal = forcing * forcing * rho
        while step < steps and rho > self.cg_goal:
            curvature = self.times_conjugate(lam)
            if curvature <= 0.0:
                break
            axpy(size, rho / curvature, self.conjugate, out)
            axpy(size, -rho / curvature, self.product, self.residual)
            self.follow(rho / curvature)
            rho = self.precondition(rho, lam)
            step += 1
        return step

    cdef void follow(self, double t) noexcept nogil:
        """Update what is linear in the solution after t times the conjugate direction."""

    cdef double times_conjugate(self, double lam) noexcept nogil:
        """product = A conjugate; return the curvature, 0 if that is rounding."""
        return 0.0

    cdef double precondition(self, double last, double lam) noexcept nogil:
        """Set the next conjugate direction; return the preconditioned square of `residual`.

        last: that square before the last step; 0 at the start. 0 returned: the residual serves.
        """
        return 0.0

    # Where the solver updates the residual itself.

    def _work_on_residual(self):
        self.wants_residual = True
        self.u = np.zeros(self.columns.n + 1)

    cdef void take_residual(self, const double* r) noexcept nogil:
        """Continue from a residual r, orthogonal to sqrt(w) where columns are centred."""
        self.rounding_steps = 0.0
        if self.wants_residual:
            memcpy(&self.u[0], r, self.columns.n * sizeof(double))
            self.u[self.columns.n] = 0.0


cdef class GroupCoefficients(WorkingCoefficients):
    """Under a penalty on groups: sums and maxima of what it says of each block."""

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.columns, self.penalty, self.curved = columns, penalty, True
        self.first, self.group = np.zeros((2, penalty.n_groups + 1), dtype=np.intc)
        self.place = np.zeros(penalty.n_groups + 1, dtype=np.intp)
        self.plain = not penalty.limited and not np.asarray(penalty.ridge).any()

    cdef int describe(self, penalty, int first) except -1:
        """The columns come in whole groups; a subclass fills in their squares."""
        cdef int k = first, j, g
        cdef Py_ssize_t size
        while k < self.size:
            g = self.penalty.of[self.index[k]]
            self.group[self.n_groups], self.first[self.n_groups] = g, k
            for j in range(self.penalty.start[g], self.penalty.start[g + 1]):
                self.order[k] = self.n_groups
                self.lower[k], self.upper[k] = self.penalty.lower[j], self.penalty.upper[j]
                k += 1
            size = self.penalty.size(g)
            self.place[self.n_groups + 1] = self.place[self.n_groups] + size * size
            self.n_groups += 1
            self.first[self.n_groups] = k
        return 0

    cdef void restart(self) noexcept nogil:
        WorkingCoefficients.restart(self)
        self.n_groups, self.largest = 0, 0.0

    # The penalty.

    cdef bint is_penalised(self, int k, double lam) noexcept nogil:
        """Return True if the penalty on a working group is certain to exceed rounding."""
        cdef int g = self.group[k]
        return (lam * (self.penalty.weight[g] + self.penalty.l1[g])
                > LAST_DIGITS * sqrt(self.largest))

    cdef bint free(self, int j, double lam) noexcept nogil:
        cdef int g = self.group[self.order[j]]
        # the penalty does not exceed rounding
        return (lam * (self.penalty.weight[g] + self.penalty.l1[g]) <= LAST_DIGITS
                * sqrt(self.diag[j]) and lam * self.penalty.ridge[g] <= LAST_DIGITS * self.diag[j]
                and not (self.b[j] >= self.upper[j] and self.g[j] >= 0.0)
                and not (self.b[j] <= self.lower[j] and self.g[j] <= 0.0))

    cdef double* products(self, int k, double lam, double scale, double inflated) noexcept nogil:
        """Bounds on the dual point's products with a group, 0 where it is orthogonal."""
        cdef int j
        cdef bint held = self.is_penalised(k, lam)
        if held and scale == 1.0 and inflated == 0.0:
            return &self.g[self.first[k]]
        for j in range(self.first[k], self.first[k + 1]):
            self.x[j] = 0.0
            if held or not self.free(j, lam):
                self.x[j] = scale * self.g[j]
                if inflated > 0.0:
                    self.x[j] += copysign(inflated * sqrt(self.diag[j]), self.x[j])
        return &self.x[self.first[k]]

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        cdef double s = 1.0
        cdef double* z
        cdef int k, j, first
        cdef bint pressed
        for k in range(self.n_groups):
            z, first = self.products(k, lam, 1.0, self.unpenalised_norm), self.first[k]
            if strict and self.penalty.limited:
                for j in range(first, self.first[k + 1]):
                    pressed = (self.b[j] >= self.upper[j] if z[j - first] > 0.0
                               else self.b[j] <= self.lower[j])
                    self.x[j] = 0.0 if pressed else z[j - first]
                z = &self.x[first]
            s = min(s, self.penalty.block_scale(self.group[k], z, lam, strict))
        return s

    cdef double penalty_value(self, double lam) noexcept nogil:
        cdef double total = 0.0
        cdef int k
        for k in range(self.n_groups):
            total += self.penalty.block_value(self.group[k], &self.b[self.first[k]], lam)
        return total

    cdef double column_gap(self, double lam, double scale) noexcept nogil:
        cdef double total = self.penalty_value(lam), off
        cdef double* z
        cdef int k, j, first
        for k in range(self.n_groups):
            first, off = self.first[k], scale * self.unpenalised_norm
            z = self.products(k, lam, scale, 0.0)
            for j in range(first, self.first[k + 1]):
                total -= z[j - first] * self.b[j]
                if off > 0.0 and not self.free(j, lam):
                    total += off * sqrt(self.diag[j]) * fabs(self.b[j])
            # a feasible point's conjugate is 0
            if self.plain:
                continue
            if off > 0.0:
                z = self.products(k, lam, scale, off)
            total += self.penalty.block_conjugate(self.group[k], z, lam)
        # less than 0 is rounding; NaN is no gap
        return max(total, 0.0) if total < INFINITY else INFINITY

    cdef double penalty_change(self, const double* before, double lam) noexcept nogil:
        cdef double total = 0.0
        cdef int k, j, g
        for k in range(self.n_groups):
            j, g = self.first[k], self.group[k]
            total += self.penalty.block_value(g, &self.b[j], lam) - self.penalty.block_value(g,
                    before + j, lam)
        return total

    cdef bint extrapolate(self, int count, const double* change, double lam) noexcept nogil:
        """Groups at zero stay there, and those that would turn round stop there."""
        cdef int k, j, g
        cdef double old, new, turned
        cdef bint whole = True
        for k in range(self.n_groups):
            if self.first[k] >= count:
                break
            g, turned = self.group[k], 0.0
            for j in range(self.first[k], self.first[k + 1]):
                turned += self.b[j] * (self.b[j] + change[j])
            for j in range(self.first[k], self.first[k + 1]):
                old = self.b[j]
                new = min(max(old + change[j], self.lower[j]), self.upper[j])
                if (turned <= 0.0 and self.penalty.weight[g] > 0.0) or (old * new <= 0.0
                        and self.penalty.l1[g] > 0.0):
                    new = 0.0
                self.b[j] = new
                whole = whole and new == old + change[j]
        return whole

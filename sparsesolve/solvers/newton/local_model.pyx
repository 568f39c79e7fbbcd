"""The loss at the current point of a path, its quadratic model there, and two dual points.

    F(eta + d)  ~  F(eta) - u'd + s d'Hd / 2,     H diagonal, of sum 1

Working columns are held as sqrt(H) (z_j - its mean under H), which separates the intercept. Where
F'' is far from its diagonal and has a factor L, they are held as L'z_j: then F'' itself replaces
H, which is all ones, and s is 1. Invariant: u = -F'(eta) at both points.

A LossDual is made at the point: u - H x, orthogonal to the constant and to the unpenalised
columns, a dual Newton step that stays in the domain of F*. Or it is predicted: v = u - s H (Z d +
constant) for the step d that minimises the model. If the model were exact, v would be u at the end
of the step. It is dual feasible on the working set, and its products with the working columns are
the model's gradient. So the gap at v is of second order in the distance to the solution; the
residual at the new point becomes feasible only after shrinking and gives a gap of first order.
Samples whose curvature has almost vanished may take v out of the domain of F*; it is void then.
Reference: Bach et al. 2012, section 1.4 (Fenchel duality and gaps).
"""
from libc.math cimport INFINITY, NAN, fabs, sqrt
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.vector cimport axpy, dot, ss_multiply, ss_scale
from sparsesolve.losses.base cimport Loss
from sparsesolve.solvers.certificate import dual_point
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled
from sparsesolve.solvers.quadratic.coefficients cimport WorkingCoefficients

cdef double ROUNDING = tolerances.ROUNDING
cdef double ROUNDING_SHARE = tolerances.ROUNDING_SHARE
# Where the loss has no curvature at all, the quadratic model takes this fraction of each sample's
# weight. It decides the length of a first step, which the line search corrects.
cdef double FLAT_CURVATURE = 1e-6


cpdef (double, double) floors(double mean) noexcept nogil:
    """The least curvature in a model, over its weight, of samples without any and of others."""
    # with 0, steps go too far along samples that are already told apart
    # samples of weight 1 / n have curvatures of about 1 / n
    return (1e-4 * mean, ROUNDING * mean) if mean > 1e-30 else (FLAT_CURVATURE,
            FLAT_CURVATURE)


cdef inline void add(Py_ssize_t n, double a, const double* x, const double* y,
                     double* out) noexcept nogil:
    """out = y + a x."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = y[i] + a * x[i]


cdef class LocalModel:
    """At first the model at the null model."""

    def __init__(self, Loss loss, double[::1] w, double[::1] offset, double intercept, bint centred,
                 bint dense, bint costly):
        n = w.shape[0]
        self.loss, self.w, self.offset, self.n, self.centred = loss, w, offset, n, centred
        self.dense, self.costly = dense, costly
        samples = np.zeros((2, 2, n))
        samples[0, 0] = np.add(offset, intercept)
        self.samples, self.gradients = samples, np.zeros((2, 0))
        self.image, self.work, self.h, self.root_h, self.inverse = np.zeros((5, n))
        for k in range(2):
            self.points[k].eta, self.points[k].u = &self.samples[k, 0, 0], &self.samples[k, 1, 0]
            self.points[k].n_known = -1
        self.here, self.trial = &self.points[0], &self.points[1]
        self.here.value = loss.evaluate(self.here.eta, self.here.u)
        loss.raise_pending()
        self.refresh_hessian()

    cdef int reserve(self, int capacity) except -1:
        """Make room for the gradients of so many working columns."""
        cdef int k
        if self.gradients.shape[1] < capacity:
            wider = np.zeros((2, capacity))
            wider[:, :self.gradients.shape[1]] = self.gradients
            self.gradients = wider
            for k in range(2):
                self.points[k].g = &self.gradients[k, 0]
        return 0

    cdef double mean_predictor(self) noexcept nogil:
        """The weighted mean of eta less the offset."""
        cdef Py_ssize_t i
        cdef double total = 0.0
        for i in range(self.n):
            total += self.w[i] * (self.here.eta[i] - self.offset[i])
        return total

    cdef void place(self, double constant, const double[::1] image):
        """Go to offset + constant + image."""
        cdef Py_ssize_t i
        for i in range(self.n):
            self.here.eta[i] = self.offset[i] + (constant + image[i])
        self.here.value = self.loss.evaluate(self.here.eta, self.here.u)
        self.here.n_known = -1
        self.errors = 1.0

    cdef bint takes_root(self) noexcept nogil:
        """Return True if F'' has a factor, which the loss holds from now on."""
        return self.loss.take_root(self.here.eta, FLAT_CURVATURE, self.costly)

    cdef void refresh_hessian(self) noexcept nogil:
        """Take H and s at the current point."""
        cdef Py_ssize_t i
        cdef double total = 0.0, mean = 0.0, flat, least, learnt
        self.rooted = self.dense and self.takes_root()
        if self.rooted:
            total = 1.0
            for i in range(self.n):
                self.h[i] = 1.0 if self.w[i] > 0.0 else 0.0
        else:
            self.loss.curvature(self.here.eta, &self.h[0])
            for i in range(self.n):
                mean += self.h[i]
            flat, least = floors(mean)
            # a diagonal that is not all of F''
            if not self.loss.by_rows:
                least = flat
            for i in range(self.n):
                self.h[i] = max(self.h[i], (least if self.h[i] > 0.0 else flat) * self.w[i])
                total += self.h[i]
        for i in range(self.n):
            self.h[i] /= total
            self.root_h[i] = sqrt(self.h[i])
            self.inverse[i] = 1.0 / self.root_h[i] if self.root_h[i] > 0.0 else 0.0
        # A diagonal that is all of F'' is exact; what was learnt about another still holds.
        learnt = (1.0 if self.loss.by_rows or self.rooted
                  or self.whole == 0.0 else self.multiplier / self.whole)
        self.multiplier, self.whole = learnt * total, total
        self.here.n_known = -1

    cdef void measure(self, PackedColumns columns) noexcept nogil:
        """Fill in slope, square and g at the current point."""
        cdef LossPoint* here = self.here
        cdef double* work = &self.work[0]
        ss_multiply(self.n, here.u, &self.inverse[0], work)
        here.slope = dot(self.n, work, &self.root_h[0])
        if self.rooted:
            self.loss.root.solve(work)
        here.square = dot(self.n, work, work)
        columns.correlate(work, -here.slope, here.g)
        here.n_known = columns.size

    cdef double move(self, PackedColumns columns, const double* change,
                     double constant) noexcept nogil:
        """Try the step `change` of the coefficients, and `constant` for all; return the loss."""
        cdef Py_ssize_t i
        cdef double value, shift, square = 0.0
        cdef double* image = &self.image[0]
        cdef const double* inverse = &self.inverse[0]
        memset(image, 0, self.n * sizeof(double))
        shift = constant - columns.subtract(change, image)
        if self.rooted:
            square = dot(self.n, image, image)
            self.loss.root.solve_transposed(image)
        for i in range(self.n):
            image[i] = shift - image[i] * inverse[i]
        value = self.shorten(1.0)
        if self.rooted:
            self.modelled = square
        return value

    cdef double extrapolate(self, PackedColumns columns, const double* correction, bint any,
                            double forward, const double* earlier) noexcept nogil:
        """Try here + forward (here - earlier), less the image of `correction`; return the loss."""
        cdef Py_ssize_t i
        cdef double shift = 0.0
        cdef double* image = &self.image[0]
        cdef const double* eta = self.here.eta
        cdef const double* inverse = &self.inverse[0]
        memset(image, 0, self.n * sizeof(double))
        if any:
            shift = columns.subtract(correction, image)
            if self.rooted:
                self.loss.root.solve_transposed(image)
        for i in range(self.n):
            image[i] = forward * (eta[i] - earlier[i]) + image[i] * inverse[i] + shift
        return self.shorten(1.0)

    cdef double shorten(self, double t) noexcept nogil:
        """The loss at here + t image, with the curvature along the image."""
        cdef double* work = &self.work[0]
        add(self.n, t, &self.image[0], self.here.eta, self.trial.eta)
        self.trial.value = self.loss.evaluate(self.trial.eta, self.trial.u)
        self.trial.n_known = -1
        if t == 1.0:
            ss_multiply(self.n, &self.h[0], &self.image[0], work)
            self.modelled = dot(self.n, work, &self.image[0])
        add(self.n, -1.0, self.trial.u, self.here.u, work)
        self.along = dot(self.n, work, &self.image[0])
        return self.trial.value

    cdef void accept(self, double errors) noexcept nogil:
        """Go to the point that was tried last, by a step with so many rounding errors."""
        self.here, self.trial = self.trial, self.here
        self.errors += errors

    cdef void learn(self, double t) noexcept nogil:
        """Learn the multiplier s from the curvature of the loss along the step, tried up to t."""
        if self.modelled > 0.0 and 0.0 < self.along < INFINITY:
            self.multiplier = max(self.along / (t * self.modelled),
                                  (0.1 if t == 1.0 else 2.0) * self.multiplier)


cdef class LossDual(ScaledDual):
    """A dual point of the loss, orthogonal to what nothing penalises, and its samples' gap."""

    def __cinit__(self, LocalModel model):
        self.model, (self.point, self.work) = model, np.zeros((2, model.n))

    cdef int make(self, WorkingCoefficients columns, spans, double lam, double inverse_s) except -1:
        """Make the dual point, and g, from the model at the current point.

        The model's H serves if the dual point stays in the domain of F*. Columns centred under H
        are orthogonal to the part removed from u, so g is already known, but for 1 / s.
        """
        cdef LocalModel model = self.model
        cdef int k
        cdef Py_ssize_t i
        cdef bint tied = model.centred and not model.loss.shift_invariant
        cdef double slope = model.here.slope if tied else 0.0
        memcpy(&self.point[0], model.here.u, model.n * sizeof(double))
        if slope != 0.0:
            axpy(model.n, -slope, &model.h[0], &self.point[0])
        free = [k for k in range(columns.size) if columns.free(k, lam)]
        for k in range(columns.size):
            columns.g[k] *= inverse_s
        self.orthogonalised = bool(free) or (tied and not model.loss.admits(model.here.eta,
                                                                     &self.point[0]))
        self.missing, self.scaled = 0.0, NAN
        if self.orthogonalised:
            if free or model.loss.coupled or not self._orthogonal_to_constant(slope):
                outside = spans.apart(columns.members()[0][free])
                if tied:
                    outside = np.column_stack([np.ones(model.n), outside])
                eta, u = <double[:model.n]> model.here.eta, <double[:model.n]> model.here.u
                self.point, self.missing = dual_point.clear(model.loss, np.asarray(eta),
                                                            np.asarray(u), outside)
            for i in range(model.n):
                self.work[i] = self.point[i] * model.inverse[i]
            if model.rooted:
                model.loss.root.solve(&self.work[0])
            columns.columns.correlate(&self.work[0], 0.0, columns.g)
        return 0

    cdef bint _orthogonal_to_constant(self, double slope) noexcept nogil:
        """Make u orthogonal to the constant, by F''; return True if rounding allows it."""
        cdef Py_ssize_t i
        cdef double total = 0.0, left = 0.0, size = 0.0
        self.model.loss.curvature(self.model.here.eta, &self.model.work[0])
        for i in range(self.model.n):
            total += self.model.work[i]
        for i in range(self.model.n):
            self.point[i] = self.model.here.u[i] - slope * (self.model.work[i] / total)
            left += self.point[i]
            size += fabs(self.model.here.u[i])
        self.missing = 0.5 * left * left / total
        # rounding
        return fabs(left) <= 1e-11 * size and self.missing < INFINITY

    cdef double samples_gap(self, double scale) noexcept nogil:
        """Fenchel-Young of the loss at a multiple of the dual point."""
        if scale != self.scaled:
            ss_scale(self.model.n, scale, &self.point[0], &self.work[0])
            self.scaled, self.excess = scale, self.model.loss.fenchel_young(self.model.here.eta,
                                                                            &self.work[0])
        return self.excess

    # Predicted by the model of the last step, until H or the columns change.

    cdef int reserve(self, int capacity) except -1:
        """Make room for products with so many working columns; a remembered step is void then."""
        if self.g is None or self.g.shape[0] < capacity:
            self.g = np.empty(capacity)
            self.known = False
        return 0

    cdef void predict(self, LocalModel model, WorkingCoefficients columns) noexcept nogil:
        """Remember where the solved model leads, once its whole step has been tried."""
        cdef int k
        if not self.wanted or model.rooted:
            return
        ss_multiply(model.n, &model.h[0], &model.image[0], &self.work[0])
        add(model.n, -model.multiplier, &self.work[0], model.here.u, &self.point[0])
        for k in range(columns.size):
            self.g[k] = model.multiplier * columns.g[k]
        self.rounding = columns.rounding() * model.here.square / model.multiplier
        self.known, self.orthogonalised, self.missing = True, True, 0.0

    cdef double certify(self, WorkingCoefficients columns, double lam, double goal) noexcept:
        """The gap of the model's point over the working columns at the predicted dual point.

        INFINITY where it is far above `goal`, or where the dual point is not orthogonal to the
        unpenalised columns.
        """
        cdef LocalModel model = self.model
        cdef double norm = columns.unpenalised_norm, gap = INFINITY
        cdef int k, n_free = 0
        cdef Py_ssize_t i
        cdef double* work = &self.work[0]
        if not (self.known and self.rounding <= ROUNDING_SHARE * goal):
            return INFINITY
        for i in range(model.n):
            work[i] = (self.point[i] - model.here.u[i]) * model.inverse[i]
        # What the samples add by the model's curvature, or NaN, is far more than `goal`.
        if not (0.5 * dot(model.n, work, work) <= 3.0 * goal * model.multiplier
                and model.loss.admits(model.here.eta, &self.point[0])):
            return INFINITY
        self.columns, self.plain, self.scaled = columns, columns.plain, NAN
        self._swap()
        columns.unpenalised_norm = 0.0
        for k in range(columns.size):
            n_free += columns.free(k, lam)
        if n_free == 0:
            gap = self.gap(lam)
        columns.unpenalised_norm = norm
        self._swap()
        return gap

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        return self.columns.scale(lam, strict)

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        return assembled(self.samples_gap(scale), self.columns.column_gap(lam, scale), 0.0,
                         INFINITY)

    cdef void _swap(self) noexcept nogil:
        """Exchange the gradient of the working columns, which the penalty reads, with g here."""
        cdef int k
        for k in range(self.columns.size):
            self.columns.g[k], self.g[k] = self.g[k], self.columns.g[k]

"""LocalModel: the loss at the current point of a path, and its quadratic model there.

    F(eta + d)  ~  F(eta) - u'd + s d'Hd / 2,     H diagonal, of sum 1

Working columns are held as sqrt(H) (z_j - its mean under H), which separates the intercept. Where
F'' is far from its diagonal and has a factor L, they are held as L'z_j: then F'' itself replaces
H, which is all ones, and s is 1. Invariant: u = -F'(eta) at both points.
"""
from libc.math cimport INFINITY, sqrt
from libc.string cimport memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.vector cimport dot
from sparsesolve.losses.base cimport Loss

cdef extern from "local_model.h" nogil:
    void ss_center_image(Py_ssize_t n, double shift, const double* inverse, double* image) noexcept
    void ss_extrapolate_image(Py_ssize_t n, double forward, const double* eta,
            const double* earlier, const double* inverse, double shift, double* image) noexcept
    double ss_mean_difference(Py_ssize_t n, const double* w, const double* a,
                              const double* b) noexcept
    void ss_add(Py_ssize_t n, const double* a, const double* b, double* out) noexcept
    void ss_measure(Py_ssize_t n, const double* u, const double* inverse, double* out,
                    double* sums) noexcept
    void ss_curvature_along(Py_ssize_t n, const double* u, const double* trial, const double* h,
                            const double* image, double* sums) noexcept

cdef double FLAT_CURVATURE = costs.working_set.FLAT_CURVATURE
cdef double NO_CURVATURE = costs.rounding.NO_CURVATURE
cdef double LEAST_CURVATURE = costs.working_set.LEAST_CURVATURE
cdef double CURVATURE = costs.rounding.CURVATURE
cdef double MOST_ROUNDING_ERRORS = costs.working_set.MOST_ROUNDING_ERRORS


cpdef (double, double) floors(double mean) noexcept nogil:
    """The least curvature in a model, over its weight, of samples without any and of others."""
    return (LEAST_CURVATURE * mean, CURVATURE * mean) if mean > NO_CURVATURE else (FLAT_CURVATURE,
            FLAT_CURVATURE)


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

    def model_at(self, double constant, const double[::1] image):
        """Go to offset + constant + image and take H there, to examine the model from Python.

        Returns F, u = -F', s and the diagonal of H. With `rooted` the model is F'' itself, not
        its diagonal.
        """
        self.place(constant, image)
        self.refresh_hessian()
        u = np.array(<double[:self.n]> self.here.u)
        return self.here.value, u, self.multiplier, np.array(self.h)

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

    cdef double level(self) noexcept nogil:
        """The weighted mean of eta less the offset."""
        return ss_mean_difference(self.n, &self.w[0], self.here.eta, &self.offset[0])

    cdef void place(self, double constant, const double[::1] image):
        """Go to offset + constant + image."""
        cdef Py_ssize_t i
        for i in range(self.n):
            self.here.eta[i] = self.offset[i] + (constant + image[i])
        self.here.value = self.loss.evaluate(self.here.eta, self.here.u)
        self.here.n_known = -1
        self.errors = 1.0

    cdef bint densify(self) noexcept nogil:
        """Return True if working columns are to be dense from now on: F'' has a factor."""
        self.dense = self.loss.take_root(self.here.eta, FLAT_CURVATURE, self.costly)
        return self.dense

    cdef void refresh_hessian(self) noexcept nogil:
        """Take H and s at the current point."""
        cdef Py_ssize_t i
        cdef double total = 0.0, mean = 0.0, flat, least, learnt
        self.rooted = self.dense and self.loss.take_root(self.here.eta, FLAT_CURVATURE, self.costly)
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
        """Fill in pull, square and g at the current point."""
        cdef LossPoint* here = self.here
        cdef double[2] sums
        sums[0] = sums[1] = 0.0
        ss_measure(self.n, here.u, &self.inverse[0], &self.work[0], sums)
        here.pull, here.square = sums[0], sums[1]
        if self.rooted:
            self.loss.root.solve(&self.work[0])
            here.square = dot(self.n, &self.work[0], &self.work[0])
        columns.correlate(&self.work[0], -here.pull, here.g)
        here.n_known = columns.size

    cdef double move(self, PackedColumns columns, const double* change,
                     double constant) noexcept nogil:
        """Try the step `change` of the coefficients, and `constant` for all samples; return the
        loss.
        """
        cdef double value, shift, square = 0.0
        memset(&self.image[0], 0, self.n * sizeof(double))
        shift = constant - columns.subtract(change, &self.image[0])
        if self.rooted:
            square = dot(self.n, &self.image[0], &self.image[0])
            self.loss.root.solve_transposed(&self.image[0])
        ss_center_image(self.n, shift, &self.inverse[0], &self.image[0])
        value = self._try()
        if self.rooted:
            self.modelled = square
        return value

    cdef double extrapolate(self, PackedColumns columns, const double* correction, bint any,
                            double forward, const double* earlier) noexcept nogil:
        """Try here + forward (here - earlier), less the image of `correction`; return the loss."""
        cdef double shift = 0.0
        memset(&self.image[0], 0, self.n * sizeof(double))
        if any:
            shift = columns.subtract(correction, &self.image[0])
            if self.rooted:
                self.loss.root.solve_transposed(&self.image[0])
        ss_extrapolate_image(self.n, forward, self.here.eta, earlier, &self.inverse[0], shift,
                             &self.image[0])
        return self._try()

    cdef double _try(self) noexcept nogil:
        """The loss at here + image, with the curvature along it."""
        cdef double[2] sums
        sums[0] = sums[1] = 0.0
        self.trial.n_known = -1
        ss_add(self.n, self.here.eta, &self.image[0], self.trial.eta)
        self.trial.value = self.loss.evaluate(self.trial.eta, self.trial.u)
        ss_curvature_along(self.n, self.here.u, self.trial.u, &self.h[0], &self.image[0], sums)
        self.modelled, self.along = sums[0], sums[1]
        return self.trial.value

    cdef double shorten(self, double t) noexcept nogil:
        """The loss at here + t image."""
        cdef LossPoint* here = self.here
        cdef LossPoint* trial = self.trial
        cdef Py_ssize_t i
        for i in range(self.n):
            trial.eta[i] = here.eta[i] + t * self.image[i]
        trial.value = self.loss.evaluate(trial.eta, trial.u)
        self.along = 0.0
        for i in range(self.n):
            self.along += (here.u[i] - trial.u[i]) * self.image[i]
        trial.n_known = -1
        return trial.value

    cdef void accept(self, double errors) noexcept nogil:
        """Go to the point that was tried last, by a step with so many rounding errors."""
        self.here, self.trial = self.trial, self.here
        self.errors += errors

    cdef double extrapolated_errors(self, double forward) noexcept nogil:
        """The rounding errors that the extrapolation of the last two etas adds, at most."""
        return forward * (self.kept_errors[0] + self.kept_errors[1]) + 1.0

    cdef bint is_worn(self) noexcept nogil:
        """Return True if rounding has built up in eta: it is to be recomputed."""
        return self.errors > MOST_ROUNDING_ERRORS

    cdef void learn(self, double t) noexcept nogil:
        """Learn the multiplier s from the curvature of the loss along the step, tried up to t."""
        if self.modelled > 0.0 and 0.0 < self.along < INFINITY:
            self.multiplier = max(self.along / (t * self.modelled),
                                  (0.1 if t == 1.0 else 2.0) * self.multiplier)

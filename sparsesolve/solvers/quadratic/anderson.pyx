"""Anderson: an extrapolation of the last sweeps.

    minimise over w   |sum_i w_i (b_i - b_(i-1))|^2,   sum_i w_i = 1

Given: the points b_0, ..., b_m after the last sweeps, and what is linear in them (a gradient, or a
residual), so that no product is needed.
Returned: sum_i w_i b_i, where the steps of the sweeps cancel best, and its image. Whether the
objective is lower there is the caller's to say.
Reference: Bertrand and Massias (2021), "Anderson acceleration of coordinate descent".
"""
from libc.math cimport fabs
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.kernels.small cimport small_factor, small_solve
from sparsesolve.linalg.kernels.vector cimport axpy

cdef double REGULAR = costs.rounding.REGULAR
cdef double PIVOT = costs.rounding.PIVOT


cdef class Anderson:

    cdef int reserve(self, Py_ssize_t coefficients, Py_ssize_t images) except -1:
        """Make room for points of so many coefficients, with images of so many numbers."""
        self.coefficients = np.zeros((MEMORY + 1, coefficients))
        self.images, self.step = np.zeros((MEMORY + 1, images)), np.zeros(coefficients)
        self.count = 0
        return 0

    cdef void remember(self, Py_ssize_t size, const double* b, Py_ssize_t extent,
                       const double* image) noexcept nogil:
        """Remember a point after a sweep."""
        memcpy(&self.coefficients[self.count, 0], b, size * sizeof(double))
        memcpy(&self.images[self.count, 0], image, extent * sizeof(double))
        self.count += 1

    cdef double combine(self, Py_ssize_t size, double* b, Py_ssize_t extent,
                        double* image) noexcept nogil:
        """Go to the best combination; returns the sum of the sizes of its weights.

        0: the steps do not cancel, and b stays.
        """
        cdef int i, j
        cdef Py_ssize_t k
        cdef double[MEMORY * MEMORY] inner
        cdef double[MEMORY] weights
        cdef double total = 0.0, sizes = 0.0, trace = 0.0
        for i in range(MEMORY):
            for k in range(size):
                self.step[k] = self.coefficients[i + 1, k] - self.coefficients[i, k]
            for j in range(i, MEMORY):
                inner[j + i * MEMORY] = 0.0
                for k in range(size):
                    inner[j + i * MEMORY] += self.step[k] * (self.coefficients[j + 1, k]
                                                             - self.coefficients[j, k])
            trace += inner[i + i * MEMORY]
            weights[i] = 1.0
        for i in range(MEMORY):
            inner[i + i * MEMORY] += REGULAR * trace
        small_factor(MEMORY, &inner[0], PIVOT)
        small_solve(MEMORY, &inner[0], &weights[0])
        for i in range(MEMORY):
            total += weights[i]
            sizes += fabs(weights[i])
        if not total > 0.0:
            return 0.0
        memset(b, 0, size * sizeof(double))
        memset(image, 0, extent * sizeof(double))
        for i in range(MEMORY):
            axpy(size, weights[i] / total, &self.coefficients[i + 1, 0], b)
            axpy(extent, weights[i] / total, &self.images[i + 1, 0], image)
        return sizes / total

    cdef void recall(self, Py_ssize_t size, double* b, Py_ssize_t extent,
                     double* image) noexcept nogil:
        """Go back to the last point."""
        memcpy(b, &self.coefficients[MEMORY, 0], size * sizeof(double))
        memcpy(image, &self.images[MEMORY, 0], extent * sizeof(double))

    def extrapolated(self, points, images):
        """The best combination of MEMORY + 1 points (m,), its image, and `combine`'s answer, for
        tests.
        """
        cdef double[::1] point, image
        cdef double sizes
        self.reserve(len(points[0]), len(images[0]))
        for point, image in zip(points, images):
            self.remember(point.shape[0], &point[0], image.shape[0], &image[0])
        point, image = np.copy(points[MEMORY]), np.copy(images[MEMORY])
        sizes = self.combine(point.shape[0], &point[0], image.shape[0], &image[0])
        return np.asarray(point), np.asarray(image), sizes

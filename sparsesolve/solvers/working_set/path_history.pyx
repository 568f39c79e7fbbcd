"""The solutions at the last two lambdas of a path, and their linear extrapolation.

    x(lam)  ~  x(lam_1) + forward (x(lam_1) - x(lam_2)),   forward = (lam_1 - lam) / (lam_2 - lam_1)

Given: after each lambda the coefficients of the working columns, in order of entry, and vectors of
n, which the caller writes into `last`: residuals, or linear predictors.
Returned: `forward`, steps of coefficients, and what rounding an extrapolated residual carries.
Invariant: columns that came in since are extrapolated from a coefficient of 0.
Reference: Efron et al. (2004), "Least angle regression": between two changes of the support the
path is linear for squared error.
"""
import numpy as np

from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients


cdef class PathHistory:

    def __cinit__(self, Py_ssize_t n, int kinds):
        (self.last, self.earlier), self.b = np.zeros((2, kinds, n)), np.zeros((2, 0))

    cdef void clear(self) noexcept nogil:
        """Forget both solutions."""
        self.lams[0] = self.lams[1] = 0.0
        self.size = 0

    cdef double forward(self, double lam) noexcept nogil:
        """What the difference of the last two solutions counts at lam; 0: they lead nowhere."""
        if not self.lams[1] > self.lams[0] > lam > 0.0:
            return 0.0
        return (self.lams[0] - lam) / (self.lams[1] - self.lams[0])

    cdef double drift(self, double forward) noexcept nogil:
        """The rounding of the extrapolated residual, at most."""
        return self.rounding[0] + forward * (self.rounding[0] + self.rounding[1])

    cdef int keep(self, double lam, WorkingCoefficients columns) except -1:
        """Keep the coefficients at lam; `last` is to be written."""
        cdef int k
        if self.b.shape[1] < columns.capacity:
            wider = np.zeros((2, columns.capacity))
            wider[:, :self.b.shape[1]] = self.b
            self.b = wider
        self.lams[1], self.lams[0], self.size = self.lams[0], lam, columns.size
        self.last, self.earlier = self.earlier, self.last
        for k in range(self.size):
            self.b[1, k], self.b[0, k] = self.b[0, k], columns.b[k]
        self.rounding[1], self.rounding[0] = self.rounding[0], columns.rounding()
        return 0

    cdef void step(self, double factor, const double* b, int size, double* out) noexcept nogil:
        """out = factor * (the first b less those of the lam before the last)."""
        cdef int k
        for k in range(size):
            out[k] = factor * (b[k] - (self.b[1, k] if k < self.size else 0.0))

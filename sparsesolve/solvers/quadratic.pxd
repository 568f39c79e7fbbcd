"""Quadratic: the penalised least-squares problem over a growing set of working columns."""
from sparsesolve.solvers.working_columns cimport WorkingColumns

cdef enum Outcome:
    CONVERGED = 0
    MAX_ITER = 1
    STALLED = 2

cdef class Quadratic(WorkingColumns):
    cdef readonly long iterations       # Newton steps and sweeps so far
    cdef int n_support, n_held
    cdef bint wants_residual            # whether it works on the residual, not only on g

    cdef int solve(self, double lam, double target, long budget) noexcept nogil
    cdef bint newton(self, double lam) noexcept nogil
    cdef double collect(self, double lam) noexcept nogil
    cdef int clip(self, double lam) noexcept nogil
    cdef double first_event(self, double lam) noexcept nogil
    cdef void rescale(self, double t) noexcept nogil
    cdef double line_step(self, double lam) noexcept nogil
    cdef double minimiser(self, int j, double lam) noexcept nogil
    cdef bint worth(self, int j, double new, double lam, bint whole) noexcept nogil
    # what a subclass says
    cdef double effort(self) noexcept
    cdef void refresh(self, const double* response, double* r) noexcept nogil
    cdef void receive(self, const double* r) noexcept nogil
    cdef void restart(self) noexcept nogil
    cdef void direction(self, double lam) noexcept nogil
    cdef void image(self) noexcept nogil
    cdef void advance(self, double lam, double t) noexcept nogil
    cdef int sweep(self, double lam, bint whole) noexcept nogil
    cdef bint unbind(self, double lam) noexcept nogil

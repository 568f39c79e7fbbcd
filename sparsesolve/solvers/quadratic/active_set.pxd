"""ActiveSetQuadratic: the penalised least-squares problem over a growing set of working columns."""
from sparsesolve.solvers.quadratic.coefficients cimport WorkingCoefficients

cdef class ActiveSetQuadratic(WorkingCoefficients):
    cdef int n_support, n_held
    cdef bint whole                     # whether the last step along d was whole

    cdef bint newton(self, double lam) noexcept nogil
    cdef int go(self, double lam) noexcept nogil
    cdef int piecewise_step(self, double lam) noexcept nogil
    cdef double free_gradient(self, double lam) noexcept nogil
    cdef double end(self, int j, double lam) noexcept nogil
    cdef double exact_step(self, double slope, double curvature, double longest,
                           double lam) noexcept nogil
    cdef int hold_at_kinks(self, double lam) noexcept nogil
    cdef double event(self, int j, double lam) noexcept nogil
    cdef double first_event(self, double lam) noexcept nogil
    cdef void rescale(self, double t) noexcept nogil
    cdef double line_step(self, double lam) noexcept nogil
    cdef double minimiser(self, int j, double lam) noexcept nogil
    cdef bint worth(self, int j, double new, double lam, bint whole) noexcept nogil
    cdef int sweep(self, double lam, bint whole) noexcept nogil
    # what a subclass says
    cdef void direction(self, double lam) noexcept nogil
    cdef void image(self) noexcept nogil
    cdef void meet(self, int j) noexcept nogil
    cdef void move(self, int j, double new) noexcept nogil
    cdef void renew(self) noexcept nogil
    cdef void advance(self, double lam, double t) noexcept nogil
    cdef bint release_bounds(self, double lam) noexcept nogil

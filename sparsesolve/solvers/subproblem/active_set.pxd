"""Quadratic: the penalised least-squares problem over a growing set of working columns."""
from sparsesolve.solvers.subproblem.net_coefficients cimport NetColumns

cdef class Quadratic(NetColumns):
    cdef int n_support, n_held
    cdef bint whole                     # whether the last step along d was whole
    cdef bint walks                     # whether walk goes on from stop to stop, at a product with a column for each

    cdef bint newton(self, double lam) noexcept nogil
    cdef int go(self, double lam) noexcept nogil
    cdef double collect(self, double lam) noexcept nogil
    cdef int clip(self, double lam) noexcept nogil
    cdef int block(self, double lam) noexcept nogil
    cdef double end(self, int j, double lam) noexcept nogil
    cdef double event(self, int j, double lam) noexcept nogil
    cdef double first_event(self, double lam) noexcept nogil
    cdef void rescale(self, double t) noexcept nogil
    cdef double line_step(self, double lam) noexcept nogil
    cdef double exact_step(self, double slope, double curvature, double longest, double lam) noexcept nogil
    cdef double minimiser(self, int j, double lam) noexcept nogil
    cdef bint worth(self, int j, double new, double lam, bint whole) noexcept nogil
    # what a subclass says
    cdef void direction(self, double lam) noexcept nogil
    cdef void image(self) noexcept nogil
    cdef void advance(self, double lam, double t) noexcept nogil
    cdef int sweep(self, double lam, bint whole) noexcept nogil
    cdef int walk(self, double lam) noexcept nogil
    cdef bint unbind(self, double lam) noexcept nogil

"""ConjugateGradients: Newton directions of an active set, by products with its columns."""
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic

cdef class ConjugateGradients:
    # products with Z'Z, and solves, since effort() was asked
    cdef readonly long applications, directions
    cdef double[::1] w                  # (n + 1,) the image of a conjugate direction
    # of each column of the support: a conjugate direction, its product with Z'Z, what d leaves
    cdef double[::1] conjugate, product, residual
    cdef double most                    # residual relative to its threshold
    cdef double goal                    # of the residual's square

    cdef int reserve(self, int capacity) except -1
    cdef void solve(self, ActiveSetQuadratic active, double lam, double enough,
                    double* v) noexcept nogil
    cdef double effort(self) noexcept
    cdef double _begin(self, ActiveSetQuadratic active, double lam, double* v) noexcept nogil
    cdef void _apply(self, ActiveSetQuadratic active, double* v) noexcept nogil
    cdef double _curvature(self, ActiveSetQuadratic active, double lam) noexcept nogil
    cdef double _precondition(self, ActiveSetQuadratic active, double lam,
                              double last) noexcept nogil

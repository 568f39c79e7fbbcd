"""GroupedHessian: Newton steps on the nonzero rows of a ResponseQuadratic."""

from sparsesolve.solvers.responses.quadratic cimport ResponseQuadratic


cdef class GroupedHessian:
    cdef int[::1] at                    # (p,) the rows that were nonzero where it was computed
    cdef int count                      # the number of these rows
    cdef double[:, ::1] u               # (K, p) directions of these rows
    cdef double[::1] curvature          # (p,) the penalty's curvature across these directions
    cdef double[::1] inverse, schur
    cdef double[:, ::1] d, q            # (K, p) a step d, and dG
    cdef double[:, ::1] left, y         # (K, p) workspace
    cdef double[::1] along              # (p,) workspace

    cdef int refresh(self, ResponseQuadratic rows, double lam) except -1
    cdef bint step(self, ResponseQuadratic rows, double lam) noexcept nogil
    cdef bint _descend(self, ResponseQuadratic rows, double lam, bint stopped) noexcept nogil
    cdef void _complement(self, int n, double added) noexcept nogil

"""BlockStep: minimisation over one working group, the others held."""
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.subproblem.tangents cimport Tangents

cdef class BlockStep:
    cdef BlockPenalty penalty
    cdef Tangents tangents
    # of the working groups, as in Tangents
    cdef int[::1] first, group
    cdef Py_ssize_t[::1] place
    cdef double[::1] blocks             # Z_g'Z_g, group by group
    cdef double[::1] levels, axes       # their eigenvalues, by column, and eigenvectors
    cdef double[::1] curvature          # largest eigenvalue of each
    cdef double[::1] factors            # with the penalty's second derivative, along tangents
    # Room for one group.
    cdef double[::1] room
    cdef double* z                      # products of the residual during a step
    cdef double* x
    cdef double* old
    cdef double* along

    cdef int reserve(self, int capacity) except -1
    cdef int reserve_blocks(self, int first, Py_ssize_t entries) except -1
    cdef int decompose(self, int k) except -1
    cdef double minimise(self, int k, const double* g, double lam, double* b,
                         double* d) noexcept nogil
    cdef void factorise(self, int k) noexcept nogil
    cdef double _turn(self, int k, const double* g, double lam, double* b,
                      double* d) noexcept nogil
    cdef double _shrink(self, int k, double lam, double* b, double* d) noexcept nogil
    cdef double _take(self, int k, const double* d, double* b) noexcept nogil
    cdef double _polish(self, int k, double lam, double* b, double* d) noexcept nogil

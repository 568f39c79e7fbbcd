"""BlockStep: minimisation over one working group, the others held, and its directions."""
from sparsesolve.penalties.blocks cimport BlockPenalty

cdef class BlockStep:
    cdef BlockPenalty penalty
    # of the working groups: first column, number, and first entry of a block; see GroupCoefficients
    cdef int[::1] first, group
    cdef Py_ssize_t[::1] place
    cdef int[::1] count                 # directions of each group
    cdef int[::1] tangent_of            # which of them a column moves along, -1 none
    cdef double[::1] sign, slope        # by how much; what is to be gained along it
    cdef double[::1] hessians           # the penalty's second derivative along them, by block
    cdef double[::1] blocks             # Z_g'Z_g, group by group
    cdef double[::1] eigenvalues, axes       # their eigenvalues, by column, and eigenvectors
    cdef double[::1] curvature          # largest eigenvalue of each
    cdef double[::1] factors            # with the penalty's second derivative, along tangents
    # Room for one group.
    cdef double[::1] scratch
    cdef double* z                      # products of the residual during a step
    cdef double* x
    cdef double* old
    cdef double* along

    cdef int reserve(self, int capacity) except -1
    cdef int reserve_blocks(self, int first, Py_ssize_t entries) except -1
    cdef int linearise(self, int k, const double* b, const double* z, double lam) noexcept nogil
    cdef void second_derivative(self, int k, const double* b, double lam) noexcept nogil
    cdef double take_ray(self, int k, const double* b, double lam) noexcept nogil
    cdef int merge(self, int k, const double* b, const double* d, double lam) noexcept nogil
    cdef void truncate(self, int k, const double* b, double* d, double lam) noexcept nogil
    cdef void spread(self, int k, const double* along, double* out) noexcept nogil
    cdef void add_products(self, int k, const double* x, double* out) noexcept nogil
    cdef int decompose(self, int k) except -1
    cdef double minimise(self, int k, const double* g, double lam, double* b,
                         double* d) noexcept nogil
    cdef void factorise(self, int k) noexcept nogil
    cdef double _along_axes(self, int k, const double* g, double lam, double* b,
                      double* d) noexcept nogil
    cdef double _shrink(self, int k, double lam, double* b, double* d) noexcept nogil
    cdef double _take(self, int k, const double* d, double* b) noexcept nogil
    cdef double _newton_step(self, int k, double lam, double* b, double* d) noexcept nogil

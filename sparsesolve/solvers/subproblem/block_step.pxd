"""BlockStep: minimisation over one working group, the others held."""
from sparsesolve.solvers.subproblem.group_coefficients cimport GroupCoefficients

cdef class BlockStep(GroupCoefficients):
    cdef double[::1] curvature          # largest eigenvalue of each block of Z'Z
    cdef Py_ssize_t[::1] place          # where each block begins in `blocks`
    cdef double[::1] blocks             # Z_g'Z_g, group by group
    cdef double[::1] levels, axes       # their eigenvalues and eigenvectors
    # the penalty's second derivative along the directions; with Z_g'Z_g, factored
    cdef double[::1] hessians, factors
    # directions of each group along which the penalty is smooth
    cdef int[::1] n_tangents
    cdef int[::1] tangent_of                   # which of them a column moves along, -1 none
    cdef double[::1] sign, slope        # by how much; what is to be gained along it
    cdef double[::1] room               # to work in
    cdef double[::1] z                  # products of the residual during a block step

    cdef int measure_blocks(self, int first) except -1
    cdef bint block_step(self, int k, double lam) noexcept nogil
    cdef void touch(self, int first, int last) noexcept nogil
    cdef bint below(self, int k, double lam) noexcept nogil
    cdef double turn(self, int k, double lam) noexcept nogil
    cdef double shrink(self, int k, double lam) noexcept nogil
    cdef double take(self, int k, const double* d) noexcept nogil
    cdef double polish(self, int k, double lam) noexcept nogil
    cdef int linearise(self, int k, const double* z, double lam) noexcept nogil
    cdef void second_derivative(self, int k, double lam) noexcept nogil
    cdef void factorise(self, int k) noexcept nogil
    cdef void truncate_at_kinks(self, int k, double lam) noexcept nogil
    # what a subclass says
    cdef void block_products(self, int k, double* out) noexcept nogil
    cdef void meet(self, int k) noexcept nogil
    cdef void move(self, int k) noexcept nogil

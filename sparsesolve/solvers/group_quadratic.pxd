"""GroupQuadratic: penalised least squares over a growing set of working groups."""
from sparsesolve.solvers.group_columns cimport GroupColumns

cdef class GroupQuadratic(GroupColumns):
    cdef double pace                    # what a sweep leaves of the gap, as last seen
    cdef double[::1] curvature          # of the largest eigenvalue of each block of Z'Z, as far as is known
    cdef Py_ssize_t[::1] place          # where each block begins in `blocks`
    cdef double[::1] levels, axes       # eigenvalues and eigenvectors of each block
    cdef double[::1] blocks, bends      # Z_g'Z_g and the penalty's second derivative along the directions, by group
    cdef double[::1] factors            # their sum's Cholesky factor
    cdef int[::1] n_ways                # directions of each group along which the penalty is smooth
    cdef int[::1] way                   # which of them a column moves along, -1 none
    cdef double[::1] sign, slope        # by how much; what is to be gained along it
    cdef double[::1] z                  # products of the residual during a block step

    cdef int measure_blocks(self, int first) except -1
    cdef int n_trail                    # places of the last sweeps that are remembered: b, and what goes with it
    cdef double[:, ::1] trail_b, trail_r
    cdef Py_ssize_t n_carried

    cdef void remember(self) noexcept nogil
    cdef bint extrapolate(self, double lam) noexcept nogil
    cdef double* carried(self) noexcept nogil
    cdef double square(self, const double* b, const double* carried) noexcept nogil
    cdef int sweep(self, double lam) noexcept nogil
    cdef bint block_step(self, int k, double lam) noexcept nogil
    cdef void turn(self, int k, double lam) noexcept nogil
    cdef double shrink(self, int k, double lam) noexcept nogil
    cdef double polish(self, int k, double lam) noexcept nogil
    cdef double take(self, int k, const double* d) noexcept nogil
    cdef void factorise(self, int k, const double* b, const double* z, double lam) noexcept nogil
    cdef void stop_short(self, int k, const double* b, double lam) noexcept nogil
    cdef bint newton(self, double lam) noexcept nogil
    cdef void stay_inside(self) noexcept nogil
    cdef bint descend(self, double lam, double square, int halvings) noexcept nogil
    # what a subclass says
    cdef void meet(self, int k) noexcept nogil
    cdef void move(self, int k) noexcept nogil
    cdef void renew(self) noexcept nogil
    cdef bint direction(self, double lam) noexcept nogil
    cdef double image(self) noexcept nogil
    cdef void advance(self, double t) noexcept nogil

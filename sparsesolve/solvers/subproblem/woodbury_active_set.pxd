"""WoodburyActiveSet: the quadratic over dense working columns, Newton directions by an n x n
system."""
from sparsesolve.solvers.subproblem.data_active_set cimport DataActiveSet

cdef class WoodburyActiveSet(DataActiveSet):
    # of the factor, and columns that K has gained or lost
    cdef readonly long factorisations, updates
    cdef double[:, ::1] K               # (n, n) one triangle of sum_j z_j z_j' / l2_j
    # (n, n) one triangle of L, L L' = K + factor_level I as it was
    cdef double[:, ::1] factor
    cdef double factor_level            # 0: there is none
    cdef bint exact                     # whether L is of this K and this lam
    cdef int excess                     # steps of conjugate gradients that an old L has cost
    cdef int turnover                   # columns that came or left since K was summed
    cdef int[::1] inside, wanted        # whether a working column is in K, and is to be
    cdef int n_marks                    # room in these two
    cdef double[:, ::1] block           # columns on their way into K or out of it
    cdef int[::1] without_ridge         # of the support: columns with l2 = 0,
    cdef int n_without_ridge
    cdef double[:, ::1] answers         # (k, n) and M^-1 z of each
    cdef double[::1] corner             # (k * k) their inner products z'M^-1 z
    cdef double[:, ::1] vectors         # (5, n)

    cdef int _update(self) noexcept nogil
    cdef void _add(self, int count, const int* which, double sign) noexcept nogil
    cdef bint _factorise(self, double lam) noexcept nogil
    cdef void _multiply(self, double lam, const double* x, double* out) noexcept nogil
    cdef double _solve(self, double lam, const double* c, double goal, double* v) noexcept nogil
    cdef int _list_without_ridge(self) noexcept nogil
    cdef bint _solve_without_ridge(self, double lam, double goal, double* v) noexcept nogil

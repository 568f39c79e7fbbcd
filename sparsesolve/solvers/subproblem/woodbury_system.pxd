"""WoodburySystem: Newton directions of an active set under a ridge, by a system of n x n."""
from sparsesolve.linalg.factors.cholesky cimport Cholesky
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic

cdef class WoodburySystem:
    cdef Py_ssize_t n                   # rows
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
    cdef double[:, ::1] block           # columns on their way into K or out of it
    cdef int[::1] without_ridge         # of the support: columns with l2 = 0,
    cdef int n_without_ridge
    cdef double[:, ::1] answers         # (k, n) and M^-1 z of each
    cdef double[::1] corner             # (k * k) their inner products z'M^-1 z,
    cdef Cholesky schur                 # and the factor of these
    cdef double[:, ::1] vectors         # (4, n)

    cdef int reserve(self, int capacity) except -1
    cdef void restart(self) noexcept nogil
    cdef double solve(self, ActiveSetQuadratic active, double lam, double* v) noexcept nogil
    cdef void _update(self, ActiveSetQuadratic active) noexcept nogil
    cdef void _add(self, ActiveSetQuadratic active, int count, double sign) noexcept nogil
    cdef bint _factorise(self, double lam) noexcept nogil
    cdef void _multiply(self, double lam, const double* x, double* out) noexcept nogil
    cdef double _solve(self, double lam, const double* c, double goal, double* v) noexcept nogil
    cdef int _list_without_ridge(self, ActiveSetQuadratic active) noexcept nogil
    cdef bint _solve_without_ridge(self, ActiveSetQuadratic active, double lam, double goal,
                                   double* v) noexcept nogil

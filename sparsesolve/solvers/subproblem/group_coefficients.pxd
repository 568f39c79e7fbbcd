"""GroupCoefficients: working columns that come and are penalised in groups."""
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class GroupCoefficients(WorkingCoefficients):
    cdef BlockPenalty penalty
    cdef readonly int n_groups          # working groups
    # place of each working group's first column, one more for the end; its number
    cdef int[::1] first, group
    cdef Py_ssize_t[::1] place          # where a block of each begins, of its size squared
    cdef double largest                 # |z_j|^2 or more, of any working column
    cdef double[::1] x, old             # room for one vector of coefficients

    cdef int add_groups(self, const int[::1] which, const double[::1] start,
                        const double[::1] gradient) except -1
    cdef bint is_penalised(self, int k, double lam) noexcept nogil
    cdef bint is_outweighed(self, int g, int j, double lam) noexcept nogil
    cdef double* products(self, int k, double lam, double scale, double inflated) noexcept nogil

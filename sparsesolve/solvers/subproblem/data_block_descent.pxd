"""DataBlockDescent: the quadratic over working groups, by products with the columns themselves."""
from sparsesolve.solvers.subproblem.block_descent cimport GroupBlockDescent
from sparsesolve.solvers.subproblem.group_conjugate_gradients cimport GroupConjugateGradients
from sparsesolve.solvers.subproblem.radial_subspace cimport RadialSubspace

cdef class DataBlockDescent(GroupBlockDescent):
    cdef double[::1] v                  # (n + 1,) an image, less v[n] sqrt(w), then v[n]
    cdef GroupConjugateGradients iterative
    cdef RadialSubspace rays
    cdef double[::1] heading            # of the groups' rays, by column
    cdef double[::1] length             # (G,) of each group's coefficients

    cdef void _column(self, int j) noexcept nogil
    cdef void _gather(self, double lam, double turned) noexcept nogil
    cdef double _go_along(self, double lam) noexcept nogil

"""DataBlockDescent: the quadratic over working groups, by products with the columns themselves."""
from sparsesolve.solvers.subproblem.block_descent cimport GroupBlockDescent
from sparsesolve.solvers.subproblem.radial_subspace cimport RadialSubspace

cdef class DataBlockDescent(GroupBlockDescent):
    cdef Py_ssize_t n
    cdef double[::1] v                  # (n,) sqrt(w) Z d, less image_shift * sqrt(w)
    cdef double image_shift
    cdef double[::1] rest, conjugate, product, z    # of conjugate gradients, by column
    cdef RadialSubspace rays
    cdef double[::1] heading            # of the groups' rays, by column
    cdef double[::1] length             # (G,) of each group's coefficients

    cdef void _gather(self, double lam, double turned) noexcept nogil
    cdef double _go_along(self, double lam) noexcept nogil
    cdef void apply(self, const double* d, double* out) noexcept nogil
    cdef void _spread(self, const double* along, double* out) noexcept nogil
    cdef double precondition(self, double last) noexcept nogil

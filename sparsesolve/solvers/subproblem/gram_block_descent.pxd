"""GramBlockDescent: the quadratic over working groups whose inner products are all known."""
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.solvers.subproblem.block_descent cimport GroupBlockDescent

cdef class GramBlockDescent(GroupBlockDescent):
    cdef readonly Gram gram
    cdef double[::1] matrix, right      # of the Newton step

    cdef void _subtract_products(self, int first, int last, double t, double* out) noexcept nogil
    cdef int assemble(self) noexcept nogil
    cdef void _see(self, int k, int tangent_of) noexcept nogil

"""SparseGroup: an l1 norm and the l2 norms of groups; without the l1 part it is the group lasso.
"""
from sparsesolve.penalties.blocks cimport BlockPenalty

cdef class SparseGroup(BlockPenalty):
    cdef readonly double tau

    cdef double _length(self, Py_ssize_t g, double r, double level, const double* z) noexcept nogil
    cdef bint _too_short(self, Py_ssize_t g, double rho, double r, double level,
                         const double* z) noexcept nogil

"""GroupLinf: the sum over groups of the largest coefficient."""
from sparsesolve.penalties.blocks cimport BlockPenalty

cdef class GroupLinf(BlockPenalty):
    cdef double _cut(self, Py_ssize_t g, double r, const double* x, double level,
                     const double* b) noexcept nogil

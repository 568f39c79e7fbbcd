"""The duality gap of a problem with K responses over all columns."""
from sparsesolve.losses.base cimport Loss

cdef void clear_of_one(Loss loss, const double* u, const double* z, double* out,
                       double* room) noexcept nogil

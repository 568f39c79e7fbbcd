"""LossWorkingSet: a working set for any smooth loss, with quadratic model and certificate."""
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.working_set.working_set cimport WorkingSet

cdef class LossWorkingSet(WorkingSet):
    cdef readonly LocalModel model
    cdef bint fits_intercept
    cdef bint fillable                  # whether sparse columns may have to be held as dense
    cdef bint filled                    # whether they are
    cdef bint cleared                   # whether the dual point is more than u less a multiple of H
    cdef double g_unit                  # g is Z'u divided by this
    cdef readonly double[::1] dual      # (n,) the dual point, not scaled
    cdef double[::1] inverse_root_w         # 0 for a weight of 0
    # A scale of the dual point, NaN at first, and the gap of the samples there.
    cdef double scaled, excess

    cdef void repack(self)
    cdef int fill(self) except -1
    cdef double linearise(self) noexcept nogil
    cdef int make_dual(self, double lam) except -1
    cdef void show_dual(self) noexcept nogil
    cdef bint _orthogonal_to_constant(self, double pull) noexcept nogil

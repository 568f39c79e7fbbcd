"""DataActiveSet: the quadratic over working columns, by products with the columns themselves."""
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic
from sparsesolve.solvers.subproblem.conjugate_gradients cimport ConjugateGradients
from sparsesolve.solvers.subproblem.woodbury_system cimport WoodburySystem

cdef class DataActiveSet(ActiveSetQuadratic):
    cdef readonly ConjugateGradients iterative
    cdef readonly WoodburySystem rows   # None: directions come from conjugate gradients alone
    cdef double[::1] v                  # (n + 1,) sqrt(w) Z d less a multiple of sqrt(w), as u
    cdef double enough                  # violation relative to lam that the target allows for

    cdef void leave(self, double lam, double target) noexcept nogil
    cdef int n_violating(self, double lam) noexcept nogil
    cdef int cd_cycle(self, double lam) noexcept nogil
    cdef void _follow_clip(self) noexcept nogil

"""GroupBlockDescent: penalised least squares over a growing set of working groups."""
from sparsesolve.solvers.subproblem.radial_step cimport RadialStep

cdef class GroupBlockDescent(RadialStep):
    cdef double pace                    # what a sweep leaves of the gap, as last seen
    # places of the last sweeps that are remembered: b, and what goes with it
    cdef int n_trail
    cdef double[:, ::1] trail_b, trail_r
    cdef Py_ssize_t n_carried

    cdef int sweep(self, double lam, bint newest_first, double far) noexcept nogil
    cdef void remember(self) noexcept nogil
    cdef bint anderson_extrapolate(self, double lam) noexcept nogil
    cdef bint newton(self, double lam) noexcept nogil
    cdef bint merge(self, double lam) noexcept nogil
    cdef void cap_step(self) noexcept nogil
    cdef void truncate_to_limits(self) noexcept nogil
    cdef bint descend(self, double lam, double square, int halvings=*) noexcept nogil
    # what a subclass says
    cdef double* carried(self) noexcept nogil
    cdef double square(self, const double* b, const double* carried) noexcept nogil
    cdef void renew(self) noexcept nogil
    cdef bint direction(self, double lam) noexcept nogil
    cdef double image(self) noexcept nogil
    cdef void advance(self, double t) noexcept nogil

"""RiskInverse: the risks under which the expected deaths are given numbers."""

from sparsesolve.losses.cox.risk_sets cimport RiskSets

cdef class RiskInverse:
    cdef RiskSets sets
    cdef double[::1] expected               # (n,) the given expected deaths
    cdef double[::1] log_risk               # (n,) the solution
    cdef double[::1] level                  # (m,) sum_l d_l log(R + c_l E) at the solution
    cdef double[:, ::1] by_time             # (5, m) workspace

    cdef double solve(self, const double* u, const double* eta) noexcept nogil
    cdef double _share(self, Py_ssize_t t, double before, double dying) noexcept nogil
    cdef double _hazard(self, Py_ssize_t t, double x, bint own) noexcept nogil
    cdef double _level(self, Py_ssize_t t, double x) noexcept nogil

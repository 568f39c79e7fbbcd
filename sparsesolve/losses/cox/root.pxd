"""Roots of the second derivative of Cox's partial likelihood."""

from sparsesolve.linalg.factors.root cimport DenseRoot
from sparsesolve.linalg.factors.semiseparable cimport Semiseparable
from sparsesolve.losses.cox.risk_sets cimport RiskSets

cdef class ChainedRoot(Semiseparable):
    cdef RiskSets sets
    cdef Py_ssize_t[::1] leaving            # (n,) the samples in the order in which they leave, strata apart
    cdef double[::1] hazard, bend           # (m,) work
    cdef double[:, ::1] chain               # (5, n) what it is factored from

    cdef void take(self, double floor) noexcept nogil

cdef class FilledRoot(DenseRoot):
    cdef RiskSets sets
    cdef Py_ssize_t[::1] sharing            # (n,) who is at risk at one time
    cdef double[::1] share                  # (n,) their shares of the risk

    cdef bint take(self, double floor) noexcept nogil
    cdef Py_ssize_t _share_out(self, Py_ssize_t t, double c) noexcept nogil

"""Roots of the Hessian of Cox's partial likelihood."""

from sparsesolve.linalg.factors.root cimport DenseRoot, Semiseparable
from sparsesolve.losses.cox.risk_sets cimport RiskSets

cdef class ChainedRoot(Semiseparable):
    cdef RiskSets sets
    # (n,) samples in the order in which they leave, strata one after another
    cdef Py_ssize_t[::1] leaving
    cdef double[::1] hazard, curvature           # (m,) workspace
    cdef double[:, ::1] chain               # (5, n) the matrix to factor

    cdef void take(self, double floor) noexcept nogil

cdef class FilledRoot(DenseRoot):
    cdef RiskSets sets
    cdef Py_ssize_t[::1] sharing            # (n,) samples at risk at one time
    cdef double[::1] share                  # (n,) their shares of the risk

    cdef bint take(self, double floor) noexcept nogil
    cdef Py_ssize_t _share_out(self, Py_ssize_t t, double c) noexcept nogil

"""ResponseCoefficients: working coefficients of K responses, their point and its Hessian."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers.responses.hessian cimport ResponseHessian
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class ResponseCoefficients:
    cdef readonly Loss loss
    cdef readonly Design design
    cdef readonly ElasticNetRows net        # the penalty of all rows; the last is the intercept's
    cdef object penalty                     # the penalty of all coefficients, for the quadratic
    cdef readonly WorkingCoefficients quadratic
    cdef Gram gram
    cdef ResponseHessian hessian
    cdef int K
    cdef Py_ssize_t n
    cdef double value
    # True if coefficients moved so far since eta was computed that rounding shows in eta
    cdef bint eta_stale
    cdef double s                           # factor of H
    cdef long refresh_debt                  # steps since H was computed
    cdef double[:, ::1] offset, eta, u
    cdef double[:, ::1] C           # the last known products of the rows with u or the dual point
    cdef int[::1] place                     # a row's position among the Hessian's columns, or -1
    cdef int[::1] working                   # 1 if a coefficient is in the working set, (q K,)

    cdef int refresh_hessian(self, double lam) except -1
    cdef void renew(self) noexcept nogil
    cdef void slopes(self) noexcept nogil

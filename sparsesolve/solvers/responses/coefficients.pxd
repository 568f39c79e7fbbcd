"""ResponseCoefficients: working coefficients of K responses, their point and its Hessian."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.responses.hessian cimport ResponseHessian
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class ResponseCoefficients(ScaledDual):
    cdef readonly Loss loss
    cdef readonly Design design
    cdef readonly object problem
    cdef readonly ElasticNetRows net        # the penalty of all rows; the last is the intercept's
    cdef object penalty                     # the penalty of all coefficients, for the quadratic
    cdef readonly WorkingCoefficients quadratic
    cdef Gram gram
    cdef ResponseHessian hessian
    cdef bint grouped, with_intercept
    cdef int K, n_threads
    cdef Py_ssize_t n, q                    # samples; rows of coefficients
    cdef readonly double value
    # True if coefficients moved so far since eta was computed that rounding shows in eta
    cdef bint eta_stale
    cdef double s, forcing, level, before   # factor of H; forcing; last lam, lam before
    cdef long moves, refresh_debt           # steps so far; steps since H was computed
    cdef double[:, ::1] offset, eta, u, image, trial, trial_u, dual
    # (q, K): the previous solution; the last known products of the rows with u or the dual point
    cdef double[:, ::1] last_B, C
    cdef int[::1] last                      # the coefficients that last_B holds
    cdef int n_last                         # the number of coefficients in last
    cdef double[::1] old, old_g
    cdef int[::1] place                     # a row's position among the Hessian's columns, or -1
    cdef int[::1] working                   # 1 if a coefficient is in the working set, (q K,)

    cdef int refresh_hessian(self) except -1
    cdef void renew(self) noexcept nogil
    cdef void slopes(self) noexcept nogil

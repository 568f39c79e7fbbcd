"""ResponseCoefficients: those at work of K responses, the point they lead to, and its Hessian."""
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
    cdef readonly ElasticNetRows net        # of all rows, the intercept's the last one
    cdef object penalty                     # of all coefficients, for the quadratic
    cdef readonly WorkingCoefficients quadratic
    cdef Gram gram
    cdef ResponseHessian hessian
    cdef bint grouped, with_intercept
    cdef int K, n_threads
    cdef Py_ssize_t n, q                    # rows of coefficients
    cdef readonly double value
    # whether coefficients moved so far since eta was made that it shows in eta
    cdef bint eta_stale
    cdef double s, forcing, level, before   # multiplier of H; the last lam and the one before it
    cdef long moves, refresh_debt                   # steps so far, and since H was taken
    cdef double[:, ::1] offset, eta, u, image, trial, trial_u, dual
    # (q, K): the solution before; products of rows, as last known
    cdef double[:, ::1] last_B, C
    cdef int[::1] last                      # coefficients in last_B,
    cdef int n_last                         # so many
    cdef double[::1] old, old_g
    cdef int[::1] place                     # of a row among the Hessian's columns, or -1
    cdef int[::1] working                   # whether a coefficient is, (q K,)

    cdef int refresh_hessian(self) except -1
    cdef void renew(self) noexcept nogil
    cdef void slopes(self) noexcept nogil

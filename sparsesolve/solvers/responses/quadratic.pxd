"""ResponseQuadratic: squared error of K responses from inner products alone, rows of coefficients
tied."""

from sparsesolve.solvers.certificate.gap cimport ScaledDual


cdef class ResponseQuadratic(ScaledDual):
    cdef int K, p, m                    # responses, features, rows at work: the first m
    cdef double[:, ::1] G               # (p, p) inner products of the columns
    cdef double[:, ::1] C               # (K, p) of the columns with the responses
    cdef double[:, ::1] B, g            # (K, p) coefficients, and C - BG
    cdef double[::1] l1, l2             # (p,) of the penalty
    cdef double total, residual_square  # squares of the responses and of what is left of them
    cdef readonly long iterations       # sweeps and Newton steps
    cdef double[:, ::1] d, q            # (K, p) a step, and dG
    cdef double[::1] x                  # (K,) to work in
    # the gap over the first n_rows rows: (3, p) |b|, |g| and b'g, the penalty, and the dual point's
    # part along unpenalised rows
    cdef double[:, ::1] sizes
    cdef int n_rows
    cdef double charge, slack
    # the Hessian at some point along the rows that were not zero there, inverted
    cdef int[::1] at                    # (p,) which these were
    cdef int count                      # how many
    cdef double[:, ::1] u, left, y      # (K, p) directions of these rows, and to work in
    cdef double[::1] curvature               # (p,) penalty's curvature across them
    cdef double[::1] inverse, schur

    cdef void sweep(self, double lam) noexcept nogil
    cdef double penalty(self, double lam) noexcept nogil
    cdef double rows_gap(self, double lam, int count, double slack) noexcept nogil
    cdef bint free(self, int j, double lam) noexcept nogil
    cdef int refresh_hessian(self, double lam) except -1
    cdef void _complement(self, int n, double added) noexcept nogil
    cdef bint newton(self, double lam) noexcept nogil
    cdef bint _descend(self, double lam, bint stopped) noexcept nogil
    cdef void refresh(self) noexcept nogil

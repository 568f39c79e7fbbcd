"""ResponseQuadratic: squared error of K responses from inner products, with grouped rows."""

from sparsesolve.solvers.certificate.gap cimport ScaledDual


cdef class ResponseQuadratic(ScaledDual):
    cdef int K, p, m                    # responses, features, and working rows (the first m)
    cdef double[:, ::1] G               # (p, p) inner products of the columns
    cdef double[:, ::1] C               # (K, p) inner products of the responses and the columns
    cdef double[:, ::1] B, g            # (K, p) coefficients, and C - BG
    cdef double[::1] l1, l2             # (p,) factors of the penalty
    cdef double total, residual_square  # squared norms of the responses and of the residuals
    cdef readonly long iterations       # sweeps and Newton steps
    cdef double[:, ::1] d, q            # (K, p) a step d, and dG
    cdef double[::1] x                  # (K,) workspace
    # For the gap over the first n_rows rows: sizes (3, p) holds |b|, |g| and b'g, charge is the
    # penalty, and slack is the length of the dual point's part along unpenalised rows.
    cdef double[:, ::1] sizes
    cdef int n_rows
    cdef double charge, slack
    # The inverse Hessian at an earlier point, along the rows that were nonzero there.
    cdef int[::1] at                    # (p,) the numbers of these rows
    cdef int count                      # the number of these rows
    cdef double[:, ::1] u, left, y      # (K, p) directions of these rows, and workspace
    cdef double[::1] curvature               # (p,) the penalty's curvature across these directions
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

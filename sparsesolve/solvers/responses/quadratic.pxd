"""ResponseQuadratic: squared error of K responses from inner products, with grouped rows."""

from sparsesolve.solvers.certificate.gap cimport ScaledDual


cdef class ResponseQuadratic(ScaledDual):
    cdef int K, p, m                    # responses, features, and working rows (the first m)
    cdef double[:, ::1] G               # (p, p) inner products of the columns
    cdef double[:, ::1] C               # (K, p) inner products of the responses and the columns
    cdef double[:, ::1] B, g            # (K, p) coefficients, and C - BG
    cdef double[::1] l1, l2             # (p,) factors of the penalty
    cdef double total, residual_square  # squared norms of the responses and of the residuals
    cdef long iterations                # sweeps and Newton steps
    cdef double[::1] x                  # (K,) workspace
    # For the gap over the first n_rows rows: sizes (3, p) holds |b|, |g| and b'g, charge is the
    # penalty, and slack is the length of the dual point's part along unpenalised rows.
    cdef double[:, ::1] sizes
    cdef int n_rows
    cdef double charge, slack

    cdef void sweep(self, double lam) noexcept nogil
    cdef double penalty(self, double lam) noexcept nogil
    cdef double objective(self, double lam) noexcept nogil
    cdef double rows_gap(self, double lam, int count, double slack) noexcept nogil
    cdef bint free(self, int j, double lam) noexcept nogil
    cdef void swap(self, int i, int j) noexcept nogil
    cdef void refresh(self) noexcept nogil

"""The quadratic of K responses with squared error, by inner products of all columns."""
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers.certificate.gap cimport ScaledDual


cdef class ResponseQuadratic(ScaledDual):
    cdef int K, p, m                    # responses, features, and working rows (the first m)
    cdef double[:, ::1] G               # (p, p) inner products of the columns
    cdef double[:, ::1] C               # (K, p) inner products of the responses and the columns
    cdef double[:, ::1] B, g            # (K, p) coefficients, and C - BG
    cdef ElasticNetRows net
    cdef double[::1] l1, l2             # (p,) its factors
    cdef double total, residual_square  # squared norms of the responses and of the residuals
    cdef long iterations                # sweeps and Newton steps
    cdef double[::1] x                  # (K,) workspace
    # For the gap over the first n_rows rows: slack is the length of the dual point's part along
    # unpenalised rows, and longer (p,) what it may be in the products of a row.
    cdef double[::1] longer
    cdef int n_rows
    cdef double slack

    cdef bint free(self, int j, double lam) noexcept nogil
    cdef void sweep(self, double lam) noexcept nogil
    cdef double penalty(self, double lam) noexcept nogil
    cdef double objective(self, double lam) noexcept nogil
    cdef double rows_gap(self, double lam, int count, double slack) noexcept nogil
    cdef void swap(self, int i, int j) noexcept nogil
    cdef void refresh(self) noexcept nogil

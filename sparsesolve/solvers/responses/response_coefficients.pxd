"""Working coefficients of K responses, their point and its Hessian."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers.quadratic.coefficients cimport WorkingCoefficients

cdef class ResponseHessian:
    cdef readonly int size              # number of columns appended so far
    cdef Py_ssize_t n
    cdef int K
    cdef double[:, ::1] rows            # the columns, (capacity, n)
    cdef double[:, :, ::1] curvatures        # F'' for every sample, (K, K, n)
    cdef int[:, ::1] tied               # True if curvatures[k, l] has a nonzero entry, (K, K)
    cdef double[::1] whole              # diagonal of F'', summed over the K responses, (n,)
    cdef int[::1] flat                  # True where F'' vanishes along (1, ..., 1), (size,)
    cdef double[::1] left, right, block
    # The working coefficients by response, in the order of the matrix. Response k has counts[k].
    cdef int[::1] counts                # (K,)
    cdef int[:, ::1] places             # (K, capacity) their positions in the matrix
    cdef int[:, ::1] listed             # (K, capacity) their columns
    cdef int[::1] moving                # workspace for column numbers
    cdef double[::1] some               # workspace for values

    cdef int refresh_hessian(self, Loss loss, const double* eta) except -1
    cdef int extend(self, Gram gram, const int* coefficient, int count) except -1
    cdef double pin(self, int row) noexcept nogil
    cdef void weighted(self, int row, int k, int l, double* out) noexcept nogil
    cdef void correlate(self, const double* u, double* out) noexcept nogil
    cdef void add(self, const double* b, const double* less, double* eta) noexcept nogil


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
    cdef double[:, ::1] offset, eta, u
    cdef double[:, ::1] C           # the last known products of the rows with u or the dual point
    cdef int[::1] place                     # a row's position among the Hessian's columns, or -1
    cdef int[::1] working                   # 1 if a coefficient is in the working set, (q K,)

    cdef int refresh_hessian(self, double lam) except -1
    cdef void renew(self) noexcept nogil
    cdef void slopes(self) noexcept nogil

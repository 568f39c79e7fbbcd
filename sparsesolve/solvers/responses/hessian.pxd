"""ResponseHessian: second derivatives for K responses, coefficient by coefficient."""
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.losses.base cimport Loss

cdef class ResponseHessian:
    cdef readonly int size              # columns so far
    cdef Py_ssize_t n
    cdef int K
    cdef double[:, ::1] rows            # the columns, (room, n)
    cdef double[:, :, ::1] curvatures        # F'' of every sample, (K, K, n)
    cdef int[:, ::1] tied               # whether that is anything but zero, (K, K)
    cdef double[::1] whole              # their diagonal, summed over K, (n,)
    cdef int[::1] pinned                # whether a row is, (size,)
    cdef double[::1] left, right, block
    # coefficients at work by response, in the order of the matrix: counts[k] of them are of
    # response k
    cdef int[::1] counts                # (K,)
    cdef int[:, ::1] places             # (K, room) where they stand,
    cdef int[:, ::1] listed             # and which columns are theirs
    cdef int[::1] moving                # to work in, columns
    cdef double[::1] some               # and numbers

    cdef int refresh_hessian(self, Loss loss, const double* eta) except -1
    cdef int extend(self, Gram gram, const int* coefficient, int count) except -1
    cdef double pin(self, int row) noexcept nogil
    cdef void weighted(self, int row, int k, int l, double* out) noexcept nogil
    cdef void correlate(self, const double* u, double* out) noexcept nogil
    cdef void add(self, const double* b, const double* less, double* eta) noexcept nogil

"""QRWindow: coordinates of a window of columns in the orthonormal basis of the active columns."""
from sparsesolve.linalg.factors.cholesky cimport Cholesky

cdef class QRWindow:
    cdef readonly int size              # number of active columns
    cdef readonly int width             # number of columns of the window
    # `rows` is the capacity for active columns; `room` and `stride` are the strides of H and of
    # G.
    cdef int rows, room, stride
    cdef Cholesky cholesky              # of the Gram matrix of the active columns
    cdef double[::1] frame, left_, square_, along_, inner_, row_
    cdef double[:, ::1] gram
    cdef bint enclosed                  # True if G is the caller's Gram matrix of all columns
    cdef double* H  # (size, 1 + width) coordinates of the target, then of the window
    cdef double* G                      # (width, width) inner products of the window's columns
    # (1 + width,) squared distance of each column from the span of the active columns
    cdef double* left
    cdef double* square                 # (1 + width,) squared norms of the columns
    cdef double* along                  # (1 + width,) products with the image of the direction

    cdef void _keep(self, const int* keep, int count) noexcept nogil
    cdef void _measure(self) noexcept nogil
    cdef bint join(self, int i, double target, double tiny) noexcept nogil
    cdef void leave(self, int k, int i) noexcept nogil
    cdef void recall(self, int k, int i) noexcept nogil
    cdef void direction(self, double* d) noexcept nogil

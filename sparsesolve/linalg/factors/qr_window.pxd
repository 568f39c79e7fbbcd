"""QRWindow: what a window of columns looks like in the orthonormal basis of the active ones."""
from sparsesolve.linalg.factors.cholesky cimport Cholesky

cdef class QRWindow:
    cdef readonly int size              # active columns
    cdef readonly int width             # columns of the window
    cdef int rows, room, stride         # for how many active columns; the strides of H and of G
    cdef Cholesky cholesky              # of the Gram matrix of the active columns
    cdef double[::1] frame, left_, square_, along_, inner_, row_
    cdef double[:, ::1] gram
    cdef bint enclosed                  # whether G is that of all columns, another's
    cdef double* H                      # (size, 1 + width): coordinates of the target, then of the window's columns
    cdef double* G                      # (width, width): their inner products
    cdef double* left                   # (1 + width) square of what lies outside the span of the active columns
    cdef double* square                 # (1 + width) squares of the columns
    cdef double* along                  # (1 + width) products with the image of the direction

    cdef void _keep(self, const int* keep, int count) noexcept nogil
    cdef void _measure(self) noexcept nogil
    cdef bint join(self, int i, double target, double tiny) noexcept nogil
    cdef void leave(self, int k, int i) noexcept nogil
    cdef void recall(self, int k, int i) noexcept nogil
    cdef void direction(self, double* d) noexcept nogil

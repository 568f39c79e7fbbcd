"""A kernel of SPOM, and the struct of plain pointers that threads share."""
from sparsesolve.structured.spom_blocks cimport Block

cdef struct KernelView:
    int kind                            # 0 float64, 1 float32, 2 sparse
    Py_ssize_t n, K
    double by                           # what the current step multiplies D by
    double* F                           # (K, n) scores
    const double* dense
    const float* single
    const long long* start              # compressed rows
    const int* at
    const double* x

cdef void spread(const KernelView* view, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t first,
                 Py_ssize_t L, const double* D) noexcept nogil

cdef class Kernel(Block):
    cdef const double[:, ::1] dense
    cdef const float[:, ::1] single
    cdef const long long[::1] start
    cdef const int[::1] at
    cdef const double[::1] x
    cdef int kind                       # as in KernelView
    cdef readonly Py_ssize_t n
    cdef object matrix
    cdef double[:, ::1] F, A, B         # (K, n), (n, K), (n, K)
    cdef KernelView view

    cdef double entry(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil
    cdef double squared_length(self, Py_ssize_t first, Py_ssize_t L, const double* D) noexcept nogil

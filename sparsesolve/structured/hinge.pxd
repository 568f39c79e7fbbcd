"""Steps on chains by the structured hinge loss; see hinge.pyx."""


cdef class HingePass:
    cdef const long long[::1] start, ptr
    cdef const int[::1] at, y
    cdef const double[::1] x
    cdef const double[:, ::1] closed
    cdef Py_ssize_t K, p, width, N
    cdef double[::1] scores, delta          # (longest, K) and (longest, width), one sequence
    cdef double[:, ::1] T                   # (K, width)
    cdef int[::1] path

    cdef double decode(self, Py_ssize_t s, const double* w) noexcept nogil
    cdef void _step(self, Py_ssize_t s, double by, double* w) noexcept nogil

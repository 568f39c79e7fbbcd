"""Sweeps of coordinate ascent over the rows of a ridge problem with kinks."""
from sparsesolve.linalg.design.design cimport Design

cdef class RowSweeps:
    cdef Design rows
    cdef readonly Py_ssize_t active         # Rows that a sweep visits, the first ones of `order`.
    cdef readonly double total              # Sum of u.
    # The last sweep's gain of the dual, and its largest violation.
    cdef readonly double gain, worst
    cdef double width, shared, along
    cdef object centre
    cdef const double[::1] target, low, high, meeting, square
    cdef double[::1] u, G
    cdef int[::1] order
    cdef unsigned long long drawn

    cdef unsigned long long _draw(self) noexcept nogil

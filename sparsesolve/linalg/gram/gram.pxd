"""Gram matrix of the working columns."""
from sparsesolve.linalg.working.columns cimport PackedColumns

cdef class Gram:
    cdef readonly int size              # number of columns
    cdef int capacity
    cdef double[::1] products           # (capacity, capacity) symmetric
    cdef double* G

    cdef int reserve(self, int capacity) except -1
    cdef int follow(self, PackedColumns columns) except -1

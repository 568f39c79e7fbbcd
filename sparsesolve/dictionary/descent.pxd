"""Coordinate descent on one signal's code."""
from sparsesolve.dictionary.signal cimport Signal

cdef int descend(Signal* s) noexcept nogil

"""Coordinate descent on one signal's code."""
from sparsesolve.paths.dictionary.signal cimport Signal

cdef int descend(Signal* s) noexcept nogil

"""Orthogonal matching pursuit of one signal."""
from sparsesolve.paths.dictionary.signal cimport Signal

cdef int pursue(Signal* s) noexcept nogil

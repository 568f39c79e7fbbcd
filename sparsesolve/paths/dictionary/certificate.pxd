"""The certificate of one signal's code, and steps that improve the code."""
from sparsesolve.paths.dictionary.signal cimport Signal

cdef double correlations(Signal* s) noexcept nogil
cdef double rounded(const Signal* s) noexcept nogil
cdef double certify(Signal* s) noexcept nogil
cdef int certify_angles(Signal* s) noexcept nogil
cdef void refine(Signal* s) noexcept nogil
cdef void clear_strays(Signal* s) noexcept nogil

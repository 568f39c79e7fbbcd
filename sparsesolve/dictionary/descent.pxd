"""The certificate of one signal's code, and coordinate descent until it is met."""
from sparsesolve.dictionary.signal cimport Signal

cdef double correlations(Signal* s) noexcept nogil
cdef double certify(Signal* s) noexcept nogil
cdef int descend(Signal* s) noexcept nogil

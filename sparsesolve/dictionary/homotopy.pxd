"""The lasso of one signal by its homotopy."""
from sparsesolve.dictionary.signal cimport Signal

cdef int follow(Signal* s) noexcept nogil

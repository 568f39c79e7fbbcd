"""The lasso of one signal by its homotopy."""
from sparsesolve.paths.dictionary.signal cimport Signal

cdef int follow(Signal* s) noexcept nogil

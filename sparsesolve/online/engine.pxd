"""The contract of an online method: how weights are read and learned, one row at a time."""
from sparsesolve.losses.base cimport Loss

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define ss_fetch(address) __builtin_prefetch(address, 1)
    #else
    #define ss_fetch(address) ((void)(address))
    #endif
    """
    void ss_fetch(const void* address) noexcept nogil


cdef class Engine:
    cdef readonly Py_ssize_t n_responses, n_features    # K; number of features with memory
    cdef readonly Py_ssize_t width              # doubles stored for each feature
    cdef readonly double[::1] record  # stored numbers of all features, one feature after the other
    cdef readonly double[:, ::1] intercept_record   # (2, K) those of the intercepts
    cdef readonly bint has_intercept
    cdef readonly int[::1] kind  # (p,) column of level and scale for each feature; None: 0
    cdef const double[::1] rate                 # for a run: (S,) factor of a step's gradient
    cdef const double[:, ::1] level, scale  # (S + 1, kinds) reading of weights before each step
    cdef const double[::1] plain                # (S + 1,) scale of unpenalised weights
    cdef double suffered                        # mean loss of the rows of this step
    cdef bint batched                           # True if a step of this run has several rows

    cdef void fetch(self, const int* index, Py_ssize_t count) noexcept nogil
    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil
    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil
    cdef void commit(self, Py_ssize_t s) noexcept nogil

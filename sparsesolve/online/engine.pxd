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
    cdef readonly Py_ssize_t n_responses, n_features    # K; features there is room for
    cdef readonly Py_ssize_t width              # doubles kept of a feature
    cdef readonly double[::1] record            # what is kept of every feature, feature by feature
    cdef readonly double[:, ::1] intercept_record   # (2, K) the same of the intercepts
    cdef readonly bint has_intercept
    cdef readonly int[::1] kind                 # (p,) which level and scale a feature has; None: 0
    cdef const double[::1] rate                 # of a run: (S,) what multiplies a step's gradient,
    cdef const double[:, ::1] level, scale      # (S + 1, kinds) and how weights are read before it
    cdef const double[::1] plain                # (S + 1,) the scale of what is not penalised
    cdef bint batched                           # whether a step of this run has several rows

    cdef void fetch(self, const int* index, Py_ssize_t count) noexcept nogil
    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil
    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil
    cdef void commit(self, Py_ssize_t s) noexcept nogil

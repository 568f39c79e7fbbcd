"""RiskSets: who is at risk at each event time, who dies at it, and the sums of their risks."""

from sparsesolve.linalg.factors.intervals cimport Intervals
from sparsesolve.linalg.kernels.wide cimport Wide

cdef class RiskSets:
    cdef readonly Py_ssize_t n              # samples with a weight, in the order of `survival`
    cdef readonly Py_ssize_t m              # event times
    cdef readonly object times              # (m,) ascending within strata
    cdef readonly object strata             # (m,) theirs, as y has them, ascending
    cdef readonly bint late                 # whether anyone enters after an event of its stratum
    cdef Intervals survival                 # of samples: the event times that they survive
    cdef Py_ssize_t[::1] sample             # (n,) places among all
    cdef Py_ssize_t[::1] unseen             # places of the samples of weight 0
    cdef Py_ssize_t[::1] stratum            # (n,) 0, 1, ...
    cdef Py_ssize_t[::1] event              # (n,) event time at which it dies, or -1
    cdef Py_ssize_t[::1] last               # (n,) the last at which it is at risk, or -1
    cdef double[::1] w, log_w               # (n,)
    cdef Py_ssize_t[::1] time_stratum       # (m,)
    cdef Py_ssize_t[::1] n_terms            # (m,)
    cdef double[::1] deaths                 # (m,) D
    cdef double slack                       # of expected deaths: rounding below 0

    cdef double[::1] eta                    # (all,) what the following belong to, once `known`
    cdef bint known
    cdef Wide[::1] risk                     # (n,) w exp(eta)
    cdef double[::1] R, E, band             # (m,) sums of risks over survivors and deaths, in bands
    cdef Wide[::1] survivors, dying         # (m,) work

    cdef bint allows(self, const double* u) noexcept nogil
    cdef bint weigh(self, const double* eta) noexcept nogil
    cdef void gather(self, const Wide* x, Wide* survivors, Wide* dying) noexcept nogil
    cdef double share_left(self, Py_ssize_t t, Py_ssize_t before) noexcept nogil

"""RiskSets: who is at risk at each event time, who dies at it, and the sums of their risks."""

from sparsesolve.linalg.factors.intervals cimport Intervals
from sparsesolve.linalg.kernels.wide cimport Wide

cdef class RiskSets:
    cdef readonly Py_ssize_t n  # samples with a positive weight, in the order of `survival`
    cdef readonly Py_ssize_t m              # number of event times
    cdef readonly object times              # (m,) ascending within strata
    cdef readonly object strata             # (m,) their strata, numbered as in y, ascending
    cdef readonly bint late                 # someone enters after an event of its stratum
    cdef Intervals survival                 # for each sample the event times that it survives
    cdef Py_ssize_t[::1] sample             # (n,) positions among all samples
    cdef Py_ssize_t[::1] unseen             # positions of the samples of weight 0
    cdef Py_ssize_t[::1] stratum            # (n,) 0, 1, ...
    cdef Py_ssize_t[::1] event              # (n,) event time at which it dies, or -1
    cdef Py_ssize_t[::1] last               # (n,) last event time at which it is at risk, or -1
    cdef double[::1] w, log_w               # (n,)
    cdef Py_ssize_t[::1] time_stratum       # (m,)
    cdef Py_ssize_t[::1] n_terms            # (m,)
    cdef double[::1] deaths                 # (m,) D
    cdef double rounding  # rounding error below which negative expected deaths count as 0

    cdef double[::1] eta  # (all,) the eta to which the following belong, once `known`
    cdef bint known
    cdef Wide[::1] risk                     # (n,) w exp(eta)
    cdef double[::1] R, E, band             # (m,) sums of risks over survivors and deaths, in bands
    cdef Wide[::1] survivors, dying         # (m,) workspace

    cdef bint allows(self, const double* u) noexcept nogil
    cdef bint take_weights(self, const double* eta) noexcept nogil
    cdef void gather(self, const Wide* x, Wide* survivors, Wide* dying) noexcept nogil
    cdef double share_left(self, Py_ssize_t t, Py_ssize_t before) noexcept nogil

"""Risk sets of Cox's partial likelihood, the inverse of its gradient, and roots of its Hessian."""

from sparsesolve.linalg.factors.intervals cimport Intervals
from sparsesolve.linalg.factors.root cimport DenseRoot, Semiseparable
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

cdef class RiskInverse:
    cdef RiskSets sets
    cdef double[::1] expected               # (n,) the given expected deaths
    cdef double[::1] log_risk               # (n,) the solution
    cdef double[::1] level                  # (m,) sum_l d_l log(R + c_l E) at the solution
    cdef double[:, ::1] by_time             # (5, m) workspace

    cdef double solve(self, const double* u, const double* eta) noexcept nogil
    cdef double _share(self, Py_ssize_t t, double before, double dying) noexcept nogil
    cdef double _hazard(self, Py_ssize_t t, double x, bint own) noexcept nogil
    cdef double _level(self, Py_ssize_t t, double x) noexcept nogil

cdef class ChainedRoot(Semiseparable):
    cdef RiskSets sets
    # (n,) samples in the order in which they leave, strata one after another
    cdef Py_ssize_t[::1] leaving
    cdef double[::1] hazard, curvature           # (m,) workspace
    cdef double[:, ::1] chain               # (5, n) the matrix to factor

    cdef void take(self, double floor) noexcept nogil

cdef class FilledRoot(DenseRoot):
    cdef RiskSets sets
    cdef Py_ssize_t[::1] sharing            # (n,) samples at risk at one time
    cdef double[::1] share                  # (n,) their shares of the risk

    cdef bint take(self, double floor) noexcept nogil
    cdef Py_ssize_t _share_out(self, Py_ssize_t t, double c) noexcept nogil

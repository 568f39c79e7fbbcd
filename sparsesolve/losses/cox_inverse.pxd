"""RiskInverse: the risks of which expected deaths are the given ones."""

cdef class RiskInverse:
    cdef Py_ssize_t n, m                    # samples with a weight, event times
    cdef Py_ssize_t[::1] sample             # (n,) their places among all
    cdef Py_ssize_t[::1] event, last        # (n,) event time of the death, or -1; the last one at risk, or -1
    cdef Py_ssize_t[::1] stratum, n_terms   # (m,)
    cdef double[::1] w                      # (n,)
    cdef double[::1] deaths                 # (m,) their weight at each event time
    cdef double slack
    cdef double[::1] expected               # (n,) the given ones
    cdef double[::1] log_risk               # (n,) the answer
    cdef double[::1] level                  # (m,) sum_l d_l log(R + c_l E) at the answer
    cdef double[:, ::1] by_time             # (5, m) work

    cdef double solve(self, const double* u, const double* eta) noexcept nogil
    cdef double _share(self, Py_ssize_t t, double before, double dying) noexcept nogil
    cdef double _hazard(self, Py_ssize_t t, double x, bint own) noexcept nogil
    cdef double _level(self, Py_ssize_t t, double x) noexcept nogil

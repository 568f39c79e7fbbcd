"""RiskSets: who is at risk at each event time, who dies at it, and the sums of their risks.

At risk at t are the samples of its stratum with start < t <= stop. The event times that a sample
survives are an interval, so all sums run over intervals (linalg/factors/intervals.pyx). Their
terms are positive and of any size (linalg/kernels/wide.pxd). A sample that dies is also at risk
at its own event time.
"""
from libc.math cimport exp
from libc.string cimport memcmp, memcpy

import numpy as np

from sparsesolve.linalg.factors.intervals cimport Intervals
from sparsesolve.linalg.kernels.wide cimport BAND, Wide, add, exponential, in_band, nothing

# Expected deaths that are negative by at most this multiple of the deaths, or by the rounding
# error of n additions, count as 0.
cdef double BEYOND = 1e-12
cdef double EPSILON = np.finfo(float).eps
WIDE = np.dtype([("f", float), ("k", float)])


cdef class RiskSets:
    """Risk sets of samples of positive weight, in an order of their own, with risks for one eta
    at a time.

    Parameters
    ----------
    y, w, ties : as in Cox
    """

    def __init__(self, y, w, ties):
        y, w = np.asarray(y, dtype=float), np.asarray(w, dtype=float)
        kept, self.unseen = np.flatnonzero(w > 0.0), np.flatnonzero(w == 0.0)
        stratum = np.unique(y[kept, 3], return_inverse=True)[1].ravel()
        order = self._place(y[kept], stratum)
        self.sample, self.stratum, self.w = kept[order], stratum[order], w[kept[order]]
        self.log_w = np.log(self.w)
        event = np.asarray(self.event)
        first, last = np.asarray(self.survival.first), np.asarray(self.survival.last)
        self.last = np.where(event >= 0, event, np.where(first <= last, last, -1))
        dead, n, m = event >= 0, max(self.n, 1), max(self.m, 1)
        self.deaths = np.bincount(event[dead], np.asarray(self.w)[dead], m).astype(float)
        self.rounding = max(BEYOND, n * EPSILON) * np.sum(self.deaths)
        efron = ties == "efron"
        self.n_terms = np.bincount(event[dead],
                                   minlength=m).astype(np.intp) if efron else np.ones(m, np.intp)
        self.known, self.eta = False, np.empty(len(y))
        self.risk = np.zeros(n, WIDE)
        self.R, self.E, self.band = np.zeros((3, m))
        self.survivors, self.dying = np.zeros((2, m), WIDE)

    def _place(self, y, stratum):
        """Find event times, who survives and who dies at each; return the order of the samples."""
        start, stop, status = y[:, 0], y[:, 1], y[:, 2] > 0.0
        moments = np.unique(stop[status])
        begin, end = (stratum * (len(moments) + 1)
                      + np.searchsorted(moments, t, side="right") for t in (start, stop))
        # ascending within strata, strata one after another
        events, index = np.unique(end[status], return_index=True)
        self.n, self.m = len(y), len(events)
        self.times, self.strata = stop[status][index], y[status][index, 3]
        self.time_stratum = stratum[status][index].astype(np.intp)
        first, gone = (np.searchsorted(events, t, side="right") for t in (begin, end))
        after = gone - status
        root, end = (np.searchsorted(self.time_stratum, stratum, side=side)
                     for side in ("left", "right"))
        self.survival = Intervals(first, after, root, end, len(events))
        self.late = bool(np.any((root < first) & (first < gone)))
        order = self.survival.order
        self.event = np.where(status, after, -1)[order].astype(np.intp)
        return order

    cdef bint allows(self, const double* u) noexcept nogil:
        """Return True if the expected deaths w status - u are nonnegative up to rounding.

        They must also be 0 for samples that are never at risk.
        """
        cdef Py_ssize_t j
        cdef double e
        for j in range(self.unseen.shape[0]):
            if u[self.unseen[j]] != 0.0:
                return False
        for j in range(self.n):
            e = (self.w[j] if self.event[j] >= 0 else 0.0) - u[self.sample[j]]
            if e < -self.rounding or (self.last[j] < 0 and e > self.rounding):
                return False
        return True

    cdef bint take_weights(self, const double* eta) noexcept nogil:
        """Compute risks and their sums at eta; return False if they are cached."""
        cdef Py_ssize_t t, j
        cdef double level
        if self.known and memcmp(&self.eta[0], eta, self.eta.shape[0] * sizeof(double)) == 0:
            return False
        memcpy(&self.eta[0], eta, self.eta.shape[0] * sizeof(double))
        self.known = True
        for j in range(self.n):
            self.risk[j] = exponential(self.eta[self.sample[j]] + self.log_w[j])
        self.gather(&self.risk[0], &self.survivors[0], &self.dying[0])
        for t in range(self.m):
            level = (self.survivors[t].k if self.survivors[t].k > self.dying[t].k
                     else self.dying[t].k)
            self.R[t], self.E[t] = in_band(self.survivors[t], level), in_band(self.dying[t], level)
            self.band[t] = level
        return True

    cdef void gather(self, const Wide* x, Wide* survivors, Wide* dying) noexcept nogil:
        """Sum x over the survivors of each event time, and over those who die at it."""
        cdef Py_ssize_t t, j
        self.survival.gather(x, survivors)
        for t in range(self.m):
            dying[t] = nothing()
        for j in range(self.n):
            if self.event[j] >= 0:
                add(&dying[self.event[j]], x[j])

    cdef double share_left(self, Py_ssize_t t, Py_ssize_t before) noexcept nogil:
        """Return the ratio of the sum of risks at an event time to that at an earlier one.

        Both are of one stratum.
        """
        cdef double left = (self.R[t] + self.E[t]) / (self.R[before] + self.E[before])
        return left * exp(BAND * (self.band[t] - self.band[before]))

"""Roots of the Hessian of Cox's partial likelihood, in O(n), or in O(n^3) if someone enters late.

F'' = sum over the terms of d (diag(shares) - shares shares'); each root reads them from its
RiskSets.
"""
import numpy as np

from sparsesolve.linalg.kernels.wide cimport in_band


cdef class ChainedRoot(Semiseparable):
    """The factor of F'' with Breslow's ties, whatever the ties are, if nobody enters late.

    All numbers are relative to the current risk set, and so to its last event time, so risks may
    differ by any factor.
    """

    def __init__(self, RiskSets sets):
        stratum = np.asarray(sets.stratum)
        self.sets, self.leaving = sets, np.lexsort((sets.last, stratum))
        blocks = np.diff(stratum[self.leaving], prepend=-1) > 0
        super().__init__(np.asarray(sets.sample)[self.leaving], blocks, len(sets.eta))
        self.hazard, self.curvature = np.zeros((2, max(sets.m, 1)))
        self.chain = np.zeros((5, max(sets.n, 1)))

    cdef void take(self, double floor) noexcept nogil:
        cdef Py_ssize_t t, j, place, before = -1
        cdef double share, hazard = 0.0, curvature = 0.0
        for t in range(self.sets.m):
            if t == 0 or self.sets.time_stratum[t] != self.sets.time_stratum[t - 1]:
                hazard = curvature = 0.0
            else:
                share = self.sets.share_left(t, t - 1)
                hazard, curvature = hazard * share, curvature * share * share
            hazard += self.sets.deaths[t]
            curvature += self.sets.deaths[t]
            self.hazard[t], self.curvature[t] = hazard, curvature
        for j in range(self.sets.n):
            place = self.leaving[j]
            t = self.sets.last[place]
            self.chain[0, j] = self.chain[1, j] = self.chain[2, j] = 0.0
            self.chain[3, j] = self.sets.share_left(t, before) if t >= 0 and before >= 0 else 1.0
            self.chain[4, j] = floor * self.sets.w[place]
            if t >= 0:
                share = in_band(self.sets.risk[place],
                                self.sets.band[t]) / (self.sets.R[t] + self.sets.E[t])
                self.chain[0, j], self.chain[1, j] = share * self.hazard[t], share
                self.chain[2, j] = self.curvature[t]
            before = t
        self.factor(&self.chain[0, 0], &self.chain[1, 0], &self.chain[2, 0], &self.chain[3, 0],
                    &self.chain[4, 0])


cdef class FilledRoot(DenseRoot):
    """The factor of F'' itself, if someone enters late."""

    def __init__(self, RiskSets sets):
        super().__init__(sets.sample, len(sets.eta))
        self.sets = sets
        self.sharing, self.share = np.empty(max(sets.n, 1), dtype=np.intp), np.empty(max(sets.n, 1))

    cdef bint take(self, double floor) noexcept nogil:
        cdef Py_ssize_t t, l, i, j, k, count
        cdef double d
        for j in range(self.sets.n):
            for i in range(self.sets.n):
                self.L[i, j] = 0.0
            self.L[j, j] = floor * self.sets.w[j]
        for t in range(self.sets.m):
            d = self.sets.deaths[t] / self.sets.n_terms[t]
            for l in range(self.sets.n_terms[t]):
                count = self._share_out(t, 1.0 - <double> l / self.sets.n_terms[t])
                for k in range(count):
                    j = self.sharing[k]
                    self.L[j, j] += d * self.share[k] * (1.0 - self.share[k])
                    for i in range(k + 1, count):
                        self.L[self.sharing[i], j] -= d * self.share[k] * self.share[i]
        return self.factor()

    cdef Py_ssize_t _share_out(self, Py_ssize_t t, double c) noexcept nogil:
        """List the samples at risk at t and their shares if deaths count c each; return their
        number.
        """
        cdef Py_ssize_t j, count = 0
        cdef double own
        for j in range(self.sets.n):
            own = c if self.sets.event[j] == t else 1.0
            if (self.sets.event[j] == t
                    or self.sets.survival.first[j] <= t <= self.sets.survival.last[j]):
                self.share[count] = own * in_band(self.sets.risk[j], self.sets.band[t]) / (
                    self.sets.R[t] + c * self.sets.E[t])
                self.sharing[count] = j
                count += 1
        return count

"""FTRL-Proximal in single precision: 8 bytes a feature, for one response and steps of single
rows.

Given, returned: as for ProximalLeader. Stored for a feature: q and n as two floats, which share
the place of one double of `record`; sums and predictions use double precision. Limit: once n
reaches 2^24 g^2, a gradient g no longer changes n, and the rate of its weight stays.
Reference: McMahan and others, "Ad click prediction: a view from the trenches" (2013), section 4.
"""
from libc.math cimport fabs, sqrt

import numpy as np

from sparsesolve.online.engine cimport Engine
from sparsesolve.online.proximal_leader cimport ProximalLeader, soft


cdef class ShortLeader(ProximalLeader):
    """FTRL-Proximal in single precision; see the head of this file.

    Parameters
    ----------
    n_features, intercept, kind, eta0, beta :
        See ProximalLeader.
    """

    def __init__(self, n_features, intercept, kind=None, eta0=1.0, beta=1.0):
        super().__init__(1, 0, intercept, kind, eta0, beta)
        Engine.__init__(self, 1, n_features, intercept, kind, 1)

    def rows(self):
        """Return the stored numbers, (p, 2); see Engine."""
        return np.asarray(self.record).view(np.float32).reshape(-1, 2).astype(float)

    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil:
        cdef Py_ssize_t a
        cdef double level = self.level[s, 0], ridge = self.scale[s, 0], w, root
        cdef double invert = 1.0 / self.eta0, least = self.beta * self.beta
        cdef float* record = <float*> &self.record[0]
        cdef const float* r
        eta[0] += self.intercept_record[0, 0] * self.eta0 / self.at_root(
            self.intercept_record[1, 0])
        for a in range(count):
            r = record + 2 * index[a]
            if self.kind is not None:
                level = self.level[s, self.kind[index[a]]]
                ridge = self.scale[s, self.kind[index[a]]]
            root = sqrt(least + r[1])
            w = soft(r[0], level) / (root * invert + ridge)
            eta[0] += x[a] * w
            self.largest = max(self.largest, fabs(w))
            self.weight[a], self.root[a] = w, root

    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil:
        cdef Py_ssize_t a
        cdef double u = self.rate[s], g, square, invert = 1.0 / self.eta0
        cdef double least = self.beta * self.beta
        cdef float* record = <float*> &self.record[0]
        cdef float* r
        if self.has_intercept:
            self.learn(&self.intercept_record[0, 0], &self.intercept_record[1, 0], u, slope[0],
                       self.intercept_record[0, 0] * self.eta0
                       / self.at_root(self.intercept_record[1, 0]))
        for a in range(count):
            r = record + 2 * index[a]
            g = slope[0] * x[a]
            square = r[1] + u * g * g
            r[1] = <float> square
            r[0] = <float> (r[0] + (sqrt(least + r[1]) - self.root[a]) * invert * self.weight[a]
                            - u * g)

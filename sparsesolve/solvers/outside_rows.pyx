"""Features outside the working set of a problem with K responses: products with the dual point where bounds do not do.

With T the length of the dual point's path so far, |Z_j'u|, the l2 norm or the largest entry, grows by at most |z_j| dT
(Cauchy-Schwarz): as long as the last size, carried on so, stays below lam l1_j the feature costs one comparison.
"""
from libc.math cimport INFINITY, sqrt

import numpy as np

from sparsesolve.linalg.vector cimport ss_awake
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows


cdef class OutsideRows:
    """All features of a design, until they leave; `size` is what their products were when last seen, (p,)."""
    cdef object design
    cdef ElasticNetRows net
    cdef int n_threads
    cdef double[::1] asleep, norm, last
    cdef int[::1] awake
    cdef readonly double[::1] size
    cdef double travelled

    def __init__(self, design, ElasticNetRows net, int n_threads):
        self.design, self.net, self.n_threads = design, net, n_threads
        self.norm, self.size = design.norms(np.ones(design.n), n_threads), np.zeros(design.p)
        self.last = np.zeros(0)
        self.asleep, self.awake = np.full(design.p, INFINITY), np.empty(design.p + 1, dtype=np.intc)

    @property
    def present(self):
        """Which features have not left, (p,)."""
        return np.asarray(self.asleep) > -INFINITY

    def leave(self, which):
        """These features are looked after by somebody else from now on."""
        np.asarray(self.asleep)[which] = -INFINITY

    def examine(self, const double[:, ::1] u, double lam):
        """Features that no bound keeps below their level at the dual point u (K, n), with their products and sizes."""
        cdef Py_ssize_t i, k, count
        cdef double step = 0.0, one
        cdef const double* point = &u[0, 0]
        if self.last.shape[0] == 0:
            self.last = np.zeros(u.size)
        for k in range(u.shape[0]):
            one = 0.0
            for i in range(k * u.shape[1], (k + 1) * u.shape[1]):
                one += (point[i] - self.last[i]) * (point[i] - self.last[i])
                self.last[i] = point[i]
            step = step + one if self.net.grouped else max(step, one)
        self.travelled += sqrt(step) * (1.0 + 1e-12)
        count = ss_awake(self.norm.shape[0], &self.asleep[0], &self.norm[0], &self.net.l1[0], self.travelled, lam,
                         &self.awake[0])
        cdef int[::1] which = np.array(self.awake[:count])
        products = self.design.response_products(u, which, self.n_threads)
        cdef const double[::1] sizes = self.net.polar(products, which)
        for i in range(count):
            self.size[which[i]] = sizes[i]
            self.asleep[which[i]] = sizes[i] - self.norm[which[i]] * self.travelled
        return np.asarray(which), products, np.asarray(sizes)

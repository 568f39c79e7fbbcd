"""Features outside the working set of a problem with K responses: products with the dual point where bounds do not do.

With T the length of the dual point's path so far, |Z_j'u|, the l2 norm or the largest entry, grows by at most |z_j| dT
(Cauchy-Schwarz): as long as the last size, carried on so, stays below lam l1_j the feature costs one comparison.
"""
from libc.math cimport INFINITY, sqrt

import numpy as np

from sparsesolve.linalg.vector cimport ss_awake
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows

cdef double NO_PENALTY = 1e-14      # beside gradients of the size of 1


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

    def near(self, double level, double lam):
        """Features whose products were beyond level l1_j when last seen, or on which there is no penalty at lam."""
        cdef Py_ssize_t j, count = 0
        for j in range(self.size.shape[0]):
            if self.asleep[j] > -INFINITY and (self.size[j] > level * self.net.l1[j]
                                               or lam * max(self.net.l1[j], self.net.l2[j]) <= NO_PENALTY):
                self.awake[count] = <int> j
                count += 1
        return np.array(self.awake[:count])

    def leave(self, which):
        """These features are looked after by somebody else from now on."""
        np.asarray(self.asleep)[which] = -INFINITY

    def examine(self, const double[:, ::1] u, double lam):
        """Features beyond their level lam l1_j at the dual point u (K, n), with their products (K, count) and sizes."""
        cdef Py_ssize_t i, k, count, over = 0
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
        which = np.array(self.awake[:count])
        products = self.design.response_products(u, which, self.n_threads)
        found = self.net.polar(products, which)
        cdef const int[::1] some = which
        cdef const double[::1] sizes = found
        for i in range(count):
            self.size[some[i]] = sizes[i]
            self.asleep[some[i]] = sizes[i] - self.norm[some[i]] * self.travelled
            if sizes[i] > lam * self.net.l1[some[i]]:
                self.awake[over] = <int> i
                over += 1
        if over < count:
            some = np.array(self.awake[:over])
            which, products, found = which.take(some), products.take(some, axis=1), found.take(some)
        return which, products, found

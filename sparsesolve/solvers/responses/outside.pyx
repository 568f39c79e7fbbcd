"""Features outside the working set of a problem with K responses: products with the dual point where bounds do not do.

|Z_j'u|, the l2 norm or the largest entry, grows by at most |z_j| times the way of u, or of the response whose way is
longest (Cauchy-Schwarz): as long as that keeps it below lam l1_j the feature sleeps (linalg/sleepers).
"""
import numpy as np

from sparsesolve.linalg.sleepers cimport Sleepers
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows

cdef double NO_PENALTY = 1e-14      # beside gradients of the size of 1


cdef class OutsideRows:
    """All features of a design, until they leave; `size` is what their products were when last seen, (p,)."""
    cdef object design
    cdef ElasticNetRows net
    cdef int n_threads
    cdef Sleepers sleepers
    cdef int[::1] awake
    cdef readonly double[::1] size

    def __init__(self, design, ElasticNetRows net, int n_responses, int n_threads):
        self.design, self.net, self.n_threads = design, net, n_threads
        self.size, self.awake = np.zeros(design.p), np.empty(design.p + 1, dtype=np.intc)
        norms = design.norms(np.ones(design.n), n_threads)
        self.sleepers = Sleepers(design.n, norms, net.l1, n_responses, net.grouped)

    def near(self, double level, double lam):
        """Features whose products were beyond level l1_j when last seen, or on which there is no penalty at lam."""
        cdef Py_ssize_t j, count = 0
        for j in range(self.size.shape[0]):
            if not self.sleepers.left(j) and (self.size[j] > level * self.net.l1[j]
                                              or lam * max(self.net.l1[j], self.net.l2[j]) <= NO_PENALTY):
                self.awake[count] = <int> j
                count += 1
        return np.array(self.awake[:count])

    def leave(self, which):
        """These features are looked after by somebody else from now on."""
        cdef Py_ssize_t j
        for j in np.arange(self.size.shape[0])[which]:
            self.sleepers.leave(j)

    def examine(self, const double[:, ::1] u, double lam):
        """Features beyond their level lam l1_j at the dual point u (K, n), with their products (K, count) and sizes."""
        cdef Py_ssize_t i, count, over = 0
        self.sleepers.travel(&u[0, 0])
        count = self.sleepers.awake(lam, &self.awake[0])
        which = np.array(self.awake[:count])
        products = self.design.response_products(u, which, self.n_threads)
        found = self.net.polar(products, which)
        cdef const int[::1] some = which
        cdef const double[::1] sizes = found
        for i in range(count):
            self.size[some[i]] = sizes[i]
            self.sleepers.settle(some[i], sizes[i])
            if sizes[i] > lam * self.net.l1[some[i]]:
                self.awake[over] = <int> i
                over += 1
        if over < count:
            some = np.array(self.awake[:over])
            which, products, found = which.take(some), products.take(some, axis=1), found.take(some)
        return which, products, found

"""Features outside the working set of a problem with K responses: products with the dual point where bounds do not do.

|Z_j'u|, the l2 norm or the largest entry, grows by at most |z_j| times the way of u, or of the response whose way is
longest (Cauchy-Schwarz): as long as that keeps it below lam l1_j the feature sleeps (linalg/sleepers).
"""
from libc.math cimport INFINITY

import numpy as np

from sparsesolve.linalg.sleepers cimport Sleepers
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows

cdef double NO_PENALTY = 1e-14      # beside gradients of the size of 1
cdef double CLOSE = 0.92            # of lam: what is beyond may come in at the next one


cdef class OutsideRows:
    """All features of a design, until they leave; `size` is what their products were when last looked at, (p,)."""
    cdef object design
    cdef ElasticNetRows net
    cdef int n_threads
    cdef Sleepers sleepers
    cdef int[::1] awake, everyone
    cdef int[::1] looked                # at last
    cdef double least                   # penalty factor there is
    cdef readonly double[::1] size

    def __init__(self, design, ElasticNetRows net, int n_responses, int n_threads):
        self.design, self.net, self.n_threads = design, net, n_threads
        self.size, self.awake = np.zeros(design.p), np.empty(design.p + 1, dtype=np.intc)
        self.looked, self.everyone = self.awake[:0], np.arange(design.p, dtype=np.intc)
        self.least = np.maximum(net.l1, net.l2).min(initial=INFINITY)
        norms = design.norms(np.ones(design.n), n_threads)
        self.sleepers = Sleepers(design.n, norms, net.l1, n_responses, net.grouped)

    def near(self, double level, double lam):
        """Features that were beyond level l1_j when last looked at, or on which there is no penalty at lam."""
        cdef Py_ssize_t i, j, count = 0
        cdef const int[::1] some = self.looked if lam * self.least > NO_PENALTY else self.everyone
        cdef int[::1] which = np.empty(some.shape[0], dtype=np.intc)
        for i in range(some.shape[0]):
            j = some[i]
            if not self.sleepers.left(j) and (self.size[j] > level * self.net.l1[j]
                                              or lam * max(self.net.l1[j], self.net.l2[j]) <= NO_PENALTY):
                which[count] = <int> j
                count += 1
        return np.asarray(which)[:count]

    def leave(self, which):
        """These features are looked after by somebody else from now on."""
        cdef Py_ssize_t j
        for j in np.arange(self.size.shape[0])[which]:
            self.sleepers.leave(j)

    def look(self, const double[:, ::1] u, double lam):
        """Features that may be beyond lam l1_j at the dual point u (K, n), or nearly; products (K, count), sizes."""
        cdef Py_ssize_t i, count
        self.sleepers.travel(&u[0, 0])
        count = self.sleepers.awake(CLOSE * lam, &self.awake[0])
        which = np.array(self.awake[:count])
        products = self.design.response_products(u, which, self.n_threads)
        found = self.net.polar(products, which)
        cdef const double[::1] sizes = found
        self.looked = which
        for i in range(count):
            self.size[self.looked[i]] = sizes[i]
            self.sleepers.settle(self.looked[i], sizes[i])
        return which, products, found

    def examine(self, const double[:, ::1] u, double lam):
        """The same of those that are beyond lam l1_j."""
        which, products, found = self.look(u, lam)
        beyond = np.flatnonzero(found > lam * np.take(self.net.l1, which))
        return which.take(beyond), products.take(beyond, axis=1), found.take(beyond)

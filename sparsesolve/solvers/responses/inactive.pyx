"""Inactive features of a problem with K responses: products where bounds do not exclude them.

|Z_j'u|, the l2 norm or the largest entry, grows by at most |z_j| times the change of u, or of the
response that changes most (Cauchy-Schwarz). While this bound stays below lam l1_j, the product
need not be computed (screening/safe_balls).
"""
from libc.math cimport INFINITY

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.solvers.screening.safe_balls cimport SafeBalls
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows

cdef double NO_PENALTY = costs.rounding.NO_PENALTY
cdef double CLOSE = costs.responses.CLOSE


cdef class InactiveRows:
    """Hold all features of a design until they leave."""

    def __init__(self, Design design, ElasticNetRows net, int n_responses, int n_threads):
        self.design, self.net, self.n_threads = design, net, n_threads
        self.size, self.looked = np.zeros(design.p), np.empty(design.p + 1, dtype=np.intc)
        self.least = np.maximum(net.l1, net.l2).min(initial=INFINITY)
        norms = design.norms(np.ones(design.n), n_threads)
        self.safe_balls = SafeBalls(design.n, norms, net.l1, n_responses, net.grouped)

    def near(self, double level, double lam):
        """Return features whose last size exceeds level l1_j, or that are unpenalised at lam."""
        cdef int[::1] which = np.empty(self.size.shape[0] + 1, dtype=np.intc)
        return np.array(which[:self.list_near(level, lam, &which[0])])

    cdef int list_near(self, double level, double lam, int* out) noexcept nogil:
        """List the features of `near` in `out`; return their number."""
        cdef bint all_held = lam * self.least > NO_PENALTY
        cdef Py_ssize_t i, j
        cdef int count = 0
        for i in range(self.n_looked if all_held else self.size.shape[0]):
            j = self.looked[i] if all_held else i
            if not self.safe_balls.dropped(j) and (self.size[j] > level * self.net.l1[j]
                    or lam * max(self.net.l1[j], self.net.l2[j]) <= NO_PENALTY):
                out[count] = <int> j
                count += 1
        return count

    def leave(self, which):
        """Remove the features `which` from the inactive ones."""
        cdef Py_ssize_t j
        for j in np.arange(self.size.shape[0])[which]:
            self.safe_balls.drop(j)

    def look(self, const double[:, ::1] u, double lam):
        """Return features that may be near or beyond lam l1_j at u (K, n).

        Also return their products (K, count) and sizes.
        """
        products = np.asarray(self.find(u, lam))
        which = np.array(self.looked[:self.n_looked])
        return which, products, np.asarray(self.size)[which]

    cdef double[:, ::1] find(self, const double[:, ::1] u, double lam):
        """Store the candidate features in `looked`; return their products."""
        cdef double[:, ::1] products
        cdef Py_ssize_t i, j
        self.safe_balls.move(&u[0, 0])
        self.n_looked = <int> self.safe_balls.candidates(CLOSE * lam, &self.looked[0])
        products = self.design.meet(u, &self.looked[0], self.n_looked, self.n_threads)
        for i in range(self.n_looked):
            j = self.looked[i]
            self.size[j] = self.net.row_polar(products, i, j)
            self.safe_balls.certify(j, self.size[j])
        return products

    def examine(self, const double[:, ::1] u, double lam):
        """Return features beyond lam l1_j, with products and sizes; see `look`."""
        which, products, found = self.look(u, lam)
        beyond = np.flatnonzero(found > lam * np.asarray(self.net.l1)[which])
        return which.take(beyond), products.take(beyond, axis=1), found.take(beyond)

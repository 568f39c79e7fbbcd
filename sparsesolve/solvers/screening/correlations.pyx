"""Products z_j'r of the columns that may pass their threshold, as r moves; the others sleep.

A column sleeps as long as its last product tells that the next cannot come near the threshold
(linalg/safe_balls), which costs one comparison. Columns that are candidates are multiplied: where
they are short or sparse, nothing that could be known of a product costs less than the product.

Everything is in the norm with weights w; r stands for sqrt(w) times a residual in sample space.
"""
from libc.math cimport fabs, sqrt

import numpy as np

from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.solvers.screening.safe_balls cimport SafeBalls
from sparsesolve.linalg.kernels.vector cimport ss_multiply

# of the threshold: extrapolation along the path errs by about a hundredth
cdef double ALMOST = 0.99
# of the threshold: where bounds are tight, what may pass it at the next lam is looked at
cdef double CLOSE = 0.9
cdef double SOON = 0.8      # of the threshold: columns above it come along with others, where
# rows of dense columns are more, so that products with newcomers are a pass over memory
MOST_CACHED = 10_000
cdef double UNEVEN = 7.0    # the largest entry of a way of r beside its root mean square, about


cdef class Correlations:
    """Products of the columns of `design` against thresholds lam * threshold_j.

    Parameters
    ----------
    design : Design
    root_w : (n,) square roots of the weights
    threshold : (p,) what |z_j'r| / lam must not exceed
    n_threads : int
    """

    def __cinit__(self, Design design, double[::1] root_w, const double[::1] threshold,
                  int n_threads):
        n, p = design.n, design.p
        self.design, self.root_w, self.n_threads = design, root_w, n_threads
        self.n, self.p = n, p
        self.norm, self.threshold = design.norms(np.square(root_w), n_threads), np.array(threshold)
        self.safe_balls, self.u = self._safe_balls(), np.zeros(n)
        self.close = CLOSE if design.stored < n * p else 1.0
        self.soon = SOON if design.stored == n * p and n > MOST_CACHED else ALMOST
        self.exact, self.product, self.earlier = np.zeros((3, max(p, 1)))
        self.undecided, self.when, self.before = np.zeros((3, max(p, 1)), dtype=np.intc)

    def _safe_balls(self):
        """Columns with m of n values stored: |z_j'dr| <= sqrt(m) |x_j| max |dr_i| where this is
        less, as a rule.

        x_j stands for the column without its centre, which r does not meet.
        """
        cdef Py_ssize_t j
        cdef double[::1] rate = np.array(self.norm)
        cdef const Column* x
        for j in range(self.p):
            x = &self.design.columns[j]
            if UNEVEN * UNEVEN * x.size < self.n:
                rate[j] = -sqrt(<double> x.size) * (self.norm[j] + fabs(x.centre) * x.factor)
        return SafeBalls(self.n, rate, self.threshold)

    def norms(self):
        """|z_j| of every column, (p,)."""
        return np.array(self.norm)

    def products_seen(self):
        """The last product of every column, (p,)."""
        return np.array(self.product[:self.p])

    cdef void leave(self, Py_ssize_t j) noexcept nogil:
        """Column j is looked after by somebody else from now on."""
        self.safe_balls.drop(j)

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        """Find the columns that no bound keeps under lam * threshold, multiply those; returns how
        many.

        undecided[k] is the column, exact[k] its product.
        """
        cdef Py_ssize_t k
        self.safe_balls.move(r)
        if lam != self.lam:
            self.lam = lam
            self.count += 1
        self.n_undecided, self.n_close = self.safe_balls.candidates(self.close * lam,
                &self.undecided[0]), 0
        self.multiply(r)
        for k in range(self.n_undecided):
            self._remember(self.undecided[k], self.exact[k])
        return self.n_undecided

    cdef void multiply_all(self, const double* r) noexcept nogil:
        """The exact product of every column."""
        cdef Py_ssize_t j
        self.safe_balls.move(r)
        self.multiply_each(r)
        for j in range(self.p):
            self._remember(j, self.exact[j])

    cdef int predict_violators(self, const double* r, double lam, double forward,
                               int* which) noexcept nogil:
        """Columns examined last whose product all but reaches lam * threshold at an r to come;
        how many.

        r goes on by `forward` times its last way between two lams.
        """
        cdef int count = self._expected(ALMOST * lam, forward, which)
        return count if count == 0 or self.soon == ALMOST else self._expected(self.soon * lam,
                forward, which)

    cdef int _expected(self, double level, double forward, int* which) noexcept nogil:
        """Those whose product all but reaches level * threshold_j."""
        cdef int k, j, count = 0
        cdef double product
        for k in range(self.n_undecided):
            j = self.undecided[k]
            product = self.product[j]
            if self.when[j] == self.count and self.before[j] == self.count - 1:
                product += forward * (product - self.earlier[j])
            if not self.safe_balls.dropped(j) and fabs(product) > level * self.threshold[j]:
                which[count] = j
                count += 1
        return count

    cdef void multiply(self, const double* r) noexcept nogil:
        """exact = products of the undecided columns with r."""
        if self.n_undecided == 0:
            return
        ss_multiply(self.n, &self.root_w[0], r, &self.u[0])
        self.design.correlate_some(&self.undecided[0], self.n_undecided, &self.u[0], 0.0,
                                   &self.exact[0],
                                   self.n_threads)
        self.products += self.n_undecided

    cdef void multiply_each(self, const double* r) noexcept nogil:
        """exact = products of all columns with r."""
        ss_multiply(self.n, &self.root_w[0], r, &self.u[0])
        self.design.correlate_all(&self.u[0], 0.0, &self.exact[0], self.n_threads)
        self.products += self.p

    cdef void _remember(self, Py_ssize_t j, double product) noexcept nogil:
        if self.when[j] < self.count:
            self.earlier[j], self.before[j] = self.product[j], self.when[j]
        self.product[j], self.when[j] = product, self.count
        self.safe_balls.certify(j, fabs(product))

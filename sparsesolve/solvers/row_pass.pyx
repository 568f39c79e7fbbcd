"""Several points of a path in one pass over the rows of X.

Of each point k, given by coefficients b_k of the columns and c_k of a basis Q: eta_k = offset + Q c_k + Z b_k, the
loss F and u_k = -F' there, and u_k's products with all columns and with the basis.  A stretch of rows is unpacked once
for all points, and stays in cache between the two products with it.
Stripes of rows are summed apart, and in order: the number of threads changes no bit.
"""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.math cimport fabs
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemm

import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.products cimport add_products, stretch
from sparsesolve.losses.base cimport Loss

DEF STRIPES = 8             # of a span,
DEF SPAN = 1_048_576        # so many rows, between two looks at Ctrl-C
DEF SHORT = 1024            # rows that stay in cache between two loops


def suits(design, loss):
    """Whether this pass can be had: columns are dense and in memory, and the loss takes a few rows at a time."""
    return isinstance(design, Design) and design.stored == design.n * design.p and (<Loss> loss).by_rows


cdef class RowPass:
    """What threads share of one pass."""

    cdef Design design
    cdef Loss loss
    cdef const double[::1] offset
    cdef const double[:, ::1] basis         # (f, n), its vectors first in every panel
    cdef const int[::1] order               # (p,) the columns as they follow in it, those at work first
    cdef const double[:, ::1] coefficients  # (K, m): of the first m of a panel
    cdef double[:, ::1] eta, u, panel       # (K, n), (K, n); (threads, rows of a stretch times width)
    cdef double[:, :, ::1] products         # (stripes, K, width)
    cdef double[:, ::1] value               # (stripes, K)
    cdef int f, width

    cdef void run(self, Py_ssize_t start, Py_ssize_t stop, int stripe, int thread) noexcept nogil:
        """The rows start..stop, of one stripe."""
        cdef Py_ssize_t begin, rows = stretch(self.width)
        cdef int j, k, size, K = <int> self.eta.shape[0], m = <int> self.coefficients.shape[1]
        cdef int n = <int> self.design.n
        cdef double one = 1.0
        cdef double* panel = &self.panel[thread, 0]
        begin = start
        while begin < stop:
            size = <int> min(rows, stop - begin)
            for j in range(self.f):
                memcpy(panel + <Py_ssize_t> j * size, &self.basis[j, begin], size * sizeof(double))
            for j in range(self.width - self.f):
                col.unpack(&self.design.columns[self.order[j]], n, begin, begin + size,
                           panel + <Py_ssize_t> (self.f + j) * size)
            for k in range(K):
                memcpy(&self.eta[k, begin], &self.offset[begin], size * sizeof(double))
            if m > 0:
                dgemm("N", "N", &size, &K, &m, &one, panel, &size, <double*> &self.coefficients[0, 0], &m, &one,
                      &self.eta[0, begin], &n)
            for k in range(K):
                self.value[stripe, k] += self.loss.evaluate_rows(begin, begin + size, &self.eta[k, 0], &self.u[k, 0])
            add_products(size, self.width, panel, size, K, &self.u[0, begin], n, &self.products[stripe, 0, 0],
                         self.width)
            begin += size


def evaluate(Design design, Loss loss, const double[::1] offset, basis, B, C, int n_threads):
    """The points of coefficients B (K, p) and C (K, f) of the basis (n, f).

    Returns eta (K, n), F (K,), u (K, n), Z'u (K, p) and Q'u (K, f).
    """
    cdef RowPass all = RowPass()
    cdef Py_ssize_t n = design.n, start, span, stripe, rows
    cdef int threads = max(n_threads, 1)
    at_work = np.any(B, axis=0)
    order = np.argsort(~at_work, kind="stable").astype(np.intc)
    all.design, all.loss, all.offset, all.order = design, loss, offset, order
    all.basis = np.ascontiguousarray(basis.T)
    all.f, all.width = <int> basis.shape[1], <int> (basis.shape[1] + design.p)
    all.coefficients = np.ascontiguousarray(np.hstack([C, B[:, at_work]]))
    K = len(B)
    eta, u = np.empty((K, n)), np.empty((K, n))
    all.eta, all.u = eta, u
    all.panel = np.empty((threads, min(stretch(all.width), n) * all.width))
    spans = (n + SPAN - 1) // SPAN
    products, value = np.zeros((spans * STRIPES, K, all.width)), np.zeros((spans * STRIPES, K))
    all.products, all.value = products, value
    for span in range(spans):
        start = span * SPAN
        rows = (min(SPAN, n - start) + STRIPES - 1) // STRIPES
        with nogil:
            for stripe in prange(STRIPES, num_threads=threads, schedule="static"):
                all.run(start + stripe * rows, min(start + (stripe + 1) * rows, min(start + SPAN, n)),
                        <int> (span * STRIPES + stripe), threadid())
        PyErr_CheckSignals()
    loss.raise_pending()
    met = products.sum(axis=0)
    z = np.empty((K, design.p))
    z[:, order] = met[:, all.f:]
    return eta, value.sum(axis=0), u, z, np.ascontiguousarray(met[:, :all.f])


def cleared(const double[::1] u, const double[:, ::1] heavy, basis, const double[::1] pull):
    """u less the combination `pull` (f,) of the rows of heavy (f, n).

    Returns it, its products with the basis (n, f), and what these are sums of: sums of |u_i q_i|.
    """
    cdef const double[:, ::1] q = np.ascontiguousarray(basis.T)
    cdef Py_ssize_t n = u.shape[0], f = q.shape[0], start, stop, i, j
    cdef double a, b, c
    dual = np.array(u)
    left, size = np.zeros((2, f))
    cdef double[::1] d = dual, l = left, s = size
    with nogil:
        for start in range(0, n, SHORT):
            stop = min(start + SHORT, n)
            for j in range(f):
                a = pull[j]
                for i in range(start, stop):
                    d[i] -= a * heavy[j, i]
            for j in range(f):
                b = c = 0.0
                for i in range(start, stop):
                    b += d[i] * q[j, i]
                    c += fabs(u[i] * q[j, i])
                l[j] += b
                s[j] += c
    return dual, left, size

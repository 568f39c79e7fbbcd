"""Several points of a path in one pass over the rows of X.

    eta_k = offset + Q c_k + Z b_k,    F(eta_k),    u_k = -F'(eta_k),    Z'u_k,    Q'u_k

Given: coefficients b_k of the columns and c_k of a basis Q for K points. Returned: all of the
above. Invariant: stripes of rows are summed apart and in order, so that the number of threads
changes no bit.

A stretch of rows is unpacked once for all points, and stays in cache between the two products
with it. With sparse columns, stored values of these rows are multiplied with eight points at a
time.

Reference: none; the passes are those of Lee, Sun, Saunders (2014) for one point.
"""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.math cimport fabs
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport dgemm

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.kernels.eight cimport gather, spread, ss_one_by_one, ss_side_by_side
from sparsesolve.linalg.gram.products cimport add_products, stretch
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.losses.base cimport Loss

# Stripes of rows of a span, which threads share and which are summed in order: no number of
# threads changes a bit.
DEF STRIPES = 8
# Rows between two looks at Ctrl-C: some tens of milliseconds.
DEF SPAN = 1_048_576
# Points that sparse columns meet at once: one cache line of doubles.
DEF EIGHT = 8
# Rows in which they do: 2,048 x 8 doubles stay in the second cache.
DEF ROWS = 2048
# Rows that stay in the first cache between two loops.
DEF SHORT = 1024


def suits(design, loss):
    """Return True if X is in memory and the loss can be evaluated on a few rows at a time."""
    return isinstance(design, Design) and (<Loss> loss).by_rows


cdef class RowPass:
    """What threads share in one pass; a subclass processes a stripe of rows."""

    cdef Design design
    cdef Loss loss
    cdef const double[::1] offset
    cdef const double[:, ::1] basis         # (f, n)
    cdef const int[::1] order               # (p,) the columns, working ones first
    cdef const double[:, ::1] coefficients  # (K, m), of the basis and of the working columns
    cdef double[:, ::1] eta, u, room        # (K, n), (K, n), (threads, what run needs)
    cdef double[:, :, ::1] products         # (stripes, K, f + p)
    cdef double[:, ::1] value               # (stripes, K)
    cdef int f, width                       # width = f + p

    def __init__(self, Design design, Loss loss, offset, basis, B, C, int threads):
        working = np.any(B, axis=0)
        self.order = np.argsort(~working, kind="stable").astype(np.intc)
        self.design, self.loss, self.offset = design, loss, offset
        self.basis = np.ascontiguousarray(basis.T)
        self.f, self.width = <int> basis.shape[1], <int> (basis.shape[1] + design.p)
        self.coefficients = np.ascontiguousarray(np.hstack([C, B[:, working]]))
        # Two arrays: below 32 MB their memory is reused from the last pass and need not be
        # cleared.
        self.eta, self.u = np.empty((len(B), design.n)), np.empty((len(B), design.n))
        self._make_room(threads)

    def points(self, int threads):
        """Read all rows; return eta, F, u, and the products with the columns and the basis."""
        cdef Py_ssize_t n = self.design.n, start, span, stripe, rows
        cdef Py_ssize_t spans = (n + SPAN - 1) // SPAN, K = self.eta.shape[0]
        products, value = np.zeros((spans * STRIPES, K, self.width)), np.zeros((spans * STRIPES, K))
        self.products, self.value = products, value
        for span in range(spans):
            start = span * SPAN
            rows = (min(SPAN, n - start) + STRIPES - 1) // STRIPES
            with nogil:
                for stripe in prange(STRIPES, num_threads=threads, schedule="static"):
                    self.run(start + stripe * rows,
                             min(start + (stripe + 1) * rows,
                                 min(start + SPAN, n)), <int> (span * STRIPES + stripe), threadid())
            PyErr_CheckSignals()
        self.loss.raise_pending()
        sums, z = products.sum(axis=0), np.empty((K, self.design.p))
        z[:, self.order] = sums[:, self.f:]
        return np.asarray(self.eta), value.sum(axis=0), np.asarray(self.u), z, sums[:, :self.f]

    def _make_room(self, int threads):
        """Allocate the work space of each thread."""

    cdef void run(self, Py_ssize_t start, Py_ssize_t stop, int stripe, int thread) noexcept nogil:
        """Process the rows start..stop of one stripe."""

    cdef void evaluate_rows(self, Py_ssize_t begin, Py_ssize_t end, int stripe) noexcept nogil:
        cdef int k
        for k in range(<int> self.eta.shape[0]):
            self.value[stripe, k] += self.loss.evaluate_rows(begin, end, &self.eta[k, 0],
                    &self.u[k, 0])


cdef class DensePass(RowPass):
    """Stretches of rows of all columns, multiplied with all points by matrix products."""

    def _make_room(self, int threads):
        self.room = np.empty((threads, min(stretch(self.width), self.design.n) * self.width))

    cdef void run(self, Py_ssize_t start, Py_ssize_t stop, int stripe, int thread) noexcept nogil:
        cdef Py_ssize_t begin = start, rows = stretch(self.width)
        cdef int j, k, size, K = <int> self.eta.shape[0], m = <int> self.coefficients.shape[1]
        cdef int n = <int> self.design.n
        cdef double one = 1.0
        cdef double* panel = &self.room[thread, 0]
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
                dgemm("N", "N", &size, &K, &m, &one, panel, &size,
                      <double*> &self.coefficients[0, 0], &m, &one, &self.eta[0, begin], &n)
            self.evaluate_rows(begin, begin + size, stripe)
            add_products(size, self.width, panel, size, K, &self.u[0, begin], n,
                         &self.products[stripe, 0, 0], self.width)
            begin += size


cdef class SparsePass(RowPass):
    """Stored values of a block of rows, multiplied with eight points at a time, column by column.
    """

    # (threads, 2, p): where a block begins and ends in each column.
    cdef Py_ssize_t[:, :, ::1] place

    def _make_room(self, int threads):
        self.room = np.empty((threads, ROWS * EIGHT))
        self.place = np.empty((threads, 2, max(self.design.p, 1)), dtype=np.intp)

    cdef void run(self, Py_ssize_t start, Py_ssize_t stop, int stripe, int thread) noexcept nogil:
        cdef Py_ssize_t begin = start, end
        cdef Py_ssize_t* first = &self.place[thread, 0, 0]
        cdef Py_ssize_t* last = &self.place[thread, 1, 0]
        cdef int j, k, p = <int> self.design.p, K = <int> self.eta.shape[0]
        cdef const Column* columns = self.design.columns
        for j in range(p):
            last[j] = col.place_of(&columns[self.order[j]], start, 0, self.design.n)
        while begin < stop:
            end = min(begin + ROWS, stop)
            for j in range(p):
                first[j] = last[j]
                last[j] = col.place_of(&columns[self.order[j]], end, first[j], end - begin)
            for k in range(0, K, EIGHT):
                self._combine(begin, end, k, min(EIGHT, K - k), first, last, &self.room[thread, 0])
            self.evaluate_rows(begin, end, stripe)
            for k in range(0, K, EIGHT):
                self._correlate(begin, end, k, min(EIGHT, K - k), first, last,
                                &self.room[thread, 0], stripe)
            begin = end

    cdef void _combine(self, Py_ssize_t begin, Py_ssize_t end, int k, int K,
            const Py_ssize_t* first, const Py_ssize_t* last, double* block) noexcept nogil:
        """Compute eta of the points k..k + K in these rows."""
        cdef Py_ssize_t i
        cdef int j, l
        cdef double[EIGHT] b, constant
        cdef const Column* x
        memset(block, 0, (end - begin) * EIGHT * sizeof(double))
        memset(b, 0, EIGHT * sizeof(double))
        memset(constant, 0, EIGHT * sizeof(double))
        for j in range(<int> self.coefficients.shape[1] - self.f):
            x = &self.design.columns[self.order[j]]
            for l in range(K):
                b[l] = self.coefficients[k + l, self.f + j] * x.factor
                constant[l] -= b[l] * x.centre
            spread(x, first[j], last[j], begin, b, block)
        ss_one_by_one(end - begin, K, block, &self.eta[k, begin], self.design.n)
        for l in range(K):
            for i in range(begin, end):
                self.eta[k + l, i] += self.offset[i] + constant[l]
            for j in range(self.f):
                axpy(end - begin, self.coefficients[k + l, j], &self.basis[j, begin],
                     &self.eta[k + l, begin])

    cdef void _correlate(self, Py_ssize_t begin, Py_ssize_t end, int k, int K,
                         const Py_ssize_t* first,
                         const Py_ssize_t* last, double* block, int stripe) noexcept nogil:
        """Add products of these points' u in these rows."""
        cdef Py_ssize_t i
        cdef int j, l
        cdef double[EIGHT] total, sums
        cdef const Column* x
        ss_side_by_side(end - begin, K, &self.u[k, begin], self.design.n, block)
        memset(total, 0, EIGHT * sizeof(double))
        for i in range(end - begin):
            for l in range(EIGHT):
                total[l] += block[EIGHT * i + l]
        for j in range(<int> self.design.p):
            x = &self.design.columns[self.order[j]]
            memset(sums, 0, EIGHT * sizeof(double))
            gather(x, first[j], last[j], begin, block, sums)
            for l in range(K):
                self.products[stripe, k + l, self.f + j] += x.factor * (sums[l]
                        - x.centre * total[l])
        for l in range(K):
            for j in range(self.f):
                self.products[stripe, k + l, j] += dot(end - begin, &self.basis[j, begin],
                                                       &self.u[k + l, begin])


def evaluate(Design design, Loss loss, offset, basis, B, C, int n_threads):
    """Evaluate the points of coefficients B (K, p) and C (K, f) of the basis (n, f).

    Returns eta (K, n), F (K,), u (K, n), Z'u (K, p) and Q'u (K, f).
    """
    cdef int threads = max(n_threads, 1)
    kind = DensePass if design.stored == design.n * design.p else SparsePass
    return kind(design, loss, offset, basis, B, C, threads).points(threads)


def cleared(const double[::1] u, const double[:, ::1] heavy, basis, const double[::1] pull):
    """Subtract from u the combination `pull` (f,) of the rows of heavy (f, n).

    Returns the result, its products with the basis (n, f), and the sums of |u_i q_i| that bound
    their rounding.
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

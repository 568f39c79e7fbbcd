"""Inner products of many columns at once, by the fastest available kernel.

All matrices are column-major with leading dimensions `lda`, `ldb` and `ld`, and their columns are
long. BLAS copies both factors before it multiplies them, which dominates the cost if a few
columns meet many. Products with one vector, and the subtraction of combinations of columns, are
also shared by threads here.
"""
from cython.parallel cimport prange
from libc.string cimport memset
from scipy.linalg.cython_blas cimport dgemm, dsyrk

import numpy as np

from sparsesolve.linalg.kernels.pass_threads cimport OPERATION, clock, end_pass, begin_pass

cdef extern from "products.h" nogil:
    bint SS_512_HERE
    int SS_MANY_COLUMNS
    int SS_FEW_COLUMNS
    int SS_FEW
    void ss_subtract_all(Py_ssize_t n, Py_ssize_t count, const double* w, const double* q,
                         const int* which, Py_ssize_t stride, double* out) noexcept
    void ss_add_dots(Py_ssize_t n, Py_ssize_t count, const double* q, const int* which,
                     Py_ssize_t stride, const double* v, double* out) noexcept
    void ss_add_products(Py_ssize_t n, Py_ssize_t size, const double* A, Py_ssize_t lda,
                         Py_ssize_t count,
                         const double* B, Py_ssize_t ldb, bint upper, double* G,
                         Py_ssize_t ld) noexcept
    void ss_add_few_products(Py_ssize_t n, Py_ssize_t size, const double* A, Py_ssize_t lda,
                             Py_ssize_t count,
                             const double* B, Py_ssize_t ldb, bint upper, double* G,
                         Py_ssize_t ld) noexcept

# Threads share a product with at least this many multiply-adds; below it, waiting costs more.
cdef double WORTH_THREADS = 4e6
# Threads share a pass with at least this many values, each read once; below it, waiting costs
# more.
cdef Py_ssize_t WORTH_SHARING = 100_000
# Number of vectors multiplied at a time, and of rows added while a sum is loaded and stored once.
DEF TOGETHER = 8
# Columns of such rows that are processed at a time.
DEF WIDTH = 4096


cdef void add_products(Py_ssize_t n, int size, const double* A, int lda, int count, const double* B,
                       int ldb,
                       double* G, int ld) noexcept nogil:
    """Add A'B to G (size, count) for A (n, size) and B (n, count)."""
    if SS_512_HERE:
        ss_add_products(n, size, A, lda, count, B, ldb, False, G, ld)
    elif min(size, count) <= SS_FEW:
        ss_add_few_products(n, size, A, lda, count, B, ldb, False, G, ld)
    else:
        _add_by_blas(n, size, A, lda, count, B, ldb, G, ld)


cdef void add_gram(Py_ssize_t n, int size, const double* A, int lda, double* G,
                   int ld) noexcept nogil:
    """Add A'A to the upper triangle of G (size, size) for A (n, size); the rest is undefined."""
    if SS_512_HERE:
        ss_add_products(n, size, A, lda, size, A, lda, True, G, ld)
    elif size <= SS_FEW:
        ss_add_few_products(n, size, A, lda, size, A, lda, True, G, ld)
    else:
        _add_gram_by_blas(n, size, A, lda, G, ld)


cdef void share_products(Py_ssize_t n, int size, const double* A, int lda, int count,
                         const double* B, int ldb,
                         double* G, int ld, int n_threads) noexcept nogil:
    """Compute add_products in threads, with the same bits; BLAS products are not shared."""
    cdef Py_ssize_t start, part = SS_MANY_COLUMNS if SS_512_HERE else SS_FEW_COLUMNS
    cdef bint worth = <double> n * size * count >= WORTH_THREADS and (
        SS_512_HERE or min(size, count) <= SS_FEW)
    cdef int threads = begin_pass(n_threads) if worth else 1
    cdef double begun
    if threads == 1:
        add_products(n, size, A, lda, count, B, ldb, G, ld)
        return
    begun = clock()
    for start in prange(0, size, part, num_threads=threads, schedule="static"):
        add_products(n, <int> min(part, size - start), A + start * lda, lda, count, B, ldb,
                     G + start, ld)
    end_pass(threads, begun, OPERATION * n * size * count)


cdef void share_gram(Py_ssize_t n, int size, const double* A, int lda, double* G, int ld,
                     int n_threads) noexcept nogil:
    """Compute add_gram in threads, with the same bits; BLAS products are not shared."""
    cdef Py_ssize_t start
    cdef bint worth = SS_512_HERE and <double> n * size * size >= WORTH_THREADS
    cdef int threads = begin_pass(n_threads) if worth else 1
    cdef double begun
    if threads == 1:
        add_gram(n, size, A, lda, G, ld)
        return
    begun = clock()
    for start in prange(0, size, SS_MANY_COLUMNS, num_threads=threads, schedule="static",
                        chunksize=1):
        ss_add_products(n, min(<Py_ssize_t> SS_MANY_COLUMNS, size - start), A + start * lda, lda,
                        size - start,
                        A + start * lda, lda, True, G + start + start * ld, ld)
    end_pass(threads, begun, OPERATION * n * size * size)


cdef void subtract_all(Py_ssize_t n, Py_ssize_t count, const double* w, const double* q,
                       const int* which, Py_ssize_t stride, double* out) noexcept nogil:
    """Set out -= sum_k w_k q_k for the vectors which[k] of q, or k, that start `stride` apart."""
    ss_subtract_all(n, count, w, q, which, stride, out)


cdef void add_dots(Py_ssize_t n, Py_ssize_t count, const double* q, const int* which,
                   Py_ssize_t stride, const double* v, double* out) noexcept nogil:
    """Set out_k += q_k'v for these vectors."""
    ss_add_dots(n, count, q, which, stride, v, out)


cdef inline Py_ssize_t _share(Py_ssize_t size, int n_threads) noexcept nogil:
    """Return each thread's share, a multiple of the columns multiplied at a time.

    The sums are then those of one thread.
    """
    return (size + TOGETHER * n_threads - 1) // (TOGETHER * n_threads) * TOGETHER


cdef void share_dots(Py_ssize_t n, int count, const double* Z, const int* which, const double* v,
                     double* out,
                     int n_threads) noexcept nogil:
    """Set out[k] = v'z for column which[k] of Z, or column k, in threads, with the same bits."""
    cdef Py_ssize_t start, part
    cdef int threads = begin_pass(n_threads) if n * count >= WORTH_SHARING else 1
    cdef double begun
    memset(out, 0, count * sizeof(double))
    if threads == 1:
        ss_add_dots(n, count, Z, which, n, v, out)
        return
    begun, part = clock(), _share(count, threads)
    for start in prange(0, count, part, num_threads=threads, schedule="static", chunksize=1):
        ss_add_dots(n, min(part, count - start), Z if which != NULL else Z + n * start,
                    which + start if which != NULL else NULL, n, v, out + start)
    end_pass(threads, begun, <double> n * count)


cdef void share_subtract(Py_ssize_t n, int count, const double* b, const double* Z,
                         const int* which, double* v,
                         int n_threads) noexcept nogil:
    """Subtract b[k] z from v for all these columns, in threads, with the same bits."""
    cdef Py_ssize_t start, part
    cdef int threads = begin_pass(n_threads) if n * count >= WORTH_SHARING else 1
    cdef double begun
    if threads == 1:
        ss_subtract_all(n, count, b, Z, which, n, v)
        return
    begun, part = clock(), _share(n, threads)
    for start in prange(0, n, part, num_threads=threads, schedule="static", chunksize=1):
        ss_subtract_all(min(part, n - start), count, b, Z + start, which, n, v + start)
    end_pass(threads, begun, <double> n * count)


cdef void _add_by_blas(Py_ssize_t n, int size, const double* A, int lda, int count, const double* B,
                       int ldb,
                       double* G, int ld) noexcept nogil:
    cdef int length = <int> n
    cdef double one = 1.0
    dgemm("T", "N", &size, &count, &length, &one, <double*> A, &lda, <double*> B, &ldb, &one, G,
          &ld)


cdef void _add_gram_by_blas(Py_ssize_t n, int size, const double* A, int lda, double* G,
                            int ld) noexcept nogil:
    cdef int length = <int> n
    cdef double one = 1.0
    dsyrk("U", "T", &size, &length, &one, <double*> A, &lda, &one, G, &ld)


# The functions below take arrays whose rows are columns in the sense above.

def row_products(u, rows):
    """Return u @ rows.T (K, m) for u (K, n) and rows (m, n)."""
    cdef const double[:, ::1] a = np.ascontiguousarray(rows), b = np.ascontiguousarray(u)
    cdef int n = <int> a.shape[1], m = <int> a.shape[0], K = <int> b.shape[0]
    out = np.zeros((K, m))
    cdef double[:, ::1] o = out
    if n and m and K:
        with nogil:
            add_products(n, m, &a[0, 0], n, K, &b[0, 0], n, &o[0, 0], m)
    return out


def row_sums(B, rows):
    """Return B @ rows (K, n) for B (K, m) and rows (m, n)."""
    cdef const double[:, ::1] a = np.ascontiguousarray(rows), b = np.negative(B, order="C")
    cdef Py_ssize_t n = a.shape[1], m = a.shape[0], K = b.shape[0], start, j, k
    out = np.zeros((K, n))
    cdef double[:, ::1] o = out
    with nogil:
        for start in range(0, n, WIDTH):
            for j in range(0, m, TOGETHER):
                for k in range(K):
                    ss_subtract_all(min(WIDTH, n - start), min(TOGETHER, m - j), &b[k, j],
                                    &a[j, start],
                                    NULL, n, &o[k, start])
    return out


# Slow Python functions, for tests.

def products_and_sums(A, B, kernel, int n_threads=1):
    """Return 1 + A'B for column-major A (n, m) and B (n, k).

    For B = None it is the upper triangle of 1 + A'A. `kernel` is "blas", the kernel for "few"
    columns, or the one for "many" (the same as "few" without 512-bit vectors), or "chosen", which
    is shared by n_threads threads.
    """
    cdef const double[::1, :] a = A, b = A if B is None else B
    cdef int n = a.shape[0], m = a.shape[1], k = b.shape[1]
    cdef double[::1, :] out = np.ones((m, k), order="F")
    if kernel == "chosen" and B is None:
        share_gram(n, m, &a[0, 0], n, &out[0, 0], m, n_threads)
    elif kernel == "chosen":
        share_products(n, m, &a[0, 0], n, k, &b[0, 0], n, &out[0, 0], m, n_threads)
    elif kernel == "blas" and B is None:
        _add_gram_by_blas(n, m, &a[0, 0], n, &out[0, 0], m)
    elif kernel == "blas":
        _add_by_blas(n, m, &a[0, 0], n, k, &b[0, 0], n, &out[0, 0], m)
    elif kernel == "few" or not SS_512_HERE:
        ss_add_few_products(n, m, &a[0, 0], n, k, &b[0, 0], n, B is None, &out[0, 0], m)
    else:
        ss_add_products(n, m, &a[0, 0], n, k, &b[0, 0], n, B is None, &out[0, 0], m)
    return np.triu(out) if B is None else np.asarray(out)

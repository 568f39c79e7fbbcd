"""Dense symmetric matrices on several threads: products, sums, and a survey of their entries.

Only the lower triangle is read, once for both triangles. The loops wait for memory, so this
halves their time. Matrices are cut into the same pieces for any number of threads, and sums are
added in the order of the pieces. So the number of threads changes no bit of a result.
"""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange
from libc.math cimport sqrt
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.kernels.pass_threads cimport clock, end_pass, begin_pass
from sparsesolve.linalg.kernels.vector cimport ss_axpy_f32, ss_axpy_f64

cdef extern from "symmetric.h" nogil:
    void ss_four_rows_f64(Py_ssize_t count, const double* k, Py_ssize_t stride, const double* u,
                          const double* v, double* out, double* sums) noexcept
    void ss_four_rows_f32(Py_ssize_t count, const float* k, Py_ssize_t stride, const double* u,
                          const double* v, double* out, double* sums) noexcept
    double ss_survey_row_f64(Py_ssize_t count, const double* row, const double* column,
                             Py_ssize_t stride, double* crossed, double* sums) noexcept
    double ss_survey_row_f32(Py_ssize_t count, const float* row, const float* column,
                             Py_ssize_t stride, double* crossed, double* sums) noexcept

# A matrix is divided into this many pieces of equal area.
DEF PARTS = 4
# Partial sums have at most this many numbers at a time, which bounds their memory.
DEF TOGETHER = 1 << 22
# A tile has this many rows and columns, so that it is compared in cache.
DEF TILE = 64
# A thread takes this many rows of a sum at a time.
DEF ROWS = 16


cdef struct Dense:
    size_t values       # address of the values
    Py_ssize_t stride   # numbers from one row to the next
    Py_ssize_t single   # 1 for float32


cdef class Symmetric:
    """Dense symmetric matrices of one size, in place.

    Parameters
    ----------
    matrices : list of (n, n) float64 or float32 arrays with contiguous rows
    """
    cdef readonly Py_ssize_t n, count
    cdef list matrices
    cdef Dense[::1] dense

    def __init__(self, matrices):
        cdef Py_ssize_t m
        self.matrices, self.count = list(matrices), len(matrices)
        self.n = len(matrices[0]) if self.count else 0
        fields = [("values", np.uintp), ("stride", np.intp), ("single", np.intp)]
        self.dense = np.zeros(max(self.count, 1), dtype=fields)
        for m in range(self.count):
            matrix = self.matrices[m]
            if matrix.shape != (self.n, self.n) or matrix.strides[1] != matrix.itemsize:
                raise ValueError(f"matrix {m} is not a square of contiguous rows")
            if matrix.dtype not in (np.float64, np.float32):
                raise TypeError(f"matrix {m} holds {matrix.dtype}")
            self.dense[m].values = matrix.__array_interface__["data"][0]
            self.dense[m].stride = matrix.strides[0] // matrix.itemsize
            self.dense[m].single = matrix.dtype == np.float32

    def times(self, which, vectors, int n_threads=1):
        """Return K_m v for each m in `which` (k,) and each row v of vectors (q, n), (k, q, n)."""
        cdef const double[:, ::1] v = np.ascontiguousarray(vectors, dtype=float)
        cdef Py_ssize_t q = v.shape[0], n = self.n, k, first, step, count
        cdef const Py_ssize_t[::1] chosen = np.ascontiguousarray(which, dtype=np.intp)
        out = np.empty((chosen.shape[0], q, n))
        cdef double[:, :, ::1] result = out
        cdef Py_ssize_t[::1] cuts = _equal_areas(n)
        cdef double[:, :, :, ::1] sums
        cdef int item, threads
        cdef double begun
        if not n or not q:
            return out
        step = max(1, min(chosen.shape[0], TOGETHER // (PARTS * q * n)))
        sums = np.empty((step, PARTS, q, n))
        for first in range(0, chosen.shape[0], step):
            PyErr_CheckSignals()
            count = min(step, chosen.shape[0] - first)
            with nogil:
                begun, threads = clock(), begin_pass(n_threads)
                for item in prange(count * PARTS, num_threads=threads, schedule="dynamic"):
                    _times_rows(&self.dense[chosen[first + item // PARTS]], n, q,
                                cuts[item % PARTS], cuts[item % PARTS + 1], &v[0, 0],
                                &sums[item // PARTS, item % PARTS, 0, 0])
                for k in prange(count, num_threads=threads, schedule="static"):
                    _add_parts(q * n, &sums[k, 0, 0, 0], &result[first + k, 0, 0])
                end_pass(threads, begun, <double> count * n * n * q)
        return out

    def total(self, which, scale, out, int n_threads=1):
        """Write sum_k scale[k] K_which[k] into the lower triangle of `out` (n, n)."""
        cdef const Py_ssize_t[::1] chosen = np.ascontiguousarray(which, dtype=np.intp)
        cdef const double[::1] c = np.ascontiguousarray(scale, dtype=float)
        cdef double[:, ::1] sums = out
        cdef int piece, pieces = (self.n + ROWS - 1) // ROWS, threads
        cdef double begun
        PyErr_CheckSignals()
        with nogil:
            begun, threads = clock(), begin_pass(n_threads)
            for piece in prange(pieces, num_threads=threads, schedule="dynamic"):
                _total_rows(self.dense, chosen, c, piece * ROWS,
                            min(piece * ROWS + ROWS, self.n), sums)
            end_pass(threads, begun, <double> chosen.shape[0] * self.n * self.n)

    def survey(self, int n_threads=1):
        """Read every entry once; return five numbers per matrix, (count, 5).

        They are the largest |K_ij - K_ji|; a bound of the largest eigenvalue, the smaller of the
        Frobenius norm and the largest row sum of |K_ij|; the trace; the least diagonal entry; and
        the sum of squares, which is NaN or infinite if an entry is.
        """
        out = np.zeros((self.count, 5))
        cdef double[:, ::1] result = out
        cdef double[:, ::1] sums = np.empty((max(self.count, 1), max(self.n, 1)))
        cdef int m
        PyErr_CheckSignals()
        with nogil:
            for m in prange(self.count, num_threads=n_threads, schedule="dynamic"):
                _survey(&self.dense[m], self.n, &sums[m, 0], &result[m, 0])
        return out


cdef inline double entry(const Dense* K, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    if K.single:
        return (<const float*> K.values)[i * K.stride + j]
    return (<const double*> K.values)[i * K.stride + j]


def _equal_areas(Py_ssize_t n):
    """Return the rows (PARTS + 1,), multiples of 4, that cut the triangle into equal areas."""
    cuts = np.round(n / 4 * np.sqrt(np.arange(PARTS + 1) / PARTS)).astype(np.intp) * 4
    cuts[PARTS] = n
    return np.minimum(cuts, n)


cdef void _times_rows(const Dense* K, Py_ssize_t n, Py_ssize_t q, Py_ssize_t begin, Py_ssize_t end,
                      const double* v, double* out) noexcept nogil:
    """Write into out (q, n) what rows begin..end of the lower triangle add to K v."""
    cdef Py_ssize_t i = begin, r, j, k, rows
    cdef double value
    cdef double[4] sums
    memset(out, 0, q * n * sizeof(double))
    while i < end:
        rows = min(4, end - i)
        for k in range(q):
            for r in range(4):
                sums[r] = 0.0
            if rows == 4:
                if K.single:
                    ss_four_rows_f32(i, (<const float*> K.values) + i * K.stride, K.stride,
                                     v + k * n, v + k * n + i, out + k * n, sums)
                else:
                    ss_four_rows_f64(i, (<const double*> K.values) + i * K.stride, K.stride,
                                     v + k * n, v + k * n + i, out + k * n, sums)
            for r in range(rows):
                for j in range(i if rows == 4 else 0, i + r):
                    value = entry(K, i + r, j)
                    sums[r] += value * v[k * n + j]
                    out[k * n + j] += value * v[k * n + i + r]
                out[k * n + i + r] += sums[r] + entry(K, i + r, i + r) * v[k * n + i + r]
        i += rows


cdef void _add_parts(Py_ssize_t size, const double* parts, double* out) noexcept nogil:
    cdef Py_ssize_t i, part
    for i in range(size):
        out[i] = parts[i]
    for part in range(1, PARTS):
        ss_axpy_f64(size, 1.0, parts + part * size, 0.0, out)


cdef void _total_rows(const Dense[::1] dense, const Py_ssize_t[::1] which, const double[::1] scale,
                      Py_ssize_t begin, Py_ssize_t end, double[:, ::1] out) noexcept nogil:
    """Write rows begin..end of a sum of matrices, up to the diagonal."""
    cdef Py_ssize_t i, k
    cdef const Dense* K
    for i in range(begin, end):
        memset(&out[i, 0], 0, (i + 1) * sizeof(double))
    for k in range(which.shape[0]):
        K = &dense[which[k]]
        for i in range(begin, end):
            if K.single:
                ss_axpy_f32(i + 1, scale[k], (<const float*> K.values) + i * K.stride, 0.0,
                            &out[i, 0])
            else:
                ss_axpy_f64(i + 1, scale[k], (<const double*> K.values) + i * K.stride, 0.0,
                            &out[i, 0])


cdef void _survey(const Dense* K, Py_ssize_t n, double* row_sums, double* out) noexcept nogil:
    """Fill the five numbers of `Symmetric.survey` of one matrix."""
    cdef Py_ssize_t i, row, column, count
    cdef double apart = 0.0, largest = 0.0, value
    cdef double[2] sums
    memset(row_sums, 0, n * sizeof(double))
    out[3] = entry(K, 0, 0)
    for row in range(0, n, TILE):
        for column in range(0, row + 1, TILE):
            for i in range(row, min(row + TILE, n)):
                sums[0] = sums[1] = 0.0
                count = min(TILE, i - column)
                if count > 0:
                    if K.single:
                        value = ss_survey_row_f32(
                            count, (<const float*> K.values) + i * K.stride + column,
                            (<const float*> K.values) + column * K.stride + i, K.stride,
                            row_sums + column, sums)
                    else:
                        value = ss_survey_row_f64(
                            count, (<const double*> K.values) + i * K.stride + column,
                            (<const double*> K.values) + column * K.stride + i, K.stride,
                            row_sums + column, sums)
                    apart = max(apart, value)
                row_sums[i] += sums[0]
                out[4] += 2.0 * sums[1]
    for i in range(n):
        value = entry(K, i, i)
        out[2] += value
        out[3] = min(out[3], value)
        out[4] += value * value
        largest = max(largest, row_sums[i] + (value if value > 0.0 else -value))
    out[0], out[1] = apart, min(sqrt(out[4]), largest)

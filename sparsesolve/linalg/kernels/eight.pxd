"""Products of the stored values of a Column with eight vectors in a block of rows (eight.h)."""
from sparsesolve.linalg.design.column cimport Column

cdef extern from "eight.h" nogil:
    void ss_spread_f64(Py_ssize_t n, const double* x, const int* rows, int first, const double* b,
                       double* block) noexcept
    void ss_spread_f32(Py_ssize_t n, const float* x, const int* rows, int first, const double* b,
                       double* block) noexcept
    void ss_gather_f64(Py_ssize_t n, const double* x, const int* rows, int first,
                       const double* block,
                       double* sum) noexcept
    void ss_gather_f32(Py_ssize_t n, const float* x, const int* rows, int first,
                       const double* block,
                       double* sum) noexcept
    void ss_side_by_side(Py_ssize_t n, Py_ssize_t K, const double* rows, Py_ssize_t stride,
                         double* block) noexcept
    void ss_one_by_one(Py_ssize_t n, Py_ssize_t K, const double* block, double* rows,
                       Py_ssize_t stride) noexcept


cdef inline void spread(const Column* x, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t first,
                        const double* b,
                        double* block) noexcept nogil:
    """Add the values start..stop times b (8,) to the block, which starts with row `first`."""
    cdef const int* rows = x.rows + start if x.rows != NULL else NULL
    if x.single:
        ss_spread_f32(stop - start, <const float*> x.values + start, rows, <int> first, b, block)
    else:
        ss_spread_f64(stop - start, <const double*> x.values + start, rows, <int> first, b, block)


cdef inline void gather(const Column* x, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t first,
                        const double* block,
                        double* sum) noexcept nogil:
    """Add the products of the values start..stop with the block to sum (8,).

    The block starts with row `first`.
    """
    cdef const int* rows = x.rows + start if x.rows != NULL else NULL
    if x.single:
        ss_gather_f32(stop - start, <const float*> x.values + start, rows, <int> first, block, sum)
    else:
        ss_gather_f64(stop - start, <const double*> x.values + start, rows, <int> first, block, sum)

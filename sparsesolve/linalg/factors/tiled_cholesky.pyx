"""Cholesky factor L L' of a dense positive definite matrix, in place, tile by tile, in threads.

The tiles and the order of the sums in each do not depend on the number of threads, so the factor
does not either.
"""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange
from scipy.linalg.cython_blas cimport dgemm, dsyrk, dtrsm
from scipy.linalg.cython_lapack cimport dpotrf

from sparsesolve.linalg.kernels.pass_threads cimport OPERATION, clock, end_pass, begin_pass

# A tile has this many rows and columns.
DEF TILE = 160
# Each thread solves for this many right-hand sides at a time.
DEF TOGETHER = 8


def factorise(double[:, ::1] matrix, int n_threads=1):
    """Overwrite the lower triangle of `matrix` by L; return True if it is positive definite.

    If it is not, the contents are useless.
    """
    cdef int n = matrix.shape[0], start, width, info = 0, tile, tiles, threads
    cdef double begun, left
    cdef double* A
    if n == 0:
        return True
    A = &matrix[0, 0]
    for start in range(0, n, TILE):
        PyErr_CheckSignals()
        width = min(TILE, n - start)
        tiles = (n - start - width + TILE - 1) // TILE      # below this panel
        with nogil:
            # The lower triangle in row-major order is BLAS's upper triangle in column-major
            # order.
            dpotrf("U", &width, A + <Py_ssize_t> start * n + start, &n, &info)
            if info == 0 and tiles > 0:
                begun, threads, left = clock(), begin_pass(n_threads), n - start
                for tile in prange(tiles, num_threads=threads, schedule="dynamic"):
                    _solve_tile(A, n, start, width, start + width + tile * TILE)
                for tile in prange(tiles * (tiles + 1) // 2, num_threads=threads,
                                   schedule="dynamic"):
                    _update_tile(A, n, start, width, tile)
                end_pass(threads, begun, OPERATION * width * left * left)
        if info != 0:
            return False
    return True


def scale(double[:, ::1] matrix, const double[:] root, double shift, int n_threads=1):
    """Overwrite the lower triangle of A = `matrix` by that of R A R + shift I, R = diag(root)."""
    cdef Py_ssize_t n = matrix.shape[0], piece, i, j
    cdef int threads
    cdef double begun
    with nogil:
        begun, threads = clock(), begin_pass(n_threads)
        for piece in prange((n + TILE - 1) // TILE, num_threads=threads, schedule="dynamic"):
            for i in range(piece * TILE, min(n, (piece + 1) * TILE)):
                for j in range(i + 1):
                    matrix[i, j] = matrix[i, j] * root[i] * root[j]
                matrix[i, i] += shift
        end_pass(threads, begun, <double> n * n)


def solve(const double[:, ::1] factor, double[:, ::1] rows, int n_threads=1):
    """Overwrite each row b of `rows` (k, n) by (L L')^-1 b."""
    _solve(factor, rows, b"T", n_threads)
    _solve(factor, rows, b"N", n_threads)


cdef void _solve_tile(double* A, int n, int start, int width, int column) noexcept nogil:
    cdef int count = min(TILE, n - column)
    cdef double one = 1.0
    dtrsm("L", "U", "T", "N", &width, &count, &one, A + <Py_ssize_t> start * n + start, &n,
          A + <Py_ssize_t> column * n + start, &n)


cdef void _update_tile(double* A, int n, int start, int width, int tile) noexcept nogil:
    """Subtract U_i'U_j from one tile A_ij of the rest; tiles are counted along the triangle."""
    cdef int across = 0, first, second, rows, columns
    cdef double one = 1.0, minus = -1.0
    cdef double* left
    cdef double* right
    while tile > across:
        across += 1
        tile -= across
    first, second = start + width + tile * TILE, start + width + across * TILE
    rows, columns = min(TILE, n - first), min(TILE, n - second)
    left, right = A + <Py_ssize_t> first * n + start, A + <Py_ssize_t> second * n + start
    if first == second:
        dsyrk("U", "T", &columns, &width, &minus, right, &n, &one,
              A + <Py_ssize_t> second * n + second, &n)
    else:
        dgemm("T", "N", &rows, &columns, &width, &minus, left, &n, right, &n, &one,
              A + <Py_ssize_t> second * n + first, &n)


cdef _solve(const double[:, ::1] factor, double[:, ::1] rows, const char* transposed,
            int n_threads):
    cdef int n = factor.shape[0], k = rows.shape[0], piece, pieces = (k + TOGETHER - 1) // TOGETHER
    cdef int threads
    cdef double begun
    if n == 0 or k == 0:
        return
    PyErr_CheckSignals()
    with nogil:
        begun, threads = clock(), begin_pass(n_threads)
        for piece in prange(pieces, num_threads=threads, schedule="dynamic"):
            _solve_some(&factor[0, 0], n, &rows[piece * TOGETHER, 0],
                        min(TOGETHER, k - piece * TOGETHER), transposed)
        end_pass(threads, begun, OPERATION * n * n * pieces * TOGETHER)


cdef void _solve_some(const double* factor, int n, double* rows, int count,
                      const char* transposed) noexcept nogil:
    cdef double one = 1.0
    dtrsm("L", "U", <char*> transposed, "N", &n, &count, &one, <double*> factor, &n, rows, &n)

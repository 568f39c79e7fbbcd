"""Cholesky factor L L' of a matrix that gains rows in blocks and loses them one by one.

New rows are appended at the end. A row whose pivot is lost in rounding is refused, so the factor
always has full rank. Removing a row is a rank-one update of the columns behind it by Givens
rotations, which keep the diagonal positive.
"""
from libc.math cimport hypot, sqrt
from libc.string cimport memmove

import numpy as np

from sparsesolve.linalg.gram.products cimport add_products
from sparsesolve.linalg.kernels.vector cimport ss_pass_on, ss_rotate

cdef extern from "triangle.h" nogil:
    void ss_solve_forward(Py_ssize_t s, const double* L, Py_ssize_t ld, Py_ssize_t count, double* X,
                          Py_ssize_t ldx) noexcept
    void ss_solve_transposed(Py_ssize_t s, const double* L, Py_ssize_t ld, double* x) noexcept

# This many new rows are solved for together, so that they stay in cache.
DEF TOGETHER = 32


cdef class Cholesky:
    """Factor of a symmetric positive definite matrix, empty at first."""

    def __cinit__(self, int capacity=32):
        self.size = 0
        self.capacity = 0
        self.reserve(max(capacity, 1))

    cdef int reserve(self, int capacity) except -1:
        """Make room for `capacity` rows."""
        cdef double[::1] old = self.factor
        cdef int previous = self.capacity, j
        if capacity <= previous:
            return 0
        # With a leading dimension that is a power of two, columns would compete for the same
        # cache lines.
        capacity = max(capacity, 2 * previous) + 8
        self.factor = np.empty(<Py_ssize_t> capacity * capacity)
        self.spike = np.empty(capacity)
        self.turned = np.empty(2 * capacity)
        self.capacity = capacity
        self.L = &self.factor[0]
        for j in range(self.size):
            memmove(self.L + <Py_ssize_t> j * capacity + j, &old[<Py_ssize_t> j * previous + j],
                    (self.size - j) * sizeof(double))
        return 0

    cdef int append(self, int count, double* cross, double* corner, const double* scale,
                    double tiny,
                    int* accepted) noexcept nogil:
        """Add `count` rows; the caller has reserved room.

        cross (size, count) and corner (count, count), both column-major, hold the new columns of
        the matrix: against the rows of the factor and among themselves. Both are overwritten. A
        row is refused if its pivot is at most tiny * scale[k]. accepted[k] becomes 1 or 0;
        returns the number of accepted rows.
        """
        cdef int s = self.size, k, i, t, ld = self.capacity, came = 0
        cdef double pivot
        cdef double* row
        # 1. Eliminate the rows of the factor from the new columns.
        if s > 0:
            for k in range(0, count, TOGETHER):
                ss_solve_forward(s, self.L, ld, min(TOGETHER, count - k),
                                 cross + <Py_ssize_t> k * s, s)
            for k in range(count * count):      # corner -= cross'cross
                corner[k] = -corner[k]
            add_products(s, count, cross, s, count, cross, s, corner, count)
            for k in range(count * count):
                corner[k] = -corner[k]
        # 2. Factor the corner; refuse rows with a small pivot.
        for k in range(count):
            pivot = corner[k + <Py_ssize_t> k * count]
            accepted[k] = pivot > tiny * scale[k]
            if not accepted[k]:
                continue
            row = self.L + s + came
            t = 0
            for i in range(k):
                if accepted[i]:
                    row[<Py_ssize_t> (s + t) * ld] = corner[k + <Py_ssize_t> i * count]
                    t += 1
            pivot = sqrt(pivot)
            row[<Py_ssize_t> (s + came) * ld] = pivot
            came += 1
            for i in range(k + 1, count):
                corner[i + <Py_ssize_t> k * count] /= pivot
            for t in range(k + 1, count):
                for i in range(t, count):
                    corner[i + <Py_ssize_t> t * count] -= (
                        corner[i + <Py_ssize_t> k * count] * corner[t + <Py_ssize_t> k * count])
        # 3. Store the accepted rows.
        for i in range(s):
            row = self.L + s + <Py_ssize_t> i * ld
            for k in range(count):
                if accepted[k]:
                    row[0] = cross[i + <Py_ssize_t> k * s]
                    row += 1
        self.size = s + came
        return came

    cdef void grow(self, const double* row, int stride, double pivot) noexcept nogil:
        """Append a known row of the factor: `size` values, `stride` apart; the caller has
        reserved room.
        """
        cdef int i
        cdef Py_ssize_t ld = self.capacity, step = stride
        for i in range(self.size):
            self.L[self.size + i * ld] = row[i * step]
        self.L[self.size + self.size * ld] = pivot
        self.size += 1

    cdef void remove(self, int position, double* carried=NULL, int width=0,
                     int stride=0) noexcept nogil:
        """Remove one row and column.

        `carried`, if given, holds L^-1 B for a matrix B of `width` columns, with rows `stride`
        apart. It becomes the product with the smaller factor. Its last row, which the smaller
        factor does not use, receives the contribution of the removed row.
        """
        cdef int ld = self.capacity, s = self.size, j, below
        cdef double* L = self.L
        cdef double* column
        cdef double* spike = &self.spike[0]
        cdef double* turned = &self.turned[0]
        cdef double r, c, q
        below = s - position - 1
        memmove(spike, L + <Py_ssize_t> position * ld + position + 1, below * sizeof(double))
        for j in range(position):
            column = L + <Py_ssize_t> j * ld + position
            memmove(column, column + 1, below * sizeof(double))
        # Factor L33 L33' + spike spike' and store each column one row up and one column left.
        for j in range(below):
            column = L + <Py_ssize_t> (position + 1 + j) * ld + position + 1 + j
            r = hypot(column[0], spike[j])
            c = column[0] / r
            q = spike[j] / r
            turned[2 * j] = c
            turned[2 * j + 1] = q
            ss_rotate(below - j - 1, c, q, column + 1, spike + j + 1)
            column[0] = r
            memmove(L + <Py_ssize_t> (position + j) * ld + position + j, column,
                    (below - j) * sizeof(double))
        self.size = s - 1
        if carried != NULL:
            for j in range(below):
                ss_pass_on(width, turned[2 * j], turned[2 * j + 1],
                           carried + <Py_ssize_t> (position + j) * stride,
                           carried + <Py_ssize_t> (position + j + 1) * stride)

    cdef void truncate(self, int size) noexcept nogil:
        """Keep the first `size` rows."""
        if size < self.size:
            self.size = size

    cdef void half_solve(self, double* x) noexcept nogil:
        """Overwrite x by L^-1 x."""
        ss_solve_forward(self.size, self.L, self.capacity, 1, x, self.size)

    cdef void transposed_solve(self, double* x) noexcept nogil:
        """Overwrite x by L'^-1 x."""
        ss_solve_transposed(self.size, self.L, self.capacity, x)

    cdef void solve(self, double* x) noexcept nogil:
        """Overwrite x by (L L')^-1 x."""
        self.half_solve(x)
        self.transposed_solve(x)

    # Slow Python methods, for tests.

    def add(self, matrix_rows, double tiny=1e-12):
        """Append rows given as (count, size + count); return which were accepted."""
        cdef int s = self.size, count = matrix_rows.shape[0]
        rows = np.ascontiguousarray(matrix_rows, dtype=float)
        cdef double[::1] cross = np.append(rows[:, :s].ravel(), 0.0)
        cdef double[::1] corner = rows[:, s:].flatten()
        cdef double[::1] scale = np.diagonal(rows[:, s:]).copy()
        cdef int[::1] accepted = np.zeros(count, dtype=np.intc)
        self.reserve(s + count)
        self.append(count, &cross[0], &corner[0], &scale[0], tiny, &accepted[0])
        return np.asarray(accepted, dtype=bool)

    def drop(self, int position):
        """Remove one row."""
        self.remove(position)

    def solution(self, rhs):
        """Return the solution for a right-hand side (size,)."""
        cdef double[::1] x = np.array(rhs, dtype=float)
        if self.size:
            self.solve(&x[0])
        return np.asarray(x)

    def lower(self):
        """Return the factor as a dense lower triangle (size, size)."""
        full = np.asarray(self.factor).reshape(self.capacity, self.capacity).T
        return np.tril(full[: self.size, : self.size])

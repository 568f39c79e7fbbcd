"""A window of columns in the orthonormal basis of the active columns, which is never formed.

With J the active columns, A_J'A_J = L L' and Q = A_J L^-T, the rows of

    H = Q'[A_J d, A_W] = L^-1 [target, A_J'A_W]

are known for the direction d with A_J'A_J d = target and for the columns W of the window. A
window column that becomes active adds a row, which takes one product with H: its own column of H
is its row of L. An active column that leaves removes a row after the rotations that restore L.
The products of the image A_J d with the window are updated from these rows alone. Squared norms
of columns include the ridge term.

Invariant: along = H' H[:, 0] and left = square - sum of the squares of H's columns.
"""
from libc.math cimport sqrt
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemv, dtrsm

import numpy as np

from sparsesolve.linalg.factors.cholesky cimport Cholesky
from sparsesolve.linalg.gram.products cimport subtract_all
from sparsesolve.linalg.kernels.vector cimport ss_take_in

# A cache line holds this many doubles.
DEF LINE = 8
# Rows and columns are allocated with this much room beyond what is needed now.
DEF SPARE = 64


cdef class QRWindow:
    """Coordinates H of a target and of `width` window columns, with no active column at first.

    Columns 1..width of H, G, left and square belong to the window.

    Parameters
    ----------
    active, columns : int
        Initial capacity for active columns and for columns of the window.
    """

    def __init__(self, int active=SPARE, int columns=SPARE):
        self.size = self.width = self.rows = self.room = self.stride = 0
        self.enclosed = False
        self.cholesky = Cholesky(active)
        self.reserve(active, columns)

    def reserve(self, int active, int columns):
        """Make room for so many active columns and columns of the window."""
        cdef int m = self.width + 1, s = self.size, ld = self.room
        if active <= self.rows and columns < ld:
            return
        rows, room = max(active, self.rows), max(columns + 1, ld)
        if active > self.rows:
            rows = max(active, self.rows + self.rows // 2)
        if columns >= ld:
            room = max(columns + 1, ld + ld // 2) + LINE - 1
            room -= room % LINE
        vectors, frame = np.zeros((4, room)), np.empty(rows * room + LINE)
        # Align every row to a cache line.
        frame = frame[-(frame.ctypes.data // 8) % LINE :][: rows * room].reshape(rows, room)
        if ld:
            frame[:s, :m] = np.asarray(self.frame).reshape(-1, ld)[:s, :m]
            for new, old in zip(vectors, (self.left_, self.square_, self.along_)):
                new[:m] = old[:m]
        if room > ld and not self.enclosed:
            gram = np.empty((room, room))
            if m > 1:
                gram[: m - 1, : m - 1] = self.gram[: m - 1, : m - 1]
            self._hold(gram)
        self.frame, self.row_ = frame.ravel(), np.empty(rows)
        self.left_, self.square_, self.along_, self.inner_ = vectors
        self.H = &self.frame[0]
        self.left, self.square, self.along = &self.left_[0], &self.square_[0], &self.along_[0]
        self.rows, self.room = rows, room
        self.cholesky.reserve(rows)

    def _hold(self, gram):
        self.gram, self.stride = gram, gram.shape[1]
        self.G = <double*> &self.gram[0, 0]

    def window(self):
        """Return H (size, width) of the window's columns, a view."""
        return np.asarray(self.frame).reshape(-1, self.room)[: self.size, 1 : self.width + 1]

    def rewindow(self, int[::1] keep, cross, corner, const double[::1] square, int more,
                 int back=0):
        """Keep the window's columns keep[.] (from 0, ascending) and append new ones.

        Parameters
        ----------
        cross : (size + kept, new) inner products of the active and the kept columns with the new
        ones corner : (new, new) inner products among the new columns square : (new,) squared
        norms of the new columns, the ridge term included more, back : int
            Upper bounds, until the next call, on the number of columns that become active and on
            the number that come back into the window.
        """
        cdef int s = self.size, kept = keep.shape[0], count = square.shape[0], k, t, i
        cdef const double[:, :] fresh = self.half_solved(cross[:s])
        if kept > 0:
            self._keep(&keep[0], kept)
        self.width = kept
        self.reserve(s + more, kept + count + back)
        gram = np.asarray(self.gram)
        gram[:kept, kept : kept + count] = cross[s:]
        gram[kept : kept + count, :kept] = cross[s:].T
        gram[kept : kept + count, kept : kept + count] = corner
        for t in range(count):
            i = 1 + kept + t
            self.square[i] = square[t]
            for k in range(s):
                self.H[i + <Py_ssize_t> k * self.room] = fresh[k, t]
        self.width = kept + count
        self._measure()

    def enclose(self, gram, active, const double[::1] square, int more):
        """Let the window consist of all columns, including the active ones.

        Parameters
        ----------
        gram : (p, p), C-contiguous
            Inner products of all columns; not changed.
        active : (size,)
            The active columns.
        square : (p,)
            Squared norms of the columns, the ridge term included.
        more : int
            Upper bound on the number of columns that become active before the next call.
        """
        cdef int s = self.size, p = square.shape[0]
        cross = gram[active]
        cross[np.arange(s), active] = np.asarray(square)[active]
        rows = self.half_solved(cross)
        self._hold(gram)
        self.width, self.enclosed = 0, True
        self.reserve(s + more, p)
        self.width = p
        np.asarray(self.frame).reshape(-1, self.room)[:s, 1 : p + 1] = rows
        np.asarray(self.square_)[1 : p + 1] = square
        self._measure()

    def refresh(self, int more):
        """Prepare for `more` columns to become active; recompute left and along to remove
        rounding errors.
        """
        self.reserve(self.size + more, self.width)
        self._measure()

    cdef void _keep(self, const int* keep, int count) noexcept nogil:
        """Remove the other columns: column 1 + keep[t] becomes column 1 + t."""
        cdef int k, t
        cdef Py_ssize_t ld = self.room, step = self.stride
        for k in range(self.size):
            for t in range(count):
                self.H[1 + t + k * ld] = self.H[1 + keep[t] + k * ld]
        for k in range(count):
            for t in range(count):
                self.G[t + k * step] = self.G[keep[t] + keep[k] * step]
        for t in range(count):
            self.square[1 + t] = self.square[1 + keep[t]]

    cdef void _measure(self) noexcept nogil:
        """Recompute left and along of the window's columns from H."""
        cdef int m = self.width + 1, j, k
        cdef double* row
        for j in range(1, m):
            self.left[j] = self.square[j]
            self.along[j] = 0.0
        for k in range(self.size):
            row = self.H + <Py_ssize_t> k * self.room
            ss_take_in(m - 1, 1.0, row[0], row + 1, self.along + 1, self.left + 1)

    def half_solved(self, right, bint transposed=False):
        """Return L^-1 right for right (size, count), or L'^-1 right."""
        out = np.array(right, dtype=float, order="F")
        cdef double[::1, :] x = out
        cdef int count = out.shape[1]
        cdef double one = 1.0
        if self.size > 0 and count > 0:
            dtrsm("L", "L", "T" if transposed else "N", "N", &self.size, &count, &one,
                  self.cholesky.L, &self.cholesky.capacity, &x[0, 0], &self.size)
        return out

    cdef bint join(self, int i, double target, double tiny) noexcept nogil:
        """Make window column i active; return False if its rest is at most tiny times its square.

        The rest is its squared distance from the span of the active columns.
        """
        cdef int s = self.size, m = self.width + 1, k
        cdef double pivot
        cdef double* row = self.H + <Py_ssize_t> s * self.room
        if not self.left[i] > tiny * self.square[i]:
            return False
        pivot = sqrt(self.left[i])
        for k in range(s):
            self.row_[k] = self.H[i + <Py_ssize_t> k * self.room]
        memcpy(row + 1, self.G + <Py_ssize_t> (i - 1) * self.stride, (m - 1) * sizeof(double))
        row[0] = target
        subtract_all(m, s, &self.row_[0], self.H, NULL, self.room, row)
        row[0] /= pivot
        row[i] = self.left[i]
        ss_take_in(m - 1, 1.0 / pivot, row[0], row + 1, self.along + 1, self.left + 1)
        row[i] = pivot
        self.left[i] = 0.0
        self.cholesky.grow(&self.row_[0], 1, pivot)
        self.size += 1
        return True

    cdef void leave(self, int k, int i) noexcept nogil:
        """Make active column k inactive; it is column i of the window."""
        cdef int s = self.size - 1, m = self.width + 1, j
        cdef double* row = self.H + <Py_ssize_t> s * self.room
        self.cholesky.remove(k, self.H, m, self.room)
        for j in range(1, m):
            self.along[j] -= row[0] * row[j]
            self.left[j] += row[j] * row[j]
        self.left[i] = row[i] * row[i]
        self.size = s

    cdef void recall(self, int k, int i) noexcept nogil:
        """Add active column k to the window as its column i = width + 1."""
        cdef int s = self.size, m = self.width + 1, j, one = 1
        cdef Py_ssize_t ld = self.cholesky.capacity
        cdef double unit = 1.0, zero = 0.0
        cdef double* inner = &self.inner_[0]
        cdef double* products = self.G + <Py_ssize_t> (i - 1) * self.stride
        for j in range(s):
            self.row_[j] = self.cholesky.L[k + j * ld] if j <= k else 0.0
            self.H[i + <Py_ssize_t> j * self.room] = self.row_[j]
        self.width = m
        m += 1
        dgemv("N", &m, &s, &unit, self.H, &self.room, &self.row_[0], &one, &zero, inner, &one)
        for j in range(1, m):
            products[j - 1] = self.G[i - 1 + <Py_ssize_t> (j - 1) * self.stride] = inner[j]
        self.along[i] = inner[0]
        self.square[i] = inner[i]
        self.left[i] = 0.0

    cdef void direction(self, double* d) noexcept nogil:
        """Compute d with A_J'A_J d = target."""
        cdef int k
        for k in range(self.size):
            d[k] = self.H[<Py_ssize_t> k * self.room]
        self.cholesky.transposed_solve(d)

    # Slow Python methods, for tests.

    def add(self, int i, double target, double tiny=1e-12):
        """Make window column i (from 0) active; return True if it was independent enough."""
        self.reserve(self.size + 1, self.width)
        return self.join(1 + i, target, tiny)

    def drop(self, int k, i=None):
        """Make active column k inactive.

        It is column i of the window; if i is None, it is appended to the window.
        """
        if i is None:
            self.reserve(self.size, self.width + 1)
            self.recall(k, self.width + 1)
            i = self.width - 1
        self.leave(k, 1 + <int> i)

    def state(self):
        """Return L, the direction, its image's products with the window, and the window's `left`.
        """
        cdef double[::1] d = np.zeros(max(self.size, 1))
        cdef int m = self.width + 1
        self.direction(&d[0])
        return (self.cholesky.lower(), np.array(d[: self.size]),
                np.array(self.along_[1:m]), np.array(self.left_[1:m]))

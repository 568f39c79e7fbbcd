"""A window of columns in the orthonormal basis of the active ones, which is never formed.

With J the active columns, A_J'A_J = L L' and Q = A_J L^-T, the rows of

    H = Q'[A_J d, A_W] = L^-1 [target, A_J'A_W]

are known for the target of the direction d, A_J'A_J d = target, and for the columns W of the window.  A window column
that becomes active adds a row by one product with H: its own column of H is its row of L.  An active column that
leaves takes a row with it after the rotations that mend L.  Products of the image A_J d with the window are kept up
to date by the rows alone.  A ridge adds its part to the squares of the columns, where they stand in G.

Invariant: along = H' H[:, 0] and left = square - sum of the squares of H's columns.
"""
from libc.math cimport sqrt
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemv, dtrsm, dtrsv

import numpy as np

from sparsesolve.linalg.cholesky cimport Cholesky

DEF SPARE = 64      # rows and columns of room beyond what is needed now


cdef class Basis:
    """Starts with no active column; columns 1..width of H, G, left and square are those of the window.

    Parameters
    ----------
    active, columns : int
        How many active columns and columns of the window to make room for at first.
    """

    def __init__(self, int active=SPARE, int columns=SPARE):
        self.size = self.width = self.rows = self.room = 0
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
            room = max(columns + 1, ld + ld // 2)
        frame, gram, vectors = np.empty((rows, room)), np.empty((room, room)), np.zeros((3, room))
        if ld:
            frame[:s, :m] = np.asarray(self.frame).reshape(-1, ld)[:s, :m]
            gram[:m, :m] = np.asarray(self.gram).reshape(-1, ld)[:m, :m]
            for new, old in zip(vectors, (self.left_, self.square_, self.along_)):
                new[:m] = old[:m]
        self.frame, self.gram, self.row_ = frame.ravel(), gram.ravel(), np.empty(rows)
        self.left_, self.square_, self.along_ = vectors
        self.H, self.G = &self.frame[0], &self.gram[0]
        self.left, self.square, self.along = &self.left_[0], &self.square_[0], &self.along_[0]
        self.rows, self.room = rows, room
        self.cholesky.reserve(rows)

    def window(self):
        """H (size, width) of the window's columns, a view."""
        return np.asarray(self.frame).reshape(-1, self.room)[: self.size, 1 : self.width + 1]

    def rewindow(self, int[::1] keep, cross, const double[:, ::1] corner, const double[::1] square, int more,
                 int back=0):
        """Keep the window's columns keep[.] (from 0, ascending) and let others in behind them.

        Parameters
        ----------
        cross : (size + kept, new) inner products with the new columns, of the active ones and of those kept
        corner : (new, new) of the new columns among themselves
        square : (new,) their squares, the ridge's part included
        more, back : int
            How many columns are to become active, and to come back into the window, before the next call.
        """
        cdef int s = self.size, kept = keep.shape[0], count = square.shape[0], k, t, i
        cdef const double[:, :] products = cross
        cdef const double[:, :] fresh = self.half_solved(cross[:s])
        if kept > 0:
            self._keep(&keep[0], kept)
        self.width = kept
        self.reserve(s + more, kept + count + back)
        for t in range(count):
            i = 1 + kept + t
            self.square[i] = square[t]
            for k in range(s):
                self.H[i + <Py_ssize_t> k * self.room] = fresh[k, t]
            for k in range(kept):
                self.G[1 + k + <Py_ssize_t> i * self.room] = products[s + k, t]
                self.G[i + <Py_ssize_t> (1 + k) * self.room] = products[s + k, t]
            memcpy(self.G + 1 + kept + <Py_ssize_t> i * self.room, &corner[t, 0], count * sizeof(double))
            self.G[i + <Py_ssize_t> i * self.room] = square[t]
        self.width = kept + count
        self._measure()

    def refresh(self, int more):
        """Prepare for `more` columns of the window to become active; left and along anew, without old rounding."""
        self.reserve(self.size + more, self.width)
        self._measure()

    cdef void _keep(self, const int* keep, int count) noexcept nogil:
        """Close ranks: column 1 + keep[t] becomes column 1 + t."""
        cdef int k, t
        cdef Py_ssize_t ld = self.room
        for k in range(self.size):
            for t in range(count):
                self.H[1 + t + k * ld] = self.H[1 + keep[t] + k * ld]
        for k in range(count):
            for t in range(count):
                self.G[1 + t + (1 + k) * ld] = self.G[1 + keep[t] + (1 + keep[k]) * ld]
        for t in range(count):
            self.square[1 + t] = self.square[1 + keep[t]]

    cdef void _measure(self) noexcept nogil:
        """left and along of the window's columns, from H."""
        cdef int m = self.width + 1, j, k
        cdef const double* row
        for j in range(1, m):
            self.left[j] = self.square[j]
            self.along[j] = 0.0
        for k in range(self.size):
            row = self.H + <Py_ssize_t> k * self.room
            for j in range(1, m):
                self.left[j] -= row[j] * row[j]
                self.along[j] += row[0] * row[j]

    def half_solved(self, right, bint transposed=False):
        """L^-1 right for right (size, count), or L'^-1 right."""
        out = np.array(right, dtype=float, order="F")
        cdef double[::1, :] x = out
        cdef int count = out.shape[1]
        cdef double one = 1.0
        if self.size > 0 and count > 0:
            dtrsm("L", "L", "T" if transposed else "N", "N", &self.size, &count, &one, self.cholesky.L, &self.cholesky.capacity, &x[0, 0],
                  &self.size)
        return out

    cdef bint join(self, int i, double target, double tiny) noexcept nogil:
        """Make window column i active; False where what is left of it is at most tiny times its square."""
        cdef int s = self.size, m = self.width + 1, k, one = 1
        cdef double pivot, minus = -1.0, unit = 1.0
        cdef double* row = self.H + <Py_ssize_t> s * self.room
        if not self.left[i] > tiny * self.square[i]:
            return False
        pivot = sqrt(self.left[i])
        for k in range(s):
            self.row_[k] = self.H[i + <Py_ssize_t> k * self.room]
        memcpy(row, self.G + <Py_ssize_t> i * self.room, m * sizeof(double))
        row[0] = target
        if s > 0:
            dgemv("N", &m, &s, &minus, self.H, &self.room, &self.row_[0], &one, &unit, row, &one)
        for k in range(m):
            row[k] /= pivot
        row[i] = pivot
        for k in range(1, m):
            self.along[k] += row[0] * row[k]
            self.left[k] -= row[k] * row[k]
        self.left[i] = 0.0
        self.cholesky.grow(&self.row_[0], 1, pivot)
        self.size += 1
        return True

    cdef void leave(self, int k, int i) noexcept nogil:
        """Make active column k inactive, which is column i of the window."""
        cdef int s = self.size - 1, m = self.width + 1, j
        cdef double* row = self.H + <Py_ssize_t> s * self.room
        self.cholesky.remove(k, self.H, m, self.room)
        for j in range(1, m):
            self.along[j] -= row[0] * row[j]
            self.left[j] += row[j] * row[j]
        self.left[i] = row[i] * row[i]
        self.size = s

    cdef void recall(self, int k, int i) noexcept nogil:
        """Let active column k into the window as its column i = width + 1."""
        cdef int s = self.size, m = self.width + 1, j, one = 1
        cdef Py_ssize_t ld = self.cholesky.capacity
        cdef double unit = 1.0, zero = 0.0
        cdef double* inner = self.G + <Py_ssize_t> i * self.room
        for j in range(s):
            self.row_[j] = self.cholesky.L[k + j * ld] if j <= k else 0.0
            self.H[i + <Py_ssize_t> j * self.room] = self.row_[j]
        self.width = m
        m += 1
        dgemv("N", &m, &s, &unit, self.H, &self.room, &self.row_[0], &one, &zero, inner, &one)
        for j in range(1, m):
            self.G[i + <Py_ssize_t> j * self.room] = inner[j]
        self.along[i] = inner[0]
        self.square[i] = inner[i]
        self.left[i] = 0.0

    cdef void direction(self, double* d) noexcept nogil:
        """d with A_J'A_J d = target."""
        cdef int k, one = 1
        for k in range(self.size):
            d[k] = self.H[<Py_ssize_t> k * self.room]
        if self.size > 0:
            dtrsv("L", "T", "N", &self.size, self.cholesky.L, &self.cholesky.capacity, d, &one)

    # The slow door, for tests.

    def add(self, int i, double target, double tiny=1e-12):
        """Make window column i (from 0) active; whether it was independent enough."""
        self.reserve(self.size + 1, self.width)
        return self.join(1 + i, target, tiny)

    def drop(self, int k, i=None):
        """Make active column k inactive, which is column i of the window (None: not in it; it comes in at the end)."""
        if i is None:
            self.reserve(self.size, self.width + 1)
            self.recall(k, self.width + 1)
            i = self.width - 1
        self.leave(k, 1 + <int> i)

    def state(self):
        """(L, direction, products of its image with the window, what is left of the window's squares)."""
        cdef double[::1] d = np.zeros(max(self.size, 1))
        cdef int m = self.width + 1
        self.direction(&d[0])
        return self.cholesky.lower(), np.array(d[: self.size]), np.array(self.along_[1:m]), np.array(self.left_[1:m])

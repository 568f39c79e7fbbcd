"""Nodewise lassos: of one column on all others, for many columns, by shared inner products.

    minimise over b, b_j = 0    |x_j - Ab|^2 / 2n + lam |b|_1,    z = x_j - Ab

Given: columns A (n, p), column j and decreasing lambdas. Returned: z at the least lambda before
the variance factor |z|^2 / (z'x_j)^2, which grows as lambda falls, exceeds `inflation` times that
at the first. Method: coordinate descent over a working set, with the inner products of its columns
at hand; columns that violate the optimality conditions join. Every lambda ends by its duality gap,

    P = |z|^2 / 2n + lam |b|_1,   D = s c_j - s^2 |z|^2 / 2n,   s = min(1, lam / max |c_k|),

with c = A'z / n, which all of it needs: |z|^2 / n = c_j - b'c. Inner products of a column with all
others serve every j.
Reference: Friedman, Hastie, Tibshirani (2010), section 2.2 (covariance updates).
"""
from libc.math cimport fabs, sqrt

import numpy as np

from sparsesolve.linalg.kernels.vector cimport axpy

# Relative duality gap of a nodewise lasso. z serves whatever it is, and its leakage is computed
# from it: at this gap it is right to four digits.
cdef double GAP = 1e-7
# Inner products that are kept, in numbers: 256 MB.
cdef Py_ssize_t KEPT = 1 << 25
# More rounds than this, of sweeps and a look at all columns, no lambda has needed.
cdef int ROUNDS = 60
# Sweeps between two looks at most.
cdef int SWEEPS = 400


cdef class Nodewise:
    """The lassos of columns of A (n, p), Fortran-contiguous; `many` of them will be asked for."""

    cdef object A, kept
    cdef Py_ssize_t p, n_kept, size
    cdef double[:, ::1] G               # (n_kept, p) inner products over n, of the columns
    cdef Py_ssize_t[::1] place          # with these rows of G; -1: none
    cdef Py_ssize_t[::1] working        # the working set
    cdef int[::1] is_working
    cdef double[:, ::1] inner           # its inner products among each other
    cdef double[::1] b, g, c            # its coefficients and correlations, and those of all (p,)

    def __init__(self, A, bint many=True):
        n, p = A.shape
        self.A, self.p = A, p
        self.place, self.is_working = np.full(p, -1), np.zeros(p, dtype=np.intc)
        self.c = np.empty(p)
        self.kept = np.empty((min(p, 64), p))
        if many and p * p <= KEPT:
            self.kept, self.place, self.n_kept = A.T @ A / n, np.arange(p), p
        self.G = self.kept
        self._make_room(64)

    def residual(self, Py_ssize_t j, const double[::1] lams, double inflation):
        """Return z (n,) of column j."""
        cdef Py_ssize_t k
        cdef double first = 0.0, square, factor, inner
        if self.n_kept * self.p > KEPT:
            self.n_kept = 0
            self.place[:] = -1
        self.size = 0
        self.is_working[:] = 0
        self.is_working[j] = 1  # which keeps it out of its own lasso
        self._keep(j)
        self.c[:] = self.G[self.place[j]]
        b = np.zeros(0)
        for k in range(lams.shape[0]):
            square = self._solve(j, lams[k])
            inner = self.c[j]
            factor = square / (inner * inner) if inner > 0.0 else np.inf
            if k == 0:
                first = factor
            elif not factor <= inflation * first:
                break
            b = np.array(self.b[: self.size])
        which = np.array(self.working[: len(b)])[b != 0.0]
        return self.A[:, j] - self.A[:, which] @ b[b != 0.0]

    cdef double _solve(self, Py_ssize_t j, double lam) except -1.0:
        """Solve one lambda, and return |z|^2 / n."""
        cdef double accuracy = 1e-3 * sqrt(self.G[self.place[j], j]), square = 0.0, s, gap, l1, top
        cdef Py_ssize_t k, entered
        cdef int turn
        for turn in range(ROUNDS):
            # 1. Columns beyond lambda join; after the first round, more sweeps if there are none.
            entered = 0
            for k in range(self.p):
                if not self.is_working[k] and fabs(self.c[k]) > lam:
                    self._join(k)
                    entered += 1
            if turn > 0 and not entered:
                accuracy *= 0.1
            # 2. Sweeps over the working set.
            self._sweep(lam, accuracy)
            # 3. Correlations of all columns, and the gap.
            self.c[:] = self.G[self.place[j]]
            with nogil:
                for k in range(self.size):
                    if self.b[k] != 0.0:
                        axpy(self.p, -self.b[k], &self.G[self.place[self.working[k]], 0],
                             &self.c[0])
                top, l1, square = lam, 0.0, self.c[j]
                for k in range(self.p):
                    if k != j:
                        top = max(top, fabs(self.c[k]))
                for k in range(self.size):
                    l1 += fabs(self.b[k])
                    self.g[k] = self.c[self.working[k]]
                    square -= self.b[k] * self.g[k]
                s = lam / top
                gap = square / 2.0 + lam * l1 - s * self.c[j] + s * s * square / 2.0
            if gap <= GAP * self.G[self.place[j], j] / 2.0:
                break
        return max(square, 0.0)

    cdef void _sweep(self, double lam, double accuracy) noexcept nogil:
        """Minimise over one coefficient after the other until none moves by more."""
        cdef Py_ssize_t k
        cdef double u, new, step, moved
        cdef int sweep
        for sweep in range(SWEEPS):
            moved = 0.0
            for k in range(self.size):
                if not self.inner[k, k] > 0.0:
                    continue
                u = self.g[k] + self.inner[k, k] * self.b[k]
                new = (u - lam if u > lam else u + lam if u < -lam else 0.0) / self.inner[k, k]
                step = new - self.b[k]
                if step != 0.0:
                    self.b[k] = new
                    axpy(self.size, -step, &self.inner[k, 0], &self.g[0])
                    moved = max(moved, fabs(step) * sqrt(self.inner[k, k]))
            if moved <= accuracy:
                break

    def _join(self, Py_ssize_t k):
        """Put column k into the working set."""
        cdef Py_ssize_t i, m = self.size
        cdef const double* row
        self._keep(k)
        if m == self.b.shape[0]:
            self._make_room(2 * m)
        row = &self.G[self.place[k], 0]
        self.working[m], self.b[m], self.g[m], self.is_working[k] = k, 0.0, self.c[k], 1
        for i in range(m + 1):
            self.inner[m, i] = self.inner[i, m] = row[self.working[i]]
        self.size = m + 1

    def _keep(self, Py_ssize_t k):
        """Compute the inner products of column k with all others, if they are not at hand."""
        if self.place[k] >= 0:
            return
        if self.n_kept == self.G.shape[0]:
            self.kept = np.concatenate([self.kept, np.empty_like(self.kept)])
            self.G = self.kept
        self.kept[self.n_kept] = self.A[:, k] @ self.A / len(self.A)
        self.place[k] = self.n_kept
        self.n_kept += 1

    def _make_room(self, Py_ssize_t room):
        """Make room for so many columns in the working set."""
        m = self.size
        b, g, working, inner = (np.zeros(room), np.zeros(room), np.zeros(room, dtype=np.intp),
                                np.zeros((room, room)))
        if m:
            b[:m], g[:m], working[:m] = self.b[:m], self.g[:m], self.working[:m]
            inner[:m, :m] = self.inner[:m, :m]
        self.b, self.g, self.working, self.inner = b, g, working, inner

"""Triangular factors L of a Hessian L L' in sample space: contract, dense, and semiseparable.

The Hessian of a partial likelihood is semiseparable. Samples are in the order in which they leave
the risk set, and a block is a stratum. The diagonal has the expected deaths; subtracted is what two
samples share of the event times before the first of them leaves. x_j is the sample's share of the
last risk set that contains it, and fade_j is the ratio of this risk set to the one before. Both are
at most about 1, however far risks are apart.

Its factor has the same form (`Semiseparable`), L_jj = pivot_j and L_ij = x_i q_j c_ij, since

    L_ij L_jj = A_ij - sum_k L_ik L_jk = -x_i x_j (coupling_j + s_j) c_ij,
    s_j = sum_k q_k^2 c_jk^2    over k before j.

Reference: Vandebril, Van Barel, Mastronardi, "Matrix computations and semiseparable matrices"
(2008).
"""
from libc.math cimport sqrt
from scipy.linalg.cython_blas cimport dtrmv, dtrsv
from scipy.linalg.cython_lapack cimport dpotrf

import numpy as np


cdef class Root:
    """A factor L that acts on the entries `order` of vectors (n,) and leaves all others
    unchanged.

    Parameters
    ----------
    order : (q,) distinct positions
    n : length of vectors
    """

    def __init__(self, order, n):
        self.n, self.order = n, np.ascontiguousarray(order, dtype=np.intp)

    cdef void multiply_transposed(self, double* z) noexcept nogil:
        """Overwrite z by L'z."""

    cdef void solve(self, double* u) noexcept nogil:
        """Overwrite u by L^-1 u."""

    cdef void solve_transposed(self, double* z) noexcept nogil:
        """Overwrite z by L^-T z."""

    # The same operations on arrays.

    def product(self, z):
        """Return L'z."""
        cdef double[::1] out = np.array(z, dtype=float)
        self.multiply_transposed(&out[0])
        return np.asarray(out)

    def solution(self, u, transposed=False):
        """Return L^-1 u, or L^-T u."""
        cdef double[::1] out = np.array(u, dtype=float)
        if transposed:
            self.solve_transposed(&out[0])
        else:
            self.solve(&out[0])
        return np.asarray(out)


cdef class DenseRoot(Root):
    """The Cholesky factor of a dense matrix, in O(q^3)."""

    def __init__(self, order, n):
        super().__init__(order, n)
        q = len(order)
        self.L, self.work = np.zeros((q, q), order="F"), np.zeros(q)

    cdef bint factor(self) noexcept nogil:
        """Overwrite the matrix stored in L by its factor; return False if it is not positive
        definite.
        """
        cdef int q = self.work.shape[0], info = 0
        dpotrf("L", &q, &self.L[0, 0], &q, &info)
        return info == 0

    cdef void multiply_transposed(self, double* z) noexcept nogil:
        self._apply(z, "T", False)

    cdef void solve(self, double* u) noexcept nogil:
        self._apply(u, "N", True)

    cdef void solve_transposed(self, double* z) noexcept nogil:
        self._apply(z, "T", True)

    cdef void _apply(self, double* z, char* transposed, bint inverse) noexcept nogil:
        cdef int q = self.work.shape[0], one = 1
        cdef Py_ssize_t j
        for j in range(q):
            self.work[j] = z[self.order[j]]
        (dtrsv if inverse else dtrmv)("L", transposed, "N", &q, &self.L[0, 0], &q, &self.work[0],
                                      &one)
        for j in range(q):
            z[self.order[j]] = self.work[j]


cdef class Semiseparable(Root):
    """The factor, in O(n), of a matrix A of rank one below its diagonal.

        A_jj = diagonal_j - x_j^2 coupling_j
        A_ij = -x_i x_j coupling_j c_ij    for i after j in one block, and 0 between blocks

    with c_ij the product of fade_k over j < k <= i. It acts on the entries `order` of vectors
    (n,); all other entries become 0.

    Parameters
    ----------
    order : (q,) distinct positions
    first : (q,) True where a block starts
    n : length of vectors
    """

    def __init__(self, order, first, n):
        super().__init__(order, n)
        q = len(order)
        self.first = np.ascontiguousarray(first, dtype=bool).view(np.uint8)
        self.x, self.pivot, self.q, self.fade = np.zeros((4, q))

    cdef void factor(self, const double* diagonal, const double* x, const double* coupling,
                     const double* fade, const double* floor) noexcept nogil:
        """Factor the matrix, given in the order of the chain.

        Squared pivots are raised to `floor` > 0. The value of `fade` at the start of a block is
        ignored.
        """
        cdef Py_ssize_t j
        cdef double coupled, square, total = 0.0
        for j in range(self.order.shape[0]):
            self.x[j], self.fade[j] = x[j], 0.0 if self.first[j] else fade[j]
            total *= self.fade[j] * self.fade[j]
            coupled = x[j] * (coupling[j] + total)
            square = diagonal[j] - x[j] * coupled
            self.pivot[j] = sqrt(square if square > floor[j] else floor[j])
            self.q[j] = -coupled / self.pivot[j]
            total += self.q[j] * self.q[j]

    cdef void multiply_transposed(self, double* z) noexcept nogil:
        cdef Py_ssize_t j, i
        cdef double later = 0.0, here
        for j in range(self.order.shape[0] - 1, -1, -1):
            i = self.order[j]
            here = self.x[j] * z[i]
            z[i] = self.pivot[j] * z[i] + self.q[j] * later
            later = self.fade[j] * (later + here)

    cdef void solve(self, double* u) noexcept nogil:
        cdef Py_ssize_t j, i
        cdef double before = 0.0
        for j in range(self.order.shape[0]):
            i = self.order[j]
            before *= self.fade[j]
            u[i] = (u[i] - self.x[j] * before) / self.pivot[j]
            before += self.q[j] * u[i]

    cdef void solve_transposed(self, double* z) noexcept nogil:
        cdef Py_ssize_t j, i
        cdef double later = 0.0
        for j in range(self.order.shape[0] - 1, -1, -1):
            i = self.order[j]
            z[i] = (z[i] - self.q[j] * later) / self.pivot[j]
            later = self.fade[j] * (later + self.x[j] * z[i])

    def factor_of(self, diagonal, x, coupling, fade, floor):
        cdef const double[::1] d = np.asarray(diagonal, dtype=float), a = np.asarray(x, dtype=float)
        cdef const double[::1] b = np.asarray(coupling, dtype=float)
        cdef const double[::1] c = np.asarray(fade, dtype=float)
        cdef const double[::1] f = np.asarray(floor, dtype=float)
        self.factor(&d[0], &a[0], &b[0], &c[0], &f[0])

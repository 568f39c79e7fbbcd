"""Triangular factors L of a Hessian L L' in sample space: the contract, and the dense factor."""
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

"""Triangular factors L of a second derivative L L', and the dense one."""
from scipy.linalg.cython_blas cimport dtrmv, dtrsv
from scipy.linalg.cython_lapack cimport dpotrf

import numpy as np


cdef class Root:
    """L among vectors (n,), of which `order` says where it stands; elsewhere they are left alone.

    Parameters
    ----------
    order : (q,) distinct places
    n : length of vectors
    """

    def __init__(self, order, n):
        self.n, self.order = n, np.ascontiguousarray(order, dtype=np.intp)

    cdef void multiply_transposed(self, double* z) noexcept nogil:
        """z <- L'z."""

    cdef void solve(self, double* u) noexcept nogil:
        """u <- L^-1 u."""

    cdef void solve_transposed(self, double* z) noexcept nogil:
        """z <- L^-T z."""

    # the same for arrays

    def product(self, z):
        """L'z."""
        cdef double[::1] out = np.array(z, dtype=float)
        self.multiply_transposed(&out[0])
        return np.asarray(out)

    def solution(self, u, transposed=False):
        """L^-1 u, or L^-T u."""
        cdef double[::1] out = np.array(u, dtype=float)
        if transposed:
            self.solve_transposed(&out[0])
        else:
            self.solve(&out[0])
        return np.asarray(out)


cdef class DenseRoot(Root):
    """The factor of any matrix, in O(q^3)."""

    def __init__(self, order, n):
        super().__init__(order, n)
        q = len(order)
        self.L, self.work = np.zeros((q, q), order="F"), np.zeros(q)

    cdef bint factor(self) noexcept nogil:
        """Put the factor in the place of the matrix that is in L; False where it is not positive definite."""
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
        (dtrsv if inverse else dtrmv)("L", transposed, "N", &q, &self.L[0, 0], &q, &self.work[0], &one)
        for j in range(q):
            z[self.order[j]] = self.work[j]

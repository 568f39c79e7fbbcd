"""Atoms for given codes: block coordinate descent on the dictionary.

    minimise over D   1/2 tr(D'D A) - tr(D'B)      |d_j| <= 1, and d_j >= 0 with `positive`

Given: A = sum a a' and B = sum y a' over codes a of signals y.
Returned: D, changed in place. Each atom moves to its minimiser while the others stay. It is
d_j + (b_j - D a_j) / A_jj, projected on the ball. On the nonnegative part of the ball the
projection first sets negative entries to 0, and then divides by the norm.
Invariant: the objective never rises.
Reference: Mairal, Bach, Ponce, Sapiro (2010), "Online learning for matrix factorization and sparse
coding", algorithm 2.
"""
from libc.math cimport sqrt
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemv

import numpy as np

from sparsesolve.linalg.kernels.vector cimport dot

# An atom whose A_jj is at most this share of the largest one is used by no code.
DEF UNUSED = 1e-12


def update_atoms(double[::1, :] D, const double[::1, :] A, const double[::1, :] B, bint positive,
                 int sweeps=1):
    """Move all atoms of D (m, p) in place, `sweeps` times.

    A is (p, p) and B (m, p), both column-major. Returns the atoms that no code uses; they stay as
    they are.
    """
    cdef int m = D.shape[0], p = D.shape[1], sweep, j
    cdef double[::1] u = np.empty(m)
    used = np.diagonal(A) > UNUSED * max(np.diagonal(A).max(), 1e-300)
    cdef const unsigned char[::1] used_ = np.ascontiguousarray(used).view(np.uint8)
    with nogil:
        for sweep in range(sweeps):
            for j in range(p):
                if used_[j]:
                    _move(m, p, &D[0, 0], &A[0, j], A[j, j], &B[0, j], j, positive, &u[0])
    return np.flatnonzero(~used)


cdef void _move(int m, int p, double* D, const double* a, double square, const double* b, int j,
                bint positive, double* u) noexcept nogil:
    """Move atom j to its minimiser."""
    cdef double scale = -1.0 / square, one = 1.0, norm
    cdef double* atom = D + <Py_ssize_t> j * m
    cdef int unit = 1, i
    for i in range(m):
        u[i] = atom[i] + b[i] / square
    dgemv("N", &m, &p, &scale, D, &m, <double*> a, &unit, &one, u, &unit)
    if positive:
        for i in range(m):
            u[i] = max(u[i], 0.0)
    norm = sqrt(dot(m, u, u))
    if norm > 1.0:
        for i in range(m):
            u[i] /= norm
    memcpy(atom, u, m * sizeof(double))

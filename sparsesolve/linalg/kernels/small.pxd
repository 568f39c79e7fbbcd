"""Cholesky factors of matrices so small that calling LAPACK would cost more than the work itself.
"""
from libc.math cimport sqrt


cdef inline void small_factor(int n, double* A, double tiny) noexcept nogil:
    """Factor A = L L' in place, lower triangle, column-major.

    Pivots are raised to tiny times their diagonal entry.
    """
    cdef int i, j, k
    cdef double pivot, times
    for j in range(n):
        pivot = A[j + <Py_ssize_t> j * n]
        for k in range(j):
            pivot -= A[j + <Py_ssize_t> k * n] * A[j + <Py_ssize_t> k * n]
        pivot = max(pivot, tiny * A[j + <Py_ssize_t> j * n])
        pivot = sqrt(pivot) if pivot > 0.0 else 1.0
        A[j + <Py_ssize_t> j * n] = pivot
        for k in range(j):
            times = A[j + <Py_ssize_t> k * n]
            for i in range(j + 1, n):
                A[i + <Py_ssize_t> j * n] -= times * A[i + <Py_ssize_t> k * n]
        for i in range(j + 1, n):
            A[i + <Py_ssize_t> j * n] /= pivot


cdef inline void small_solve(int n, const double* L, double* x) noexcept nogil:
    """Overwrite x by (L L')^-1 x."""
    cdef int i, j
    for j in range(n):
        x[j] /= L[j + <Py_ssize_t> j * n]
        for i in range(j + 1, n):
            x[i] -= x[j] * L[i + <Py_ssize_t> j * n]
    for j in range(n - 1, -1, -1):
        for i in range(j + 1, n):
            x[j] -= L[i + <Py_ssize_t> j * n] * x[i]
        x[j] /= L[j + <Py_ssize_t> j * n]

"""Proximal steps on the functions of all kernels, on several threads.

A function f_m = K_m a_m is kept by its coefficients a_m and its values K_m a_m, in the rows of two
(k, size) arrays. A gradient step moves them along u and K_m u, and shrinkage multiplies both. A
kernel is handled by one thread, so the number of threads changes no bit of the result.
"""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange
from libc.math cimport sqrt

import numpy as np

from sparsesolve.linalg.kernels.pass_threads cimport clock, end_pass, begin_pass
from sparsesolve.linalg.kernels.vector cimport axpy, dot


def gradient_step(double[:, ::1] coefs, double[:, ::1] values, const double[::1] u,
                  const double[:, ::1] products, double step, int n_threads=1):
    """Add step u to each a_m and step K_m u to K_m a_m; returns the norms sqrt(a_m'K_m a_m), (k,).

    Parameters
    ----------
    coefs, values : (k, size), changed
    u : (size,)
    products : (k, size)
    """
    cdef Py_ssize_t k = coefs.shape[0], size = coefs.shape[1], m
    out = np.empty(k)
    cdef double[::1] norms = out
    cdef int threads
    cdef double square, begun
    PyErr_CheckSignals()
    with nogil:
        begun, threads = clock(), begin_pass(n_threads)
        for m in prange(k, num_threads=threads, schedule="static"):
            axpy(size, step, &u[0], &coefs[m, 0])
            axpy(size, step, &products[m, 0], &values[m, 0])
            square = dot(size, &coefs[m, 0], &values[m, 0])
            norms[m] = sqrt(square) if square > 0.0 else 0.0
        end_pass(threads, begun, 4.0 * k * size)
    return out


def shrink(double[:, ::1] coefs, double[:, ::1] values, const double[::1] factors, int n_threads=1):
    """Multiply the function of every kernel by its factor (k,), in place."""
    cdef Py_ssize_t k = coefs.shape[0], size = coefs.shape[1], m, i
    cdef int threads
    cdef double begun
    with nogil:
        begun, threads = clock(), begin_pass(n_threads)
        for m in prange(k, num_threads=threads, schedule="static"):
            for i in range(size):
                coefs[m, i] *= factors[m]
                values[m, i] *= factors[m]
        end_pass(threads, begun, 2.0 * k * size)


def inner_products(const double[:, ::1] left, const double[:, ::1] right, int n_threads=1):
    """Return left_m'right_m (k,)."""
    cdef Py_ssize_t k = left.shape[0], size = left.shape[1], m
    out = np.empty(k)
    cdef double[::1] products = out
    cdef int threads
    cdef double begun
    with nogil:
        begun, threads = clock(), begin_pass(n_threads)
        for m in prange(k, num_threads=threads, schedule="static"):
            products[m] = dot(size, &left[m, 0], &right[m, 0])
        end_pass(threads, begun, 2.0 * k * size)
    return out

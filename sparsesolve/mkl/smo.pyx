"""A support vector machine with one kernel, by sequential minimal optimisation.

    minimise over a   a'Q a / 2 - 1'a    subject to   0 <= a_i <= w_i,   y'a = 0 with an intercept

Here Q_ij = y_i y_j K_ij.
Given: K, y, the limits w and a feasible a. Returned: a, and the largest violation that is left.
Invariant: the gradient Q a - 1 is known.
With an intercept a step moves the pair of variables that gains most by its second-order model;
without one it moves a single variable.
Reference: Fan, Chen, Lin (2005), "Working set selection using second order information for training
support vector machines".
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY

import numpy as np

# Ctrl-C is checked for once in this many moves.
DEF LOOK = 1000

# The curvature along a move counts as at least this, so that a step is finite.
cdef double FLAT = 1e-12


def solve_machine(const double[:, ::1] K, const double[::1] y, const double[::1] w, start,
                  bint intercept, double tol, Py_ssize_t budget):
    """Return (a (n,), moves made, the largest violation of the optimality conditions left).

    Parameters
    ----------
    K : (n, n) symmetric, both triangles
    y : (n,) -1 or 1
    w : (n,) limits
    start : (n,) feasible a
    """
    cdef Py_ssize_t n = y.shape[0], moves = 0, i
    cdef double violation = INFINITY
    out = np.array(start, dtype=float)
    signs = np.asarray(y)
    cdef double[::1] a = out, gradient = signs * (np.asarray(K) @ (signs * out)) - 1.0
    while moves < budget and violation > tol:
        PyErr_CheckSignals()
        with nogil:
            for i in range(LOOK):
                violation = (_move_pair if intercept else _move_one)(
                    n, &K[0, 0], &y[0], &w[0], &a[0], &gradient[0], tol)
                if violation <= tol:
                    break
                moves += 1
    return out, moves, violation


cdef double _move_pair(Py_ssize_t n, const double* K, const double* y, const double* w, double* a,
                       double* gradient, double tol) noexcept nogil:
    """Move the best pair; returns the largest violation before the move."""
    cdef Py_ssize_t i = -1, j = -1, k
    cdef double most = -INFINITY, least = INFINITY, value, gain, best = 0.0, curved, step
    for k in range(n):
        if (a[k] < w[k]) if y[k] > 0 else (a[k] > 0.0):
            if -y[k] * gradient[k] > most:
                most, i = -y[k] * gradient[k], k
    for k in range(n):
        if (a[k] > 0.0) if y[k] > 0 else (a[k] < w[k]):
            value = -y[k] * gradient[k]
            least = min(least, value)
            if i >= 0 and value < most:
                curved = K[i * n + i] + K[k * n + k] - 2.0 * K[i * n + k]
                gain = (most - value) * (most - value) / max(curved, FLAT)
                if gain > best:
                    best, j = gain, k
    if i < 0 or j < 0 or most - least <= tol:
        return max(most - least, 0.0) if i >= 0 and least < INFINITY else 0.0
    curved = K[i * n + i] + K[j * n + j] - 2.0 * K[i * n + j]
    # y_i a_i grows by the step, and y_j a_j falls by it
    step = (most + y[j] * gradient[j]) / max(curved, FLAT)
    step = min(step, w[i] - a[i] if y[i] > 0 else a[i])
    step = min(step, a[j] if y[j] > 0 else w[j] - a[j])
    _add(n, K, y, a, gradient, i, y[i] * step, w[i])
    _add(n, K, y, a, gradient, j, -y[j] * step, w[j])
    return most - least


cdef double _move_one(Py_ssize_t n, const double* K, const double* y, const double* w, double* a,
                      double* gradient, double tol) noexcept nogil:
    """Move the variable that violates most; returns the largest violation before the move."""
    cdef Py_ssize_t i = -1, k
    cdef double worst = 0.0, pull, step
    for k in range(n):
        pull = -gradient[k]
        if (pull > 0.0 and a[k] < w[k]) or (pull < 0.0 and a[k] > 0.0):
            if (pull if pull > 0.0 else -pull) > worst:
                worst, i = pull if pull > 0.0 else -pull, k
    if i < 0 or worst <= tol:
        return worst
    step = -gradient[i] / max(K[i * n + i], FLAT)
    step = max(min(step, w[i] - a[i]), -a[i])
    _add(n, K, y, a, gradient, i, step, w[i])
    return worst


cdef void _add(Py_ssize_t n, const double* K, const double* y, double* a, double* gradient,
               Py_ssize_t i, double step, double limit) noexcept nogil:
    """Add `step` to a_i, within its limits, and update the gradient."""
    cdef Py_ssize_t k
    cdef double signed = y[i] * step
    a[i] = min(max(a[i] + step, 0.0), limit)
    for k in range(n):
        gradient[k] += y[k] * signed * K[i * n + k]

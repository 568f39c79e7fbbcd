"""Coordinate descent on the Gram matrix, from given coefficients until the certificate is met.

    minimise over b   1/2 |y - D b|^2 + level |b|_1      (b >= 0 with `positive`)

It finishes what the homotopy leaves: dictionaries with atoms that are in the span of others up to
rounding. Given: a Signal with a support and values. Returned: the Signal with better values.
Invariant: g = D'r, recomputed at every certificate.
Reference: Friedman, Hastie, Tibshirani (2010), "Regularization paths for generalized linear models
via coordinate descent".
"""
from libc.string cimport memcpy, memset

from sparsesolve.paths.dictionary.certificate cimport certify, correlations
from sparsesolve.paths.dictionary.signal cimport CONVERGED, FULL, MAX_ITER, STALLED, Signal
from sparsesolve.linalg.kernels.vector cimport axpy

# Sweeps between two certificates. A certificate costs about one sweep, so this one adds a tenth.
DEF LOOK = 10


cdef int descend(Signal* s) noexcept nogil:
    """Sweep until the gap is at most tol; return an outcome."""
    cdef double* b = s.a        # dense coefficients; the certificate reads support and values
    cdef long sweep
    cdef bint moved
    cdef int k
    memset(b, 0, s.p * sizeof(double))
    for k in range(s.count):
        b[s.support[k]] = s.values[k]
    correlations(s)
    memcpy(s.c, s.rate, s.p * sizeof(double))
    for sweep in range(1, s.budget + 1):
        moved = _sweep(s, s.c, b)
        s.steps += 1
        if sweep % LOOK and moved:
            continue
        _collect(s, b)
        if certify(s) <= s.tol:
            return CONVERGED if s.count <= s.basis.capacity else FULL
        if not moved:
            return STALLED if s.count <= s.basis.capacity else FULL
        memcpy(s.c, s.rate, s.p * sizeof(double))
    _collect(s, b)
    certify(s)
    return MAX_ITER if s.count <= s.basis.capacity else FULL


cdef bint _sweep(Signal* s, double* g, double* b) noexcept nogil:
    """Move every coefficient to its minimiser; return True if any moved by more than rounding."""
    cdef double new, step, curvature, largest = 0.0
    cdef Py_ssize_t j
    for j in range(s.p):
        curvature = s.gram[j * s.p + j]
        if curvature <= 0.0:
            continue
        new = g[j] + curvature * b[j]
        if new > s.level:
            new = (new - s.level) / curvature
        elif new < -s.level and not s.positive:
            new = (new + s.level) / curvature
        else:
            new = 0.0
        step = new - b[j]
        if step != 0.0:
            b[j] = new
            axpy(s.p, -step, s.gram + j * s.p, g)
            largest = max(largest, curvature * step * step)
    return largest > 1e-34 * s.square


cdef void _collect(Signal* s, const double* b) noexcept nogil:
    """Fill support and values from dense coefficients."""
    cdef Py_ssize_t j
    s.count = 0
    for j in range(s.p):
        if b[j] != 0.0:
            s.support[s.count] = j
            s.values[s.count] = b[j]
            s.count += 1

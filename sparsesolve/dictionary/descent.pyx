"""The certificate of one signal's code, and coordinate descent on the Gram matrix until it is met.

    minimise over b   1/2 |y - D b|^2 + level |b|_1      (b >= 0 with `positive`)

With g = D'(y - D b), formed anew from D'y and G, and the dual point t r that t = min(1, level / max |g_j|) makes
feasible,

    P - D = (1 - t)^2 |r|^2 / 2 + level |b|_1 - t g'b,

a sum of two nonnegative terms.  A g_j above the level by rounding counts as on it: at level 0 nothing else is feasible.
It is the reference that decides; descent is for what the homotopy leaves (dictionaries
with atoms in the span of others, to rounding).
"""
from libc.math cimport fabs
from libc.string cimport memcpy, memset

from sparsesolve.dictionary.signal cimport CONVERGED, FULL, MAX_ITER, STALLED, Signal
from sparsesolve.linalg.vector cimport axpy, ss_largest_f64, ss_step_largest, ss_subtract_all

cdef double ROUNDING = 1e-14    # of the largest |d_j'y|
DEF LOOK = 10       # sweeps between two certificates


cdef double correlations(Signal* s) noexcept nogil:
    """rate = D'r of the coefficients `values`, made anew; returns the largest, in size unless `positive`."""
    memcpy(s.rate, s.cross, s.p * sizeof(double))
    ss_subtract_all(s.p, s.count, s.values, s.gram, s.support, s.p, s.rate)
    return ss_step_largest(s.p, 0.0, s.cross, s.positive, s.rate)


cdef double certify(Signal* s) noexcept nogil:
    """Fill gap and residual; returns the gap."""
    cdef double largest = correlations(s), t = 1.0, size = 0.0, along = 0.0, explained = 0.0
    cdef int k, j
    if largest > s.level + ROUNDING * ss_largest_f64(s.p, s.cross):
        t = s.level / largest
    for k in range(s.count):
        j = s.support[k]
        size += fabs(s.values[k])
        along += s.rate[j] * s.values[k]
        explained += (s.cross[j] + s.rate[j]) * s.values[k]
    s.residual = max(s.square - explained, 0.0)
    s.gap = 0.5 * (1.0 - t) * (1.0 - t) * s.residual + max(s.level * size - t * along, 0.0)
    s.gap = s.gap / (0.5 * s.square) if s.square > 0.0 else 0.0
    return s.gap


cdef int descend(Signal* s) noexcept nogil:
    """Sweeps from the coefficients at hand to a gap of at most tol."""
    cdef double* b = s.a        # dense; the certificate works on support and values
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
            return CONVERGED if s.count <= s.span.capacity else FULL
        if not moved:
            return STALLED if s.count <= s.span.capacity else FULL
        memcpy(s.c, s.rate, s.p * sizeof(double))
    _collect(s, b)
    certify(s)
    return MAX_ITER if s.count <= s.span.capacity else FULL


cdef bint _sweep(Signal* s, double* g, double* b) noexcept nogil:
    """Move every coefficient to its minimiser; says whether any moved by more than rounding."""
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
    """Support and values of dense coefficients."""
    cdef Py_ssize_t j
    s.count = 0
    for j in range(s.p):
        if b[j] != 0.0:
            s.support[s.count] = j
            s.values[s.count] = b[j]
            s.count += 1

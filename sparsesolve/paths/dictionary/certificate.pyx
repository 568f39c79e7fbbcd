"""The certificate of one signal's code, and steps that improve a code until it is met.

    minimise over b   1/2 |y - D b|^2 + level |b|_1      (b >= 0 with `positive`)

Let g = D'(y - D b), recomputed from D'y and G. The scale t = min(1, level / max |g_j|) makes the
dual point t r feasible, and the gap is

    P - D = (1 - t)^2 |r|^2 / 2 + level |b|_1 - t g'b,

a sum of two nonnegative terms. A g_j that exceeds the level by rounding alone counts as equal to
the level, since otherwise no point would be feasible at level 0.
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy

from sparsesolve.paths.dictionary.signal cimport CONVERGED, STALLED, Signal
from sparsesolve.linalg.factors cimport gram_basis
from sparsesolve.linalg.kernels.vector cimport (
    axpy,
    dot,
    ss_largest_f64,
    ss_step_largest,
    ss_subtract_all,
)
from sparsesolve.solvers.certificate.gap cimport assembled, squares_gap

# The rounding error of correlations is this share of the largest |d_j'y|.
cdef double ROUNDING = 1e-14

# The terms of D a cancel when sum_j |a_j| |d_j| exceeds |y| by this factor. Rounding of the
# coefficients then counts, and costs EPSILON times that sum.
cdef double FELT = 1e3
cdef double EPSILON = 2.2e-16

# A coefficient of at most this share of the largest one is rounding.
cdef double STRAY = 1e-13


cdef double correlations(Signal* s) noexcept nogil:
    """Recompute rate = D'r; returns its largest entry, in absolute value unless `positive`."""
    memcpy(s.rate, s.cross, s.p * sizeof(double))
    ss_subtract_all(s.p, s.count, s.values, s.gram, s.support, s.p, s.rate)
    return ss_step_largest(s.p, 0.0, s.cross, s.positive, s.rate)


cdef double rounded(const Signal* s) noexcept nogil:
    """Return the rounding error of |y - D a|: 0 unless the terms of D a nearly cancel."""
    cdef double size = 0.0
    cdef int k
    for k in range(s.count):
        size += fabs(s.values[k]) * sqrt(s.gram[s.support[k] * (s.p + 1)])
    return EPSILON * size if size > FELT * sqrt(s.square) else 0.0


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
    s.gap = assembled(squares_gap(s.residual, t, 0.0), s.level * size - t * along,
                      rounded(s) * rounded(s) / EPSILON, INFINITY)
    s.gap = s.gap / (0.5 * s.square) if s.square > 0.0 else 0.0
    return s.gap


cdef int certify_angles(Signal* s) noexcept nogil:
    """Set gap to the violation of least angles, over the largest |d_j'y|.

    Their correlations have the absolute value `level` on the support, and at most that elsewhere.
    """
    cdef double worst = 0.0
    cdef int k
    certify(s)
    if s.count > 0:
        worst = max(ss_largest_f64(s.p, s.rate) - s.level, 0.0)
    for k in range(s.count):
        worst = max(worst, s.level - fabs(s.rate[s.support[k]]))
    s.gap = worst / max(ss_largest_f64(s.p, s.cross), 1e-300)
    return CONVERGED if s.gap <= s.tol else STALLED


cdef void refine(Signal* s) noexcept nogil:
    """Make a Newton step on the support, from the correlations that `certify` has recomputed."""
    cdef double g, along
    cdef int i, k
    cdef const double* e
    for k in range(s.count):
        g = s.rate[s.support[k]]
        s.a[k] = g - s.level if g > 0 else g + s.level
    for i in range(s.count):
        e = gram_basis.vector(&s.basis, i) + s.p
        along = dot(i + 1, e, s.a)
        axpy(i + 1, along, e, s.values)


cdef void clear_strays(Signal* s) noexcept nogil:
    """Set to 0 what is rounding, and with `positive` what is negative; ties cause both."""
    cdef double largest = ss_largest_f64(s.count, s.values)
    cdef int k
    for k in range(s.count):
        if fabs(s.values[k]) <= STRAY * largest or (s.positive and s.values[k] < 0.0):
            s.values[k] = 0.0

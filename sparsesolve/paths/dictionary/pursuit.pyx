"""Orthogonal matching pursuit of one signal, from the Gram matrix of a dictionary.

    approximately  minimise over a   1/2 |y - D a|^2   with k nonzero coefficients

Given: G = D'D, D'y and y'y, and the number of atoms or the squared residual at which to stop.
Returned: the support, in order of entry, and the least-squares coefficients on it.
Invariant: c = D'(y - P y), where P projects on the span of the support. A step changes c by one
multiple of one basis vector.

Each step takes the atom with the largest |d_j'r|. An atom in the span of the support is skipped.
A basis computed from inner products does not distinguish an atom in the span from one very near
it. If the correlation says that the atom is not in the span, the outcome is UNRESOLVED, and
`column_pursuit` codes the signal from the atoms themselves.

The certificate is that of least squares: the largest |d_j'r| on the support, recomputed, over the
largest |d_j'y|.

Reference: Pati, Rezaiifar, Krishnaprasad (1993); Rubinstein, Zibulevsky, Elad (2008), "Efficient
implementation of the K-SVD algorithm using batch orthogonal matching pursuit".
"""
from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

from sparsesolve.paths.dictionary.certificate cimport rounded
from sparsesolve.paths.dictionary.signal cimport CONVERGED, FULL, STALLED, UNRESOLVED, Signal
from sparsesolve.linalg.factors cimport gram_basis
from sparsesolve.linalg.kernels.vector cimport axpy, ss_find, ss_largest_f64, ss_step_largest

# Thresholds for the squared distance of an atom from the span, as shares of the atom's square. At
# most LOST_PIVOT, the atom counts as lying in the span. At most SHAKY_PIVOT, the distance has lost
# most of its digits.
cdef double LOST_PIVOT = 1e-12
cdef double SHAKY_PIVOT = 1e-8

# Rounding may give an atom in the span a correlation with r of up to this share of |d_j| |y|.
cdef double INSIDE = 1e-12

# A correlation of at most this share of the largest |d_j'y| is rounding.
cdef double ROUNDING = 1e-14


cdef int pursue(Signal* s) noexcept nogil:
    """Code the signal; return an outcome."""
    cdef double largest, rounding, square
    cdef Py_ssize_t j
    cdef const double* row
    cdef int k
    s.count = s.basis.size = 0
    s.steps = 0
    s.residual = s.square
    memcpy(s.c, s.cross, s.p * sizeof(double))
    largest = ss_step_largest(s.p, 0.0, s.cross, False, s.c)
    rounding = ROUNDING * largest
    while s.count < s.most and s.residual > s.error and largest > rounding:
        j = ss_find(s.p, s.c, largest, -largest)
        row = s.gram + j * s.p
        square = gram_basis.pivot(&s.basis, row, j)
        if square <= SHAKY_PIVOT * row[j] and largest > INSIDE * sqrt(row[j] * s.square):
            return UNRESOLVED
        if square <= LOST_PIVOT * row[j]:
            s.c[j] = 0.0
            largest = ss_step_largest(s.p, 0.0, s.cross, False, s.c)
        elif s.count == s.basis.capacity:
            return FULL
        else:
            gram_basis.extend(&s.basis, row, square)
            largest = _advance(s, j)
    for k in range(s.count):
        s.values[k] = -s.c[s.p + k]
    s.level = largest
    return _certify(s)


cdef double _advance(Signal* s, Py_ssize_t j) noexcept nogil:
    """Project on the span, which now has atom j; return the largest correlation left."""
    cdef int k = s.count
    cdef const double* e = gram_basis.vector(&s.basis, k)
    cdef double step = s.c[j] * e[s.p + k]
    s.support[k] = j
    s.c[s.p + k] = 0.0
    s.count = k + 1
    s.steps += 1
    s.residual -= step * step
    axpy(k + 1, -step, e + s.p, s.c + s.p)
    return ss_step_largest(s.p, step, e, False, s.c)


cdef int _certify(Signal* s) noexcept nogil:
    """Set gap = max_k |d_k'r| over the support / max_j |d_j'y|, from recomputed correlations."""
    cdef double left, worst = 0.0, largest = max(ss_largest_f64(s.p, s.cross), 1e-300)
    cdef double rounding = rounded(s)
    cdef const double* row
    cdef int k, i
    for k in range(s.count):
        row = s.gram + s.support[k] * s.p
        left = s.cross[s.support[k]]
        for i in range(s.count):
            left -= row[s.support[i]] * s.values[i]
        worst = max(worst, fabs(left) + rounding * sqrt(row[s.support[k]]))
    s.residual = max(s.residual, 0.0)
    s.gap = worst / largest
    return CONVERGED if s.gap <= s.tol else STALLED

"""The lasso of one signal, followed from b = 0 down to the requested level, and its certificate.

    minimise over b   1/2 |y - D b|^2 + lam |b|_1        (b >= 0 with `positive`)

Given: G = D'D (the ridge of an elastic net is on its diagonal), D'y and y'y.
Returned: support, coefficients and duality gap.
Invariant between events: the level l falls from max |d_j'y| to lam. The correlations c = D'r
satisfy c_j = l sign_j on the support and |c_j| <= l elsewhere. Both c and b are linear in l.

There are two kinds of events. The correlation of an atom reaches l, and the atom joins the
support; or a coefficient reaches 0, and its atom leaves. Atoms in the span of the support are set
aside until an atom leaves. A tie is an event at distance 0.

Rounding or degeneracy may lead the path astray, so the result is judged by its duality gap. Let
g = D'(y - D b), recomputed from D'y and G. The scale t = min(1, lam / max |g_j|) makes the dual
point t r feasible, and the gap is

    P - D = (1 - t)^2 |r|^2 / 2 + lam |b|_1 - t g'b,

a sum of two nonnegative terms. A g_j that exceeds lam by rounding alone counts as equal to lam,
since otherwise no point would be feasible at lam = 0. If the gap misses the tolerance, coordinate
descent on G finishes: at some ties, and for dictionaries with atoms that are in the span of others
up to rounding.

Reference: Osborne, Presnell, Turlach (2000), "A new approach to variable selection in least squares
problems"; Efron, Hastie, Johnstone, Tibshirani (2004), "Least angle regression"; Friedman, Hastie,
Tibshirani (2010), "Regularization paths for generalized linear models via coordinate descent".
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy, memmove, memset

from sparsesolve.linalg.factors cimport gram_basis
from sparsesolve.linalg.gram.products cimport subtract_all
from sparsesolve.linalg.kernels.vector cimport (
    axpy, dot, ss_find, ss_largest_f64, ss_meetings, ss_step_largest,
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
    subtract_all(s.p, s.count, s.values, s.gram, s.support, s.p, s.rate)
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
        if sweep % 10 and moved:  # a certificate costs about one sweep
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


# An atom counts as lying in the span of the support when the squared distance from the span is at
# most this share of the atom's square.
cdef double LOST_PIVOT = 1e-14

# A correlation is on the level when its distance from it is at most this share of the first level.
cdef double TIE = 1e-15


cdef int follow(Signal* s) noexcept nogil:
    """Code the signal; return an outcome."""
    s.steps = 0
    if _walk(s) == FULL:
        return FULL
    if not s.leaves:
        return certify_angles(s)
    return CONVERGED if _refined(s) else descend(s)


cdef bint _refined(Signal* s) noexcept nogil:
    """Return True if the certificate is met, if necessary after Newton steps on the support."""
    cdef int tries
    for tries in range(2):
        clear_strays(s)
        if certify(s) <= s.tol:
            return True
        refine(s)
    clear_strays(s)
    return certify(s) <= s.tol


cdef int _walk(Signal* s) noexcept nogil:
    """Go from event to event; set support, values and level; return FULL or CONVERGED."""
    cdef double level, least, step, best, sign = 0.0
    cdef int leaving
    cdef Py_ssize_t joining, k
    cdef long limit = s.steps + 8 * s.p + 100    # events after which a path is given up
    s.count = s.n_blocked = s.basis.size = 0
    memcpy(s.c, s.cross, s.p * sizeof(double))
    memset(s.a, 0, s.p * sizeof(double))
    memset(s.state, FREE, s.p)
    level = ss_step_largest(s.p, 0.0, s.a, s.positive, s.c)
    least = TIE * level
    joining = ss_find(s.p, s.c, level, level if s.positive else -level) if level > s.lam else s.p
    while level > s.lam and s.count < s.most:
        # 1. Add the atom whose correlation has reached the level.
        if joining < s.p and not _join(s, joining):
            return FULL
        # 2. The next event: an atom joins, a coefficient reaches 0, or the level is lam.
        step = level - s.lam
        joining, leaving = s.p, -1
        best = ss_meetings(s.p, level, least, s.c, s.a, s.positive, s.rate)
        if best * step > 1.0:
            joining = ss_find(s.p, s.rate, best, best)
            if s.state[joining] == FREE:
                step = 1.0 / best
            else:
                joining = s.p
        if s.leaves:
            leaving = _first_zero(s, &step)
        if leaving >= 0:
            sign = 1.0 if s.c[s.p + leaving] < 0 else -1.0
        # 3. Move to the event.
        axpy(s.p + s.count, -step, s.a, s.c)
        level -= step
        s.steps += 1
        if leaving >= 0:
            joining = s.p
            _leave(s, leaving, sign, level)
        elif joining == s.p:
            break
        if s.steps > limit:
            break
    for k in range(s.count):
        s.values[k] = -s.c[s.p + k]
    s.level = level if s.count >= s.most else s.lam
    return CONVERGED


cdef bint _join(Signal* s, Py_ssize_t j) noexcept nogil:
    """Add atom j to the support, or set it aside; return False if there is no room."""
    cdef const double* row = s.gram + j * s.p
    cdef double sign = 1.0 if s.c[j] > 0 else -1.0, square = gram_basis.pivot(&s.basis, row, j)
    cdef double correlation = s.a[j]
    cdef int k = s.count
    s.c[j] = s.a[j] = 0.0
    if square <= LOST_PIVOT * row[j]:
        s.state[j] = BLOCKED
        s.blocked[s.n_blocked] = j
        s.n_blocked += 1
        return True
    if k == s.basis.capacity:
        return False
    gram_basis.extend(&s.basis, row, square)
    s.z[k] = (sign - correlation) * gram_basis.vector(&s.basis, k)[s.p + k]
    s.c[s.p + k] = s.a[s.p + k] = 0.0
    s.state[j] = USED
    s.support[k] = j
    s.count = k + 1
    axpy(s.p + k + 1, s.z[k], gram_basis.vector(&s.basis, k), s.a)
    s.a[j] = 0.0
    return True


cdef int _first_zero(Signal* s, double* step) noexcept nogil:
    """Return the first coefficient that reaches 0 within `step`, or -1; shorten `step` to it."""
    cdef double* c = s.c + s.p
    cdef double* a = s.a + s.p
    cdef double best = 0.0, rate
    cdef int k, first = -1
    for k in range(s.count):
        if c[k] * a[k] > 0.0:
            rate = a[k] / c[k]
            if rate > best:
                best, first = rate, k
    if first >= 0 and best * step[0] > 1.0:
        step[0] = 1.0 / best
        return first
    return -1


cdef void _leave(Signal* s, int k, double sign, double level) noexcept nogil:
    """Remove the k-th atom from the support; its correlation is sign * level."""
    cdef int j = s.support[k], behind = s.count - k - 1, i
    cdef double lost
    s.a[j] = sign
    s.c[j] = sign * level
    s.state[j] = FREE
    lost = gram_basis.drop(&s.basis, k, s.z)
    axpy(s.p, -lost, gram_basis.vector(&s.basis, s.basis.size), s.a)
    s.count -= 1
    memmove(s.support + k, s.support + k + 1, behind * sizeof(int))
    memmove(s.c + s.p + k, s.c + s.p + k + 1, behind * sizeof(double))
    _direction(s)
    for i in range(s.n_blocked):
        _release(s, s.blocked[i])
    s.n_blocked = 0


cdef void _direction(Signal* s) noexcept nogil:
    """Compute the coefficients of the direction from its products with the basis."""
    cdef int i
    memset(s.a + s.p, 0, s.count * sizeof(double))
    for i in range(s.count):
        axpy(i + 1, s.z[i], gram_basis.vector(&s.basis, i) + s.p, s.a + s.p)


cdef void _release(Signal* s, int j) noexcept nogil:
    """Compute the correlations of an atom that was set aside."""
    cdef const double* row = s.gram + <Py_ssize_t> j * s.p
    cdef int k
    s.state[j] = FREE
    s.c[j], s.a[j] = s.cross[j], 0.0
    for k in range(s.count):
        s.c[j] += row[s.support[k]] * s.c[s.p + k]
        s.a[j] += row[s.support[k]] * s.a[s.p + k]

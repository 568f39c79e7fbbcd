"""Sparse group lasso: features within the chosen groups are chosen too; tau = 0: the group lasso.

    N_g(b) = tau |b|_1 + (1 - tau) d_g |b|_2
"""
from libc.math cimport INFINITY, fabs, frexp, ldexp, sqrt

from inspect import signature
from numbers import Real

import numpy as np

from sparsesolve.penalties.blocks cimport BlockPenalty, length

# No search for a root takes more than this many steps.
DEF STEPS = 200
# A bracket is not extended beyond this number, nor below its inverse.
cdef double HUGE = 1e300
# Numbers that differ by at most this fraction are equal up to rounding.
cdef double CLOSE = 4e-16
# Relative distance by which rounding may put a point to the right of the root.
cdef double ON_IT = 1e-10
# A norm with a weight below this fraction of the gradient of a block does not change it.
cdef double VANISHING = 1e-60


cdef class SparseGroup(BlockPenalty):
    r"""The sparse group lasso.

    :math:`\Omega(b) = \tau \lVert b \rVert_1 + (1 - \tau) \sum_g d_g \lVert b_g \rVert_2`.

    With path's alpha < 1 a ridge part as well, of weight ``tau + (1 - tau) d_g``.

    Parameters
    ----------
    groups : sequence or mapping
        Groups as :class:`GroupL2` takes them.
    tau : float in [0, 1], default 0.5
        Share of the l1 norm: 0 is the group lasso, 1 the lasso.
    weights : array-like (G,) or mapping from labels, default None
        d_g, as :class:`GroupL2` takes them; 0 leaves the l1 norm alone, inf excludes a group.

    Raises
    ------
    ValueError, TypeError
        If `tau` is not a number from 0 to 1. When a path is fitted: if groups overlap or do not
        fit its features, or a weight is negative.

    References
    ----------
    Simon, Friedman, Hastie, Tibshirani (2013), "A sparse-group lasso".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> y = X[:, 0] + X[:, 1]
    >>> penalty = ss.penalties.SparseGroup({"first": [0, 1, 2], "rest": [3, 4, 5]}, tau=0.8)
    >>> fit = ss.path(X, y, penalty=penalty)
    >>> fit.nonzero(0.5 * fit.lambdas[0])
    array([0, 1])
    """

    cdef readonly double tau

    __signature__ = signature(lambda groups, tau=0.5, weights=None: None)

    def __init__(self, groups, tau=0.5, weights=None):
        if not isinstance(tau, Real) or not 0.0 <= tau <= 1.0:
            raise ValueError(
                    f"tau is {tau!r}; it must be a number from 0 to 1, the share of the l1 norm")
        super().__init__(groups, weights)
        self.tau = tau

    def arguments(self):
        return self.groups, self.tau, self.given

    def parts(self, d):
        return (1.0 - self.tau) * d, np.full(len(d), self.tau)

    def majorant(self, b, double smoothing):
        """Return v (p,) such that sum_j v_j x_j^2 / 2 plus a constant majorises Omega(x).

        The majorant is close to Omega at x = b if `smoothing` is small.
        """
        of, b = np.asarray(self.of), np.asarray(b)
        square = np.bincount(of, weights=b * b, minlength=self.n_groups)
        whole = np.asarray(self.weight) / np.hypot(np.sqrt(square),
                                                   smoothing) + np.asarray(self.ridge)
        return whole[of] + np.asarray(self.l1)[of] / np.hypot(b, smoothing)

    cdef double norm(self, Py_ssize_t g, const double* b) noexcept nogil:
        cdef double total = 0.0
        cdef Py_ssize_t j
        for j in range(self.size(g)):
            total += fabs(b[j])
        return self.weight[g] * length(self.size(g), b) + self.l1[g] * total

    cdef double dual_norm(self, Py_ssize_t g, const double* z) noexcept nogil:
        """Return the root of |soft(z, nu l1)|_2 = nu weight.

        The equation is convex in nu, and Newton's method starts from the left.
        """
        cdef double nu = 0.0, square = 0.0, total, largest = 0.0, over, next, l1 = self.l1[g]
        cdef double weight = self.weight[g], unit = 1.0
        cdef Py_ssize_t j
        cdef int tries, power = 0
        for j in range(self.size(g)):
            largest = max(largest, fabs(z[j]))
        if largest == 0.0:
            return 0.0
        if l1 == 0.0:
            return length(self.size(g), z) / weight if weight > 0.0 else INFINITY
        if weight == 0.0:
            return largest / l1
        if not 1e-150 < largest < 1e150:  # squares are beyond floats
            frexp(largest, &power)
            power = max(power, -1000)
            unit = ldexp(1.0, -power)
        for tries in range(STEPS):
            square = total = 0.0
            for j in range(self.size(g)):
                over = unit * fabs(z[j]) - nu * l1
                if over > 0.0:
                    square += over * over
                    total += over
            if square == 0.0:
                break
            square = sqrt(square)
            next = nu + (square - nu * weight) / (l1 * total / square + weight)
            if not next > nu * (1.0 + CLOSE):
                break
            nu = next
        return ldexp(nu, power)

    cdef double reach(self, Py_ssize_t g) noexcept nogil:
        """Return 1 / the norm of a unit vector of a coordinate, where it is least."""
        return 1.0 / (self.weight[g] + self.l1[g]) if not self.block_unpenalised(g) else INFINITY

    cdef void block_prox(self, Py_ssize_t g, double h, const double* x, double lam,
                         double* b) noexcept nogil:
        """Soft-threshold, then shrink the block's length; with limits it is an equation's root."""
        cdef Py_ssize_t j, first = self.start[g], s = self.size(g)
        cdef double l1 = lam * self.l1[g], level = lam * self.weight[g]
        cdef double r = h + lam * self.ridge[g]
        cdef double norm, shrink, most
        cdef bint inside = True
        for j in range(s):
            b[j] = x[j] - l1 if x[j] > l1 else x[j] + l1 if x[j] < -l1 else 0.0
            if self.limited and self.limit(first + j, b[j]) == 0.0:
                b[j] = 0.0
        norm = length(s, b)
        shrink = (1.0 - level / norm) / r if norm > level and r > 0.0 else 0.0
        if norm > level and self.limited:
            for j in range(s):
                inside = inside and fabs(b[j]) * shrink <= self.limit(first + j, b[j])
            if level == 0.0:
                shrink = 1.0 / r if r > 0.0 else INFINITY
            elif not inside or r == 0.0:
                shrink = 1.0 / (r + level / self._length(g, r, level, b))
        for j in range(s):
            most = self.limit(first + j, b[j]) if self.limited else INFINITY
            if b[j] != 0.0:
                b[j] = min(b[j] * shrink, most) if b[j] > 0.0 else max(b[j] * shrink, -most)

    cdef double _length(self, Py_ssize_t g, double r, double level, const double* z) noexcept nogil:
        """Return the length of a block with coordinates at limits, by doubling and bisection."""
        cdef double low, middle, high = 1.0
        cdef int k
        while high < HUGE and self._too_short(g, high, r, level, z):
            high *= 2.0
        low = 0.5 * high
        while low > 1.0 / HUGE and not self._too_short(g, low, r, level, z):
            low *= 0.5
        high = min(high, 2.0 * low)
        for k in range(54):         # from a factor of two to the last digit of a double
            middle = 0.5 * (low + high)
            if self._too_short(g, middle, r, level, z):
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)

    cdef bint _too_short(self, Py_ssize_t g, double rho, double r, double level,
                         const double* z) noexcept nogil:
        """Return True if sum_j min(|z_j| / (r rho + level), limit_j / rho)^2 is above 1.

        The sum falls with rho.
        """
        cdef Py_ssize_t j, first = self.start[g]
        cdef double total = 0.0, part
        for j in range(self.size(g)):
            if z[j] != 0.0:
                part = min(fabs(z[j]) / (r * rho + level), self.limit(first + j, z[j]) / rho)
                total += part * part
        return total > 1.0

    cdef bint is_round(self, Py_ssize_t g) noexcept nogil:
        return self.l1[g] == 0.0 and not self.limited

    cdef void diagonal_prox(self, Py_ssize_t g, const double* h, const double* x, double lam,
                            double near, double* b) noexcept nogil:
        """Compute the length rho of the block, the root of sum_j x_j^2 / (r_j rho + level)^2 = 1
        with r = h + ridge.

        Newton's method is applied to the inverse square root of the left side, which is concave
        and nearly linear. From any start the next point lies to the left of the root or on it, up
        to rounding. The rounding is large compared with a root that is far away.
        """
        cdef Py_ssize_t j, s = self.size(g)
        cdef double level = lam * self.weight[g], ridge = lam * self.ridge[g]
        cdef double square = 0.0, rho = near, part, slope, size
        cdef int tries
        for j in range(s):
            square += x[j] * x[j]
        if square <= level * level:
            for j in range(s):
                b[j] = 0.0
            return
        if level <= VANISHING * sqrt(square):
            level = 0.0
        for tries in range(STEPS if level > 0.0 else 0):
            square = slope = 0.0
            for j in range(s):
                part = 1.0 / ((h[j] + ridge) * rho + level)
                size = x[j] * part
                square += size * size
                slope += size * size * part * (h[j] + ridge)
            if not square > 1.0 + CLOSE and square >= 1.0 - (ON_IT if tries > 0 else CLOSE):
                break
            if not slope > 0.0 and rho == 0.0:
                break
            rho = max(rho + (sqrt(square) - 1.0) * square / slope, 0.0) if slope > 0.0 else 0.0
        for j in range(s):
            part = (h[j] + ridge) * rho + level if level > 0.0 else h[j] + ridge
            b[j] = x[j] / part * (rho if level > 0.0 else 1.0) if part > 0.0 else 0.0

    cdef int tangent(self, Py_ssize_t g, const double* b, const double* z, double lam,
                     int* tangent_of, double* sign, double* slope) noexcept nogil:
        """The directions are the nonzero coordinates, and those at zero without an l1 norm."""
        cdef Py_ssize_t j, first = self.start[g], s = self.size(g)
        cdef double square = 0.0, rest, pull, l1 = lam * self.l1[g]
        cdef int count = 0
        for j in range(s):
            tangent_of[j] = -1
            square += b[j] * b[j]
        if square == 0.0 and self.weight[g] > 0.0:
            return 0
        pull = lam * (self.ridge[g] + (self.weight[g] / sqrt(square) if square > 0.0 else 0.0))
        for j in range(s):
            rest = z[j] - pull * b[j]
            if b[j] == 0.0 and l1 > 0.0:
                continue
            rest -= l1 if b[j] > 0.0 else -l1 if b[j] < 0.0 else 0.0
            if (b[j] >= self.upper[first + j] and rest >= 0.0) or (b[j] <= self.lower[first + j]
                    and rest <= 0.0):
                continue
            tangent_of[j], sign[j], slope[count] = count, 1.0, rest
            count += 1
        return count

    cdef void second_derivative(self, Py_ssize_t g, const double* b, double lam,
                                const int* tangent_of, double* H, int ld) noexcept nogil:
        cdef Py_ssize_t i, j, s = self.size(g)
        cdef double square = 0.0, scale
        for j in range(s):
            square += b[j] * b[j]
        scale = lam * self.weight[g] / sqrt(square) if square > 0.0 else 0.0
        for j in range(s):
            if tangent_of[j] < 0:
                continue
            H[tangent_of[j] + <Py_ssize_t> tangent_of[j] * ld] += scale + lam * self.ridge[g]
            for i in range(s):
                if tangent_of[i] >= 0 and scale > 0.0:
                    H[tangent_of[i] + <Py_ssize_t> tangent_of[j]
                      * ld] -= scale * b[i] * b[j] / square


cdef class GroupL2(SparseGroup):
    r"""The group lasso.

    :math:`\Omega(b) = \sum_g d_g \lVert b_g \rVert_2`.

    With path's alpha < 1 it is the group elastic net.

    Parameters
    ----------
    groups : sequence or mapping
        One label per feature, (p,), of any type (None: a group of its own); or sequences of feature
        numbers, or a mapping from labels to them. Groups need not be contiguous; features in none
        are groups of one; none may be in two.
    weights : array-like (G,) or mapping from labels, default None
        d_g of the groups named, in the order in which they first appear; None means the square
        roots of their sizes. 0 leaves a group unpenalised, inf excludes it.

    Raises
    ------
    ValueError, TypeError
        When a path is fitted: if groups overlap or do not fit its features, or a weight is
        negative.

    References
    ----------
    Yuan and Lin (2006), "Model selection and estimation in regression with grouped variables".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> y = X[:, 0] + X[:, 1]
    >>> fit = ss.path(X, y, penalty=ss.penalties.GroupL2(["a", "a", "b", "b", "c", "c"]))
    >>> fit.nonzero(0.5 * fit.lambdas[0])
    array([0, 1])
    """

    __signature__ = signature(lambda groups, weights=None: None)
    lazy_kind = "norm"

    def __init__(self, groups, weights=None):
        super().__init__(groups, 0.0, weights)

    def arguments(self):
        return self.groups, self.given

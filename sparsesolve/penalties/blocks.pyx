"""The contract of a penalty on groups of features: a sum over disjoint blocks.

    Omega(b) = sum_g v_g [alpha N_g(b_g) + (1 - alpha) d_g |b_g|_2^2 / 2],   lower <= b <= upper

with norms N_g, penalty factors v_g and weights d_g. Any new penalty on groups is a subclass of
BlockPenalty and must implement, for a block b or z of `size(g)` numbers:

    norm(g, b)                  alpha v_g N_g(b)
    dual_norm(g, z)             the least lam with z in lam times the subdifferential of that at 0
    reach(g)                    the largest dual_norm on the unit l2 ball, a Lipschitz constant
    block_prox(g, h, x, lam, b) b = argmin h |b|^2 / 2 - x'b + lam Omega_g(b), within the limits
    tangent, second_derivative  directions along which Omega_g is smooth at b, and its second
                                derivative along them, for Newton steps

and may implement `parts` (an l1 norm inside the groups), `merge` and `stop` (kinks away from 0),
and `is_round` with `diagonal_prox` (a function of the length of a block alone). All else follows:
the conjugate, the polar, feasible scales, and the contract of ``penalty.py`` on whole vectors.

The level lam is an argument of every method, never an attribute. Blocks are vectors in the order
of `member`; whole vectors are in the order of the features.
"""
from collections.abc import Mapping
from inspect import signature

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, fabs, sqrt

import numpy as np

from sparsesolve.penalties.groups import group_members, held, held_weights, in_order, read_groups
from sparsesolve.penalties.norm import LEAST_ALPHA, NO_PENALTY, free_directions

# Relative margin that keeps a scaled dual point feasible after rounding.
cdef double FEASIBLE = 1e-14
# Called with (class, keywords given, keywords known, "maker") when a keyword is unknown. The room
# of such messages is above this one and sets it; a constructor in Python is decorated instead.
answer = None


cdef class BlockPenalty:
    """Base class of all penalties on groups; groups and weights are as `GroupL2` has them."""

    __signature__ = signature(lambda groups, weights=None: None)  # Cython gives classes none
    has_blocks = has_groups = True      # see penalty.py
    # How online learning combines the proxes of several steps. "norm" says that proxes add up,
    # prox_s(prox_t(x)) = prox_{s + t}(x), so that one prox replaces those of many steps; "none"
    # is right for any penalty.
    lazy_kind = "none"
    evens_out = False  # True if the active coefficients of a group tend to one size

    def __cinit__(self, *given, **options):
        known = signature(type(self)).parameters if options else ()
        if answer is not None and not set(options) <= set(known):
            answer(type(self).__name__, options, known, "maker")

    def __init__(self, groups, weights=None):
        self.groups, self.given = held(groups), held_weights(weights)

    def arguments(self):
        """Return the arguments of the constructor."""
        return self.groups, self.given

    def __reduce__(self):
        return type(self), self.arguments()

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self.arguments()))})"

    def group_members(self, n_features, names=None):
        """Return the features of each group by its label."""
        return group_members(self.groups, n_features, names)

    def over(self, n_features, names=None):
        """Return this penalty for `n_features` features.

        Raises ValueError with a sentence on what is wrong with its groups or weights.
        """
        return self.on(read_groups(self.groups, n_features, names))

    def on(self, layout):
        """Return this penalty on Groups that were read before.

        Weights of None become the square roots of the sizes.
        """
        cdef BlockPenalty bound = self._laid_out(layout)
        n_features = len(layout.member)
        bound._set(1.0, np.ones(bound.n_groups), np.full(n_features, -np.inf),
                   np.full(n_features, np.inf), 1.0)
        return bound

    def _laid_out(self, layout):
        cdef BlockPenalty bound = type(self)(*self.arguments())
        bound.layout, bound.n_groups = layout, len(layout.start) - 1
        bound.start, bound.member, bound.of = layout.start, layout.member, layout.of
        largest = int(np.diff(layout.start).max(initial=0))
        bound.work, bound.masked = np.zeros(largest + 1), np.zeros(largest + 1)
        return bound

    def part(self, groups):
        """Return the penalty on some groups alone; their coefficients stand group by group."""
        sizes, first = np.diff(self.start)[groups], np.asarray(self.start)[groups]
        ends = np.cumsum(sizes)
        places = np.repeat(first - ends + sizes, sizes) + np.arange(sizes.sum())
        layout = in_order(self.layout, np.append(0, ends).astype(np.intc))
        return self._shown(layout, groups, places)

    def repeated(self, Py_ssize_t K):
        """Return the penalty on (K, p), row by row: a block has all rows of its group."""
        layout = self.layout
        of, p = np.tile(layout.of, K), len(layout.of)
        member, inverse = np.argsort(of, kind="stable").astype(np.intc), np.argsort(layout.member)
        layout = layout._replace(start=(K * layout.start).astype(np.intc), member=member, of=of)
        return self._shown(layout, np.arange(self.n_groups), inverse[member % p])

    def unlimited(self, coefficients):
        """Return the penalty without limits on these coefficients, a mask (p,)."""
        cdef BlockPenalty bound = self._shown(self.layout, np.arange(self.n_groups),
                                              np.arange(len(self.member)))
        lifted = np.asarray(coefficients)[np.asarray(self.member)]
        np.asarray(bound.lower)[lifted], np.asarray(bound.upper)[lifted] = -np.inf, np.inf
        bound.limited = bool(np.isfinite(bound.lower).any() or np.isfinite(bound.upper).any())
        return bound

    def _shown(self, layout, groups, places):
        """Return this penalty on other coefficients.

        Each group in `groups` is kept, with the limits at `places`.
        """
        cdef BlockPenalty bound = self._laid_out(layout)
        groups, places = np.asarray(groups, dtype=int), np.asarray(places, dtype=int)
        bound.alpha = self.alpha
        bound.factors, bound.weight = (np.asarray(self.factors)[groups],
                                       np.asarray(self.weight)[groups])
        bound.l1, bound.ridge = np.asarray(self.l1)[groups], np.asarray(self.ridge)[groups]
        bound.lower, bound.upper = np.asarray(self.lower)[places], np.asarray(self.upper)[places]
        bound.limited = self.limited
        return bound

    def entry_lambdas(self, z):
        """Return the least lam that keeps each group at zero, (G,), with alpha at least 1e-3."""
        penalty = self
        if self.alpha < LEAST_ALPHA:
            member, limits = np.asarray(self.member), np.zeros((2, self.member.shape[0]))
            limits[0, member], limits[1, member] = self.lower, self.upper
            none = np.zeros(self.n_groups, dtype=bool)
            penalty = self.under(LEAST_ALPHA, np.asarray(self.factors), none, *limits, 1.0)
        return np.where(np.asarray(self.factors) > 0.0, penalty.levels(z), 0.0)

    def under(self, alpha, factors, excluded, lower, upper, ridge_unit):
        """Return the penalty with alpha and with the factors, excluded groups and limits of the
        user.

        factors and excluded are (G,); lower and upper are (p,), in the order of the features.
        """
        cdef BlockPenalty bound = self.on(self.layout)
        out = excluded[np.asarray(self.of)]
        bound._set(alpha, factors, np.where(out, 0.0, lower), np.where(out, 0.0, upper), ridge_unit)
        return bound

    def _set(self, alpha, factors, lower, upper, ridge_unit):
        d, member, self.alpha = self._weights(), np.asarray(self.member), alpha
        out = np.isinf(d)[np.asarray(self.of)]
        d = np.where(np.isinf(d), 1.0, d)
        norm, l1 = self.parts(d)
        self.factors = factors * (norm + l1 > 0.0)
        self.weight, self.l1 = alpha * factors * norm, alpha * factors * l1
        self.ridge = (1.0 - alpha) * ridge_unit * factors * (norm + l1)
        self.lower, self.upper = np.where(out, 0.0, lower)[member], np.where(out, 0.0,
                upper)[member]
        self.limited = bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def _weights(self):
        """Return the weights d (G,) after checking them."""
        layout = self.layout
        d = np.sqrt(layout.sizes.astype(float))
        if self.given is None:
            return d
        given = self.given
        if isinstance(given, Mapping):
            strange = [label for label in given if label not in layout.labels]
            if strange:
                raise ValueError(
                    f"weights name the group {strange[0]!r}, which groups does not have")
            named = enumerate(layout.labels[:layout.n_named])
            given = [given.get(label, d[g]) for g, label in named]
        if np.shape(given) != (layout.n_named,):
            raise ValueError(
                f"weights has shape {np.shape(given)} for {layout.n_named} named groups; "
                "give one each")
        if np.asarray(given).dtype.kind not in "iuf":
            raise TypeError(
                f"weights must be numbers, not {np.asarray(given).dtype}; give one for each group")
        d[: layout.n_named] = given
        wrong = np.flatnonzero(np.isnan(d) | (d < 0.0))
        if len(wrong):
            raise ValueError(f"weights has {d[wrong[0]]} for group {wrong[0]}; weights are "
                             "at least 0, inf to exclude")
        return d

    def parts(self, d):
        """Weights of the norm and of an l1 norm inside the groups, (G,) each, from d."""
        return d, np.zeros(len(d))

    def all_round(self):
        """Return True if Omega is a function of the lengths of the blocks alone."""
        cdef Py_ssize_t g
        for g in range(self.n_groups):
            if not self.is_round(g):
                return False
        return True

    # Blocks.

    cdef Py_ssize_t size(self, Py_ssize_t g) noexcept nogil:
        return self.start[g + 1] - self.start[g]

    cdef bint block_unpenalised(self, Py_ssize_t g) noexcept nogil:
        """Return True if the group has no norm on it."""
        return self.weight[g] == 0.0 and self.l1[g] == 0.0

    cdef double limit(self, Py_ssize_t place, double towards) noexcept nogil:
        """Return how far a coordinate may move in that direction; places count group by group."""
        return self.upper[place] if towards > 0.0 else -self.lower[place]

    cdef double block_value(self, Py_ssize_t g, const double* b, double lam) noexcept nogil:
        """Return lam * Omega_g(b), for b within the limits."""
        cdef double square = 0.0
        cdef Py_ssize_t j
        if self.ridge[g] > 0.0:
            for j in range(self.size(g)):
                square += b[j] * b[j]
        return lam * (self.norm(g, b) + 0.5 * self.ridge[g] * square)

    cdef double block_polar(self, Py_ssize_t g, const double* z, Mask mask) noexcept nogil:
        """Return the least lam with b_g = 0 optimal for the linear term -z'b."""
        cdef Py_ssize_t j, first = self.start[g]
        cdef double limit
        if mask == ALL or not self.limited:
            return self.dual_norm(g, z)
        for j in range(self.size(g)):
            limit = self.limit(first + j, z[j])
            self.masked[j] = 0.0 if limit == 0.0 or (mask == UNBOUNDED
                                                     and limit < INFINITY) else z[j]
        return self.dual_norm(g, &self.masked[0])

    cdef double block_conjugate(self, Py_ssize_t g, const double* z, double lam) noexcept nogil:
        """Return sup_b z'b - lam * Omega_g(b)."""
        cdef Py_ssize_t j
        cdef double total = 0.0
        if self.block_polar(g, z, MOVING) <= lam:
            return 0.0
        if self.ridge[g] == 0.0 and self.block_polar(g, z, UNBOUNDED) > lam:
            return INFINITY
        self.block_prox(g, 0.0, z, lam, &self.work[0])
        for j in range(self.size(g)):
            total += z[j] * self.work[j]
        total -= self.block_value(g, &self.work[0], lam)
        # Limits beyond the range of floats make the conjugate infinite.
        if not fabs(total) < INFINITY:
            return INFINITY
        return max(total, 0.0)

    cdef double block_scale(self, Py_ssize_t g, const double* z, double lam,
                            bint strict) noexcept nogil:
        """The largest s <= 1 for which conjugate(s z) is finite.

        With `strict` the answer is that of the norm without limits but those at 0.
        """
        cdef double level, inside = 1.0 - FEASIBLE
        if self.ridge[g] > 0.0 and lam > 0.0 and not strict:
            return 1.0
        level = self.block_polar(g, z, MOVING if strict else UNBOUNDED)
        # A distant limit multiplies rounding.
        if level <= (lam * inside if strict and self.limited else lam):
            return 1.0
        return lam / level * inside

    # Methods of one block, for subclasses.

    cdef double norm(self, Py_ssize_t g, const double* b) noexcept nogil:
        """Return alpha v_g N_g(b)."""
        return 0.0

    cdef double dual_norm(self, Py_ssize_t g, const double* z) noexcept nogil:
        """Return the least lam with z in lam times the subdifferential of alpha v_g N_g at 0."""
        return INFINITY

    cdef double reach(self, Py_ssize_t g) noexcept nogil:
        """Return the maximum of dual_norm on the unit l2 ball."""
        return INFINITY

    cdef void block_prox(self, Py_ssize_t g, double h, const double* x, double lam,
                         double* b) noexcept nogil:
        """b = argmin h |b|^2 / 2 - x'b + lam * Omega_g(b); h may be 0 where that is attained."""

    cdef bint is_round(self, Py_ssize_t g) noexcept nogil:
        """Return True if Omega_g is a function of the length of a block alone."""
        return False

    cdef void diagonal_prox(self, Py_ssize_t g, const double* h, const double* x, double lam,
                            double near, double* b) noexcept nogil:
        """b = argmin sum_j h_j b_j^2 / 2 - x'b + lam * Omega_g(b) for such a group.

        `near` is a first guess of its length.
        """

    cdef int tangent(self, Py_ssize_t g, const double* b, const double* z, double lam,
                     int* tangent_of, double* sign, double* slope) noexcept nogil:
        """Directions along which Omega_g is smooth at b; returns how many.

        Coordinate j moves by sign[j] along direction tangent_of[j], -1 for none. slope is what z
        has along each direction beyond the penalty's gradient.
        """
        return 0

    cdef int merge(self, Py_ssize_t g, const double* b, const double* d, double t, double near,
                 int* tangent_of, double* sign, double* slope) noexcept nogil:
        """Merge coordinates that reach a kink of the norm at once with those that make it.

        At once: before t of the step d, and from nearer than `near` times the largest coordinate.
        Returns how many were merged.
        """
        return 0

    cdef void stop(self, Py_ssize_t g, const double* b, double* d) noexcept nogil:
        """Shorten a step along the tangent, coordinate by coordinate, to the norm's kinks."""

    cdef void second_derivative(self, Py_ssize_t g, const double* b, double lam,
                                const int* tangent_of, double* H, int ld) noexcept nogil:
        """Add the second derivative of lam * Omega_g along the tangent to H, column-major."""

    # Methods on whole vectors, in the order of the features.

    def value(self, b, double lam=1.0):
        """Return lam * Omega(b), infinite outside the limits.

        If the number of features is not known yet, it is taken from b.
        """
        if self.layout is None:
            return self.over(len(b)).value(b, lam)
        return self._value(np.ascontiguousarray(b, dtype=float), lam)

    def _value(self, const double[::1] b, double lam):
        cdef double[::1] x = np.asarray(b)[np.asarray(self.member)]
        cdef double total = 0.0
        cdef Py_ssize_t g, j
        for j in range(x.shape[0]):
            if not self.lower[j] <= x[j] <= self.upper[j]:
                return np.inf
        for g in range(self.n_groups):
            total += self.block_value(g, &x[self.start[g]], lam)
        return total

    def prox(self, x, double lam=1.0):
        """Return argmin_b |b - x|^2 / 2 + lam * Omega(b), a new array (p,).

        An infinite lam leaves what is not penalised.
        """
        if not lam >= 0.0:
            raise ValueError(f"lam must be at least 0, not {lam}")
        lam = min(lam, DBL_MAX)         # times a weight of 0 it is 0
        if self.layout is None:
            return self.over(len(x)).prox(x, lam)
        return self._prox(np.ascontiguousarray(x, dtype=float), lam)

    def _prox(self, const double[::1] x, double lam):
        cdef double[::1] v = np.asarray(x)[np.asarray(self.member)], b = np.empty(x.shape[0])
        cdef Py_ssize_t g
        for g in range(self.n_groups):
            self.block_prox(g, 1.0, &v[self.start[g]], lam, &b[self.start[g]])
        out = np.empty(x.shape[0])
        out[np.asarray(self.member)] = b
        return out

    def levels(self, const double[::1] z, bint moving=True):
        """Return the least lam that keeps each group at zero against z, (G,)."""
        cdef double[::1] v = np.asarray(z)[np.asarray(self.member)], out = np.zeros(self.n_groups)
        cdef Py_ssize_t g
        for g in range(self.n_groups):
            out[g] = self.block_polar(g, &v[self.start[g]], MOVING if moving else ALL)
        return np.asarray(out)

    def polar(self, z):
        """Return the least lam with b = 0 optimal for the linear term -z'b."""
        if self.layout is None:
            return self.over(len(z)).polar(z)
        z = np.ascontiguousarray(z, dtype=float)
        return float(self.levels(z).max(initial=0.0))

    def conjugate(self, const double[::1] z, double lam=1.0):
        """Return sup_b z'b - lam * Omega(b)."""
        cdef double[::1] v = np.asarray(z)[np.asarray(self.member)]
        cdef double total = 0.0
        cdef Py_ssize_t g
        for g in range(self.n_groups):
            total += self.block_conjugate(g, &v[self.start[g]], lam)
        return total

    def directions(self, Py_ssize_t g, const double[::1] b, const double[::1] z, double lam=1.0):
        """Return tangent directions at a block b, as columns, slopes and second derivative."""
        cdef Py_ssize_t j, s = self.size(g)
        cdef int[::1] tangent_of = np.empty(s, dtype=np.intc)
        cdef double[::1] sign = np.empty(s), slope = np.zeros(s)
        cdef double[:, ::1] H = np.zeros((s, s))
        cdef int count = self.tangent(g, &b[0], &z[0], lam, &tangent_of[0], &sign[0], &slope[0])
        out = np.zeros((s, count))
        if count:
            self.second_derivative(g, &b[0], lam, &tangent_of[0], &H[0, 0], <int> s)
            for j in range(s):
                if tangent_of[j] >= 0:
                    out[j, tangent_of[j]] = sign[j]
        return out, np.array(slope[:count]), np.array(H).T[:count, :count]

    def feasible_scale(self, const double[::1] z, double lam=1.0):
        """Return the largest s <= 1 for which the conjugate of s z is finite."""
        cdef double[::1] v = np.asarray(z)[np.asarray(self.member)]
        cdef double s = 1.0
        cdef Py_ssize_t g
        for g in range(self.n_groups):
            s = min(s, self.block_scale(g, &v[self.start[g]], lam, False))
        return s

    def kernel(self):
        """Return the unpenalised features without limits as directions, csc (p, k)."""
        return free_directions(self, self.member.shape[0])

    def unpenalised(self, b, z, double lam=1.0):
        """Return a mask (p,) of the features that are unpenalised at this lam and free to move.

        A feature is not free to move if z presses it against a limit.
        """
        order = np.asarray(self.member)
        b, z, lower, upper = (np.asarray(b)[order], np.asarray(z)[order], np.asarray(self.lower),
                              np.asarray(self.upper))
        size = lam * (np.asarray(self.weight) + np.asarray(self.l1) + np.asarray(self.ridge))
        out = np.zeros(len(order), dtype=bool)
        out[order] = ~((b >= upper) & (z >= 0.0)) & ~((b <= lower) & (z <= 0.0))
        return out & (size <= NO_PENALTY)[np.asarray(self.of)]

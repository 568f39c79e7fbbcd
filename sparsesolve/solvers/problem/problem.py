"""Problem: a standardised design, a penalty and a loss in units where arithmetic is safe.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam Omega(b)

Given: what standardisation.py made of the user's data. Returned by `to_user`: coefficients and
intercept in the user's units, or an error that says why floats cannot hold them. Invariant:
columns, and the response of squared error, are divided by powers of two, which is exact, so that
the answer does not depend on the user's units and squares neither overflow nor vanish. With
squared error F is sum_i w_i (y_i - (Zb)_i)^2 / 2, intercept and offset already subtracted from y.

A certificate holds for the numbers that the user gets, which are floats: `rounding_cost` is what
their rounding may cost, to be added to the gap. It moves eta_i by at most

    d = EPSILON sum_j |b_j| |x_ij - mean_j|

and all samples alike by some EPSILON sum_j |b_j mean_j|, which the intercept absorbs in as many
operations, so that the loss at its best intercept grows with the square alone. The intercept
itself is a float too: if y has mean 1e9 and spread 1e-4, its last digit is a thousandth of the
spread. The cost is negligible unless nearly dependent columns have coefficients of 1e10 that
cancel, no finite coefficients are optimal, or y is that far from 0.

Reference: Higham (2002), "Accuracy and stability of numerical algorithms", section 3.1.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, ldexp, sqrt

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.group_basis import GroupBasis
from sparsesolve.linalg.kernels import error_free
from sparsesolve.losses import Loss
from sparsesolve.penalties.penalty import Penalty

# The relative error of a float: half a unit in the last place.
EPSILON = 2.0**-53
# An error of the linear predictor, relative to the response of squared error, up to which no cost
# is computed: its square is 1e-18 of the objective.
FAINT = 1e-9
# An inner lambda beyond which nothing changes.
BEYOND_ALL = 1e300
# Powers of two within which products of three neither overflow nor vanish.
NEAR = 300
ADVICE = "rescale X or y"


def felt(problem, size, square):
    """Return True if the rounding of `size` inner coefficients may cost something.

    `square` is their sum of squares. Both may be arrays. Where False, `rounding_cost` is 0.
    """
    return EPSILON * np.maximum(problem.largest * np.sqrt(size * square), problem.largest_mean) > (
        problem.faint
    )


@dataclass(frozen=True)
class Problem:
    """What a solver is given. Inner coefficients b belong to the columns of `design`."""

    design: Design  # standardised
    penalty: Penalty  # in inner units: ElasticNet, a BlockPenalty, WholePenalty, ConcavePenalty
    weights: np.ndarray  # (n,) sum 1
    loss: Loss | None  # None: squared error in `response`
    response: np.ndarray | None  # (n,) else: y - offset, centred with an intercept, / 2**exponent
    offset: np.ndarray | None  # (n,), or (K, n) for K responses, where there is a loss
    null_intercept: float | np.ndarray  # or (K,), of offset and intercept alone, with a loss
    null_value: float  # its loss less the least loss of all, inner units
    unit: int  # user's lam = inner lam * 2**unit
    factor: np.ndarray  # (p,) with `shift`: user's b = b * factor * 2**shift
    shift: np.ndarray  # (p,) integers
    low: np.ndarray | None  # (p,) limits on the user's coefficients
    high: np.ndarray | None
    mean: float | np.ndarray  # or (K,), of y - offset / 2**exponent, where it is out of y
    exponent: int
    intercept: bool
    grouped: bool  # whether the coefficients of a feature are tied across the responses
    groups: np.ndarray | None = None  # (p,) number of each feature's group, where there are such
    basis: GroupBasis | None = None  # whose columns the design has in place of the features

    @cached_property
    def n_responses(self):
        """K if eta has one row per response, else None."""
        several = self.offset is not None and self.offset.ndim == 2
        return len(self.offset) if several else None

    @property
    def degree(self):
        """The power of 2**exponent in which F is measured."""
        return 2 if self.loss is None else self.loss.degree

    @property
    def n_features(self):
        """Number of columns of X."""
        return self.design.p if self.groups is None else len(self.groups)

    @property
    def centred(self):
        """True if columns are centred: that changes nothing if a constant may be added to every
        eta.
        """
        return self.intercept or shifts(self.loss, self.offset)

    @property
    def limited(self):
        """True if there are limits on coefficients."""
        return self.low is not None

    @property
    def has_groups(self):
        """True if features are penalised in groups."""
        return self.penalty.has_groups

    @property
    def has_blocks(self):
        """True if the penalty is a sum over disjoint blocks: features, or groups of them."""
        return self.penalty.has_blocks

    @property
    def concave(self):
        """True if the penalty is concave in sizes, so that convex solvers do not take it."""
        return getattr(self.penalty, "concave", False)

    def unpenalised(self, lambdas=None):
        """Return a mask of features without a penalty, (p,); all if every lambda is 0."""
        penalty, p = self.penalty, self.design.p
        if lambdas is not None and not np.any(lambdas):
            return np.ones(p, dtype=bool)
        if not self.has_blocks:
            return np.zeros(p, dtype=bool)
        if self.has_groups:
            without_penalty = np.asarray(penalty.weight) + penalty.l1 + penalty.ridge == 0.0
            return without_penalty[np.asarray(penalty.of)[:p]]
        return np.add(penalty.l1, penalty.l2) == 0.0

    @property
    def limits(self):
        """Lower and upper limits of the inner coefficients of each feature, (2, p)."""
        if not self.has_blocks:
            return np.array([[-np.inf], [np.inf]]) * np.ones(self.design.p)
        limits = np.stack([self.penalty.lower, self.penalty.upper])
        if self.has_groups:  # They come group by group.
            in_order = limits.copy()
            limits[:, np.asarray(self.penalty.member)] = in_order
        return limits[:, : self.design.p]

    @property
    def open_columns(self):
        """Mask of the columns that are neither excluded nor constant, (p,)."""
        return self.limits.any(axis=0) & (np.asarray(self.design.spread) > 0.0)

    @cached_property
    def norms(self):
        """Size of each column of the standardised design, (p,)."""
        spread = np.asarray(self.design.spread)
        size = spread if self.centred else np.hypot(spread, self.design.mean)
        return size * self.factor

    @cached_property
    def largest(self):
        """Upper bound on the size of stored columns, in these units."""
        return float(self.norms.max(initial=0.0) + np.abs(self.means).max(initial=0.0))

    @cached_property
    def largest_mean(self):
        """The largest |mean| subtracted from y: the last digit of an intercept is of its size."""
        return float(np.max(np.abs(self.mean)))

    @cached_property
    def faint(self):
        """Error of a linear predictor up to which no cost is computed; inf: nothing to explain."""
        if self.null_value == 0.0:
            return inf
        return FAINT if self.loss is not None else FAINT * sqrt(2.0 * self.null_value)

    def inner_lambda(self, lam):
        """Return the user's lambda in inner units."""
        try:
            return min(ldexp(lam, -self.unit), BEYOND_ALL)
        except OverflowError:
            return BEYOND_ALL

    def user_lambdas(self, inner):
        """Return the user's lambdas of decreasing inner ones; ValueError if floats cannot hold
        them.
        """
        with np.errstate(over="ignore", under="ignore"):
            lambdas = np.ldexp(inner, self.unit)
        if not np.isfinite(lambdas[0]) or lambdas[-1] == 0.0 or not (np.diff(lambdas) < 0).all():
            raise ValueError(
                f"64-bit floats cannot hold the lambdas of this problem, which start at about "
                f"{_power_of_ten(inner[0], self.unit)}; {ADVICE}"
            )
        return lambdas

    def rounding_cost(self, which, values, intercept):
        """Return by how much F may exceed its value at inner coefficients, values (k,) or (K, k).

        That is to be added to a gap. F is evaluated d away from eta, up the slope and down, as a
        convex function of one sample is largest at an end. Several responses are moved as far
        apart as possible.
        """
        size = self.largest * sqrt(values.size * np.vdot(values, values))
        if not EPSILON * max(size, self.largest_mean) > self.faint:  # `felt` without arrays
            return 0.0
        last_digit = EPSILON * self.largest_mean
        sizes = np.abs(values)
        d = EPSILON * np.max(sizes @ self.norms[which])
        # Roundings of an intercept: coefficients, their products with means, the sum, and what it
        # is in y.
        common = 4 * EPSILON * np.max(sizes @ np.abs(self.means[which])) + 2.0 * last_digit
        if self.far:  # The intercept is rounded once.
            moved = values @ self.means[which]
            common = EPSILON * np.max(np.abs(self.mean + intercept - moved))
        if d + common <= self.faint:
            return 0.0
        rows = np.ascontiguousarray(np.atleast_2d(values))
        moved = [self.design.combination(which, row) for row in rows]
        if self.loss is None:
            r = np.abs(self.response - moved[0])
            return float(self.weights @ (d * r + 0.5 * (d + common) ** 2))
        eta = self.offset + np.reshape(moved, self.offset.shape) + np.expand_dims(intercept, -1)
        apart = common * np.resize([1.0, -1.0], len(moved))[:, None] if eta.ndim == 2 else common
        with np.errstate(over="ignore", invalid="ignore"):
            value, u = self.loss.at(eta)
            ends = [self.loss.at(eta + side * np.sign(u) + way * apart)[0] - value
                    for side in (d, -d) for way in (1.0, -1.0)]  # fmt: skip
        return float(max(*ends, 0.0)) if np.isfinite(ends).all() else np.inf

    def to_user(self, which, values, intercept):
        """Return the user's coefficients and intercept of inner values (k,) of features which
        (k,).

        Returns features (m,), their coefficients (m,) and the intercept, m <= k: coefficients too
        small for a float are left out. With K responses values are (K, k). Raises ValueError if
        that, or overflow, would change the fit.
        """
        found = self._of_columns(which, values, intercept)
        if self.basis is None:
            return found
        turned = self.basis.to_features(*found[:2])
        if turned is None:
            raise ValueError(f"64-bit floats cannot hold the coefficients of a group; {ADVICE}")
        which, values, moved = turned
        return which, values, found[2] - moved if self.intercept else found[2]

    def _of_columns(self, which, values, intercept):
        """Return coefficients and intercept for the columns of the design, before
        standardisation.
        """
        if self._plain is not None:
            return self._to_user_plainly(which, values, intercept)
        scaled = values * self.factor[which]
        with np.errstate(over="ignore", under="ignore"):
            coefs = np.ldexp(scaled, self.shift[which])
            rounding = abs(np.ldexp(coefs, -self.shift[which]) - scaled)
        rounding *= np.asarray(self.design.spread)[which]
        # Rounding to the user's units may change the fit by this fraction of the response's size.
        if rounding.sum() > 1e-9:
            rounding, scaled = rounding.reshape(-1, len(which)), scaled.reshape(-1, len(which))
            k, j = np.unravel_index(rounding.argmax(), rounding.shape)
            size = _power_of_ten(scaled[k, j], self.shift[which[j]])
            raise ValueError(
                f"The coefficient of column {which[j]} would be about {size}, which a 64-bit "
                f"float cannot hold; {ADVICE}"
            )
        if self.low is not None:
            coefs = np.clip(coefs, self.low[which], self.high[which])
        kept = coefs.any(axis=0) if coefs.ndim == 2 else coefs != 0.0
        intercept = self._user_intercept(values, coefs, which, intercept)
        return which[kept], coefs[..., kept], intercept

    @cached_property
    def _plain(self):
        """The user's coefficient per inner one; None near the ends of floats, or with limits."""
        powers = self.shift[self.factor > 0.0]
        if self.low is not None:
            return None
        if np.abs(powers).max(initial=abs(self.exponent)) > NEAR:
            return None
        return np.ldexp(self.factor, self.shift)

    @cached_property
    def means(self):
        """What an inner coefficient subtracts from the inner intercept, (p,)."""
        p = len(self.factor)
        return self.factor * np.asarray(self.design.mean)[:p] if self.intercept else np.zeros(p)

    def many_to_user(self, which, B):
        """Convert K solutions B (K, U) of the columns `which` (U,) at once.

        Returns factors of the columns of B, and intercepts (K,); None with limits or near the
        ends of floats, so that `to_user` must convert each.
        """
        if self._plain is None or self.n_responses is not None:
            return None
        intercepts = np.ldexp(self.mean - B @ self.means[which], self.exponent)
        return self._plain[which], intercepts

    @cached_property
    def far(self):
        """True if a mean is so many spreads from 0 that it takes the digits of an intercept, which
        is then summed with all digits.
        """
        return bool(np.abs(self.means).max(initial=0.0) > 1e3)

    def _inner_intercept(self, values, coefs, which, intercept):
        """Return the inner intercept of uncentred columns; if means are far, for coefs as floats.
        """
        if not self.far:
            return self.mean + intercept - values.dot(self.means.take(which))
        rest = self.design.rest_of_mean(which.astype(np.intc))
        means = np.append(np.asarray(self.design.mean)[which], rest)
        means = np.ldexp(means, -np.tile(self.shift[which], 2))
        rows = -np.tile(coefs, 2)
        if rows.ndim == 1:
            return error_free.dot(rows, means, self.mean, intercept)
        starts = zip(rows, np.broadcast_to(self.mean, len(rows)), intercept, strict=True)
        return np.array([error_free.dot(row, means, *start) for row, *start in starts])

    def _to_user_plainly(self, which, values, intercept):
        coefs = values * self._plain.take(which)
        intercept = self._inner_intercept(values, coefs, which, intercept)
        if self.n_responses is None:
            intercept = ldexp(intercept, self.exponent)
        else:
            intercept = self._balanced(np.ldexp(intercept, self.exponent))
        return which, coefs, intercept

    def _user_intercept(self, values, coefs, which, inner):
        with np.errstate(over="ignore", under="ignore"):
            intercept = np.ldexp(self._inner_intercept(values, coefs, which, inner), self.exponent)
        if not np.isfinite(intercept).all():
            raise ValueError(f"The intercept is beyond the largest 64-bit float; {ADVICE}")
        return float(intercept) if self.n_responses is None else self._balanced(intercept)

    def _balanced(self, intercepts):
        """Subtract the mean of (..., K) intercepts if only differences count."""
        if not self.loss.symmetric:
            return intercepts
        sums = np.add.accumulate(intercepts, axis=-1)[..., -1:]  # The order of one alone.
        return intercepts - sums / intercepts.shape[-1]

    def null_deviance(self, total, largest):
        """Return the null deviance in the user's units, for weights of sum total * largest.

        It is inf beyond the largest float.
        """
        largest, power = np.frexp(largest)
        with np.errstate(over="ignore", under="ignore"):
            value = 2.0 * self.null_value * total * largest
            return float(np.ldexp(value, self.degree * self.exponent + power))


def shifts(loss, offset):
    """Return True if adding a constant to all of eta does not change the loss of one response."""
    return loss is not None and offset.ndim == 1 and loss.shift_invariant


def _power_of_ten(mantissa, exponent):
    """Return mantissa * 2**exponent as text, whatever its size."""
    return f"1e{np.log10(abs(mantissa)) + exponent * np.log10(2.0):.0f}"

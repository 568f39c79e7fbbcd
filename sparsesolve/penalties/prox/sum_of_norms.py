"""Overlapping groups in the l2 norm: the prox of Omega(b) = sum_g d_g |b_g|_2.

    argmin_b |b - v|^2 / 2 + t Omega(b)

Dual ascent, ball by ball, is cheap and usually enough. Near a change of the support it is slow.
Then a primal-dual Newton method solves b + sum_g xi_g = v, sqrt(|b_g|^2 + e^2) xi_g = t d_g b_g,
while e falls to 0. Its xi_g stay within their balls, so that each iterate has a duality gap,

    sum_g (t d_g |b_g| - xi_g'b_g),      b = v - sum_g xi_g.

Groups found to be zero are set to 0. Newton's method for the others, whose norms are smooth, then
reaches rounding.
References: Andersen, Christiansen, Conn, Overton, "An efficient primal-dual interior-point method
for minimizing a sum of Euclidean norms" (2000); Chan, Golub, Mulet, "A nonlinear primal-dual
method for total variation-based image restoration" (1999).
"""

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dposv

from sparsesolve.penalties.prox.group_balls import ascend

# Share of pairs of features within one group above which a dense system is faster than a sparse
# one: windows of 10 among 400, a share of .24, take 28 ms sparse and 68 dense.
DENSE = 0.4
# Multiply-adds of a matrix product in the time that one pair of entries takes.
PAIR = 50


class BlockSystem:
    """Linear systems of overlapping blocks of low rank, full or sparse.

        H = diag(h) - sum_g (x_g y_g' + y_g x_g') / 2,    x_g and y_g zero outside group g

    A sparse H has the same pattern for all x and y. The places of all pairs of entries in it are
    computed once. Arguments are those of `SumOfNorms`, and the group `of` each entry (q,).
    """

    def __init__(self, n_features, features, start, of):
        self.p, self.features, self.of, sizes = n_features, features, of, np.diff(start)
        self.n_groups, count = len(sizes), sizes.astype(np.int64) ** 2
        pairs = int(count.sum())
        self.full = pairs > DENSE * n_features**2
        self.by_products = self.full and PAIR * pairs > self.n_groups * n_features**2
        if not self.by_products:
            self._pair(start, sizes, count)

    def _pair(self, start, sizes, count):
        """Find where pairs of entries of one group stand in H, for `solve`."""
        p = self.p
        self.first = np.repeat(np.arange(len(self.features)), sizes[self.of])
        within = np.arange(len(self.first)) - np.repeat(np.cumsum(count) - count, count)
        group = self.of[self.first]
        self.second = start[group] + within % sizes[group]
        place = self.features[self.second].astype(np.int64) * p + self.features[self.first]
        self.slot, self.diagonal = place, np.arange(p) * (p + 1)
        if not self.full:
            every, slot = np.unique(np.append(place, self.diagonal), return_inverse=True)
            self.slot, self.diagonal = slot[: len(place)], slot[len(place) :]
            pointers = np.searchsorted(every, p * np.arange(p + 1))
            self.pattern = (every % p).astype(np.intc), pointers.astype(np.intc)

    def solve(self, held, xi, own, pull):
        """Return (I + sum_g held_g I_g - (xi_g own_g' + own_g xi_g') / 2)^-1 pull; xi is (q,)."""
        diagonal = 1.0 + np.bincount(self.features, held[self.of], minlength=self.p)
        H = self._less_products(xi, own, diagonal)
        if self.full:
            _, x, info = dposv(H, pull)
            if info != 0:
                raise LinAlgError("the matrix is not positive definite")
            return x
        try:
            from scipy.sparse.linalg import splu  # here, because it is slow to import

            return splu(H, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(pull)
        except RuntimeError as error:  # SuperLU raises this where a pivot is 0
            raise LinAlgError(str(error)) from None

    def _less_products(self, xi, own, diagonal):
        """Return diag - sum_g (xi_g own_g' + own_g xi_g') / 2, (p, p), an array or sparse."""
        p = self.p
        if self.by_products:
            X, Y = np.zeros((2, self.n_groups, p))
            X[self.of, self.features], Y[self.of, self.features] = xi, own
            H = -0.5 * (X.T @ Y)
            H += H.T
            H.flat[:: p + 1] += diagonal
            return H
        i, j, room = self.first, self.second, p * p if self.full else len(self.pattern[0])
        values = -0.5 * np.bincount(self.slot, xi[i] * own[j] + own[i] * xi[j], room)
        values[self.diagonal] += diagonal
        return values.reshape(p, p) if self.full else sparse.csc_array(
            (values, *self.pattern), (p, p)
        )

    def matrix(self, x, y, diagonal):
        """Return H as an array, (p, p)."""
        H = self._less_products(x, y, diagonal)
        return H if self.full else H.toarray()


# Sweeps of dual ascent before Newton's method takes over.
SWEEPS = 200
# A change below this fraction of the largest |v|, or a gap below this of t Omega(b), is rounding.
STILL = 1e-15
# Once the smoothing is rounding, stop after this many steps that do not halve the gap.
PATIENCE = 2
# Newton's method takes at most this many steps.
STEPS = 80
# The next step aims at this fraction of the smoothing that corresponds to the gap.
TOWARDS = 1e-3
# A xi_g that is within this fraction of its radius of the boundary belongs to a nonzero group.
INSIDE = 1e-7
# A group's length below this fraction of the largest |v| is rounding.
TINY = 1e-14


class SumOfNorms:
    """Omega with groups given as lists of features, one group after the other.

    Parameters
    ----------
    n_features : int
    features : int32 (q,)
    start : int32 (G + 1,)
        Group g holds features[start[g]:start[g + 1]]; every feature is in some group.
    weights : (G,) > 0
    """

    # Relative distance at which the bounds of a dual norm agree.
    close = 1e-13
    # Most proxes for a bound that is compared with a level.
    rounds_at_level = 30

    def __init__(self, n_features, features, start, weights):
        self.p, self.features, self.start, self.d = n_features, features, start, weights
        sizes = np.diff(start)
        self.of = np.repeat(np.arange(len(sizes)), sizes)
        self.n_entries, self.n_groups = len(features), len(sizes)
        self.system = BlockSystem(n_features, features, start, self.of)
        order = np.argsort(-weights[self.of], kind="stable")
        # one entry of each feature
        self.own = order[np.unique(features[order], return_index=True)[1]]

    def lengths(self, x):
        """Return |x_g| of entries x (q,) by group, (G,)."""
        return np.sqrt(np.bincount(self.of, x * x, minlength=self.n_groups))

    def value(self, b):
        """Return Omega(b)."""
        return float(self.d @ self.lengths(b[self.features]))

    def total(self, xi):
        """Return sum_g xi_g, (p,)."""
        return np.bincount(self.features, xi, minlength=self.p)

    def gap(self, xi, b, t):
        """Return the duality gap of b = v - sum xi_g."""
        own = b[self.features]
        return float(t * self.d @ self.lengths(own) - xi @ own)

    def prox(self, v, t, xi=None, quick=False):
        """Return b (p,), and xi (q,) within their balls, from a first guess of xi.

        With `quick`, stop after dual ascent.
        """
        xi = np.zeros(self.n_entries) if xi is None else self._within(xi, t)
        scale = np.abs(v).max(initial=0.0)
        b = v - self.total(xi)
        change = ascend(t * self.d, self.features, self.start, xi, b, SWEEPS, STILL * scale)
        b = v - self.total(xi)
        if change > STILL * scale:
            b, xi = self._newton(v, t, b, xi)
        return self._finished(v, t, b, xi), xi

    def feasible_total(self, xi, t):
        """Return the sum of xi, scaled into t times their dual balls: a dual point of the prox."""
        return self.total(self._within(xi, t))

    def _within(self, xi, t):
        size = self.lengths(xi)
        shrink = np.minimum(1.0, t * self.d / np.where(size > 0.0, size, 1.0))
        return xi * shrink[self.of]

    def _newton(self, v, t, b, xi):
        """Take primal-dual steps until the gap is rounding; return b and xi."""
        radius, total = t * self.d, float(t * self.d.sum())
        e = max(self.gap(xi, b, t) / total, STILL * np.abs(v).max())
        best, least, last, waited = (b, xi), np.inf, np.inf, 0
        floor = 1e-4 * STILL * np.abs(v).max()
        for _ in range(STEPS):
            own = b[self.features]
            s = np.sqrt(self.lengths(own) ** 2 + e * e)
            pull = v - b - self.total((radius / s)[self.of] * own)
            try:
                step = self.system.solve(radius / s, xi / s[self.of], own / s[self.of], pull)
            except LinAlgError:  # the smoothing is rounding compared with what it smooths
                break
            moved = step[self.features]
            along = np.bincount(self.of, own * moved, minlength=self.n_groups) / s**2
            new = (radius / s)[self.of] * (own + moved) - xi * along[self.of]
            xi = self._within(new, t)
            b = b + self._length(v, radius, e, b, step, pull) * step
            own = b[self.features]
            plain = (radius / np.sqrt(self.lengths(own) ** 2 + e * e))[self.of] * own
            gap = self.gap(xi, v - self.total(xi), t)
            other = self.gap(plain, v - self.total(plain), t)
            if other < gap:
                xi, gap = plain, other
            if gap < least:
                best, least = (v - self.total(xi), xi), gap
            waited = 0 if gap <= 0.5 * last else waited + 1
            last = min(last, gap)
            size = t * self.value(best[0])
            if least <= STILL * size + TINY**2 * (v @ v) or (waited >= PATIENCE and e <= floor):
                break
            if gap < 2.0 * total * e:  # solved for this e
                e = max(TOWARDS * min(e, gap / total), floor)
        return best

    def _length(self, v, radius, e, b, step, pull):
        """Return the step length, at most 1, at which the smoothed objective decreases enough."""

        def smoothed(x):
            s = np.sqrt(self.lengths(x[self.features]) ** 2 + e * e)
            return 0.5 * float((x - v) @ (x - v)) + float(radius @ s)

        before, slope, length = smoothed(b), float(pull @ step), 1.0
        for _ in range(30):  # until Armijo's condition holds
            after = smoothed(b + length * step)
            if after <= before - 1e-4 * length * slope + 4.0 * STILL * abs(before):
                break
            length *= 0.5
        return length

    def smooth_part(self, b):
        """Return d_g / |b_g| (G,), and b_g / |b_g| (q,), both 0 where b_g is 0."""
        own = b[self.features]
        size = self.lengths(own)
        weight = np.divide(self.d, size, out=np.zeros(self.n_groups), where=size > 0.0)
        return weight, own * (weight / self.d)[self.of]

    def curvature(self, weight, unit):
        """Return the second derivative of Omega where its groups are smooth, (p, p)."""
        diagonal = np.bincount(self.features, weight[self.of], minlength=self.p)
        return self.system.matrix(weight[self.of] * unit, unit, diagonal)

    def _finished(self, v, t, b, xi):
        """Return b with zero groups at 0, the others solved by Newton's method."""
        zero_groups = self.lengths(xi) < (1.0 - INSIDE) * t * self.d
        zero = np.zeros(self.p, dtype=bool)
        zero_groups |= self.lengths(b[self.features]) <= TINY * np.abs(v).max(initial=0.0)
        zero[self.features[zero_groups[self.of]]] = True
        if zero.all():
            return np.zeros(self.p)
        b = np.where(zero, 0.0, b)
        first = b
        for _ in range(12):
            weight, unit = self.smooth_part(b)
            weight = t * weight
            pull = np.where(zero, 0.0, v - b - self.total(weight[self.of] * b[self.features]))
            if not np.abs(pull).max() > 4.0 * STILL * np.abs(v).max():
                break
            try:
                step = self.system.solve(weight, weight[self.of] * unit, unit, pull)
            except LinAlgError:  # a norm is rounding
                break
            step = np.where(zero, 0.0, step)
            if not np.abs(step).max() < 0.5 * np.abs(b).max():
                break
            b = b + step
        b = b if self._primal(v, t, b) <= self._primal(v, t, first) else first
        if v @ b <= t * self.value(b) * (1.0 + 3e-15):  # then 0 is as good
            return np.zeros(self.p)
        return b

    def _primal(self, v, t, b):
        return 0.5 * float((b - v) @ (b - v)) + t * self.value(b)

    def upper(self, z, xi):
        """Return an upper bound of the dual norm: what xi leaves of z goes to one group each."""
        whole = xi.copy()
        whole[self.own] += (z - self.total(xi))[self.features[self.own]]
        return float((self.lengths(whole) / self.d).max())

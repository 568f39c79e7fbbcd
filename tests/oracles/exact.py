"""A certificate of a gaussian path in 60-digit decimal arithmetic: no scale overflows it.

The problem, on exact values of X, y and the coefficients, with glmnet's conventions (w summing to
1, s_j the centred standard deviation of column j or 1, v the penalty factors rescaled to sum p):

    minimise  1/2 sum_i w_i (c_i - b0 - x_i b)^2
              + lam sum_j v_j [alpha |s_j b_j| + (1 - alpha)/2 (s_j b_j)^2],  lower <= b <= upper

Any residual gives a dual point: made orthogonal to the unpenalised columns, then scaled. The gap
between the two objectives bounds the suboptimality of the coefficients, whatever found them.
"""

from dataclasses import dataclass
from decimal import Context, Decimal

import numpy as np

ZERO, HALF, INFINITY = Decimal(0), Decimal("0.5"), Decimal("Infinity")
NEGLIGIBLE = Decimal("1e-90")  # of a squared norm: the column lies in the span of the others
FAINT = Decimal("1e-12")  # lambda over the spread of y below which z is rounding beside it
CONSTANT = Decimal("1e-15")  # spread over mean at which a float64 column is constant

ARITHMETIC = Context(prec=60, Emax=999999, Emin=-999999)  # use inside decimal.localcontext

decimals = np.frompyfunc(lambda value: Decimal(float(value)), 1, 1)


@dataclass
class Certificate:
    """What the exact arithmetic says of one point of a path."""

    gap: Decimal  # relative to the objective at b = 0; of a constant response, to 1
    intercept_error: Decimal  # distance to the best intercept for these coefficients
    spread: Decimal  # standard deviation of the response
    size: Decimal  # of the terms that the intercept balances
    dev_ratio: Decimal


class Problem:
    """The data as exact decimals, in the standard form above."""

    def __init__(
        self,
        X,
        y,
        *,
        alpha=1.0,
        weights=None,
        offset=None,
        intercept=True,
        standardize=True,
        penalty_factor=None,
        lower=None,
        upper=None,
    ):
        n, p = X.shape
        w = decimals(np.ones(n) if weights is None else np.asarray(weights))
        seen = w > 0
        self.w = w[seen] / w[seen].sum()
        self.X = decimals(X)[seen]
        given = decimals(np.asarray(y).ravel())[seen]
        known = given * 0 if offset is None else decimals(np.asarray(offset))[seen]
        self.c = given - known
        self.magnitude = max(*abs(given), *abs(known))
        self.alpha, self.intercept = Decimal(float(alpha)), intercept
        mean = self.w @ self.X
        spread = np.array([s.sqrt() for s in self.w @ (self.X - mean) ** 2], dtype=object)
        self.dead = np.array([s <= CONSTANT * abs(m) for s, m in zip(spread, mean, strict=True)])
        one = decimals(np.ones(p))
        self.scale = np.where(self.dead, one, spread) if standardize else one
        if not (intercept or standardize):
            self.dead = ~self.X.any(axis=0)
        self.mean = mean if intercept else one * 0
        self.level = self.w @ self.c if intercept else ZERO
        self.A = (self.X - self.mean) / self.scale
        self.t = self.c - self.level
        self.null = HALF * (self.w @ self.t**2)
        self.factors(np.ones(p) if penalty_factor is None else np.asarray(penalty_factor))
        none = np.full(p, np.inf)
        self.low = decimals(-none if lower is None else lower + 0 * np.ones(p)) * self.scale
        self.high = decimals(none if upper is None else upper + 0 * np.ones(p)) * self.scale

    def factors(self, given):
        excluded = np.isinf(given)
        self.dead = self.dead | excluded
        v = decimals(np.where(excluded, 1.0, given))
        self.v = v * len(v) / v.sum() if v.sum() else v

    def lambda_max(self):
        r = self.orthogonal(self.t, np.flatnonzero((self.v == 0) & ~self.dead))
        z = abs(self.A.T @ (self.w * r))
        entries = [z[j] / self.v[j] for j in np.flatnonzero((self.v > 0) & ~self.dead)]
        return max(entries, default=ZERO) / max(self.alpha, Decimal("1e-3"))

    def cancellation(self):
        """Return how many times the data exceed their spread: digits that centring costs."""
        columns = zip(abs(self.X).max(axis=0), self.scale, self.dead, strict=True)
        ratios = [largest / scale for largest, scale, dead in columns if not dead]
        return max([self.magnitude / (2 * self.null).sqrt(), *ratios])

    def orthogonal(self, r, columns):
        """Take the given columns out of `r`, in the inner product of the weights."""
        basis = []
        for j in columns:
            q, size = self.A[:, j], self.w @ self.A[:, j] ** 2
            for _ in range(2):
                for e in basis:
                    q = q - (self.w @ (e * q)) * e
            norm = self.w @ q**2
            if norm > NEGLIGIBLE * size:
                basis.append(q / norm.sqrt())
        for _ in range(2):
            for e in basis:
                r = r - (self.w @ (e * r)) * e
        return r

    def conjugate(self, z, lam, settled):
        """Return sup over the box of z b - lam v [alpha |b| + (1 - alpha)/2 b^2], over all j.

        The point was made orthogonal to the `settled` columns, up to rounding: their part is 0.
        """
        total = ZERO
        for j in np.flatnonzero(~self.dead & ~settled):
            bound = self.high[j] if z[j] > 0 else -self.low[j]
            slope = abs(z[j]) - lam * self.v[j] * self.alpha
            q = lam * self.v[j] * (1 - self.alpha)
            if slope <= 0:
                continue
            b = min(slope / q if q else INFINITY, bound)
            if b == INFINITY:
                return INFINITY
            total += slope * b - HALF * q * b * b
        return total

    def dual(self, r, lam, settled):
        """Return the best dual value on the ray through r, as far as it is feasible.

        Ridge terms and finite limits make every point feasible, at a cost that explodes where they
        are faint; the point that is feasible for the lasso without limits costs nothing there.
        """
        r = self.orthogonal(r, np.flatnonzero(settled))
        z, top, lasso = self.A.T @ (self.w * r), INFINITY, Decimal(1)
        for j in np.flatnonzero(~self.dead & ~settled):
            edge = lam * self.v[j] * self.alpha
            if edge and z[j]:
                lasso = min(lasso, edge / abs(z[j]))
            bound = self.high[j] if z[j] > 0 else -self.low[j]
            if self.alpha == 1 and edge and bound == INFINITY and z[j]:
                top = min(top, edge / abs(z[j]))
        square, linear = self.w @ r**2, self.w @ (self.t * r)
        best = linear / square if square else ZERO
        # Just inside the edge, for the last digit of the quotient.
        inside = top * (1 - Decimal("1e-50"))
        steps = {min(s, inside) for s in (Decimal(1), lasso, max(best, ZERO))}
        cost = {s: self.conjugate(s * z, lam, settled) for s in steps}
        return max([ZERO, *(s * linear - HALF * s * s * square - cost[s] for s in steps)])

    def certificate(self, b, b0, lam):
        """Return what holds for the coefficients `b` (p,) and the intercept `b0` at `lam`."""
        b, b0, lam = decimals(b), Decimal(float(b0)), Decimal(float(lam))
        assert not b[self.dead].any(), "an excluded or constant column has a coefficient"
        x = b * self.scale
        assert all(self.low <= x) and all(x <= self.high), "a coefficient exceeds its limit"
        r = self.t - self.A @ x
        error = self.w @ r**2
        penalty = self.v @ (self.alpha * abs(x) + (1 - self.alpha) * HALF * x * x)
        primal = HALF * error + lam * penalty
        unbounded = (self.low == -INFINITY) & (self.high == INFINITY)
        free = ~self.dead & unbounded & ((lam * self.v) == 0)
        rays = [free]
        if lam < FAINT * (2 * self.null).sqrt():  # a bound without the penalty serves
            rays.append(~self.dead & unbounded)
        gap = primal - max(self.dual(r, lam, settled) for settled in rays)
        terms = self.mean * b
        best = self.level - terms.sum() if self.intercept else ZERO
        return Certificate(
            gap=gap / self.null if self.null else gap,
            intercept_error=abs(b0 - best),
            spread=(2 * self.null).sqrt(),
            size=abs(self.level) + abs(terms).sum(),
            dev_ratio=1 - HALF * error / self.null if self.null else ZERO,
        )

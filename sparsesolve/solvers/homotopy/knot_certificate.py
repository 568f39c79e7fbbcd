"""The certificate of a path at its knots and between them, from the correlations at each knot.

    gap = (1 - s)^2 (|y - A b|^2 + rho sum_j v_j b_j^2) / 2 + sum_j (lam v_j |b_j| - s c_j b_j)

is the duality gap of the lasso at the dual point s (y - A b), with the largest feasible s <= 1
and c_j = a_j'(y - A b) - rho v_j b_j. It is divided by the null objective |y|^2 / 2. No term is
negative. At lam = 0 the dual point is the part of y - A b outside the span of all columns.

Given: coefficients and correlations at knots. Returned: a gap for each knot, the larger of its
own and that of the piece above it. Invariant: b, c and lam are linear between two knots.

On a piece the gap is 0 if it is 0 at both ends and c_j = lam v_j sign(b_j) at both for every
active j. Where rounding has moved a knot, the latter may fail: |c_j| < lam v_j at the end where
b_j = 0, with a large b_j at the other. The gap, a parabola on the piece, is largest in its
middle.

Columns without a penalty must be orthogonal to the dual point. Let d be the projection of y - A b
on them, which b lacks. Then |d|^2 / 2 is lost and c_j moves by at most |a_j| |d|; both are
counted. A column without a penalty that inner products cannot separate from the others is left
out of b. If y - A b correlates with it at any knot, it does not depend on the others, its effect
is unknown, and no knot has a certificate. A correlation below the rounding of inner products, e
|a_j| |y|, counts as none. L such columns explain at most L e^2 |y|^2 / s more, with s the least
eigenvalue of all inner products of columns of length 1: with y - A b, which is orthogonal to the
columns in b, they have products c of |c|^2 <= L e^2 |y|^2, and gain c'S^-1 c, where the Schur
complement S has no eigenvalue below s.

Least angle regression minimises nothing. There the certificate is the largest departure from its
definition, |c_j| = lam v_j for active j and |c_j| <= lam v_j for the others, over the first lam
and v_j.

Reference: Bach et al. 2012, section 1.4.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from sparsesolve.solvers.homotopy.knot_gaps import gaps_at, piece_gaps
from sparsesolve.solvers.tolerances import ROUNDING


@dataclass(frozen=True)
class Rules:
    """The kind of a path, and where it ends."""

    v: np.ndarray  # (p,) penalty factors
    ridge: float  # rho
    open: np.ndarray  # (p,) which columns may join
    free: np.ndarray  # (f,) features without a penalty
    lasso: bool  # False: least angle regression
    positive: bool
    last: float  # the lambda at which it ends
    max_features: float
    max_steps: float  # knots after the first


@dataclass(frozen=True)
class Batch:
    """Knots of a path, with their certificates."""

    lams: np.ndarray  # (K,)
    features: np.ndarray  # (U,) features with coefficients in B; one may occur twice
    B: np.ndarray  # (K, U)
    squares: np.ndarray  # (K,) |y - A b|^2
    gaps: np.ndarray  # (K,) gaps of the knots and of the pieces above them
    n_events: np.ndarray  # (K,) joins and leaves since the knot before


class Certificate:
    """Makes Batches of knots.

    `free` are the independent features without a penalty, `factor` their Cholesky factor, `size`
    (p,) |a_j|. `unresolved` holds the other features without a penalty that correlate with a
    residual.
    """

    def __init__(self, data, rules, first, size, free, factor):
        self.data, self.rules = data, rules
        self.first = first or max(np.sqrt(data.response_square) * size.max(initial=0.0), 1e-300)
        self.free, self.factor = free, factor
        self.dependent, self.unresolved = np.setdiff1d(rules.free, free), set()
        self.size = np.where(rules.open, size, 0.0)
        self.bound = np.where(rules.open, rules.v, np.inf)
        self.null = max(0.5 * data.response_square, 1e-300)
        self.last = None  # lam, b (p,) and c (p,) of the knot before the next batch.

    def batch(self, lams, features, B, C, squares, n_events=None, core=None):
        """Return the Batch of knots with coefficients B (K, U) of the features (U,), correlations
        C (K, p).
        """
        most, unpenalised_norm = self.largest(C)
        if self.rules.lasso:
            gaps = gaps_at(lams, features, B, C, squares, most, self.rules.v, self.rules.ridge)
            if len(self.free):
                moved = np.abs(B) @ self.size[features]
                gaps += unpenalised_norm * (0.5 * unpenalised_norm + moved)
            gaps /= self.null
            if len(lams) and lams[-1] == 0.0 and core is not None:
                known = np.inf if self.data.least else gaps[-1]
                # At lambda = 0 the least squares on all columns are computed only if the gap,
                # relative to the null objective, exceeds this.
                if known > 1e-10:
                    inside = self._square_inside(core, C[-1], features, B[-1])
                    known = min(known, inside / (2 * self.null))
                gaps[-1] = known
            gaps = np.maximum(gaps, self._pieces(lams, features, B, C) / self.null)
        else:
            gaps = self._departures(lams, features, B, C, most)
        if len(self.dependent):
            gaps[self._correlated(C, features, B)] = np.inf
        n_events = np.zeros(len(lams), dtype=np.int64) if n_events is None else n_events
        return Batch(lams, features, B, squares, gaps, n_events)

    def _pieces(self, lams, features, B, C):
        """Return the largest gaps (K,) on the piece above each knot; 0 for the first of a path."""
        if not len(lams):
            return np.zeros(0)
        v = self.rules.v
        found = piece_gaps(lams, features, B, C, v)
        ends = []
        for k in (0, -1):
            b = np.zeros(len(v))
            np.add.at(b, features, B[k])
            ends.append((float(lams[k]), b, C[k].copy()))
        if self.last is not None:
            two, b, c = (np.array(part) for part in zip(self.last, ends[0], strict=True))
            every = np.arange(len(v), dtype=np.intc)
            found[0] = piece_gaps(two, every, b, c, v)[1]
        self.last = ends[-1]
        return found

    def correlation_rounding(self, features, B):
        """Return correlations (K,) with columns of length 1 that may be rounding.

        They are the rounding of products with y, and of products with each column in b, added up.
        """
        size = np.sqrt(self.data.response_square)
        parts = size + np.abs(B) @ np.sqrt(self.data.squares[features])
        # rounding of a sum of n products
        return np.minimum(ROUNDING * size, (32 * 2.0**-52) * np.sqrt(self.data.samples) * parts)

    def _correlated(self, C, features, B):
        """Return the knots (K,) at which the residual correlates with a column that was left out
        of b.
        """
        size = np.sqrt(self.data.squares[self.dependent])
        rounding = np.outer(self.correlation_rounding(features, B), size)
        found = np.abs(C[:, self.dependent]) > rounding
        self.unresolved.update(self.dependent[found.any(axis=0)].tolist())
        return found.any(axis=1)

    def moved(self, cost):
        """Return by how much gaps grow if b moves so that |y - A b|^2 / 2 rises by `cost`.

        Correlations move by at most |a_j| sqrt(2 cost), which is what counts for least angles.
        """
        if self.rules.lasso:
            return cost / self.null
        return np.sqrt(2.0 * cost) * np.max(self.size / self.bound, initial=0.0) / self.first

    def largest(self, C):
        """Return the least lam at which the dual point is feasible, and |d|, both (K,)."""
        most = largest(C, self.bound, self.rules.positive)
        if not len(self.free):
            return most, np.zeros(len(most))
        inside = solve_triangular(self.factor, C[:, self.free].T, lower=True)
        unpenalised_norm = np.sqrt(np.einsum("uk,uk->k", inside, inside))
        most += unpenalised_norm * np.max(self.size / self.bound, initial=0.0)
        return most, unpenalised_norm

    def _departures(self, lams, features, B, C, most):
        v = self.rules.v[features]
        sizes = np.abs(C[:, features]) / np.where(v > 0.0, v, 1.0)
        excess = np.where(B != 0.0, np.abs(sizes - np.outer(lams, v > 0.0)), 0.0)
        return np.maximum(excess.max(axis=1, initial=0.0), most - lams) / self.first

    def _square_inside(self, core, c, features, b):
        """Return |P r|^2 such that r - P r is dual feasible at lam = 0; P projects on the binding
        columns.

        With coefficients of one sign P r is longer than the projection on their cone, so that the
        bound holds. Inactive columns are added to the active ones one by one, the least dependent
        first. If inner products do not show whether the rest depend on these, the columns
        themselves do. Without columns the bound is infinite if products with r say that the rest
        are independent.
        """
        data, active = self.data, core.active
        candidates = self.rules.open.copy()
        if self.rules.positive:  # The others stay on their side.
            candidates &= c > -ROUNDING * np.sqrt(data.response_square * data.squares)
        candidates[active] = False
        others = np.flatnonzero(candidates & (data.squares > 0.0)).astype(np.intc)
        inside = core.basis.half_solved(c[active][:, None])
        total = float((inside**2).sum())
        if not len(others) or len(active) == data.rank:
            return total
        cross = core.basis.half_solved(data.inner(active, others))
        squares = data.squares[others]
        left = squares - np.einsum("ij,ij->j", cross, cross)
        along = c[others] - (cross.T @ inside)[:, 0]
        # rounding: the column depends on others
        while (left > 1e-11 * squares).any():
            k = int(np.argmax(left / squares))
            root = np.sqrt(left[k])
            row = (data.inner(others[k : k + 1], others)[0] - cross[:, k] @ cross) / root
            step = along[k] / root
            total, along, left = total + step * step, along - step * row, left - row * row
            cross, left[k] = np.vstack([cross, row]), 0.0
        every = np.concatenate([active, others]).astype(np.intc)
        measured = data.square_on(every, features, b)
        if measured is not None:
            return max(total, measured)
        rounding = self.correlation_rounding(features, b[None])[0] * np.sqrt(squares)
        sound = (left >= -1e-11 * squares) & (np.abs(along) <= rounding)
        return total if sound.all() else np.inf


def largest(C, bound, positive):
    """Return max_j |c_j| / bound_j at each knot, or of c_j / bound_j, (K,); at least 0."""
    ratios = C * (1.0 / bound)
    most = ratios.max(axis=1, initial=0.0)
    return most if positive else np.maximum(most, -ratios.min(axis=1, initial=0.0))

"""How good a path is at its knots and between them, from the correlations at each knot.

Lasso: the duality gap at the dual point s (y - A b), with the largest feasible s <= 1,

    (1 - s)^2 (|y - A b|^2 + rho sum_j v_j b_j^2) / 2 + sum_j (lam v_j |b_j| - s c_j b_j),

c_j = a_j'(y - A b) - rho v_j b_j, over the null objective |y|^2 / 2: no term is negative, and none
cancels another. At lam = 0 the dual point is what y - A b leaves outside the span of all columns.

Between two knots b and c are linear in lam. The gap is 0 there if it is 0 at both ends and
c_j = lam v_j sign(b_j) at both for every j that is active on the piece. Where rounding has moved a
knot the last may fail: |c_j| < lam v_j at the end where b_j = 0, with a large b_j at the other.
The gap, a parabola on the piece, is largest in its middle. The gap of a knot is the larger of its
own and that of the middle of the piece above it.

Columns without a penalty must be orthogonal to the dual point: with d the projection of y - A b on
them, which b lacks there, |d|^2 / 2 is lost and c_j moves by |a_j| |d| at most; both are counted.
One that its inner products do not tell from the others is left out of b. Where y - A b correlates
with it at any knot, it does not depend on the others, nobody knows what it would explain, and no
knot has a certificate. A correlation below the rounding of inner products, e |a_j| |y|, is none: L
such columns explain L e^2 |y|^2 / s more at most, s the least eigenvalue of all inner products of
columns of length 1, for they see of y - A b, orthogonal to the columns in b, c with |c|^2 <= L e^2
|y|^2, and gain c'S^-1 c, where the Schur complement S has no eigenvalue below s.

Least angle regression minimises nothing; there it is the largest departure from what defines it,
|c_j| = lam v_j for active j, |c_j| <= lam v_j for the others, over the first lam and v_j.
Reference: Bach et al. 2012, section 1.4.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from sparsesolve.solvers.costs.homotopy import EXPLAINED
from sparsesolve.solvers.costs.rounding import CORRELATION, DEPENDENT, SUM
from sparsesolve.solvers.homotopy import survey


@dataclass(frozen=True)
class Rules:
    """What kind of path, and where it ends."""

    v: np.ndarray  # (p,) penalty factors
    ridge: float  # rho
    open: np.ndarray  # (p,) which columns may join
    free: np.ndarray  # features that have no penalty
    lasso: bool  # else least angle regression
    positive: bool
    last: float  # lam at which it ends
    max_features: float
    max_steps: float  # knots beside the first


@dataclass(frozen=True)
class Batch:
    """Some knots of a path."""

    lams: np.ndarray  # (K,)
    features: np.ndarray  # (U,) those with coefficients in B; one may stand there twice
    B: np.ndarray  # (K, U)
    squares: np.ndarray  # (K,) |y - A b|^2
    gaps: np.ndarray  # (K,) of the knots and the pieces above them, see certificate
    n_events: np.ndarray  # (K,) joins and leaves since the knot before


class Certificate:
    """Makes Batches of knots.

    `free` are the features without a penalty that do not depend on each other, `factor` their
    Cholesky factor, `size` (p,) |a_j|. `untold` holds features without a penalty that correlate
    with a residual and are not among them.
    """

    def __init__(self, data, rules, first, size, free, factor):
        self.data, self.rules = data, rules
        self.first = first or max(np.sqrt(data.response_square) * size.max(initial=0.0), 1e-300)
        self.free, self.factor = free, factor
        self.lost, self.untold = np.setdiff1d(rules.free, free), set()
        self.size = np.where(rules.open, size, 0.0)
        self.bound = np.where(rules.open, rules.v, np.inf)
        self.null = max(0.5 * data.response_square, 1e-300)
        self.last = None  # of the knot that the next batch follows: lam, b (p,), c (p,)

    def batch(self, lams, features, B, C, squares, n_events=None, core=None):
        """Knots with coefficients B (K, U) of the features (U,), correlations C (K, p)."""
        most, lacking = self.largest(C)
        if self.rules.lasso:
            gaps = survey.gaps(lams, features, B, C, squares, most, self.rules.v,
                                    self.rules.ridge)  # fmt: skip
            if len(self.free):
                gaps += lacking * (0.5 * lacking + np.abs(B) @ self.size[features])
            gaps /= self.null
            if len(lams) and lams[-1] == 0.0 and core is not None:
                known = np.inf if self.data.least else gaps[-1]
                if known > EXPLAINED:
                    inside = self._square_inside(core, C[-1], features, B[-1])
                    known = min(known, inside / (2 * self.null))
                gaps[-1] = known
            gaps = np.maximum(gaps, self._pieces(lams, features, B, C) / self.null)
        else:
            gaps = self._departures(lams, features, B, C, most)
        if len(self.lost):
            gaps[self._correlated(C, features, B)] = np.inf
        n_events = np.zeros(len(lams), dtype=np.int64) if n_events is None else n_events
        return Batch(lams, features, B, squares, gaps, n_events)

    def _pieces(self, lams, features, B, C):
        """The largest gaps (K,) on the piece above each knot; 0 for the first of a path."""
        if not len(lams):
            return np.zeros(0)
        v = self.rules.v
        found = survey.piece_gaps(lams, features, B, C, v)
        ends = []
        for k in (0, -1):
            b = np.zeros(len(v))
            np.add.at(b, features, B[k])
            ends.append((float(lams[k]), b, C[k].copy()))
        if self.last is not None:
            two, b, c = (np.array(part) for part in zip(self.last, ends[0], strict=True))
            every = np.arange(len(v), dtype=np.intc)
            found[0] = survey.piece_gaps(two, every, b, c, v)[1]
        self.last = ends[-1]
        return found

    def faint(self, features, B):
        """Correlations (K,) with columns of length 1 that may be rounding: of those of y, and of
        those of each column in b, added up."""
        size = np.sqrt(self.data.response_square)
        parts = size + np.abs(B) @ np.sqrt(self.data.squares[features])
        return np.minimum(CORRELATION * size, SUM * np.sqrt(self.data.samples) * parts)

    def _correlated(self, C, features, B):
        """Knots (K,) where what is left correlates with a column that was left out of b."""
        scale = np.sqrt(self.data.squares[self.lost])
        found = np.abs(C[:, self.lost]) > np.outer(self.faint(features, B), scale)
        self.untold.update(self.lost[found.any(axis=0)].tolist())
        return found.any(axis=1)

    def moved(self, cost):
        """What the gaps grow by where b is moved so that |y - A b|^2 / 2 rises by cost.

        Correlations move by |a_j| sqrt(2 cost) at most, which is what counts for least angles.
        """
        if self.rules.lasso:
            return cost / self.null
        return np.sqrt(2.0 * cost) * np.max(self.size / self.bound, initial=0.0) / self.first

    def largest(self, C):
        """(K,) the least lam at which the dual point is feasible, and |d|."""
        most = survey.largest(C, self.bound, self.rules.positive)
        if not len(self.free):
            return most, np.zeros(len(most))
        inside = solve_triangular(self.factor, C[:, self.free].T, lower=True)
        lacking = np.sqrt(np.einsum("uk,uk->k", inside, inside))
        return most + lacking * np.max(self.size / self.bound, initial=0.0), lacking

    def _departures(self, lams, features, B, C, most):
        v = self.rules.v[features]
        sizes = np.abs(C[:, features]) / np.where(v > 0.0, v, 1.0)
        rest = np.where(B != 0.0, np.abs(sizes - np.outer(lams, v > 0.0)), 0.0)
        return np.maximum(rest.max(axis=1, initial=0.0), most - lams) / self.first

    def _square_inside(self, core, c, features, b):
        """|P r|^2 with r - P r dual feasible at lam = 0, P projecting on the columns that bind it.

        Where coefficients are positive P r is longer than the projection on their cone, so the
        bound holds. The others are added to the active ones one by one, the least dependent
        first. Where inner products do not tell whether some depend on the others, columns do; or
        where there are none, infinite if the products with r say that they do not.
        """
        data, active = self.data, core.active
        loose = self.rules.open.copy()
        if self.rules.positive:  # the others stay on their side
            loose &= c > -CORRELATION * np.sqrt(data.response_square * data.squares)
        loose[active] = False
        others = np.flatnonzero(loose & (data.squares > 0.0)).astype(np.intc)
        inside = core.basis.half_solved(c[active][:, None])
        total = float((inside**2).sum())
        if not len(others) or len(active) == data.rank:
            return total
        cross = core.basis.half_solved(data.inner(active, others))
        squares = data.squares[others]
        left = squares - np.einsum("ij,ij->j", cross, cross)
        along = c[others] - (cross.T @ inside)[:, 0]
        while (left > DEPENDENT * squares).any():
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
        rounding = self.faint(features, b[None])[0] * np.sqrt(squares)
        sound = (left >= -DEPENDENT * squares) & (np.abs(along) <= rounding)
        return total if sound.all() else np.inf

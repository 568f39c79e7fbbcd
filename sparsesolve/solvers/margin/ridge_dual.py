"""Ridge problems whose loss has pieces: primal, dual, and the certificate by rows.

    minimise over b0, b   F(o + b0 + Zb)  +  lam sum_j v_j b_j^2 / 2,       F = sum_i w_i f(y_i, .)
    maximise over u       sum_i u_i (c_i - o_i) - eps |u_i| - d_i u_i^2 / 2  -  |A'u|^2 / (2 lam)
                          within  -w h <= u <= -w l,  and  1'u = 0 with an intercept

with A = Z V^-1/2, and d_i = bend / w_i: 0 of a loss with kinks, 1 / w_i of a squared hinge. Of a
logistic loss w_i times the entropy of the fraction of u_i between its bounds takes the place of
-d_i u_i^2 / 2.

Given: a Problem with alpha = 0, one response, no limits, and no unpenalised column but the
intercept. `rows` is a Design whose columns are the rows of A. Those of a sparse design are kept
as they are stored, less a common `centre`, so that nothing is filled in.

Returned: for g = V^1/2 b and a dual point u the duality gap, a sum of terms that are not
negative:

    P - D = F(eta) + F*(-u) + u'eta  +  |lam g - A'u|^2 / (2 lam).

Invariant: the gap is of the coefficients as they are returned, by products with the data, column
by column or, if there are fewer rows or rows alone are given, row by row.

Reference: Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual coordinate descent method for
large-scale linear SVM" (2008), for the pair without an intercept.
"""

from dataclasses import dataclass

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.kernels.box_hyperplane import project
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.certificate.gap import gap_of_terms, ridge_excess
from sparsesolve.solvers.problem.standardisation import best_intercept
from sparsesolve.solvers.state import CONVERGED, NULL_LAMBDA, State
from sparsesolve.solvers.tolerances import ROUNDING


def suits_kinks(problem, lambdas):
    """Return True if `suits`, and the loss has kinks."""
    return not getattr(problem.loss, "smooth", True) and suits(problem, lambdas)


def suits(problem, lambdas):
    """Return True for a ridge penalty on all columns, no limits, lambdas > 0 and a loss with
    pieces.
    """
    if getattr(problem.loss, "pieces", None) is None:
        return False
    if not isinstance(problem.penalty, ElasticNet):
        return False
    if problem.penalty.alpha != 0.0 or (lambdas is not None and lambdas[-1] == 0.0):
        return False
    held = np.isinf(problem.limits).all(axis=0) & (np.asarray(problem.penalty.l2) > 0.0)
    return bool((held | ~problem.open_columns).all())


class Rows:
    """Rows of X in the user's units as columns of a Design, less their mean for an intercept.

    Parameters
    ----------
    matrix : (p, n), the transpose of X as a Design reads it
    weights : (n,) summing to 1
    intercept : bool
    """

    def __init__(self, matrix, weights, intercept):
        self.stored, self.weights, self.intercept = Design(matrix), weights, intercept
        p, n = matrix.shape
        entries = matrix if isinstance(matrix, np.ndarray) else matrix.data
        self.size = float(np.abs(entries).max(initial=0.0))
        self.mean = np.zeros(p)
        if intercept:
            self.mean = self.stored.combination(np.arange(n, dtype=np.intc), weights)
        self.rows, self.centre = self.stored, self.mean
        if intercept and isinstance(matrix, np.ndarray):
            self.rows, self.centre = Design(matrix - self.mean[:, None]), np.zeros(p)


@dataclass(frozen=True)
class RowProblem:
    """What RidgeDual asks of a Problem with v = 1 that is known by its rows alone."""

    given: Rows
    loss: object
    offset: np.ndarray
    null_intercept: float
    null_value: float

    @property
    def weights(self):
        """Weights (n,) of sum 1."""
        return self.given.weights

    @property
    def intercept(self):
        """True if there is an unpenalised intercept."""
        return self.given.intercept


class RidgeDual(State):
    """The primal and the dual of a Problem, and a point of each with its gap.

    Attributes
    ----------
    rows : Design (k, n)
        Column i is row i of A less `centre` (k,); k columns of the design take part.
    target : (n,)
        c - o, the kinks for the predictor without the offset.
    low, high, diagonal : (n,)
        Bounds on u, and d.
    u, g, intercept : (n,), (k,), float
        The point that `certify` has seen last.
    """

    def __init__(self, problem, n_threads):
        self.problem, self.loss = problem, problem.loss
        self.n_threads, self.with_intercept = n_threads, problem.intercept
        self.iterations = 0  # which the solvers of it count
        if isinstance(problem, RowProblem):
            self.rows, self.centre = problem.given.rows, problem.given.centre
            self.wide = True
        else:
            self._read_columns(problem)
        self.offset = np.asarray(problem.offset)
        self.target = self.loss.pieces[0] - self.offset
        self.low, self.high = (np.ascontiguousarray(end) for end in self.loss.ends)
        w = np.asarray(problem.weights)
        self.diagonal = np.divide(self.loss.bend, w, out=np.zeros(len(w)), where=w > 0.0)
        self.one = np.ones(len(w))
        off = np.abs(self.target - problem.null_intercept)
        self.spread = float(np.sqrt(problem.weights @ off**2)) or 1.0
        self.intercept = float(problem.null_intercept)
        self.g, self.eta = np.zeros(self.rows.n), self.offset + self.intercept
        self.u, self.value = self.subgradient(self.eta), self.loss.at(self.eta)[0]
        self.z, self.null_u, self.null = self.products(self.u), self.u, None

    def _read_columns(self, problem):
        self.design, v = problem.design, np.asarray(problem.penalty.l2)
        self.which = np.flatnonzero(problem.open_columns & (v > 0.0)).astype(np.intc)
        self.root_v = np.sqrt(v[self.which])
        self.rows, self.centre = _rows(self.design, self.which, self.root_v)
        self.wide = self.rows.p < self.rows.n  # Fewer rows than columns take part.

    def subgradient(self, eta):
        """Return u = -F'(eta) (n,); with an intercept, rows on a kink make its sum 0."""
        u = self.loss.at(eta)[1]
        if not self.with_intercept or self.loss.smooth:
            return self.feasible(u)
        near = ROUNDING * (self.spread + np.abs(eta) + np.abs(self.loss.pieces[0]))
        low, high = self.loss.at(eta + near)[1], self.loss.at(eta - near)[1]
        if not low.sum() <= 0.0 <= high.sum():
            low, high = self.low, self.high
        return project(np.clip(u, low, high), low, high, self.one, 0.0, self.one)

    @property
    def loss_value(self):
        """F less its least value at the point certified last."""
        return self.value - self.loss.saturated

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients."""
        b = self.g / self.root_v
        return self.which[b != 0.0], b[b != 0.0]

    def products(self, u):
        """Return A'u, (k,)."""
        if self.wide:
            used = np.flatnonzero(u).astype(np.intc)
            z = self.rows.combination(used, u[used])
            return z - float(u.sum()) * self.centre if self.with_intercept else z
        return self.design.products(u, self.n_threads)[self.which] / self.root_v

    def predictor(self, g):
        """Return Ag, (n,)."""
        if self.wide:
            return self.rows.products(g) - float(self.centre @ g)
        return self.design.combination(self.which, g / self.root_v)

    def feasible(self, u):
        """Return u clipped to its bounds, and with an intercept projected on the hyperplane of
        sum 0. Rows at an end, or at 0, stay there if the others can make the sum 0.
        """
        u = np.clip(u, self.low, self.high)
        if not self.with_intercept:
            return u
        inside = (u > self.low) & (u < self.high) & (u != 0.0)
        low, high = np.where(inside, self.low, u), np.where(inside, self.high, u)
        if not low.sum() <= 0.0 <= high.sum():
            low, high = self.low, self.high
        return project(u, low, high, self.one, 0.0, self.one)

    def certify(self, lam, u, g=None, predictor=None):
        """Return the gap at the coefficients g, those of u if None, with the best intercept for
        them.

        u (n,) is feasible; `predictor` is Ag if it is known.
        """
        z = self.z if u is self.u else self.products(u)
        g = z / lam if g is None else g
        eta = self.offset + (self.predictor(g) if predictor is None else predictor)
        shift = 0.0
        if self.with_intercept:
            shift = self.intercept + best_intercept(self.loss, eta + self.intercept)[0]
        eta = eta + shift
        self.u, self.g, self.intercept, self.eta, self.z = u, g, float(shift), eta, z
        self.value = self.loss.at(eta)[0]
        return self.gap_at(lam, eta)

    def gap_at(self, lam, eta):
        """Return the gap of the point certified last, for its predictor eta (n,) as rounded."""
        # u is on the hyperplane up to rounding, which the intercept multiplies.
        infeasible = abs(float(self.u.sum())) if self.with_intercept else 0.0
        missing = infeasible * (abs(self.intercept) + self.spread) + 2.0**-52 * abs(self.value)
        samples = self.loss.fenchel_young_at(eta, self.u)
        return gap_of_terms(samples, ridge_excess(self.g, self.z, lam), missing)

    def point(self):
        """Return the point certified last, for `set_point`."""
        return self.u, self.g, self.intercept, self.eta, self.z, self.value

    def set_point(self, point):
        """Go back to a point that was certified."""
        self.u, self.g, self.intercept, self.eta, self.z, self.value = point

    def at_null(self):
        """Go back to the null model; return the outcome and the gap of a solver there."""
        if self.null is None:
            self.intercept = float(self.problem.null_intercept)
            nothing = np.zeros(len(self.null_u))
            gap = self.certify(NULL_LAMBDA, self.null_u, np.zeros(self.rows.n), nothing)
            self.null = self.point(), gap
        self.set_point(self.null[0])
        return CONVERGED, self.null[1]

    def dual_point(self):
        """Return u of the point certified last."""
        return self.u

    # What a grid needs.

    def correlations(self):
        """Return z_j'u of every column (p,) at the point certified last."""
        return self.design.products(self.u, self.n_threads)

    def first_lambda(self):
        """Return a lambda above which the dual point of the null model stays the best, or None.

        There b = V^-1 Z'u / lam. Its predictor reaches no kink while it is shorter than the
        distance of the nearest kink, whose scale is the spread of the kinks.
        """
        if self.loss.smooth:
            return None
        moved = np.abs(self.predictor(self.products(self.u)))
        moved = moved[np.asarray(self.problem.weights) > 0.0]
        return float(moved.max(initial=0.0)) / self.spread or None


def _rows(design, which, root_v):
    """Return the rows of A as the columns of a Design, and what is subtracted from each (k,)."""
    k = len(which)
    if design.stored == design.n * design.p:
        rows = np.ascontiguousarray(design.unpacked(which) / root_v)
        return Design(rows.T), np.zeros(k)
    matrix, offset = design.stored_columns(which)
    matrix.data /= np.repeat(root_v, np.diff(matrix.indptr))
    rows = matrix.tocsr().T
    rows.indices = rows.indices.astype(np.intc, copy=False)  # The type that a Design reads.
    return Design(rows), offset / root_v

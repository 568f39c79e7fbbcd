"""Ridge and nearly dependent columns in other coordinates.

    minimise over b0, b   F(o + b0 + Zb) + lam sum_j v_j b_j^2 / 2,      v_j > 0, no limits

`RowSpace`, any loss on far more columns than rows. Given: a Problem. Returned: the state of a
solver of it. Invariant: the gap is of the coefficients b = V^-1 Z'a / lam that are returned. The
solution is b = V^-1 Z'u / lam with u = -F'(eta), in the span of the rows. With the eigenvalues U S
U' of A V^-1 A', A = sqrt(W) Z, any solver takes the n columns U sqrt(S) / sqrt(W) in place of Z,
and sum_j v_j b_j^2 is the square of their coefficients. Its residual a, made orthogonal to the
intercept, is the dual point of the whole problem, and the ridge has no part in the gap, which is
F(eta) + F*(-a) + a'eta at the eta of this b. If lam is so small that 1 / lam magnifies rounding, a
solver of the original columns takes over.

`Collinear`, unpenalised columns whose differences explain much. That takes coefficients of 1e8
that nearly cancel, and steps on these lose the digits that count.
Returned: the Problem with a basis in place of such columns, and the way back. Invariant: the gap
includes what leading back costs. The predictor of the coefficients that come back is summed in
twice the digits.

Reference: Hastie, Tibshirani, "Efficient quadratic regularization for expression arrays" (2004);
Dekker (1971), "A floating-point technique for extending the available precision".
"""

from dataclasses import replace
from functools import partial

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.factors.span import SHAKY, Spans, eigen, told_apart
from sparsesolve.linalg.gram.outer import wide_gram
from sparsesolve.linalg.kernels.error_free import rest_of_product, rest_of_sum
from sparsesolve.penalties import ElasticNet
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.certificate.dual_point import clear
from sparsesolve.solvers.certificate.gap import gap_of_terms
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, Reduced, State
from sparsesolve.solvers.suitability import suitable
from sparsesolve.solvers.tolerances import MOST_COPIED_VALUES

# Columns to a row from which the eigenvalues of the space of the rows pay.
WIDE = 2
# The gap asked of the small problem, over that of the large one, falls by this factor where the
# large gap is missed.
SHARE = 0.01
# Unpenalised columns whose dependence is examined: each costs a product with every other.
MOST = 1000


class RowSpace(Reduced):
    """The state of a solver of a Problem in the coordinates of the rows.

    Parameters
    ----------
    state : a solver state of the small Problem
    small, which : the small Problem, and the columns of the large one that take part
    problem : Problem of the original columns
    """

    words = "columns become coordinates of the row space"
    start_at = State.start_at  # The coefficients within belong to other columns.

    @classmethod
    def forward(cls, problem, lambdas, n_threads):
        """Return the Problem in the coordinates of the rows."""
        design, penalty = problem.design, problem.penalty
        if problem.loss is None or problem.has_groups or penalty.alpha != 0.0:
            return None
        if lambdas is not None and lambdas[-1] == 0.0:
            return None
        which = np.flatnonzero(problem.open_columns).astype(np.intc)
        v, limits = np.asarray(penalty.l2)[which], problem.limits[:, which]
        if len(which) < WIDE * design.n or not ((v > 0.0).all() and np.isinf(limits).all()):
            return None
        root_w = np.sqrt(problem.weights)
        spectrum, turn = eigen(wide_gram(design, which, 1.0 / v, root_w, n_threads))
        columns = np.zeros((design.n, len(spectrum)), order="F")
        used = root_w[:, None] > 0.0
        np.divide(turn * np.sqrt(spectrum), root_w[:, None], out=columns, where=used)
        small = Design(columns)
        small.moments(problem.weights, n_threads)
        ones = np.ones(small.p)
        small.standardise(problem.centred, ones)
        small = replace(
            problem, design=small, penalty=ElasticNet(small.p, 0.0), factor=ones,
            shift=np.zeros(small.p, dtype=int), low=None, high=None,
        )  # fmt: skip
        return small, partial(cls, small=small, which=which, problem=problem, lambdas=lambdas,
                              n_threads=n_threads)  # fmt: skip

    def __init__(self, state, small, which, problem, lambdas, n_threads):
        super().__init__(state)
        self.small, self.which, self.problem, self.n_threads = small, which, problem, n_threads
        self.lambdas, self.by_columns = lambdas, False
        self.v = np.asarray(problem.penalty.l2)[which]
        self.constant = np.ones((problem.design.n, 1 if problem.intercept else 0))
        # The gap asked of the small problem, over that of the large one.
        self.closer = SHARE

    @property
    def loss_value(self):
        """The loss less its least value."""
        if self.by_columns:
            return self.state.loss_value
        return self.value - self.problem.loss.saturated

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        limit = self.iterations + budget
        if not self.by_columns:
            outcome, gap = self._solve_small(lam, target, budget)
            if outcome != STALLED or lam >= NULL_LAMBDA:
                return outcome, gap
            self.spent, self.by_columns = self.iterations, True
            solver = SOLVERS[suitable(self.problem, self.lambdas)]
            self.state = solver.state(self.problem, self.n_threads)
        return self.state.solve(lam, target, max(limit - self.iterations, 0))

    def _solve_small(self, lam, target, budget):
        """Reach the gap by the small problem; return (outcome, gap)."""
        limit = self.state.iterations + budget
        self.closer = min(1.0, self.closer / SHARE**0.5)
        # Closer solutions of the small problem for a gap of the large one, each a hundred times as
        # close.
        for _ in range(8):
            asked = self.closer * target
            outcome, _ = self.state.solve(lam, asked, max(limit - self.state.iterations, 0))
            gap = self._lead_back(lam)
            if gap <= target:
                return CONVERGED, gap
            if outcome == MAX_ITER:
                return MAX_ITER, gap
            if outcome == STALLED:
                break
            self.closer *= SHARE
        return STALLED, gap

    def _lead_back(self, lam):
        """Compute b and eta from the small problem's residual; return the gap."""
        problem, loss = self.problem, self.problem.loss
        offset = np.atleast_2d(problem.offset)
        which, c = self.state.coefficients()
        intercept = np.reshape(self.state.intercept, (-1, 1))
        eta = offset + intercept + self._predictor(self.small.design, which, np.atleast_2d(c))
        eta = eta.reshape(problem.offset.shape)
        a, missing = clear(loss, eta, loss.at(eta)[1], self.constant)
        self.dual = np.atleast_2d(a)
        z = problem.design.response_products(self.dual, self.which, self.n_threads)
        with np.errstate(over="ignore", under="ignore"):
            self.b = z / lam / self.v
        there = offset + intercept + self._predictor(problem.design, self.which, self.b)
        there = there.reshape(problem.offset.shape)
        self.value = loss.at(there)[0]
        return gap_of_terms(loss.fenchel_young_at(there, a), 0.0, missing)

    def _predictor(self, design, which, b):
        """Return the part of the columns in eta, (K, n)."""
        return np.stack([design.combination(which, np.ascontiguousarray(row)) for row in b])

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients."""
        if self.by_columns:
            return self.state.coefficients()
        kept = self.b.any(axis=0)
        b = self.b[:, kept]
        return self.which[kept], b if self.problem.n_responses is not None else b[0]

    def correlations(self):
        """Return the size of each column's products with the dual point, (p,)."""
        problem, out = self.problem, np.zeros(self.problem.design.p)
        z = problem.design.response_products(self.dual, self.which, self.n_threads)
        if problem.n_responses is None:
            out[self.which] = z[0]
        else:
            net = ElasticNetRows(problem.penalty, problem.grouped)
            out[self.which] = net.sizes(z, self.which)
        return out


def without_collinear(problem, lambdas=None, most=MOST):
    """Return (Problem with a basis in place of such columns, Span, basis); None if there are
    none.

    Columns that depend exactly, or whose inner products separate them, need no basis. More than
    `most` of them are not examined.
    """
    unpenalised = problem.unpenalised(lambdas)
    if np.count_nonzero(unpenalised) < 2:  # The usual case.
        return None
    moving = np.isinf(problem.limits).all(axis=0) & (np.asarray(problem.design.spread) > 0.0)
    which = np.flatnonzero(unpenalised & moving).astype(np.intc)
    n, f = problem.design.n, len(which)
    if not 2 <= f <= most or (most <= MOST and n * f > MOST_COPIED_VALUES):
        return None
    root_w = np.sqrt(problem.weights)
    columns = root_w[:, None] * problem.design.unpacked(which)
    if told_apart(columns.T @ columns):
        return None
    spans = Spans(problem.design, root_w, problem.centred)
    span, basis = spans.of(which), spans.unweighted(which)
    if span.least > np.sqrt(SHAKY):
        return None
    return replace(problem, design=problem.design.with_columns(which, basis)), span, basis


class WayBack:
    """From coefficients of the basis to those of the original columns.

    Parameters
    ----------
    problem : Problem with the basis
    span, basis : as `without_collinear` returns them
    design : Design of the original columns
    """

    def __init__(self, problem, span, basis, design):
        self.problem, self.span, self.basis = problem, span, basis
        self.columns = design.unpacked(span.which)
        # An intercept summed with all digits absorbs what is equal in every row.
        self.exact_intercept = problem.intercept and replace(problem, design=design).far

    def of_basis(self, which, values):
        """Return coefficients of the basis, (r,) or (K, r), among values of the features `which`.
        """
        c = np.zeros((*values.shape[:-1], self.basis.shape[1]))
        for k, j in enumerate(self.span.which[: c.shape[-1]]):
            c[..., k] = values[..., which == j].sum(axis=-1)
        return c

    def led_back(self, which, values):
        """Return features, and their coefficients (..., k): the columns of the span come last."""
        held = ~np.isin(which, self.span.which)
        b = self.of_basis(which, values) @ self.span.back.T
        numbers = np.concatenate([which[held], self.span.which]).astype(np.intc)
        return numbers, np.concatenate([values[..., held], b], axis=-1)

    def off(self, which, values):
        """Return by how much the predictors of the original coefficients miss those of the basis,
        (n,).

        It is computed in twice the digits, for values (k,) of one response.
        """
        c = self.of_basis(which, values)
        off = _far_sum(self.columns, c @ self.span.back.T, self.basis @ c)
        return off - self.problem.weights @ off if self.exact_intercept else off

    def cost(self, which, values, intercept):
        """Return how far F at the original coefficients is above F at those of the basis."""
        problem, rows = self.problem, np.ascontiguousarray(np.atleast_2d(values))
        off = np.stack([self.off(which, row) for row in rows])
        eta = np.stack([problem.design.combination(which.astype(np.intc), row) for row in rows])
        if problem.loss is None:
            r = problem.response - eta[0]
            return max(float(problem.weights @ (off[0] * (0.5 * off[0] - r))), 0.0)
        eta = problem.offset + eta.reshape(problem.offset.shape)
        eta += np.expand_dims(intercept, -1)
        there, here = problem.loss.at(eta + off.reshape(eta.shape)), problem.loss.at(eta)
        return max(there[0] - here[0], 0.0)


class Collinear(Reduced):
    """The state of a solver of the Problem with a basis, in terms of the original columns."""

    words = "a basis of columns that depend on one another"
    start_at = State.start_at  # The coefficients within belong to other columns.

    @classmethod
    def forward(cls, problem, lambdas, n_threads):
        """Return the Problem with a basis in place of such columns."""
        found = without_collinear(problem, lambdas)
        way = found and WayBack(*found, problem.design)
        return found and (found[0], partial(cls, way_back=way))

    def __init__(self, state, way_back):
        super().__init__(state)
        self.way_back = way_back

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        outcome, gap = self.state.solve(lam, target, budget)
        return outcome, gap + self.way_back.cost(*self.state.coefficients(), self.state.intercept)

    def back(self, which, values):
        """Return the coefficients of the original columns."""
        numbers, values = self.way_back.led_back(which, values)
        order = np.argsort(numbers)
        numbers, values = numbers[order], np.ascontiguousarray(values[..., order])
        kept = values.any(axis=0) if values.ndim == 2 else values != 0.0
        return numbers[kept], np.ascontiguousarray(values[..., kept])


def _far_sum(columns, b, less):
    """Return columns @ b - less, in twice the digits."""
    total, rest = -less, np.zeros(len(less))
    for column, one in zip(columns.T, b, strict=True):
        product = column * one
        last, total = total, total + product
        rest += rest_of_product(column, one, product) + rest_of_sum(last, product, total)
    return total + rest

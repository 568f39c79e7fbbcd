"""Nearly dependent unpenalised columns, solved by an orthonormal basis of their span.

    b0 + Zb  =  b0 + Q c + the other columns,     Q a basis of the dependent ones

Given: a Problem. Returned: one with a basis in place of such columns, and the state that leads
back. Invariant: the gap includes what leading back costs. The predictor of the coefficients that
come back is summed in twice the digits.

Differences of such columns may explain much. That takes coefficients of 1e8 that nearly cancel,
and steps on these, one by one or by inner products, lose the digits that count.

Reference: Dekker (1971), "A floating-point technique for extending the available precision".
"""

from dataclasses import replace
from functools import partial

import numpy as np

from sparsesolve.linalg.factors.span import SHAKY, Spans, told_apart
from sparsesolve.linalg.kernels.error_free import rest_of_product, rest_of_sum
from sparsesolve.solvers.state import Reduced, State

# Unpenalised columns whose dependence is examined: each costs a product with every other.
MOST = 1000
# Values of the columns that are examined (240 MB), and multiply-adds of their inner products.
MOST_VALUES = 30_000_000
MOST_PRODUCTS = 1e10


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
    large = n * f > MOST_VALUES or n * f * f > MOST_PRODUCTS
    if not 2 <= f <= most or (most <= MOST and large):
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
        self.level = problem.intercept and replace(problem, design=design).far

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
        return off - self.problem.weights @ off if self.level else off

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

"""Columns that nothing holds back and that all but depend on one another: solved for by a basis.

Their differences may explain much. It takes coefficients of 1e8 that all but cancel, and steps on
these, one by one or by inner products, lose what counts. So a solver is given an orthonormal basis
of their span in their place, and what it finds is led back here, with what that costs in the gap:
the predictor of the coefficients that come back is summed in twice the digits.
"""

from dataclasses import replace

import numpy as np

from sparsesolve.linalg.factors.span import SHAKY, Spans, told_apart
from sparsesolve.linalg.kernels.error_free import rest_of_product, rest_of_sum
from sparsesolve.solvers.follow import CONVERGED

MOST, MOST_VALUES = 200, 30_000_000  # columns that are looked at, and values in them


def spanned(problem, lambdas=None):
    """Return (Problem with a basis in place of such columns, Span, its columns); or None: no such.

    Columns that depend on one another, or are told apart by their inner products, are no matter.
    """
    loose = problem.loose(lambdas)
    if np.count_nonzero(loose) < 2:  # as a rule
        return None
    moving = np.isinf(problem.limits).all(axis=0) & (np.asarray(problem.design.spread) > 0.0)
    which = np.flatnonzero(loose & moving).astype(np.intc)
    if not 2 <= len(which) <= MOST or len(which) * problem.design.n > MOST_VALUES:
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


class Spanned:
    """The state of a solver of that problem; answers for the columns that there were.

    Parameters
    ----------
    state : whatever answers `solve`, `coefficients` and the like
    problem : Problem that it solves
    span, basis : as `spanned` returns them
    design : Design of the columns that there were
    """

    def __init__(self, state, problem, span, basis, design):
        self.state, self.problem, self.span, self.basis = state, problem, span, basis
        self.columns = design.unpacked(span.which)

    def __getattr__(self, name):
        return getattr(self.state, name)

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        outcome, gap = self.state.solve(lam, target, budget)
        return outcome, gap + self._cost() if outcome == CONVERGED else gap

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients."""
        which, values = self.state.coefficients()
        held = ~np.isin(which, self.span.which)
        b = self._led_back(which, values)
        numbers = np.concatenate([which[held], self.span.which]).astype(np.intc)
        values = np.concatenate([values[..., held], b], axis=-1)
        order = np.argsort(numbers)
        numbers, values = numbers[order], np.ascontiguousarray(values[..., order])
        kept = values.any(axis=0) if values.ndim == 2 else values != 0.0
        return numbers[kept], np.ascontiguousarray(values[..., kept])

    def _of_basis(self, which, values):
        """Coefficients of the basis, (r,) or (K, r)."""
        c = np.zeros((*values.shape[:-1], self.basis.shape[1]))
        for k, j in enumerate(self.span.which[: c.shape[-1]]):
            c[..., k] = values[..., which == j].sum(axis=-1)
        return c

    def _led_back(self, which, values):
        """Coefficients of the columns that there were, (f,) or (K, f)."""
        return self._of_basis(which, values) @ self.span.back.T

    def _cost(self):
        """How far F at the coefficients that come back is above F at those of the basis."""
        problem, (which, values) = self.problem, self.state.coefficients()
        rows = np.ascontiguousarray(np.atleast_2d(values))
        c, b = np.atleast_2d(self._of_basis(which, values)), self._led_back(which, rows)
        off = np.stack([_far_sum(self.columns, one, self.basis @ of) for one, of in
                        zip(b, c, strict=True)])  # fmt: skip
        eta = np.stack([problem.design.combination(which.astype(np.intc), row) for row in rows])
        if problem.loss is None:
            r = problem.response - eta[0]
            return max(float(problem.weights @ (off[0] * (0.5 * off[0] - r))), 0.0)
        eta = problem.offset + eta.reshape(problem.offset.shape)
        eta += np.expand_dims(self.state.intercept, -1)
        there, here = problem.loss.at(eta + off.reshape(eta.shape)), problem.loss.at(eta)
        return max(there[0] - here[0], 0.0)


def _far_sum(columns, b, less):
    """columns @ b - less, in twice the digits."""
    total, rest = -less, np.zeros(len(less))
    for column, one in zip(columns.T, b, strict=True):
        product = column * one
        last, total = total, total + product
        rest += rest_of_product(column, one, product) + rest_of_sum(last, product, total)
    return total + rest

"""Distributed rows reduced to p + 1 rows with the same inner products.

    |c - A b|^2 / 2 = sum_i w_i (y_i - (Zb)_i)^2 / 2  for every b

Given: Z'WZ, Z'Wy and y'Wy, through which alone squared error sees the data. Returned: with Z'WZ =
V S V', the rows A = S^(1/2) V' and c = S^(-1/2) V' Z'Wy, and a row of zeros for what no column
explains. Invariant: this problem in memory has the solution, the objective and the duality gap of
the whole.

Reference: Golub, Van Loan (2013), "Matrix computations", section 5.3.
"""

from dataclasses import replace

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.factors.span import eigen


class Rows:
    """p + 1 rows A with A'A = gram: a design in memory, to be weighted by `weights`."""

    def __init__(self, gram):
        p = len(gram)
        self.spectrum, self.turn = eigen(gram)
        rows = np.zeros((p + 1, p), order="F")
        np.multiply(np.sqrt((p + 1) * self.spectrum)[:, None], self.turn.T, out=rows[:p])
        rows[:, np.diagonal(gram) == 0.0] = 0.0
        self.design, self.weights = Design(rows), np.full(p + 1, 1.0 / (p + 1))
        self.design.spread[:] = (np.diagonal(gram) > 0.0).astype(float)

    def response(self, cross, square=0.0):
        """Return c (p + 1,) with A'c = cross, and |c|^2 = square if that is not too small."""
        c = self.turn.T @ cross / np.sqrt(self.spectrum)
        left = np.sqrt(max(square - c @ c, 0.0))
        return np.append(c, left) * np.sqrt(len(self.weights))


def by_inner_products(problem):
    """Return the Problem of squared error in few rows; its design has formed gram and cross."""
    design, factor = problem.design, problem.factor
    mean = np.zeros(design.p) if problem.intercept else design.mean
    gram = (design.gram + np.outer(mean, mean)) * factor * factor[:, None]
    cross = (design.cross + mean * design.response_mean) * factor
    cross = np.ldexp(cross, design.response_power - problem.exponent)
    rows = Rows(gram)
    return replace(
        problem, design=rows.design, weights=rows.weights,
        response=rows.response(cross, 2.0 * problem.null_value),
        factor=np.sqrt(np.diagonal(gram)), intercept=False,
    )  # fmt: skip

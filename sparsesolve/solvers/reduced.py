"""Rows that lie elsewhere, reduced to p + 1 rows with the same inner products.

    |c - A b|^2 / 2 = sum_i w_i (y_i - (Zb)_i)^2 / 2  for every b

Squared error sees the data through Z'WZ, Z'Wy and y'Wy alone: with Z'WZ = V S V', the rows
A = S^(1/2) V' and c = S^(-1/2) V' Z'Wy, and a row of zeros for what no column explains, are a
problem in memory with the solution, the objective and the duality gap of the whole. A Newton
step's model, which the next step replaces, makes do with rows that are cheaper and nearly those.
"""

from dataclasses import replace

import numpy as np
from scipy.linalg import lapack

from sparsesolve.linalg.design import Design
from sparsesolve.linalg.span import eigen

ROUNDING = 1e-15  # of a diagonal, for each column: added to it before it is factored


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
        """(p + 1,) c with A'c = cross, and |c|^2 = square if that is no less than it has to be."""
        c = self.turn.T @ cross / np.sqrt(self.spectrum)
        left = np.sqrt(max(square - c @ c, 0.0))
        return np.append(c, left) * np.sqrt(len(self.weights))


class ModelRows:
    """p + 1 rows for a model: A'A = gram nearly; triangular, and made in little of the time."""

    def __init__(self, gram):
        p = len(gram)
        self.factor = factor(gram)
        rows = np.zeros((p + 1, p), order="F")  # one at least
        rows[:p] = np.sqrt(p + 1) * self.factor
        rows[:, np.diagonal(gram) == 0.0] = 0.0
        self.design, self.weights = Design(rows), np.full(p + 1, 1.0 / (p + 1))
        self.design.spread[:] = (np.diagonal(gram) > 0.0).astype(float)

    def target(self, start, z, u):
        """(p + 1,) c with A'c = z + gram start."""
        c, _ = lapack.dtrtrs(self.factor, z, trans=1)
        return np.append(self.factor @ start + c, 0.0) * np.sqrt(len(self.weights))


class SampleRows:
    """K rows for each of n samples, by a root of its curvature: A (nK, p), where these are fewer.

    Parameters
    ----------
    A : (nK, p)
        The rows, less what is projected out.
    inverse : (n, K, K)
        What solves with the transposed roots.
    """

    def __init__(self, A, inverse):
        self.A, self.inverse, m = A, inverse, len(A)
        self.design, self.weights = Design(np.asfortranarray(np.sqrt(m) * A)), np.full(m, 1.0 / m)
        self.design.spread[:] = A.any(axis=0).astype(float)

    def target(self, start, z, u):
        """(nK,) c with A'c = z + A'A start, for the u (K, n) of which z are the products."""
        c = self.A @ start + np.einsum("iab,bi->ia", self.inverse, u).ravel()
        return c * np.sqrt(len(c))


def factor(gram):
    """Upper triangular U, U'U = gram nearly: pivots lost in rounding are made up for."""
    diagonal = np.diagonal(gram)
    size = np.where(diagonal > 0.0, diagonal, 1.0)
    ridge = ROUNDING * len(gram)
    while len(gram):
        matrix = np.array(gram, order="F")
        np.fill_diagonal(matrix, size * (1.0 + ridge))
        U, info = lapack.dpotrf(matrix, overwrite_a=1)
        if info == 0:
            return U
        ridge *= 30.0
    return np.zeros((0, 0))


def reduced(problem):
    """The Problem of squared error in few rows, of one whose design has formed gram and cross."""
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

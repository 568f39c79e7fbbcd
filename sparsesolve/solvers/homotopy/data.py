"""What the homotopy reads from the data: inner products of columns, correlations at many knots.

    C_k = A'(y - A b_k),    G = A'A,    a_j = sqrt(w) z_j of the standardised design

Given: a Problem of squared error, or G, A'y and |y|^2 alone. Returned: exact correlations at many
knots by one matrix product. Small dense designs are unpacked once, others block by block for
every product. Once all inner products are known, correlations come from them where that is less
work.

Reference: Efron, Hastie, Johnstone, Tibshirani (2004), section 7.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from sparsesolve.solvers.costs.rounding import CENTRED
from sparsesolve.solvers.homotopy import survey

# Values of a dense design that is kept unpacked (32 MB); larger ones are unpacked block by block
# for each product.
SMALL_DESIGN = 4_000_000
# Share of stored values from which dense kernels are faster than sparse products.
DENSE_FROM = 0.15


def homotopy_data(problem, n_threads):
    """Return the data of a Problem of squared error."""
    dense = problem.design.stored >= DENSE_FROM * problem.design.n * problem.design.p
    return (DenseData if dense else SparseData)(problem, n_threads)


def _rank(problem):
    """Return an upper bound on the rank of the columns."""
    return min(int((problem.weights > 0.0).sum()) - problem.intercept, problem.design.p)


class Data:
    """Base of the three kinds of data, which add `_inner`, `_correlations`, `squares` and the
    like.
    """

    gram, cross, room, least, design = None, None, np.empty((0, 0)), False, None

    @property
    def samples(self):
        """How many products an inner product sums."""
        return self.n

    def all_inner(self):
        """Return the inner products of all columns, (p, p); they are kept."""
        if self.gram is None:
            every = self.every
            self.cross = self._correlations(every[:0], np.empty((1, 0)))[0][0].copy()
            self.gram = np.ascontiguousarray(self._inner(every, every))
        return self.gram

    def inner(self, left, right):
        """Return the inner products of the columns `left` and `right`."""
        if self.gram is None:
            return self._inner(left, right)
        return self.gram[np.ix_(left, right)]

    def _room(self, K):
        """Return an array for the correlations at K knots."""
        if K > len(self.room):
            self.room = np.empty((K, len(self.squares)))
        return self.room[:K]

    def measure(self, features, B):
        """Return correlations a_j'r (K, p) and |r|^2 (K,) for r = y - A_U b, at K knots.

        B (K, U) has the coefficients of the features U. The next call may overwrite the
        correlations.
        """
        p, U = len(self.squares), len(features)
        if self.gram is None or U * p > self.n * (U + p):
            return self._correlations(features, B)
        C = self._room(len(B))
        survey.correlations(self.gram.take(features, axis=0), self.cross, B, C)
        explained = survey.products(B, C, features) + B @ self.cross[features]
        return C, np.maximum(self.response_square - explained, 0.0)


    def square_on(self, which, features, b):
        """Return |P r|^2 for r = y - A_U b and P the projection on the columns `which`, from the
        columns.

        None if only inner products are known, or if the columns are too many to be unpacked.
        """
        if self.design is None or self.n * len(which) > SMALL_DESIGN:
            return None
        columns, r = self.unpacked(which), self.root_w * self.response
        r = r - self.unpacked(features) @ b
        size = np.sqrt(self.squares[which])
        far = np.abs(self.means[which] / size).max(initial=0.0)
        Q, R, _ = qr(columns / size, mode="economic", pivoting=True)  # dependent ones come last
        independent = np.abs(np.diagonal(R)) > CENTRED * (1.0 + far)
        along = Q[:, independent].T @ r
        return float(along @ along)

    def unpacked(self, which):
        """Return the columns a_j for j in `which`, (n, k)."""
        return self.root_w[:, None] * self.design.unpacked(np.asarray(which, dtype=np.intc))


class DenseData(Data):
    """Columns unpacked as sqrt(w) z_j, for matrix products."""

    def __init__(self, problem, n_threads):
        self.design, self.n_threads, self.rank = problem.design, n_threads, _rank(problem)
        self.n, self.every = problem.design.n, np.arange(problem.design.p, dtype=np.intc)
        self.root_w, self.response = np.sqrt(problem.weights), problem.response
        self.means = problem.means
        self.y = self.root_w * problem.response
        self.response_square = float(self.y @ self.y)
        self.whole = None
        if self.design.n * self.design.p <= SMALL_DESIGN:
            self.whole = self._columns(self.every)
            self.squares = np.einsum("ij,ij->i", self.whole, self.whole)
        else:
            self.squares = self.design.norms(problem.weights, n_threads) ** 2

    def _columns(self, which):
        """Return the columns `which` as rows, (k, n)."""
        if self.whole is not None:
            return self.whole if which is self.every else self.whole.take(which, axis=0)
        rows = self.design.unpacked(which).T
        rows *= self.root_w
        return rows

    def _inner(self, left, right):
        a = self._columns(left)
        return a @ (a if right is left else self._columns(right)).T

    def _correlations(self, features, B):
        R = np.matmul(B, self._columns(features))
        np.subtract(self.y, R, out=R)
        square = np.einsum("ij,ij->i", R, R)
        if self.whole is not None:
            return np.matmul(R, self.whole.T, out=self._room(len(R))), square
        R *= self.root_w
        return self.design.response_products(R, None, self.n_threads), square


class SparseData(Data):
    """Columns as stored; the centre is taken off their products."""

    def __init__(self, problem, n_threads):
        self.design, self.w, self.n_threads = problem.design, problem.weights, n_threads
        self.y, self.rank, self.n = problem.response, _rank(problem), problem.design.n
        self.root_w, self.response, self.means = np.sqrt(self.w), self.y, problem.means
        self.every = np.arange(problem.design.p, dtype=np.intc)
        self.response_square = float(self.w @ self.y**2)
        self.squares = self.design.norms(problem.weights, n_threads) ** 2

    def _inner(self, left, right):
        (a, off), (b, less) = (self.design.stored_columns(which) for which in (left, right))
        heavy = sparse.csc_array(b.multiply(self.w[:, None]))
        product = np.asarray((a.T @ heavy).todense())
        mean, other = a.T @ self.w, b.T @ self.w
        return product - np.outer(off, other) - np.outer(mean, less) + np.outer(off, less)

    def _correlations(self, features, B):
        a, off = self.design.stored_columns(features)
        R = self.y[:, None] - a @ B.T + off @ B.T
        square = np.einsum("i,ij,ij->j", self.w, R, R)
        u = np.multiply(self.w, R.T, order="C")
        return self.design.response_products(u, None, self.n_threads), square


class GramData(Data):
    """Columns known by G = A'A (p, p), A'y and |y|^2 alone.

    `least` says that |y|^2 is only its least possible value. `samples` is how many products each
    inner product sums; None: as many as there are columns.
    """

    samples = 1

    def __init__(self, gram, cross, response_square, least=False, samples=None):
        self.samples = len(gram) if samples is None else samples
        self.gram, self.cross, self.response_square = gram, cross, response_square
        self.least = least
        self.squares, self.rank, self.n = np.diagonal(gram).copy(), len(gram), len(gram)

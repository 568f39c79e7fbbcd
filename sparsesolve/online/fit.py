"""OnlineFit: weights that are learned row by row, and what can be asked of them."""

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import read_choice, read_offset, read_offsets, read_weights
from sparsesolve.online.certificate import Certificate, certificate
from sparsesolve.online.regret import regret_bound
from sparsesolve.online.rows import Rows, block_size, entries, is_table, joined, row_matrix
from sparsesolve.online.step_size import ROWS, choose

KINDS = ("link", "response", "class")


class OnlineFit:
    """What :func:`sparsesolve.online` has learned so far, and goes on to learn by :meth:`more`.

    Attributes
    ----------
    classes : (K,) array or None
        Labels in sorted order, where the family has classes.
    """

    def __init__(self, settings, reader, names=None):
        self.settings, self.reader, self.feature_names = settings, reader, names
        self._learner = None  # once the step size is known
        self._opening = []  # rows until then
        self._guess = None  # a learner for who asks before
        self._p = settings.n_features or 0

    # what it is

    @property
    def classes(self) -> np.ndarray | None:
        """Labels of the classes in sorted order, None where there are none."""
        return self.reader.classes

    @property
    def family(self) -> str:
        """Name of the family."""
        return self.settings.family.name

    @property
    def eta0(self) -> float:
        """The step size in use; with step="auto" the one chosen, with a callable 1."""
        return self._current().clock.eta0

    @property
    def n_features(self) -> int:
        """Features so far."""
        return self._p

    @property
    def n_rows(self) -> int:
        """Rows of positive weight that were learned; each pass counts."""
        return self._current().rows

    @property
    def losses(self) -> np.ndarray:
        """Progressive loss, (m, 2): rows, and the mean loss of these before each was learned.

        A row is added when the number of rows has doubled; the last one is of all rows.
        """
        now = self._current()
        return np.array([*now.curve, (now.rows, now.mean_loss)][-64:], dtype=float)

    # the weights

    def coef(self) -> np.ndarray:
        """Coefficients, (p,), or (K, p) of K classes or responses."""
        W = np.zeros((self.settings.n_responses, self._p))
        found = self._weights()[0][:, : self._p]
        W[:, : found.shape[1]] = found
        return W if self.settings.family.several else W[0]

    @property
    def intercept(self) -> float | np.ndarray:
        """Intercept, or (K,) of K classes or responses."""
        b = self._weights()[1]
        return b if self.settings.family.several else float(b[0])

    def nonzero(self) -> np.ndarray:
        """Indices of the features with a nonzero coefficient, ascending."""
        coef = np.atleast_2d(self.coef())
        return np.flatnonzero(coef.any(axis=0))

    def predict(self, X: Any, kind: str = "link", offset: ArrayLike | None = None) -> np.ndarray:
        """Predict new rows.

        Parameters
        ----------
        X : array-like or scipy sparse matrix, (n, m)
            Columns beyond those learned count as ones with coefficient 0, where the number of
            features was left open.
        kind : {"link", "response", "class"}, default "link"
            The linear predictor, the mean of y, or the likeliest class.
        offset : array-like (n,) or (n, K), default None
            Known part of the linear predictor.

        Returns
        -------
        array, (n,) or (n, K)
        """
        read_choice("kind", kind, KINDS)
        family = self.settings.family
        if kind == "class" and family.classify is None:
            raise ValueError(f"family {family.name!r} has no classes; ask for kind='response'")
        matrix, _ = row_matrix(X)
        n, m = matrix.shape
        if self.settings.n_features is not None and m != self._p:
            raise ValueError(f"X has {m} columns; the fit has {self._p} features")
        W, b = self._weights()
        shared = min(m, W.shape[1])
        eta = np.asarray(matrix[:, :shared] @ W[:, :shared].T) + b
        eta = eta + self._read_offset(offset, n) if offset is not None else eta
        if not np.isfinite(eta).all():
            raise ValueError(f"row {int(np.argwhere(~np.isfinite(eta))[0, 0])} of X has no "
                             "finite prediction; look for nan or inf there")  # fmt: skip
        eta = eta if family.several else eta[:, 0]
        if kind == "link":
            return eta
        if kind == "response":
            return family.mean(eta)
        codes = family.classify(eta)
        return codes if self.classes is None else self.classes[codes]

    # going on

    def more(self, X: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
             offset: ArrayLike | None = None) -> "OnlineFit":
        """Learn more rows, exactly as if they had come with the earlier ones.

        Parameters
        ----------
        X, y, weights, offset :
            As :func:`sparsesolve.online` takes them.

        Returns
        -------
        OnlineFit
            The same object.
        """
        for rows in self._read(X, y, weights, offset):
            self._learn(rows)
        return self

    def certify(self, X: Any, y: ArrayLike, *, weights: ArrayLike | None = None,
                offset: ArrayLike | None = None) -> Certificate:
        """Bound how far these weights are from the optimum of the batch problem on given data.

        Parameters
        ----------
        X : array-like or scipy sparse matrix, (n, p)
        y : array-like (n,) or (n, K)
        weights, offset : array-like, default None
            As for :func:`sparsesolve.path`.

        Returns
        -------
        Certificate
            objective, gap (at least the objective's distance from its optimum), null_objective,
            and relative_gap, the gap over the null objective.
        """
        return certificate(self, X, y, weights, offset)

    def regret_bound(self, norm: float) -> float:
        """Bound the regret against all weights of at most this Euclidean length.

        The regret is the sum over rows of w (f(w_t) + lam Omega(w_t)), each before the row was
        learned, less the same sum of fixed weights, intercepts counted in their length.

        Parameters
        ----------
        norm : float
            Length of the weights compared with.

        Returns
        -------
        float
        """
        return regret_bound(self._current(), norm)

    # inside

    def _weights(self):
        return self._current().weights()

    def _current(self):
        """The learner; before the step size is settled one made of the rows so far."""
        if self._learner is not None:
            return self._learner
        if self._guess is None:
            waiting, settled = self._opening, copy.copy(self)
            settled._settle(list(waiting))
            self._guess = settled._learner
        return self._guess

    def _settle(self, opening):
        """Choose the step size by the first rows, and learn them."""
        settings = self.settings
        if callable(settings.step):
            eta0 = 1.0
        elif settings.step != "auto":
            eta0 = float(settings.step)
        else:
            eta0 = choose(settings, joined(opening))[0] if opening else 1.0
        self._learner = settings.learner(eta0, self._p)
        for rows in opening:
            self._learner.learn(rows)

    def _learn(self, rows):
        """Learn rows in order, once there are enough of them to choose a step size."""
        rows = rows.weighted()
        if not rows.n:
            return
        if len(rows.columns):
            self._p = max(self._p, int(rows.columns.max()) + 1)
        if self._learner is None and self.settings.step == "auto":
            self._guess = None
            self._opening.append(rows)
            waiting = sum(part.n for part in self._opening)
            if waiting >= ROWS:
                block = joined(self._opening)
                self._opening = []
                self._settle([block.part(0, ROWS)])
                self._learner.learn(block.part(ROWS, waiting))
            return
        if self._learner is None:
            self._settle([])
        self._learner.learn(rows)

    def _read_offset(self, offset, n):
        K = self.settings.n_responses
        if self.settings.family.several:
            return np.ascontiguousarray(read_offsets(offset, n, K).T)
        return read_offset(offset, n)[:, None]

    def _read(self, X, y, weights, offset, order=None):
        """Yield Rows of a table, in the order given or in that of `order`, or of a stream."""
        if is_table(X):
            yield from self._read_table(X, y, weights, offset, order)
            return
        if y is not None or weights is not None or offset is not None:
            raise ValueError("X is a stream: each of its items brings its own y and weights")
        above = 0
        for item in X() if callable(X) else X:
            if not isinstance(item, tuple) or not 2 <= len(item) <= 4:
                raise TypeError(
                    "the items of a stream are tuples (X, y), (X, y, weights) or (X, y, weights, "
                    f"offset), not a {type(item).__name__}"
                )
            matrix, _ = row_matrix(item[0])
            parts = (*item[1:], None, None)[:3]
            yield from self._blocks(matrix, self.reader.block, *parts, None, above)
            above += matrix.shape[0]

    def _read_table(self, X, y, weights, offset, order):
        matrix, _ = row_matrix(X)
        if y is None:
            raise ValueError("y is missing; give a response for each row of X")
        if self.settings.n_features is None and self._learner is None and not self._opening:
            self._p = max(self._p, matrix.shape[1])
        yield from self._blocks(matrix, self.reader.whole, y, weights, offset, order, 0)

    def _blocks(self, matrix, read, y, weights, offset, order, above):
        """Yield the blocks of one table."""
        n, m = matrix.shape
        if self.settings.n_features is not None and m > self.settings.n_features:
            raise ValueError(
                f"X has {m} columns where n_features={self.settings.n_features}; give the largest "
                "number at first, or leave n_features out"
            )
        if n == 0:
            return
        response = read(y, n)
        values = response.values.reshape(n, -1)
        if self.settings.n_responses != values.shape[1]:
            raise ValueError(
                f"y has {values.shape[1]} classes or columns where {self.settings.n_responses} "
                "were learned before"
            )
        w = np.ones(n) if weights is None else read_weights(weights, n)
        w = w if response.counts is None else w * response.counts
        known = None if offset is None else self._read_offset(offset, n)
        size = block_size(matrix)
        for first in range(0, n, size):
            last = min(n, first + size)
            rows = slice(first, last) if order is None else order[first:last]
            chosen = None if order is None else rows
            yield Rows(
                *entries(matrix, first, last, chosen, above),
                np.ascontiguousarray(values[rows], dtype=float), np.ascontiguousarray(w[rows]),
                None if known is None else np.ascontiguousarray(known[rows]),
            )  # fmt: skip

    def __getstate__(self):
        return {**self.__dict__, "_guess": None}

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self._learner is not None:
            self._learner.loss = self.settings.loss()

    def __repr__(self):
        settings = self.settings
        return (
            f"OnlineFit(family={self.family!r}, method={settings.method!r}, lam={settings.lam:g}, "
            f"rows={self.n_rows}, features={self.n_features}, nonzero={len(self.nonzero())})"
        )


def sparse_weights(fit) -> sparse.csr_array:
    """The weights of a fit as CSR, (K, p)."""
    return sparse.csr_array(np.atleast_2d(fit.coef()))

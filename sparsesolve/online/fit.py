"""OnlineFit: weights that are learned row by row, and what can be asked of them."""

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import read_choice
from sparsesolve.online.certificate import Certificate, certificate
from sparsesolve.online.regret import regret_bound
from sparsesolve.online.rows import is_table, joined, row_matrix
from sparsesolve.online.source import read_known, rows_of
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
        eta = eta + read_known(offset, n, self.settings) if offset is not None else eta
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
        if is_table(X):
            self._widen(X)
        for rows in rows_of(X, y, weights, offset, self.settings, self.reader):
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
            eta0 = choose(settings, joined(opening), self._p)[0] if opening else 1.0
        self._learner = settings.learner(eta0, self._p)
        for rows in opening:
            self._learner.learn(rows)

    def _widen(self, X):
        """Count the columns of a first table, those without an entry too."""
        if self.settings.n_features is None and self._learner is None and not self._opening:
            self._p = max(self._p, np.shape(X)[1])

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

    def __getstate__(self):
        learner = self._learner
        kept = None if learner is None else (learner.engine.n_features, learner.kept())
        return {**self.__dict__, "_guess": None, "_learner": kept}

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self._learner is not None:
            n_features, kept = self._learner
            self._learner = self.settings.learner(kept["clock"].eta0, n_features)
            self._learner.go_on(kept)

    def __repr__(self):
        settings = self.settings
        return (
            f"OnlineFit(family={self.family!r}, method={settings.method!r}, lam={settings.lam:g}, "
            f"rows={self.n_rows}, features={self.n_features}, nonzero={len(self.nonzero())})"
        )

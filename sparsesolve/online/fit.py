"""OnlineFit: weights that are learned row by row, and what can be asked of them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.online.certificate import Certificate, certificate
from sparsesolve.online.feeding import Feeding
from sparsesolve.online.prediction import predict
from sparsesolve.online.regret import regret_bound
from sparsesolve.online.rows import is_table
from sparsesolve.online.source import rows_of, text_rows


class OnlineFit(Feeding):
    """What :func:`sparsesolve.online` has learned so far, and goes on to learn by `more`.

    Attributes
    ----------
    classes : (K,) array or None
        Labels in sorted order, where the family has classes.
    holdout_losses : list of float or None
        Mean loss of the rows held out after each pass; None where none were.
    """

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

    def sparse_coef(self) -> sparse.csr_array:
        """Coefficients as CSR, (1, p) or (K, p)."""
        return sparse.csr_array(np.atleast_2d(self.coef()))

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
        return predict(self, X, kind, offset)

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
        if self.settings.method == "svrg":
            raise ValueError(
                "method='svrg' needs all rows in every pass; fit again, or use another method"
            )
        if is_table(X):
            self._widen(X)
        for rows in rows_of(X, y, weights, offset, self.settings, self.reader):
            self._learn(rows)
        return self

    def more_rows(self, block: tuple) -> "OnlineFit":
        """Learn a block that a ``sparsesolve.online.files.TextFile`` yields.

        Parameters
        ----------
        block : (labels, weights, start, columns, values)
            Some rows; the last three in the form of CSR.

        Returns
        -------
        OnlineFit
            The same object.
        """
        self._learn(text_rows(block, self.settings, self.reader))
        return self

    def measure(self, source: Any) -> "OnlineFit":
        """Begin a pass of method="svrg": read all rows for the mean gradient.

        Parameters
        ----------
        source : callable
            Yields blocks as `more_rows` takes them; a ``sparsesolve.online.files.TextFile``.

        Returns
        -------
        OnlineFit
            The same object.
        """
        self._measure(text_rows(block, self.settings, self.reader) for block in source())
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

    def __repr__(self):
        settings = self.settings
        return (
            f"OnlineFit(family={self.family!r}, method={settings.method!r}, lam={settings.lam:g}, "
            f"rows={self.n_rows}, features={self.n_features}, nonzero={len(self.nonzero())})"
        )

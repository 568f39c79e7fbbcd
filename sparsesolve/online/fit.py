"""OnlineFit: weights that are learned row by row."""

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import by_rows, read_choice, refuse_codes
from sparsesolve.online.certificate import Certificate, best_bound, certificate, regret_bound
from sparsesolve.online.columns import has_text
from sparsesolve.online.feeding import Feeding
from sparsesolve.online.files import TextFile
from sparsesolve.online.rows import in_columns_of_fit, is_table, row_matrix
from sparsesolve.online.source import as_learned, read_known, rows_of, text_rows
from sparsesolve.results.coefficient_table import columns_of_one, described, frame_of
from sparsesolve.results.pictures.axes import on_axes, plot_curves
from sparsesolve.results.predictor import NewRows, Predictor, refuse_lengths

KINDS = ("link", "response", "class")


def predict(fit, X, kind, offset):
    """Do what :meth:`sparsesolve.results.OnlineFit.predict` describes."""
    read_choice("kind", kind, KINDS)
    family = fit.settings.family
    if kind == "class" and family.classify is None:
        raise ValueError(f"family {family.name!r} has no classes; ask for kind='response'")
    eta = link_of(fit, rows_of_fit(fit, X), offset)
    if kind == "link":
        return eta
    if kind == "response":
        return family.mean(eta)
    codes = family.classify(eta)
    return codes if fit.classes is None else fit.classes[codes]


def rows_of_fit(fit, X):
    """Return rows as a matrix with the columns of the fit."""
    if has_text(fit, X):
        start, columns, values = fit.columns.matrix(X)
        X = sparse.csr_array((values, columns, start), shape=(len(start) - 1, fit.n_features))
    matrix, _ = row_matrix(in_columns_of_fit(X, fit.feature_names))
    m = matrix.shape[1]
    if fit.settings.n_features is not None and m != fit.n_features:
        raise ValueError(f"X has {m} columns; the fit has {fit.n_features} features")
    return matrix


def link_of(fit, matrix, offset):
    """Return linear predictors (n,), or (n, K) for K classes or responses."""
    n, m = matrix.shape
    eta = _scores(fit, matrix)
    if offset is not None:
        eta = eta + read_known(offset, n, fit.settings, fit.classes)
    if not np.isfinite(eta).all():
        raise ValueError(f"row {int(np.argwhere(~np.isfinite(eta))[0, 0])} of X has no "
                         "finite prediction; look for nan or inf there")  # fmt: skip
    return eta if fit.settings.family.several else eta[:, 0]


def _scores(fit, matrix):
    """Return scores (n, K) of rows (n, m); few sparse rows read the weights of their features."""
    known = fit._current().engine.n_features  # others have coefficient 0
    shared = min(matrix.shape[1], known)
    if not sparse.issparse(matrix) or matrix.nnz >= shared:
        W, b = fit._weights()
        return np.asarray(matrix[:, :shared] @ W[:, :shared].T) + b
    used, place = np.unique(matrix.indices, return_inverse=True)
    count = int(np.searchsorted(used, shared))
    W, b = fit._weights(used[:count])
    few = sparse.csr_array((matrix.data, place, matrix.indptr), (matrix.shape[0], len(used)))
    return np.asarray(few[:, :count] @ W.T) + b


# To read the intercepts alone.
NO_FEATURES = np.zeros(0, dtype=np.intp)


class OnlineFit(Feeding, Predictor):
    """What :func:`sparsesolve.online` has learned so far; `more` continues it.

    Attributes
    ----------
    classes : (K,) array or None
        Labels in sorted order, if the family has classes.
    feature_names : (p,) array, list or None
        Names of the columns of the first table or CSV file. Frames and CSV files that come later
        may have them in any order.
    holdout_losses : list of float or None
        Mean held-out loss after each pass; None without held-out rows.
    """

    # Properties.

    @property
    def classes(self) -> np.ndarray | None:
        """Labels of the classes in sorted order; None without classes."""
        return self.reader.classes

    @property
    def family(self) -> str:
        """Name of the family."""
        return self.settings.family.name

    @property
    def eta0(self) -> float:
        """The step size in use; with step="auto" the chosen one, with a callable 1."""
        return self._current().clock.eta0

    @property
    def n_features(self) -> int:
        """Number of features so far."""
        return self._p

    @property
    def n_rows(self) -> int:
        """Number of learned rows of positive weight; each pass counts."""
        return self._current().rows

    @property
    def losses(self) -> np.ndarray:
        """Progressive loss, (m, 2): number of rows, and their mean loss before each was learned.

        A row is added whenever the number of rows has doubled; the last one is for all rows.
        """
        now = self._current()
        return np.array([*now.curve, (now.rows, now.mean_loss)][-64:], dtype=float)

    # The contract of a predictor.

    lambdas = None

    @property
    def class_names(self) -> np.ndarray | None:
        """Labels of the classes in sorted order, as `classes`."""
        return self.classes

    @property
    def _family(self):
        return self.settings.family

    @property
    def _n_responses(self):
        return self.settings.n_responses if self._family.several else None

    def _new_rows(self, X, y, weights, s, lengths):
        refuse_lengths(self, lengths)
        matrix = rows_of_fit(self, X)
        return NewRows(matrix.shape[0], matrix, y, weights)

    def _link(self, rows, s, offset):
        return link_of(self, rows.data, offset)[..., None]

    # Weights.

    def coef(self) -> np.ndarray:
        """The coefficients, (p,), or (K, p) for K classes or responses."""
        W = np.zeros((self.settings.n_responses, self._p))
        found = self._weights()[0][:, : self._p]
        W[:, : found.shape[1]] = found
        return W if self.settings.family.several else W[0]

    def sparse_coef(self) -> sparse.csr_array:
        """The coefficients as CSR, (1, p) or (K, p)."""
        return sparse.csr_array(np.atleast_2d(self.coef()))

    @property
    def intercept(self) -> float | np.ndarray:
        """The intercept, or (K,) for K classes or responses."""
        b = self._weights(NO_FEATURES)[1]
        return b if self.settings.family.several else float(b[0])

    def nonzero(self) -> np.ndarray:
        """Return indices of the features with a nonzero coefficient, ascending."""
        coef = np.atleast_2d(self.coef())
        return np.flatnonzero(coef.any(axis=0))

    def to_frame(self, *, zeros: bool = False) -> Any:
        """Return coefficients by name, one per row: a pandas frame, else a dict of columns.

        Parameters
        ----------
        zeros : bool, default False
            Also show coefficients of 0.

        Returns
        -------
        frame : pandas.DataFrame or dict of ndarray
            Columns ``response`` (with K of them), ``feature``, which is a number if columns have
            no names, and ``coefficient``. The intercept comes first.
        """
        return frame_of(self._columns(zeros))

    def summary(self) -> str:
        """Describe in words what was learned, and the largest coefficients."""
        lines = [
            f"{self.family} by {self.settings.method}, lam = {self.settings.lam:g}",
            f"{self.n_rows} rows learned, {len(self.nonzero())} of {self.n_features} features",
            f"mean loss before each row was learned {self.losses[-1, 1]:.5g}; no certificate: "
            "certify(X, y) has one",
        ]  # fmt: skip
        return described(lines, self._columns(False))

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the mean loss of rows before each was learned, against their number."""

        rows, losses = self.losses.T
        ax = plot_curves(rows, {"": losses}, ("Rows", "Progressive loss"), ax, marker="o")
        ax.set_xscale("log")
        return ax

    def _columns(self, zeros):
        """Return intercepts and coefficients as arrays by name."""
        responses = None if self.classes is None else self.classes.tolist()
        return columns_of_one(self.coef(), self.intercept, self.feature_names, responses, zeros)

    @by_rows("offset")
    def predict(self, X: Any, kind: str = "link", offset: ArrayLike | None = None) -> np.ndarray:
        """Predict new rows.

        Parameters
        ----------
        X : array-like, scipy sparse matrix or frame, (n, m)
            If the fit has `feature_names`, the columns of a frame are found by name. If the number
            of features was left open, columns beyond the learned ones have coefficient 0.
        kind : {"link", "response", "class"}, default "link"
            The linear predictor, the mean of y, or the most likely class.
        offset : array-like (n,) or (n, K), default None
            Known part of the linear predictor.

        Returns
        -------
        array, (n,) or (n, K)
        """
        return predict(self, X, kind, offset)

    # Continuation.

    @by_rows("y", "weights", "offset")
    def more(self, X: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
             offset: ArrayLike | None = None) -> "OnlineFit":
        """Learn more rows, exactly as if they had come with the earlier ones.

        Parameters
        ----------
        X, y, weights, offset :
            As in :func:`sparsesolve.online`.

        Returns
        -------
        OnlineFit
            The same object.
        """
        if self.settings.method == "svrg":
            raise ValueError(
                "method='svrg' needs all rows in every pass; fit again, or use another method"
            )
        if isinstance(X, str | PathLike):
            X = TextFile(X, response=y, weights=weights, offset=offset)
            y = weights = offset = None
        if isinstance(X, TextFile):
            X = as_learned(X, self)
        if is_table(X):
            refuse_codes(X)
            X = in_columns_of_fit(X, self.feature_names)
            self._widen(X)
        for rows in rows_of(X, y, weights, offset, self):
            self._learn(rows)
        if isinstance(X, TextFile):
            self.take_columns(X)
        return self

    def more_rows(self, block: tuple) -> "OnlineFit":
        """Learn a block that a ``sparsesolve.online.files.TextFile`` yields.

        Parameters
        ----------
        block : (labels, weights, start, columns, values)
            Some rows; the last three arrays are in the form of CSR.

        Returns
        -------
        OnlineFit
            The same object.
        """
        self._learn(text_rows(block, self.settings, self.reader))
        return self

    def measure(self, source: Any) -> "OnlineFit":
        """Start a pass of method="svrg": read all rows for the mean gradient.

        Parameters
        ----------
        source : callable
            Yields blocks as in `more_rows`, such as a ``sparsesolve.online.files.TextFile``.

        Returns
        -------
        OnlineFit
            The same object.
        """
        self._measure(text_rows(block, self.settings, self.reader) for block in source())
        return self

    @by_rows("y", "weights", "offset")
    def certify(self, X: Any, y: ArrayLike, *, weights: ArrayLike | None = None,
                offset: ArrayLike | None = None) -> Certificate:
        """Bound the distance of these weights from the optimum of the batch problem on data.

        For a loss with kinks under a penalty that leaves directions free, such as total variation,
        the bound is valid but loose: :func:`sparsesolve.path` at the same lambda has a tight one.

        Parameters
        ----------
        X : array-like, scipy sparse matrix or frame, (n, p)
        y : array-like (n,) or (n, K)
        weights, offset : array-like, default None
            As in :func:`sparsesolve.path`.

        Returns
        -------
        Certificate
            objective, gap (an upper bound of the objective minus its optimum), null_objective,
            and relative_gap, the gap over the null objective.

        Raises
        ------
        ValueError
            Under a penalty that is not convex, which has no such bound.
        """
        return certificate(self, X, y, weights, offset)

    def regret_bound(self, norm: float) -> float:
        """Bound the regret compared with all weights of at most this Euclidean length.

        The regret is the sum over rows of w (f(w_t) + lam Omega(w_t)), each before the row was
        learned, minus the same sum for fixed weights, intercepts counted in their length.

        Parameters
        ----------
        norm : float
            Length of the weights to compare with; at most `radius`, if there is one.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If no theorem holds for this run: under a penalty that is not convex; if weights of
            rows rise and lam > 0; if steps of "rda" lengthen; for "svrg"; for the schedule
            "inverse" of "fobos" without a ridge part on all coefficients, or with eta0 below
            1 / (lam (1 - alpha)); for prox_step="next"; and for "ftrl" with groups, batches,
            several responses or float32.
        """
        return regret_bound(self._current(), self.settings, norm)

    def best_bound(self, norm: float) -> float:
        """Bound the objective of the best weights minus the optimum, for average="best".

        Corollary 5 of Duchi and Singer (2009), with the gradients as they turned out. It says
        nothing of the data; :meth:`certify` does, and is usually sharper.

        Parameters
        ----------
        norm : float
            A bound on the Euclidean length of the optimum, the intercept included.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            Unless average="best"; and under the conditions of `regret_bound`, of which those on
            the schedule and on prox_step do not apply, while steps must not lengthen.
        """
        return best_bound(self._current(), self.settings, norm)

    def __repr__(self):
        settings = self.settings
        return (
            f"OnlineFit(family={self.family!r}, method={settings.method!r}, lam={settings.lam:g}, "
            f"rows={self.n_rows}, features={self.n_features}, nonzero={len(self.nonzero())})"
        )

"""Multiple kernel learning: kernels are made from X, or X holds them."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from sparsesolve.data import read_choice, read_number, real_array
from sparsesolve.data.labels import refuse_missing_labels
from sparsesolve.families import read_family
from sparsesolve.mkl.functions import classical
from sparsesolve.mkl.given_grams import precomputed
from sparsesolve.mkl.grams import build_grams
from sparsesolve.mkl.path import mkl_path
from sparsesolve.results.cv_path import choose
from sparsesolve.selection.measures import read_measure

from .base import (
    TYPES,
    Answering,
    new_matrix,
    read_pair,
    read_sample_weight,
    warning_as_scikit_learn,
)
from .chosen import RULES, Folded, fold_summary, read_alphas, refuse_untrainable
from .classes import Classes


class Kernels(Answering, BaseEstimator):
    """A function of several kernels; a subclass defines the responses.

    Parameters
    ----------
    kernels : sequence or dict of (function, columns), or "precomputed"
        Kernels that :func:`sparsesolve.mkl.build_grams` makes from X. None: the classical set of
        gaussian and polynomial kernels on all columns and on each, for columns of unit variance.
        "precomputed": X is a stack (M, n, n) in `fit`, and blocks (M, n_new, n) in `predict`.
        scikit-learn's splitters take the first axis for the rows, so choose `alpha` with the CV
        form of this estimator, which splits correctly.
    norm : str or norm
        Norm of the kernels' functions, as in :func:`sparsesolve.mkl_path`.
    tol : float
        Duality gap to reach, relative to the loss of the model without kernels.

    Attributes
    ----------
    path_ : MKLPath
    alpha_ : float
    kernel_weights_ : (M,)
        They sum to 1; all are 0 if no kernel is active.
    active_ : array of int
        Kernels with positive weight.
    gap_ : float
    n_iter_ : int
    """

    _described_by = (mkl_path, build_grams)

    def _read_stack(self, X, reset):
        """Return X as a stack, if it holds the kernels themselves."""
        stack = np.asarray(X)
        if stack.ndim != 3 or reset and stack.shape[1] != stack.shape[2]:
            raise ValueError(
                f"X has shape {stack.shape}; with kernels='precomputed' it is a stack of kernels, "
                f"({'M, n, n' if reset else 'M, n_new, n'})"
            )
        return stack

    def _read(self, X, y, sample_weight):
        """Return the table or stack, y and the weights, after checks."""
        if not self._numeric:
            refuse_missing_labels(y)
        if self._given():
            X = self._read_stack(X, reset=True)
            y = column_or_1d(y, warn=True)
        else:
            table, y = read_pair(
                self, X, y, squares=self._numeric, accept_sparse=("csr", "csc"), dtype=TYPES,
                y_numeric=self._numeric,
            )  # fmt: skip
            X = X if hasattr(self, "feature_names_in_") else table  # kernels may name columns
        return X, *self._read_response(y, sample_weight)

    def _given(self):
        if isinstance(self.kernels, str) and self.kernels != "precomputed":
            raise ValueError(
                f"kernels is {self.kernels!r}; give pairs (function, columns), or 'precomputed'"
            )
        if isinstance(self.kernels, str) and self.scale == "diagonal":
            raise ValueError(
                "scale='diagonal' needs k(x, x) of new rows, which a stack of kernels does not "
                "hold; divide the kernels before, and pass scale=None"
            )
        return isinstance(self.kernels, str)

    def _options(self):
        return {"family": self._family, "norm": self.norm, "kernel_weights": self.kernel_weights,
                "intercept": self.fit_intercept, "tol": self.tol, "max_iter": self.max_iter,
                "solver": self.solver, "n_threads": self.n_threads, "stop": None}  # fmt: skip

    def _path(self, X, y, weights, **grid):
        """Return the path of the kernels of X."""
        learnt = {"centre": self.centre, "scale": self.scale, "weights": weights}
        if not self._given():
            pairs = classical(X) if self.kernels is None else self.kernels
            X = build_grams(X, pairs, **learnt, dtype=self.dtype)
        elif self.centre or self.scale is not None:
            X = precomputed(X, **learnt, n_threads=self.n_threads)
        with warning_as_scikit_learn():
            return mkl_path(X, y, weights=weights, **self._options(), **grid)

    def _keep(self, fit, k):
        self.path_ = fit
        self.alpha_ = float(fit.lambdas[k])
        self.kernel_weights_ = fit.kernel_weights[:, k]
        self.active_ = np.flatnonzero(self.kernel_weights_)
        self.gap_ = float(fit.gaps[k])
        self.n_iter_ = max(int(fit.n_iters.sum()), 1)

    def _link(self, X):
        check_is_fitted(self)
        if self._given():
            X = self._read_stack(X, reset=False)
        else:
            X = new_matrix(self, X)
            X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=TYPES, reset=False)
        return self.path_.predict(X, s=self.alpha_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.three_d_array = isinstance(self.kernels, str)
        return tags


class KernelsAtAlpha(Kernels):
    """The solution at `alpha`, or at a share of the first alpha at which a kernel enters.

    Parameters
    ----------
    alpha : float
        Strength of the penalty; None means `alpha_ratio` times the first alpha of the path.
    alpha_ratio : float in (0, 1]
        Share of the first alpha, at which a kernel enters.
    """

    def __init__(self, kernels=None, *, norm="l1", alpha=None, alpha_ratio=0.05, centre=False,
                 scale="trace", dtype="float64", kernel_weights=None, fit_intercept=True,
                 tol=1e-10, max_iter=None, solver="auto", n_threads=1): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to rows X (n, p), or a stack of kernels (M, n, n), and y (n,)."""
        X, y, weights = self._read(X, y, sample_weight)
        if self.alpha is not None:
            grid = {"lambdas": [read_number("alpha", self.alpha, 0, np.inf, open_low=True)]}
        else:
            ratio = read_number("alpha_ratio", self.alpha_ratio, 0, 1, open_low=True)
            # ten lambdas lead to the requested one, each the warm start of the next
            grid = {"n_lambdas": 10, "lambda_min_ratio": ratio} if ratio < 1 else {
                "n_lambdas": 1}  # fmt: skip
        self._keep(self._path(X, y, weights, **grid), -1)
        return self


class KernelsByFolds(Folded, Kernels):
    """Alpha by cross-validation; every fold makes its kernels from the rows it trains on.

    Parameters
    ----------
    eps : float
        Last alpha over the first, of a grid made here.
    alphas : int or array-like
        Number of log-spaced alphas, or the alphas.
    cv : int, splitter or iterable
        Folds as scikit-learn takes them; None means 5 contiguous folds. Precomputed kernels are
        divided along both axes.

    Attributes
    ----------
    alphas_ : (L,)
    score_path_ : (L, F)
        The measure on each of F folds.
    """

    def __init__(self, kernels=None, *, norm="l1", eps=1e-2, alphas=30, centre=False,
                 scale="trace", dtype="float64", kernel_weights=None, fit_intercept=True,
                 measure="deviance", cv=None, rule="min", tol=1e-10, max_iter=None, solver="auto",
                 n_threads=1): ...

    def _solve_cv(self, X, y, weights, params):
        rule = RULES[read_choice("rule", self.rule, list(RULES))]
        family = read_family(self._family)
        measure = read_measure(self.measure, family)
        folds = self._folds(np.zeros((len(y), 1)), y, params, stratified=not self._numeric)
        fit = self._path(X, y, weights, **self._grid())
        known = family.read(y, len(y)).values
        weights = np.ones(len(y)) if weights is None else weights
        # If nothing is left to explain, there is no grid to share.
        grid = {"lambdas": fit.lambdas} if fit.lambdas[0] > 0.0 else {"n_lambdas": 1}
        refuse_untrainable(y, weights, folds, None if self._numeric else self.classes_)
        scores = []
        for train, test in folds:
            kernels, new = self._parts(X, train, test)
            part = self._path(kernels, y[train], weights[train], **grid)
            scored = bool(weights[test].any())
            scores.append(measure.score(family, known[test], part.predict(new), weights[test])
                          if scored else np.full(len(fit.lambdas), np.nan))  # fmt: skip
        mean, std = fold_summary(np.array(scores), folds)
        self.alphas_, self.score_path_ = np.array(fit.lambdas), np.array(scores).T
        self._keep(fit, choose(mean, std, measure.larger)[rule])

    def _grid(self):
        alphas = read_alphas(self.alphas, positive=True)
        if not isinstance(alphas, int):
            return {"lambdas": alphas}
        eps = read_number("eps", self.eps, 0, 1, open_low=True, open_high=True)
        return {"n_lambdas": alphas, "lambda_min_ratio": eps}

    def _parts(self, X, train, test):
        """Return the kernels' data for the training rows, and the input of predictions for the
        others.
        """
        if self._given():
            return X[:, train][:, :, train], X[:, test][:, :, train]
        take = getattr(X, "iloc", X)
        return take[train], take[test]


class Real(RegressorMixin):
    """Real responses with squared error."""

    _family, _numeric = "gaussian", True

    def _read_response(self, y, sample_weight):
        weights = read_sample_weight(sample_weight, len(y))
        return np.asarray(real_array("y", y), dtype=np.float64), weights

    def predict(self, X):
        """Return values (n_new,) for new rows, or for their kernels with the fit (M, n_new, n)."""
        return self._link(X)


class Labelled(Classes):
    """Labels with the logistic or multinomial loss; several classes share the kernel weights."""

    _numeric = False

    def _read_response(self, y, sample_weight):
        return self._read_classes(y, sample_weight)

    def decision_function(self, X):
        """Return linear predictors: (n_new,) of the second of two classes, or (n_new, K) of each.
        """
        return self._link(X)


class MKLRegressor(Real, KernelsAtAlpha):
    """Least squares over several kernels.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import MKLRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> y = np.sin(2 * X[:, 0])
    >>> model = MKLRegressor().fit(X[:60], y[:60])
    >>> round(model.score(X[60:], y[60:]), 2)
    0.99
    """


class MKLClassifier(Labelled, KernelsAtAlpha):
    """Logistic loss over several kernels; several classes share the kernel weights.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sparsesolve.estimators import MKLClassifier
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> MKLClassifier().fit(X, y).score(X, y)
    0.995
    """

    def __init__(self, kernels=None, *, norm="l1", alpha=None, alpha_ratio=0.05, centre=False,
                 scale="trace", dtype="float64", kernel_weights=None, fit_intercept=True,
                 class_weight=None, tol=1e-10, max_iter=None, solver="auto", n_threads=1): ...


class MKLRegressorCV(Real, KernelsByFolds):
    """:class:`MKLRegressor` with alpha by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> from sparsesolve.estimators import MKLRegressorCV
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> kernels = [(mkl.gaussian(1.0), column) for column in range(3)]
    >>> model = MKLRegressorCV(kernels, alphas=8, cv=3, rule="1se").fit(X, np.sin(2 * X[:, 0]))
    >>> model.active_
    array([0])
    """


class MKLClassifierCV(Labelled, KernelsByFolds):
    """:class:`MKLClassifier` with alpha by cross-validation.

    Parameters
    ----------
    measure : str or callable, default "deviance"
        "deviance", "class", "auc" (two classes), "mse", "mae" or a function.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> from sparsesolve.estimators import MKLClassifierCV
    >>> X = np.random.default_rng(0).normal(size=(120, 3))
    >>> y = np.where(X[:, 0] ** 2 > 0.5, "far", "near")
    >>> kernels = [(mkl.gaussian(1.0), column) for column in range(3)]
    >>> model = MKLClassifierCV(kernels, alphas=8, cv=3, rule="1se").fit(X[:80], y[:80])
    >>> round(model.score(X[80:], y[80:]), 2)
    1.0
    """

    def __init__(self, kernels=None, *, norm="l1", eps=1e-2, alphas=30, centre=False,
                 scale="trace", dtype="float64", kernel_weights=None, fit_intercept=True,
                 class_weight=None, measure="deviance", cv=None, rule="min", tol=1e-10,
                 max_iter=None, solver="auto", n_threads=1): ...

"""Estimators of multiple kernel learning."""

import numpy as np
from sklearn.base import RegressorMixin

from sparsesolve.data import real_array

from .base import read_sample_weight
from .classes import Classes
from .kernel_base import KernelsAtAlpha, KernelsByFolds


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

    Parameters
    ----------
    kernels : sequence or dict of (function, columns), or "precomputed", default None
        Kernels that :func:`sparsesolve.mkl.build_grams` makes from X. None: the classical set of
        gaussian and polynomial kernels on all columns and on each, for columns of unit variance.
        "precomputed": X is a stack (M, n, n) in `fit`, and blocks (M, n_new, n) in `predict`.
        scikit-learn's splitters take the first axis for the rows, so choose `alpha` with the CV
        form of this estimator, which splits correctly.
    norm : str or norm, default "l1"
        Norm of the kernels' functions, as in :func:`sparsesolve.mkl_path`.
    alpha : float, default None
        Strength of the penalty; None means `alpha_ratio` times the first alpha of the path.
    alpha_ratio : float in (0, 1], default 0.05
    centre, scale, dtype
        As in :func:`sparsesolve.mkl.build_grams`; scale is "trace" by default.
    kernel_weights, max_iter, solver, n_threads
        As in :func:`sparsesolve.mkl_path`.
    fit_intercept : bool, default True
        Fit an unpenalised intercept.
    tol : float, default 1e-10
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

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import MKLRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> y = np.sin(2 * X[:, 0])
    >>> model = MKLRegressor().fit(X[:60], y[:60])
    >>> bool(model.score(X[60:], y[60:]) > 0.9)
    True
    """


class MKLClassifier(Labelled, KernelsAtAlpha):
    """Logistic loss over several kernels; several classes share the kernel weights.

    Parameters
    ----------
    kernels, norm, alpha, alpha_ratio, centre, scale, dtype, kernel_weights, fit_intercept, tol, \
max_iter, solver, n_threads
        As in :class:`MKLRegressor`.
    class_weight : dict, "balanced" or None, default None
        As in scikit-learn.

    Attributes
    ----------
    classes_ : (K,)
    path_, alpha_, kernel_weights_, active_, gap_, n_iter_
        As in MKLRegressor.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sparsesolve.estimators import MKLClassifier
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> bool(MKLClassifier().fit(X, y).score(X, y) > 0.95)
    True
    """

    def __init__(self, kernels=None, *, norm="l1", alpha=None, alpha_ratio=0.05, centre=False,
                 scale="trace", dtype="float64", kernel_weights=None, fit_intercept=True,
                 class_weight=None, tol=1e-10, max_iter=None, solver="auto", n_threads=1):
        super().__init__(
            kernels, norm=norm, alpha=alpha, alpha_ratio=alpha_ratio, centre=centre, scale=scale,
            dtype=dtype, kernel_weights=kernel_weights, fit_intercept=fit_intercept, tol=tol,
            max_iter=max_iter, solver=solver, n_threads=n_threads,
        )  # fmt: skip
        self.class_weight = class_weight


class MKLRegressorCV(Real, KernelsByFolds):
    """:class:`MKLRegressor` with alpha by cross-validation.

    Parameters
    ----------
    kernels, norm, centre, scale, dtype, kernel_weights, fit_intercept, tol, max_iter, solver, \
n_threads
        As in MKLRegressor.
    eps : float, default 1e-2
        Last alpha over the first, of a grid made here.
    alphas : int or array-like, default 30
        Number of log-spaced alphas, or the alphas.
    measure : str or callable, default "deviance"
        The score to compare: "deviance", "mse", "mae" or a function, as in
        :func:`sparsesolve.cv_path`.
    cv : int, splitter or iterable, default None
        Folds as scikit-learn takes them; None means 5 contiguous folds. Precomputed kernels are
        divided along both axes.
    rule : {"min", "1se"}, default "min"
        The alpha of the best mean score, or the largest within one standard error of it.

    Attributes
    ----------
    alphas_ : (L,)
    score_path_ : (L, F)
        The measure on each of F folds.
    path_, alpha_, kernel_weights_, active_, gap_, n_iter_
        As in MKLRegressor.

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
    class_weight : dict, "balanced" or None, default None
        As in scikit-learn.
    measure : str or callable, default "deviance"
        "deviance", "class", "auc" (two classes), "mse", "mae" or a function.
    kernels, norm, eps, alphas, centre, scale, dtype, kernel_weights, fit_intercept, cv, rule, \
tol, max_iter, solver, n_threads
        As in :class:`MKLRegressorCV`; folds are stratified.

    Attributes
    ----------
    classes_ : (K,)
    alphas_, score_path_, path_, alpha_, kernel_weights_, active_, gap_, n_iter_
        As in MKLRegressorCV.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> from sparsesolve.estimators import MKLClassifierCV
    >>> X = np.random.default_rng(0).normal(size=(120, 3))
    >>> y = np.where(X[:, 0] ** 2 > 0.5, "far", "near")
    >>> kernels = [(mkl.gaussian(1.0), column) for column in range(3)]
    >>> model = MKLClassifierCV(kernels, alphas=8, cv=3, rule="1se").fit(X[:80], y[:80])
    >>> bool(model.score(X[80:], y[80:]) > 0.9)
    True
    """

    def __init__(self, kernels=None, *, norm="l1", eps=1e-2, alphas=30, centre=False,
                 scale="trace", dtype="float64", kernel_weights=None, fit_intercept=True,
                 class_weight=None, measure="deviance", cv=None, rule="min", tol=1e-10,
                 max_iter=None, solver="auto", n_threads=1):
        super().__init__(
            kernels, norm=norm, eps=eps, alphas=alphas, centre=centre, scale=scale, dtype=dtype,
            kernel_weights=kernel_weights, fit_intercept=fit_intercept, measure=measure, cv=cv,
            rule=rule, tol=tol, max_iter=max_iter, solver=solver, n_threads=n_threads,
        )  # fmt: skip
        self.class_weight = class_weight

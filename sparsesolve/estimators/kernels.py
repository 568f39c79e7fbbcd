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

"""Estimators of multiple kernel learning in scikit-learn's manner, without needing it."""

import inspect

import numpy as np

from sparsesolve.checks import read_count, read_number
from sparsesolve.mkl.functions import classical
from sparsesolve.mkl.grams import build_grams
from sparsesolve.mkl.path import mkl_path

STEPS = 10  # lambdas on the way to the one asked for


class _KernelEstimator:
    """What both share; parameters are described there."""

    def __init__(self, kernels=None, norm="l1", alpha=None, alpha_ratio=0.05, centre=False,
                 scale="trace", dtype="float64", kernel_weights=None, fit_intercept=True,
                 tol=1e-5, max_iter=None, solver="auto", n_threads=1):  # fmt: skip
        self.kernels, self.norm, self.alpha, self.alpha_ratio = kernels, norm, alpha, alpha_ratio
        self.centre, self.scale, self.dtype = centre, scale, dtype
        self.kernel_weights, self.fit_intercept, self.tol = kernel_weights, fit_intercept, tol
        self.max_iter, self.solver, self.n_threads = max_iter, solver, n_threads

    def get_params(self, deep=True):
        """The parameters of the constructor and their values."""
        names = [name for name in inspect.signature(type(self).__init__).parameters][1:]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params):
        """Change parameters by name; returns the estimator."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    def _fit(self, X, y, family, sample_weight):
        options = {
            "family": family, "norm": self.norm, "kernel_weights": self.kernel_weights,
            "weights": sample_weight, "intercept": self.fit_intercept, "tol": self.tol,
            "max_iter": self.max_iter, "solver": self.solver, "n_threads": self.n_threads,
            "stop": None,
        }  # fmt: skip
        kernels = self._kernels(X)
        if self.alpha is None:
            ratio = read_number("alpha_ratio", self.alpha_ratio, 0, 1, open_low=True)
            grid = {"n_lambdas": 1} if ratio == 1 else {
                "n_lambdas": read_count("steps", STEPS, 2), "lambda_min_ratio": ratio}  # fmt: skip
        else:
            grid = {"lambdas": [read_number("alpha", self.alpha, 0, np.inf, open_low=True)]}
        self.path_ = mkl_path(kernels, y, **options, **grid)
        self.alpha_ = float(self.path_.lambdas[-1])
        self.kernel_weights_ = self.path_.kernel_weights[:, -1]
        self.active_ = np.flatnonzero(self.kernel_weights_)
        return self

    def _kernels(self, X):
        if isinstance(self.kernels, str):
            if self.kernels != "precomputed":
                raise ValueError(f"kernels is {self.kernels!r}; give pairs, or 'precomputed'")
            return X
        pairs = classical(X) if self.kernels is None else self.kernels
        return build_grams(X, pairs, centre=self.centre, scale=self.scale, dtype=self.dtype)

    def _link(self, X, kind):
        if not hasattr(self, "path_"):
            raise ValueError(f"this {type(self).__name__} is not fitted yet; call fit first")
        return self.path_.predict(X, s=self.alpha_, kind=kind)


class MKLRegressor(_KernelEstimator):
    """Squared error over several kernels.

    Parameters
    ----------
    kernels : sequence or dict of (function, columns), or "precomputed", default None
        What :func:`sparsesolve.mkl.build_grams` makes of X; None: the classical set of gaussian
        and polynomial kernels on all columns and on each. "precomputed": X is a stack (M, n, n)
        in `fit` and its blocks (M, n_new, n) in `predict`.
    norm : str or norm, default "l1"
        As in :func:`sparsesolve.mkl_path`.
    alpha : float, default None
        The lambda; None means `alpha_ratio` of the first at which something happens.
    alpha_ratio : float in (0, 1], default 0.05
        Only where `alpha` is None.
    centre, scale, dtype
        As in :func:`sparsesolve.mkl.build_grams`; scale is "trace" by default.
    kernel_weights, fit_intercept, tol, max_iter, solver, n_threads
        As in :func:`sparsesolve.mkl_path`, of which fit_intercept is `intercept`.

    Attributes
    ----------
    path_ : MKLPath
    alpha_ : float
    kernel_weights_ : (M,) array of sum 1
    active_ : array of int
        Kernels of positive weight.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.mkl.estimators import MKLRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> y = np.sin(2 * X[:, 0])
    >>> model = MKLRegressor().fit(X[:60], y[:60])
    >>> bool(model.score(X[60:], y[60:]) > 0.9)
    True
    """

    def fit(self, X, y, sample_weight=None):
        """Fit to rows X (n, p) and real y (n,)."""
        return self._fit(X, y, "gaussian", sample_weight)

    def predict(self, X):
        """Values (n_new,)."""
        return self._link(X, "link")

    def score(self, X, y, sample_weight=None):
        """1 - residual over total sum of squares."""
        y = np.asarray(y, dtype=float)
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        rest = w @ (y - self.predict(X)) ** 2
        return float(1.0 - rest / (w @ (y - np.average(y, weights=w)) ** 2))


class MKLClassifier(_KernelEstimator):
    """Logistic loss over several kernels; several classes share the kernel weights.

    Parameters
    ----------
    kernels, norm, alpha, alpha_ratio, centre, scale, dtype, kernel_weights, fit_intercept, tol, \
max_iter, solver, n_threads
        As in :class:`MKLRegressor`.

    Attributes
    ----------
    classes_ : (K,) array of labels, sorted
    path_, alpha_, kernel_weights_, active_
        As in :class:`MKLRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> from sparsesolve.mkl.estimators import MKLClassifier
    >>> X = np.random.default_rng(0).normal(size=(120, 3))
    >>> y = np.where(X[:, 0] ** 2 > 0.5, "far", "near")
    >>> kernels = [(mkl.gaussian(1.0), column) for column in range(3)]
    >>> model = MKLClassifier(kernels, alpha_ratio=0.3).fit(X[:80], y[:80])
    >>> model.active_, bool(model.score(X[80:], y[80:]) > 0.9)
    (array([0]), True)
    """

    def fit(self, X, y, sample_weight=None):
        """Fit to rows X (n, p) and labels y (n,)."""
        family = "binomial" if len(np.unique(np.asarray(y))) <= 2 else "multinomial"
        self._fit(X, y, family, sample_weight)
        self.classes_ = np.asarray(self.path_.class_names)
        return self

    def decision_function(self, X):
        """Linear predictors, (n_new,) or (n_new, K)."""
        return self._link(X, "link")

    def predict_proba(self, X):
        """Probabilities (n_new, K) of the classes."""
        p = self._link(X, "response")
        return np.column_stack([1.0 - p, p]) if p.ndim == 1 else p

    def predict(self, X):
        """Labels (n_new,)."""
        return self._link(X, "class")

    def score(self, X, y, sample_weight=None):
        """Share of right labels."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

"""OrthogonalMatchingPursuit and its CV form, with scikit-learn's names and conventions."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import read_count, read_number
from sparsesolve.paths.greedy import omp_path
from sparsesolve.results.cv_path import choose

from .chosen import Folded, fold_summary, only, refuse_untrainable
from .knots import mean_squares
from .linear import ByColumn, Linear


class Pursuit(Linear):
    """Base class: least squares on features that are added one at a time."""

    _by_blocks = False

    def _options(self):
        return {"family": self._family}

    def _penalty_of(self, coef):
        return 0.0

    def _pursue(self, X, y, weights, n_nonzero=None, tol=None):
        return omp_path(X, y, weights=weights, n_nonzero=n_nonzero, tol=tol,
                        intercept=self.fit_intercept, standardize=False)  # fmt: skip

    def _end(self, fit, X, y, weights):
        self._keep(fit, -1)
        self.n_nonzero_coefs_ = int(fit.df[-1])
        self._round(X, y, weights)
        self.n_iter_ = max(len(fit.lambdas) - 1, 1)


class OrthogonalMatchingPursuit(Pursuit, ByColumn):
    """Least squares on few features: each step adds the one most correlated with the residual.

    Parameters
    ----------
    n_nonzero_coefs : int, default None
        Number of features. None, if tol is None too, means a tenth of all, at least 1.
    tol : float, default None
        Stop once the squared norm of the residual is at most this; n_nonzero_coefs is then
        ignored.
    fit_intercept : bool, default True
        Fit an intercept.
    precompute : default "auto"
        Accepted and ignored.

    Attributes
    ----------
    n_nonzero_coefs_ : int or None, or list of K
        How many features were added: fewer than requested if nothing is left to explain. None if
        `tol` decided, as in scikit-learn.
    gap_, dual_gap_ : float or (K,)
        The amount by which least squares on the same features would lower the objective.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import OrthogonalMatchingPursuit
    >>> X, y = make_regression(noise=4, random_state=0)
    >>> round(OrthogonalMatchingPursuit().fit(X, y).score(X, y), 4)
    0.9992
    """

    _lists = ("n_iter_", "n_nonzero_coefs_")

    def __init__(self, *, n_nonzero_coefs=None, tol=None, fit_intercept=True, precompute="auto"):
        ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p), dense, sparse or a frame, and y (n,) or (n, K)."""
        return self._solve_columns(*self._read(X, y, sample_weight))

    def _solve(self, X, y, weights):
        if self.tol is None:
            wanted = self.n_nonzero_coefs
            wanted = max(1, X.shape[1] // 10) if wanted is None else wanted
            wanted = read_count("n_nonzero_coefs", wanted, 1)
            self._end(self._pursue(X, y, weights, n_nonzero=wanted), X, y, weights)
            return
        squares = read_number("tol", self.tol, 0, np.inf)
        null = self._null(y, weights)
        share = min(squares / null, 1.0) if null else 1.0
        self._end(self._pursue(X, y, weights, tol=share), X, y, weights)
        self.n_nonzero_coefs_ = None

    def _null(self, y, weights):
        """Return the squared norm of the residual before any feature is added."""
        w = np.ones(len(y)) if weights is None else weights
        centre = np.average(y, weights=w) if self.fit_intercept else 0.0
        return float(w @ (y - centre) ** 2)


class OrthogonalMatchingPursuitCV(Folded, Pursuit):
    """:class:`OrthogonalMatchingPursuit` with the number of features by cross-validation.

    Parameters
    ----------
    max_iter : int, default None
        The largest number to try; None means a tenth of the features, at least 5.
    copy, n_jobs, verbose
        Accepted and ignored.

    Attributes
    ----------
    mse_path_ : (A, F)
        Mean squared error with 1, 2, ... features on each of F folds.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import OrthogonalMatchingPursuitCV
    >>> X, y = make_regression(n_informative=10, noise=4, random_state=0)
    >>> OrthogonalMatchingPursuitCV(cv=5).fit(X, y).n_nonzero_coefs_
    10
    """

    def __init__(self, *, copy=True, fit_intercept=True, max_iter=None, cv=None, n_jobs=None,
                 verbose=False): ...

    def _solve_cv(self, X, y, weights, params):
        y, p = column_or_1d(y, warn=True), X.shape[1]
        weights = np.ones(len(y)) if weights is None else weights
        most = min(max(p // 10, 5), p)
        most = most if self.max_iter is None else read_count("max_iter", self.max_iter, 1)
        folds = self._folds(X, y, params)
        refuse_untrainable(y, weights, folds)
        scores = np.array([self._score(X, y, weights, *fold, most) for fold in folds])
        mean, std = fold_summary(scores, folds)
        self.mse_path_ = scores.T
        best = choose(mean, std, False)[0] + 1
        self._end(self._pursue(X, y, weights, n_nonzero=best), X, y, weights)

    def _score(self, X, y, weights, train, test, most):
        """Return mean squared errors with 1 to `most` features; the last is repeated if the fit
        stopped.
        """
        fit = self._pursue(X, y, only(weights, train), n_nonzero=most)
        scores = mean_squares(y[test], fit.predict(X[test]), weights[test])
        steps = np.minimum(np.arange(1, most + 1), len(scores) - 1)
        return scores[steps]

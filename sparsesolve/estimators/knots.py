"""LassoLars and its CV form: the lasso from its knots, with scikit-learn's names and conventions.
"""

import numpy as np
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import read_count, read_number
from sparsesolve.paths.lars import lars_path
from sparsesolve.results.cv_path import choose

from .base import warning_as_scikit_learn
from .chosen import Folded, fold_summary, only, refuse_untrainable
from .linear import ByColumn, Linear


class Knots(Linear):
    """Base class: follow the path from the empty model down to `alpha`, and keep its end.

    Parameters
    ----------
    verbose, precompute, eps, copy_X, fit_path, jitter, random_state
        Parameters of scikit-learn, accepted and ignored: ties need no jitter.
    """

    _method = "lasso"
    _by_blocks = False

    def _options(self):
        return {"family": self._family}

    def _follow(self, X, y, weights, alpha, max_steps=None):
        steps = getattr(self, "max_iter", None) if max_steps is None else max_steps
        factors = {}
        if self._restricted():
            factors = {"penalty_factor": self.penalty_factor,
                       "feature_names": getattr(self, "feature_names_in_", None)}  # fmt: skip
        with warning_as_scikit_learn():
            return lars_path(
                X, y, weights=weights, lambda_min=alpha, max_steps=steps, method=self._method,
                positive=getattr(self, "positive", False), intercept=self.fit_intercept,
                standardize=False, **factors,
            )  # fmt: skip

    def _solve(self, X, y, weights):
        self._end(X, y, weights, read_number("alpha", self.alpha, 0.0, np.inf))

    def _end(self, X, y, weights, alpha, max_steps=None):
        fit = self._follow(X, y, weights, alpha, max_steps)
        self._keep(fit, -1)
        self._round(X, y, weights)
        self.alphas_ = np.array(fit.lambdas)
        self.coef_path_ = fit.coefs.toarray().astype(X.dtype)
        self.active_ = np.flatnonzero(self.coef_).tolist()
        self.n_iter_ = max(len(fit.lambdas) - 1, 1)

    def _penalty_of(self, coef):
        """Return the lasso penalty at the alpha where the path ends."""
        return float(self._last_alpha * np.abs(coef.astype(float)).sum())

    def _keep(self, fit, k):
        super()._keep(fit, k)
        self._last_alpha = float(fit.lambdas[k]) if self._method == "lasso" else 0.0


class LassoLars(Knots, ByColumn):
    r"""The lasso, computed by following its path from knot to knot.

    Minimises :math:`\lVert y - Xb \rVert^2 / (2n) + \alpha \lVert b \rVert_1`,
    and keeps every knot above alpha.

    Parameters
    ----------
    alpha : float, default 1.0
        Strength of the penalty; 0 is least squares.
    max_iter : int, default None
        Most steps; the path may then end above alpha. None means no limit.

    Attributes
    ----------
    alphas_ : (L,), or a list of K
        The knots, decreasing; the last is alpha.
    coef_path_ : (p, L), or a list of K
        Coefficients at the knots.
    active_ : list of int, or K of them
        Features with a nonzero coefficient, ascending.

    Examples
    --------
    >>> from sparsesolve.estimators import LassoLars
    >>> LassoLars(alpha=0.01).fit([[-1, 1], [0, 0], [1, 1]], [-1, 0, -1]).coef_.round(3)
    array([ 0.   , -0.955])
    """

    _lists = ("n_iter_", "active_", "alphas_", "coef_path_")

    def __init__(self, alpha=1.0, *, fit_intercept=True, verbose=False, precompute="auto",
                 max_iter=None, eps=None, copy_X=True, fit_path=True, positive=False, jitter=None,
                 random_state=None, penalty_factor=None): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p), dense, sparse or a frame, and y (n,) or (n, K).

        Only ratios of sample_weight (n,) matter.
        """
        return self._solve_columns(*self._read(X, y, sample_weight))


class KnotsCV(Folded, Knots):
    """Base class: choose alpha by cross-validation over the knots of all folds."""

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        X, y, weights = self._read(X, y, sample_weight)
        y = column_or_1d(y, warn=True)
        weights = np.ones(len(y)) if weights is None else weights
        folds = self._folds(X, y, params)
        refuse_untrainable(y, weights, folds)
        fits = [self._follow(X, y, only(weights, train), 0.0) for train, _ in folds]
        alphas = np.unique(np.concatenate([fit.lambdas for fit in fits]))
        alphas = alphas[:: max(1, len(alphas) // read_count("max_n_alphas", self.max_n_alphas, 1))]
        scores = np.array([
            mean_squares(y[test], fit.predict(X[test], alphas), weights[test])
            for fit, (_, test) in zip(fits, folds, strict=True)
        ])  # fmt: skip
        mean, std = fold_summary(scores[:, ::-1], folds)
        self.alpha_ = float(alphas[::-1][choose(mean, std, False)[0]])
        self.cv_alphas_, self.mse_path_ = alphas, scores.T
        self._end(X, y, weights, self.alpha_)
        return self


class LassoLarsCV(KnotsCV):
    """:class:`LassoLars` with alpha by cross-validation over the knots of all folds.

    Every fold is followed to alpha = 0 and is exact at the knots of the others. No grid is made.

    Parameters
    ----------
    max_n_alphas : int, default 1000
        With more than k times this many knots, every k-th is compared.
    n_jobs : int, default None
        Accepted and ignored.

    Attributes
    ----------
    alpha_ : float
        The chosen alpha.
    cv_alphas_ : (A,)
        Knots of all folds, ascending.
    mse_path_ : (A, F)
        Mean squared error on each of F folds.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import LassoLarsCV
    >>> X, y = make_regression(noise=4.0, random_state=0)
    >>> round(LassoLarsCV(cv=5).fit(X, y).alpha_, 3)
    0.397
    """

    def __init__(self, *, fit_intercept=True, verbose=False, max_iter=None, precompute="auto",
                 cv=None, max_n_alphas=1000, n_jobs=None, eps=None, copy_X=True, positive=False,
                 penalty_factor=None): ...


def mean_squares(y, predicted, weights):
    """Return the mean squared error of each column of predictions (m, L); NaN without weight."""
    with np.errstate(invalid="ignore"):
        return weights @ (y[:, None] - predicted) ** 2 / weights.sum()

"""The relaxed lasso: the lasso refitted without a penalty on the features it selects."""

from dataclasses import replace

import numpy as np
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import read_choice, read_number
from sparsesolve.paths.path import path
from sparsesolve.results.cv_path import choose
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.relaxed import SPARE, relax

from .base import warning_as_scikit_learn
from .chosen import RULES, fold_summary, refuse_untrainable
from .linear import Linear
from .signatures import AtAlpha, ByFolds


class RelaxedLasso(AtAlpha, Linear):
    """The relaxed lasso: a mixture of the lasso and of least squares on the features it selects.

    Parameters
    ----------
    alpha : float, default 1.0
        Strength of the penalty that selects features.
    gamma : float in [0, 1], default 0.0
        0 is least squares on the selected features, 1 the lasso itself.

    Attributes
    ----------
    intercept_, dual_gap_ : float
        The gap is that of the least squares, or with gamma = 1 of the lasso.

    References
    ----------
    Meinshausen (2007), "Relaxed lasso".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import RelaxedLasso
    >>> X = np.random.default_rng(0).normal(size=(50, 6))
    >>> RelaxedLasso(0.5).fit(X, 2 * X[:, 0] - X[:, 1]).coef_.round(6)
    array([ 2., -1.,  0.,  0.,  0.,  0.])
    """

    _as_precise_as_X = False

    def __init__(self, alpha=1.0, *, gamma=0.0, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-10, penalty_factor=None, lower=None, upper=None,
                 exclude=None): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,); only ratios of sample_weight (n,) matter."""
        X, y, weights = self._read(X, y, sample_weight)
        y = column_or_1d(y, warn=True)
        alpha = read_number("alpha", self.alpha, 0.0, np.inf)
        gamma = read_number("gamma", self.gamma, 0.0, 1.0)
        if X.shape[0] <= SPARE:
            raise ValueError(
                f"X has n_samples = {X.shape[0]}; a fit without penalty takes more than {SPARE}"
            )
        with warning_as_scikit_learn():
            fit = path(X, y, lambdas=[alpha], weights=weights, **self._options())
            self._keep(fit if gamma == 1.0 else relax(fit, X, y, gamma), 0)
        return self


class RelaxedLassoCV(ByFolds, Linear):
    """:class:`RelaxedLasso` with alpha and gamma by cross-validation.

    Parameters
    ----------
    gammas : array-like, default (0.0, 0.25, 0.5, 0.75, 1.0)
        The values of gamma to try.

    Attributes
    ----------
    alpha_, gamma_ : float
        The chosen values.
    alphas_ : (L,)
        The alphas of the chosen gamma; they end where too many features are selected for a refit.
    mse_path_ : (L, K)
        Mean squared error on each of K folds, for the chosen gamma.
    cv_path_ : CVPath
        The cross-validation of the chosen gamma; `candidates` holds those of all.

    References
    ----------
    Meinshausen (2007), "Relaxed lasso".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import RelaxedLassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 10))
    >>> model = RelaxedLassoCV(rule="1se").fit(X, 2 * X[:, 0] - X[:, 1] + rng.normal(size=80))
    >>> np.flatnonzero(model.coef_)
    array([0, 1])
    """

    _as_precise_as_X = False

    def __init__(self, *, gammas=(0.0, 0.25, 0.5, 0.75, 1.0), eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, max_iter=None, tol=1e-10, cv=None,
                 rule="min", verbose=False, n_jobs=None, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        X, y, weights = self._read(X, y, sample_weight)
        y = column_or_1d(y, warn=True)
        folds = self._folds(X, y, params)
        refuse_untrainable(y, weights, folds)
        rule = RULES[read_choice("rule", self.rule, list(RULES))]
        with warning_as_scikit_learn():
            grid = np.unique(self._grid(X, y, weights, self._options()))
            tried = cv_path(
                X, y, lambdas=grid, gammas=self.gammas, weights=weights, folds=folds,
                n_jobs=1 if self.n_jobs is None else self.n_jobs, progress=bool(self.verbose),
                **self._options(),
            )  # fmt: skip
        choices = [self._choice(cv, folds, rule) for cv in tried.candidates]
        best = int(np.argmin([loss for loss, _ in choices]))
        cv, place = tried.candidates[best], choices[best][1]
        self.cv_path_ = replace(cv, candidates=tried.candidates)
        self.alpha_, self.gamma_ = float(cv.lambdas[place]), float(cv.gamma)
        self.alphas_, self.score_path_ = cv.lambdas, cv.fold_scores.T
        self.mse_path_, self.l1_ratio_ = self.score_path_, 1.0
        self._keep(cv.path, place)
        return self

    @staticmethod
    def _choice(cv, folds, rule):
        """Return the least mean score and the place that the rule chooses; folds have equal
        weights.
        """
        mean, std = fold_summary(cv.fold_scores, folds)
        places = choose(mean, std, False)
        return mean[places[0]], places[rule]

"""Least squares in two stages: the adaptive and the relaxed lasso."""

from dataclasses import replace

import numpy as np
from sklearn.model_selection import KFold
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import read_choice, read_number, read_penalty_factor
from sparsesolve.paths.path import path
from sparsesolve.results.cv_path import choose
from sparsesolve.selection.adaptive import adaptive_factors
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.relaxed import SPARE, relax

from .base import warning_as_scikit_learn
from .chosen import RULES, fold_summary, refuse_untrainable
from .linear import Linear
from .signatures import AtAlpha, ByFolds


class Adaptive(Linear):
    """Base class of the lasso with smaller penalties where a first fit is large."""

    _as_precise_as_X = False
    _by_blocks = False  # ridge regressions of folds choose the factors

    def _read(self, X, y, sample_weight):
        X, y, weights = super()._read(X, y, sample_weight)
        y = column_or_1d(y, warn=True)
        with warning_as_scikit_learn():
            self.penalty_factor_ = adaptive_factors(
                X, y, power=self.power, weights=weights, standardize=self.standardize,
                intercept=self.fit_intercept, folds=list(KFold(5).split(X)),
            )  # fmt: skip
        return X, y, weights

    def _options(self):
        options = super()._options()
        given = read_penalty_factor(options.get("penalty_factor"), len(self.penalty_factor_),
                                    labels=options.get("feature_names"))  # fmt: skip
        factors = self.penalty_factor_
        if given is not None:  # a feature without a penalty has none, although it was excluded
            factors = np.multiply(factors, given, out=np.zeros_like(factors), where=given > 0.0)
        return {**options, "penalty_factor": factors}


class AdaptiveLasso(AtAlpha, Adaptive):
    r"""The adaptive lasso: penalties are divided by a power of a ridge regression's coefficients.

    Minimises :math:`\lVert y - Xb \rVert^2 / (2n) + \alpha \sum_j v_j |b_j|`,
    with v scaled to mean 1.

    Parameters
    ----------
    power : float, default 1.0
        v_j is ``1 / |b_j|^power``, with b the coefficients of a ridge regression chosen by 5
        contiguous folds.
    penalty_factor : array-like (n_features,) or mapping from names or numbers, default None
        Multiplies v. Limits, too, hold for the second fit alone.
    standardize : bool, default False
        Penalise and compare coefficients of columns divided by their standard deviation.

    Attributes
    ----------
    penalty_factor_ : (p,)
        v, up to its scale.

    References
    ----------
    Zou (2006), "The adaptive lasso and its oracle properties".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import AdaptiveLasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> model = AdaptiveLasso(1.0).fit(X, X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=80))
    >>> np.flatnonzero(model.coef_)
    array([0, 1])
    """

    def __init__(self, alpha=1.0, *, power=1.0, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-10, penalty_factor=None, lower=None, upper=None,
                 exclude=None): ...


class AdaptiveLassoCV(ByFolds, Adaptive):
    """:class:`AdaptiveLasso` with alpha by cross-validation.

    Factors come from all rows, so that scores are slightly optimistic; they still rank alphas.
    """

    def __init__(self, *, power=1.0, eps=1e-3, alphas=100, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-10, cv=None, rule="min", verbose=False, n_jobs=None,
                 penalty_factor=None, lower=None, upper=None, exclude=None): ...


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
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 10))
    >>> model = RelaxedLasso(0.5).fit(X, 2 * X[:, 0] - X[:, 1] + rng.normal(size=80))
    >>> np.flatnonzero(model.coef_)
    array([0, 1])
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
    """

    _as_precise_as_X = False

    def __init__(self, *, gammas=(0.0, 0.25, 0.5, 0.75, 1.0), eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, max_iter=None, tol=1e-10, cv=None,
                 rule="min", verbose=False, n_jobs=None, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...

    def _solve_cv(self, X, y, weights, params):
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

    @staticmethod
    def _choice(cv, folds, rule):
        """Return the least mean score and the place that the rule chooses; folds have equal
        weights.
        """
        mean, std = fold_summary(cv.fold_scores, folds)
        places = choose(mean, std, False)
        return mean[places[0]], places[rule]

"""Lasso, ElasticNet and their CV forms: scikit-learn's names, parameters and numbers."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from .chosen import RIDGE, Chosen
from .given_gram import compare_gram
from .linear import ByColumn, Linear


class ElasticNet(ByColumn):
    """Least squares with the elastic-net penalty.

    Minimises ``||y - Xb||^2 / (2n) + alpha (l1_ratio ||b||_1 + (1 - l1_ratio) ||b||^2 / 2)``.

    Parameters
    ----------
    alpha : float, default 1.0
        Strength of the penalty; 0 is least squares.
    l1_ratio : float in [0, 1], default 0.5
        1 is the lasso, 0 ridge regression.
    fit_intercept : bool, default True
        Fit an unpenalised intercept.
    precompute, copy_X, random_state, selection
        Parameters of scikit-learn, accepted and ignored: the shape of X decides the algorithm, X
        is never changed, and the solution does not depend on chance. An array given as
        `precompute` that is not X'X is refused.
    warm_start : bool, default False
        Start from the coefficients of the last fit. The solution is the same, and certified; it
        takes fewer steps if data or `alpha` have changed little.
    max_iter : int, default None
        Most Newton steps and sweeps; None means 100,000.
    tol : float, default 1e-10
        Duality gap to reach, relative to the mean square of y about its mean.
    positive : bool, default False
        Keep coefficients nonnegative.

    Attributes
    ----------
    coef_ : (p,), or (K, p) for y of K columns, which are fitted one by one
    intercept_ : float or (K,)
    dual_gap_ : float or (K,)
        Duality gap of the objective above.
    n_iter_ : int or list of K

    Examples
    --------
    >>> from sparsesolve.estimators import ElasticNet
    >>> ElasticNet(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_.round(3)
    array([0.86])
    """

    def __init__(self, alpha=1.0, *, l1_ratio=0.5, fit_intercept=True, precompute=False,
                 max_iter=None, copy_X=True, tol=1e-10, warm_start=False, positive=False,
                 random_state=None, selection="cyclic"):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def fit(self, X, y, sample_weight=None, check_input=True):
        """Fit to X (n, p), dense, sparse or a frame, and y (n,) or (n, K).

        Only ratios of sample_weight (n,) matter; check_input is ignored.
        """
        X, y, weights = self._read(X, y, sample_weight)
        compare_gram(self.precompute, X, self.fit_intercept, weights is not None)
        return self._solve_columns(X, y, weights)


class Lasso(ElasticNet):
    """Least squares with the l1 penalty: :class:`ElasticNet` with l1_ratio = 1.

    Parameters
    ----------
    alpha, fit_intercept, precompute, copy_X, max_iter, tol, warm_start, positive, random_state, \
selection
        As in :class:`ElasticNet`; the attributes are the same.

    Examples
    --------
    >>> from sparsesolve.estimators import Lasso
    >>> model = Lasso(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.coef_.round(3), round(float(model.intercept_), 3)
    (array([0.85]), 0.15)
    """

    def __init__(self, alpha=1.0, *, fit_intercept=True, precompute=False, copy_X=True,
                 max_iter=None, tol=1e-10, warm_start=False, positive=False, random_state=None,
                 selection="cyclic"):
        super().__init__(
            alpha, l1_ratio=1.0, fit_intercept=fit_intercept, precompute=precompute,
            max_iter=max_iter, copy_X=copy_X, tol=tol, warm_start=warm_start, positive=positive,
            random_state=random_state, selection=selection,
        )  # fmt: skip


class ElasticNetCV(Chosen, Linear):
    """:class:`ElasticNet` with alpha, and l1_ratio where it is a list, by cross-validation.

    Parameters
    ----------
    l1_ratio : float or list of float, default 0.5
        As in ElasticNet; from a list, the one with the least mean squared error is chosen.
    eps : float, default 1e-3
        Last alpha over the first, for the default grid. With an `l1_ratio` of at most 0.001 it is
        relative to a thousandth of the first, where the lasso's grid begins.
    alphas : int or array-like, default 100
        Number of log-spaced alphas, or the alphas.
    fit_intercept, max_iter, tol, positive
        As in ElasticNet.
    precompute, copy_X, random_state, selection
        Accepted and ignored, as in ElasticNet.
    cv : int, splitter or iterable, default None
        Folds as scikit-learn takes them; None means 5 contiguous folds.
    verbose : bool, default False
        Show a progress bar.
    n_jobs : int, default None
        Number of simultaneous fits; None means 1, -1 all cores.
    rule : {"min", "1se"}, default "min"
        The alpha of the best mean score, or the largest within one standard error of it.

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        The chosen values.
    alphas_ : (L,) or, with several l1_ratios, (R, L)
    mse_path_ : (L, K) or (R, L, K)
        Mean squared error on each of K folds.
    cv_path_ : CVPath
        The cross-validation of the chosen l1_ratio.
    coef_, intercept_, dual_gap_, n_iter_
        As in ElasticNet.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import ElasticNetCV
    >>> X, y = make_regression(n_features=2, random_state=0)
    >>> round(ElasticNetCV(cv=5).fit(X, y).alpha_, 3)
    0.199
    """

    def __init__(self, *, l1_ratio=0.5, eps=1e-3, alphas=100, fit_intercept=True,
                 precompute="auto", max_iter=None, tol=1e-10, cv=None, copy_X=True, verbose=0,
                 n_jobs=None, positive=False, random_state=None, selection="cyclic", rule="min"):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.rule = rule

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        X, y, weights = self._read(X, y, sample_weight)
        if y.ndim > 1 and y.shape[1] > 1:
            raise ValueError(
                f"y has {y.shape[1]} columns; for several responses use MultiTask"
                f"{type(self).__name__}"
            )
        self._solve_cv(X, column_or_1d(y, warn=True), weights, params)
        return self

    def _first_alpha(self, X, y, weights, options):
        """Return the least alpha that selects nothing; with `positive`, no positive coefficient.
        """
        if "lower" not in options:
            return super()._first_alpha(X, y, weights, options)
        w = np.ones(len(y)) if weights is None else weights
        residual = (y - np.average(y, weights=w) * options["intercept"]) * (w / w.sum())
        return max((X.T @ residual).max(), 0.0) / max(options["alpha"], RIDGE)

    @property
    def mse_path_(self):
        """The mean squared errors on the folds."""
        return self.score_path_


class LassoCV(ElasticNetCV):
    """:class:`Lasso` with alpha by cross-validation.

    Parameters
    ----------
    eps, alphas, fit_intercept, precompute, max_iter, tol, copy_X, cv, verbose, n_jobs, positive, \
random_state, selection, rule
        As in :class:`ElasticNetCV`; the attributes are the same.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import LassoCV
    >>> X, y = make_regression(noise=4, random_state=0)
    >>> round(LassoCV(cv=5).fit(X, y).score(X, y), 4)
    0.9994
    """

    def __init__(self, *, eps=1e-3, alphas=100, fit_intercept=True, precompute="auto",
                 max_iter=None, tol=1e-10, copy_X=True, cv=None, verbose=False, n_jobs=None,
                 positive=False, random_state=None, selection="cyclic", rule="min"):
        super().__init__(
            l1_ratio=1.0, eps=eps, alphas=alphas, fit_intercept=fit_intercept,
            precompute=precompute, max_iter=max_iter, tol=tol, cv=cv, copy_X=copy_X,
            verbose=verbose, n_jobs=n_jobs, positive=positive, random_state=random_state,
            selection=selection, rule=rule,
        )  # fmt: skip

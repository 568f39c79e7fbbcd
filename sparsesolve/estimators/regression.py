"""Lasso, ElasticNet and their CV forms: scikit-learn's names, parameters and numbers."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from sparsesolve.linalg.design.distributed import DistributedDesign

from .chosen import RIDGE, Chosen
from .given_gram import compare_gram
from .linear import ByColumn, Linear


class ElasticNet(ByColumn):
    r"""Least squares with the elastic-net penalty.

    Minimises, with :math:`\rho` = l1_ratio,

    .. math:: \lVert y - Xb \rVert^2 / (2n) + \alpha \bigl( \rho \lVert b \rVert_1
              + (1 - \rho) \lVert b \rVert^2 / 2 \bigr).

    Parameters
    ----------
    alpha : float, default 1.0
        Strength of the penalty; 0 is least squares.
    precompute, copy_X, random_state, selection
        Parameters of scikit-learn, accepted and ignored: the shape of X decides the algorithm, X
        is never changed, and the solution does not depend on chance. An array given as
        `precompute` that is not X'X is refused.

    Examples
    --------
    >>> from sparsesolve.estimators import ElasticNet
    >>> ElasticNet(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_.round(3)
    array([0.86])
    """

    def __init__(self, alpha=1.0, *, l1_ratio=0.5, fit_intercept=True, precompute=False,
                 max_iter=None, copy_X=True, tol=1e-10, warm_start=False, positive=False,
                 random_state=None, selection="cyclic", penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...

    def fit(self, X, y, sample_weight=None, check_input=True):
        """Fit to X (n, p), dense, sparse or a frame, and y (n,) or (n, K).

        Only ratios of sample_weight (n,) matter; check_input is ignored.
        """
        X, y, weights = self._read(X, y, sample_weight)
        compare_gram(self.precompute, X, self.fit_intercept, weights is not None)
        return self._solve_columns(X, y, weights)


class Lasso(ElasticNet):
    """Least squares with the l1 penalty: :class:`ElasticNet` with l1_ratio = 1.

    Examples
    --------
    >>> from sparsesolve.estimators import Lasso
    >>> model = Lasso(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.coef_.round(3), round(float(model.intercept_), 3)
    (array([0.85]), 0.15)
    """

    l1_ratio = 1.0

    def __init__(self, alpha=1.0, *, fit_intercept=True, precompute=False, copy_X=True,
                 max_iter=None, tol=1e-10, warm_start=False, positive=False, random_state=None,
                 selection="cyclic", penalty_factor=None, lower=None, upper=None,
                 exclude=None): ...


class ElasticNetCV(Chosen, Linear):
    """:class:`ElasticNet` with alpha, and l1_ratio where it is a list, by cross-validation.

    Attributes
    ----------
    mse_path_ : (L, K) or (R, L, K)
        Mean squared error on each of K folds.

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
                 n_jobs=None, positive=False, random_state=None, selection="cyclic", rule="min",
                 penalty_factor=None, lower=None, upper=None, exclude=None): ...

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
        in_blocks = isinstance(X, DistributedDesign)
        if in_blocks or not self.positive or self._restrictions() != {"lower": 0.0}:
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

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import LassoCV
    >>> X, y = make_regression(noise=4, random_state=0)
    >>> round(LassoCV(cv=5).fit(X, y).score(X, y), 4)
    0.9994
    """

    l1_ratio = 1.0

    def __init__(self, *, eps=1e-3, alphas=100, fit_intercept=True, precompute="auto",
                 max_iter=None, tol=1e-10, copy_X=True, cv=None, verbose=False, n_jobs=None,
                 positive=False, random_state=None, selection="cyclic", rule="min",
                 penalty_factor=None, lower=None, upper=None, exclude=None): ...

"""Structured penalties with alpha by cross-validation: fused lasso, SLOPE, any penalty."""

from .signatures import ByFolds
from .structured import Fused, Penalized, Sorted


class PenalizedRegressorCV(ByFolds, Penalized):
    """:class:`PenalizedRegressor` with alpha by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import penalties
    >>> from sparsesolve.estimators import PenalizedRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> y = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=80)
    >>> overlapping = penalties.LatentGroupL2([[0, 1], [1, 2], [3]])
    >>> model = PenalizedRegressorCV(penalty=overlapping, rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0, 1])
    """

    def __init__(self, *, penalty=None, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, max_iter=None, tol=1e-7, cv=None, rule="min", verbose=False,
                 n_jobs=None, penalty_factor=None, lower=None, upper=None, exclude=None): ...


class FusedLassoCV(Fused, PenalizedRegressorCV):
    """:class:`FusedLasso` with alpha by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import FusedLassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = X @ [0, 0, 0, 2, 2, 2] + 0.1 * rng.normal(size=100)
    >>> FusedLassoCV(rule="1se").fit(X, y).coef_.round(1)
    array([0., 0., 0., 2., 2., 2.])
    """

    def __init__(self, *, l1=0.0, weights=None, order=None, eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, max_iter=None, tol=1e-7, cv=None,
                 rule="min", verbose=False, n_jobs=None): ...


class SlopeRegressorCV(Sorted, PenalizedRegressorCV):
    """:class:`SlopeRegressor` with alpha by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import SlopeRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = X @ [2, -2, 0, 0, 0, 0] + 0.1 * rng.normal(size=100)
    >>> SlopeRegressorCV(rule="1se").fit(X, y).coef_.round(1)[:2]
    array([ 2., -2.])
    """

    def __init__(self, *, lambdas=None, q=0.1, kind="bh", eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, max_iter=None, tol=1e-7, cv=None,
                 rule="min", verbose=False, n_jobs=None): ...

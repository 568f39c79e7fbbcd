"""Least squares with a structured norm: the fused lasso, SLOPE, or any penalty."""

from sklearn.utils.validation import column_or_1d

from sparsesolve.penalties import Slope, TotalVariation

from .linear import Linear
from .signatures import AtAlpha


class Penalized(Linear):
    """Base class of least squares with the penalty that `_omega` makes from the parameters."""

    _as_precise_as_X = False

    def _read(self, X, y, sample_weight):
        X, y, weights = super()._read(X, y, sample_weight)
        return X, column_or_1d(y, warn=True), weights

    def _options(self):
        return self._under(self._omega())

    def _omega(self):
        return self.penalty  # None is the l1 norm


class PenalizedRegressor(AtAlpha, Penalized):
    r"""Least squares with any penalty on the coefficients.

    Minimises :math:`\lVert y - Xb \rVert^2 / (2n) + \alpha \Omega(b)`.

    Parameters
    ----------
    penalty : object of `sparsesolve.penalties`, or one that keeps its contract, default None
        Omega; None is the l1 norm.
    max_iter : int, default None
        Most iterations; None means 100,000.
    tol : float, default 1e-7
        Duality gap to reach, relative to the mean square of y about its mean.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import penalties
    >>> from sparsesolve.estimators import PenalizedRegressor
    >>> X = np.random.default_rng(0).normal(size=(50, 6))
    >>> model = PenalizedRegressor(0.3, penalty=penalties.LatentGroupL2([[0, 1], [1, 2]]))
    >>> model.fit(X, X[:, 0] + X[:, 1]).coef_.round(2)
    array([0.74, 0.7 , 0.  , 0.  , 0.  , 0.  ])
    """

    def __init__(self, alpha=1.0, *, penalty=None, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-7, penalty_factor=None, lower=None, upper=None,
                 exclude=None): ...


class Fused:
    """Mixin of estimators with the parameters of total variation."""

    _described_by = (TotalVariation,)

    def _omega(self):
        return TotalVariation(self.weights, self.l1, self.order)


class Sorted:
    """Mixin of estimators with the parameters of the sorted l1 norm."""

    _described_by = (Slope,)

    def _omega(self):
        return Slope(self.lambdas, self.q, self.kind)


class FusedLasso(Fused, PenalizedRegressor):
    r"""Least squares with total variation along the features, and an l1 part.

    Minimises

    .. math:: \lVert y - Xb \rVert^2 / (2n) + \alpha \Bigl( \sum_i w_i |b_{i+1} - b_i|
              + \ell_1 \lVert b \rVert_1 \Bigr).

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import FusedLasso
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> FusedLasso(0.1).fit(X, X @ [0, 0, 0, 2, 2, 2]).coef_.round(2)
    array([0.05, 0.05, 0.05, 1.96, 1.96, 1.96])
    """

    def __init__(self, alpha=1.0, *, l1=0.0, weights=None, order=None, fit_intercept=True,
                 standardize=False, max_iter=None, tol=1e-7): ...


class SlopeRegressor(Sorted, PenalizedRegressor):
    r"""Least squares with the sorted l1 norm: SLOPE, OSCAR.

    Minimises :math:`\lVert y - Xb \rVert^2 / (2n) + \alpha \sum_i \lambda_i |b|_{(i)}`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import SlopeRegressor
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> model = SlopeRegressor(0.5, kind="oscar", q=0.5).fit(X, X @ [2, -2, 0, 0, 0, 0])
    >>> model.coef_.round(1)
    array([ 1.5, -1.5,  0. ,  0. ,  0. ,  0. ])
    """

    def __init__(self, alpha=1.0, *, lambdas=None, q=0.1, kind="bh", fit_intercept=True,
                 standardize=False, max_iter=None, tol=1e-7): ...

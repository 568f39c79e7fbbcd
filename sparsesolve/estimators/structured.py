"""Any penalty, structured norms (the fused lasso, SLOPE) and concave ones (MCP, SCAD)."""

from sklearn.utils.validation import column_or_1d

from sparsesolve.penalties import MCP, SCAD, Slope, TotalVariation

from .classification import Logistic
from .linear import Linear
from .signatures import AtAlpha, ByFolds


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
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> y = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=80)
    >>> model = PenalizedRegressor(0.3, penalty=penalties.LatentGroupL2([[0, 1], [1, 2], [3]]))
    >>> np.flatnonzero(model.fit(X, y).coef_)
    array([0, 1])
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
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> model = FusedLasso(0.1).fit(X, X @ [0, 0, 0, 2, 2, 2] + 0.1 * rng.normal(size=100))
    >>> np.flatnonzero(np.diff(model.coef_).round(1))
    array([2])
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
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> model = SlopeRegressor(0.1).fit(X, X @ [2, -2, 0, 0, 0, 0] + 0.1 * rng.normal(size=100))
    >>> np.flatnonzero(model.coef_.round(1))
    array([0, 1])
    """

    def __init__(self, alpha=1.0, *, lambdas=None, q=0.1, kind="bh", fit_intercept=True,
                 standardize=False, max_iter=None, tol=1e-7): ...


class PenalizedRegressorCV(ByFolds, Penalized):
    """:class:`PenalizedRegressor` with alpha by cross-validation."""

    def __init__(self, *, penalty=None, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, max_iter=None, tol=1e-7, cv=None, rule="min", verbose=False,
                 n_jobs=None, penalty_factor=None, lower=None, upper=None, exclude=None): ...


class FusedLassoCV(Fused, PenalizedRegressorCV):
    """:class:`FusedLasso` with alpha by cross-validation."""

    def __init__(self, *, l1=0.0, weights=None, order=None, eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, max_iter=None, tol=1e-7, cv=None,
                 rule="min", verbose=False, n_jobs=None): ...


class SlopeRegressorCV(Sorted, PenalizedRegressorCV):
    """:class:`SlopeRegressor` with alpha by cross-validation."""

    def __init__(self, *, lambdas=None, q=0.1, kind="bh", eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, max_iter=None, tol=1e-7, cv=None,
                 rule="min", verbose=False, n_jobs=None): ...


class Concave:
    """Mixin of estimators with the parameters of a concave penalty, whose class is `_concave`."""

    _by_blocks = False

    def _omega(self):
        return self._concave(self.gamma, self.groups, self.weights)


class ConcaveRegressor(Concave, PenalizedRegressor):
    """Base class of least squares with a concave penalty."""

    def __init__(self, alpha=1.0, *, gamma=3.0, groups=None, weights=None, fit_intercept=True,
                 standardize=True, max_iter=None, tol=1e-7): ...


class ConcaveRegressorCV(Concave, PenalizedRegressorCV):
    """Base class of least squares with a concave penalty, with alpha by cross-validation."""

    def __init__(self, *, gamma=3.0, groups=None, weights=None, eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=True, max_iter=None, tol=1e-7, cv=None,
                 rule="min", verbose=False, n_jobs=None): ...


class MCPRegressor(ConcaveRegressor):
    """Least squares with the minimax concave penalty: large coefficients are not shrunk.

    The objective is not convex, and the solution is a stationary point: ``gap_`` is 0 if the
    objective decreases in no direction.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import MCPRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> model = MCPRegressor(0.3).fit(X, 2 * X[:, 0] + 0.1 * rng.normal(size=100))
    >>> model.coef_.round(1)
    array([2., 0., 0., 0., 0., 0.])
    """

    _concave = MCP
    _described_by = (MCP,)


class MCPRegressorCV(ConcaveRegressorCV):
    """:class:`MCPRegressor` with alpha by cross-validation."""

    _concave = MCP
    _described_by = (MCP,)


class SCADRegressor(ConcaveRegressor):
    """Least squares with the SCAD penalty: large coefficients are not shrunk.

    The objective is not convex, and the solution is a stationary point: ``gap_`` is 0 if the
    objective decreases in no direction.

    Parameters
    ----------
    gamma : float > 2
        Where the penalty ends, in multiples of alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import SCADRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> model = SCADRegressor(0.3).fit(X, 2 * X[:, 0] + 0.1 * rng.normal(size=100))
    >>> model.coef_.round(1)
    array([2., 0., 0., 0., 0., 0.])
    """

    _concave = SCAD
    _described_by = (MCP,)

    def __init__(self, alpha=1.0, *, gamma=3.7, groups=None, weights=None, fit_intercept=True,
                 standardize=True, max_iter=None, tol=1e-7): ...


class SCADRegressorCV(ConcaveRegressorCV):
    """:class:`SCADRegressor` with alpha by cross-validation."""

    _concave = SCAD
    _described_by = (MCP,)

    def __init__(self, *, gamma=3.7, groups=None, weights=None, eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=True, max_iter=None, tol=1e-7, cv=None,
                 rule="min", verbose=False, n_jobs=None): ...


class PenalizedLogistic(Logistic):
    """Base class of classifiers with the penalty of the parameter `penalty`."""

    def _options(self):
        return self._under(self.penalty)


class PenalizedClassifier(AtAlpha, PenalizedLogistic):
    r"""Logistic regression with any penalty, multinomial for three classes or more.

    Minimises the mean of the log-losses plus :math:`\alpha \Omega(b)`. Omega may be the fused
    lasso, SLOPE, MCP, a trace norm, or overlapping groups.

    Parameters
    ----------
    penalty : object of `sparsesolve.penalties`, or one that keeps its contract, default None
        Omega; None is the l1 norm.
    fit_intercept : bool, default True
        Fit unpenalised intercepts.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import penalties
    >>> from sparsesolve.estimators import PenalizedClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 6))
    >>> y = X @ [0, 0, 0, 2, 2, 2] + rng.logistic(size=200) > 0
    >>> model = PenalizedClassifier(0.05, penalty=penalties.TotalVariation()).fit(X, y)
    >>> np.flatnonzero(np.diff(model.coef_[0]).round(1))
    array([2])
    """

    def __init__(self, alpha=0.01, *, penalty=None, fit_intercept=True, standardize=False,
                 class_weight=None, max_iter=None, tol=1e-7, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...


class PenalizedClassifierCV(ByFolds, PenalizedLogistic):
    """:class:`PenalizedClassifier` with alpha by cross-validation."""

    def __init__(self, *, penalty=None, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, class_weight=None, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-7, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

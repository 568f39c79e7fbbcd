"""Least squares with concave penalties: MCP and SCAD."""

from sparsesolve.penalties import MCP, SCAD

from .structured import PenalizedRegressor
from .structured_cv import PenalizedRegressorCV


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
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> MCPRegressor(0.3).fit(X, 2 * X[:, 0]).coef_.round(2)
    array([2., 0., 0., 0., 0., 0.])
    """

    _concave = MCP
    _described_by = (MCP,)


class MCPRegressorCV(ConcaveRegressorCV):
    """:class:`MCPRegressor` with alpha by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import MCPRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = 2 * X[:, 0] + 0.1 * rng.normal(size=100)
    >>> MCPRegressorCV(eps=0.1, rule="1se").fit(X, y).coef_.round(1)
    array([2., 0., 0., 0., 0., 0.])
    """

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
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> SCADRegressor(0.3).fit(X, 2 * X[:, 0]).coef_.round(2)
    array([2., 0., 0., 0., 0., 0.])
    """

    _concave = SCAD
    _described_by = (MCP,)

    def __init__(self, alpha=1.0, *, gamma=3.7, groups=None, weights=None, fit_intercept=True,
                 standardize=True, max_iter=None, tol=1e-7): ...


class SCADRegressorCV(ConcaveRegressorCV):
    """:class:`SCADRegressor` with alpha by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import SCADRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = 2 * X[:, 0] + 0.1 * rng.normal(size=100)
    >>> SCADRegressorCV(eps=0.1, rule="1se").fit(X, y).coef_.round(1)
    array([2., 0., 0., 0., 0., 0.])
    """

    _concave = SCAD
    _described_by = (MCP,)

    def __init__(self, *, gamma=3.7, groups=None, weights=None, eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=True, max_iter=None, tol=1e-7, cv=None,
                 rule="min", verbose=False, n_jobs=None): ...

"""Amounts and costs: gamma and Tweedie regression."""

from sparsesolve.families import gamma, tweedie

from .glm import LogLink
from .signatures import OneSided, OneSidedCV


class GammaNet(OneSided, LogLink):
    """Gamma regression with the elastic-net penalty and a log link.

    For positive amounts whose standard deviation grows with their mean.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import GammaNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.gamma(2.0, np.exp(X[:, 0]) / 2.0)
    >>> model = GammaNet(alpha=0.1).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    _family = gamma()


class GammaNetCV(OneSidedCV, LogLink):
    """:class:`GammaNet` with alpha, and l1_ratio of a list, by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import GammaNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.gamma(2.0, np.exp(X[:, 0]) / 2.0)
    >>> model = GammaNetCV(rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    _family = gamma()


class TweedieNet(OneSided, LogLink):
    """Tweedie regression with the elastic-net penalty and a log link.

    For amounts with exact zeros, whose variance is proportional to mean^power.

    Parameters
    ----------
    power : float in (1, 2), default 1.5
        Near 1 it resembles Poisson, near 2 gamma.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import TweedieNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.gamma(2.0, np.exp(X[:, 0]) / 2.0) * (rng.random(200) < 0.7)
    >>> model = TweedieNet(alpha=0.1).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, alpha=0.01, *, power=1.5, l1_ratio=1.0, fit_intercept=True,
                 standardize=False, positive=False, max_iter=None, tol=1e-10, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

    def _options(self):
        return {**super()._options(), "family": tweedie(self.power)}


class TweedieNetCV(OneSidedCV, LogLink):
    """:class:`TweedieNet` with alpha, and l1_ratio of a list, by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import TweedieNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.gamma(2.0, np.exp(X[:, 0]) / 2.0) * (rng.random(200) < 0.7)
    >>> model = TweedieNetCV(rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, *, power=1.5, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

    def _options(self):
        return {**super()._options(), "family": tweedie(self.power)}

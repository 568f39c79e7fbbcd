"""Amounts and costs: gamma and Tweedie regression."""

from sparsesolve.families import gamma, tweedie

from .glm import LogLink
from .signatures import OneSided, OneSidedCV


class GammaNet(OneSided, LogLink):
    """Gamma regression with the elastic-net penalty and a log link.

    For positive amounts whose standard deviation grows with their mean.

    Parameters
    ----------
    alpha, l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in :class:`PoissonNet`; the attributes are the same.

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

    Parameters
    ----------
    l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in GammaNet; l1_ratio may be a list.
    eps, alphas, measure, cv, verbose, n_jobs, rule
        As in :class:`PoissonNetCV`; the attributes are the same.

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
    alpha, l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in :class:`PoissonNet`; the attributes are the same.

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
                 standardize=False, positive=False, max_iter=None, tol=1e-10):
        super().__init__(
            alpha, l1_ratio=l1_ratio, fit_intercept=fit_intercept, standardize=standardize,
            positive=positive, max_iter=max_iter, tol=tol,
        )  # fmt: skip
        self.power = power

    def _options(self):
        return {**super()._options(), "family": tweedie(self.power)}


class TweedieNetCV(OneSidedCV, LogLink):
    """:class:`TweedieNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    power, l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in TweedieNet; l1_ratio may be a list.
    eps, alphas, measure, cv, verbose, n_jobs, rule
        As in :class:`PoissonNetCV`; the attributes are the same.

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
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None):
        super().__init__(
            l1_ratio=l1_ratio, eps=eps, alphas=alphas, fit_intercept=fit_intercept,
            standardize=standardize, positive=positive, measure=measure, cv=cv, rule=rule,
            max_iter=max_iter, tol=tol, verbose=verbose, n_jobs=n_jobs,
        )  # fmt: skip
        self.power = power

    def _options(self):
        return {**super()._options(), "family": tweedie(self.power)}

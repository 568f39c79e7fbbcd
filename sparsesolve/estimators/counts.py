"""Counts and rates: Poisson and negative binomial regression."""

from sparsesolve.families import negative_binomial

from .glm import LogLink
from .signatures import OneSided, OneSidedCV


class PoissonNet(OneSided, LogLink):
    """Poisson regression with the elastic-net penalty and a log link.

    Notes
    -----
    For counts over different exposures, fit the rates, counts / exposure, with
    ``sample_weight=exposure``.

    Examples
    --------
    >>> from sparsesolve.estimators import PoissonNet
    >>> model = PoissonNet(alpha=0.1).fit([[0.0], [1.0], [2.0], [3.0]], [1, 2, 4, 9])
    >>> model.predict([[1.5]]).round(2)
    array([2.96])
    """


class PoissonNetCV(OneSidedCV, LogLink):
    """:class:`PoissonNet` with alpha, and l1_ratio of a list, by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import PoissonNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> model = PoissonNetCV(rule="1se").fit(X, rng.poisson(np.exp(X[:, 0])))
    >>> np.flatnonzero(model.coef_)
    array([0])
    """


class NegativeBinomialNet(OneSided, LogLink):
    """Negative binomial regression with the elastic-net penalty and a log link.

    For overdispersed counts, of variance mean + mean^2 / theta.

    Parameters
    ----------
    theta : float, default 1.0
        Larger values are closer to Poisson.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import NegativeBinomialNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.poisson(rng.gamma(2.0, np.exp(X[:, 0]) / 2.0))
    >>> model = NegativeBinomialNet(alpha=0.1).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, alpha=0.01, *, theta=1.0, l1_ratio=1.0, fit_intercept=True,
                 standardize=False, positive=False, max_iter=None, tol=1e-10, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

    def _options(self):
        return {**super()._options(), "family": negative_binomial(self.theta)}


class NegativeBinomialNetCV(OneSidedCV, LogLink):
    """:class:`NegativeBinomialNet` with alpha, and l1_ratio of a list, by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import NegativeBinomialNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.poisson(rng.gamma(2.0, np.exp(X[:, 0]) / 2.0))
    >>> model = NegativeBinomialNetCV(rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, *, theta=1.0, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

    def _options(self):
        return {**super()._options(), "family": negative_binomial(self.theta)}

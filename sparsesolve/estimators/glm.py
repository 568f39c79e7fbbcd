"""Counts, rates, amounts and costs: models with a logarithmic link."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from sparsesolve.data import real_array
from sparsesolve.families import gamma, negative_binomial, read_family, tweedie
from sparsesolve.selection.measures import deviance

from .base import TYPES, Net, read_pair, read_sample_weight
from .signatures import OneSided, OneSidedCV


class LogLink(RegressorMixin, Net):
    """Base class of models of nonnegative responses with mean exp(b0 + x'b)."""

    _family: Any = "poisson"
    _by_blocks = True

    def _read(self, X, y, sample_weight):
        if np.asarray(y).dtype.kind in "US":
            real_array("y", y)  # its message is clearer
        X, y = read_pair(
            self, X, y, accept_sparse="csc", dtype=TYPES, order="F", y_numeric=True
        )
        return X, np.asarray(y, dtype=np.float64), read_sample_weight(sample_weight, X.shape[0])

    def predict(self, X):
        """Return the expected responses, (n,)."""
        with np.errstate(over="ignore"):
            return np.exp(self._link(X))

    def score(self, X, y, sample_weight=None):
        """Return the fraction of the deviance explained.

        If y does not vary, nothing is left to explain: the score is 1 if y is predicted, else 0.
        """
        eta = self._link(X)
        y = np.asarray(real_array("y", y), dtype=np.float64).ravel()
        weights = read_sample_weight(sample_weight, len(eta))
        return explained(read_family(self._options()["family"]), y, eta, weights)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


def explained(family, y, eta, weights):
    """Return 1 - deviance / that of the mean of y, for a family with a logarithmic link."""
    w = np.ones(len(y)) if weights is None else weights
    y, eta, w = y[w > 0.0], eta[w > 0.0], w[w > 0.0]
    if np.ptp(y) == 0.0:
        with np.errstate(over="ignore"):
            return float(np.allclose(np.exp(eta), y))
    null = np.full(len(y), np.log(np.average(y, weights=w)))
    left, most = deviance(family, y, np.column_stack([eta, null]), w)
    return float(1.0 - left / most)


class PoissonNet(OneSided, LogLink):
    """Poisson regression with the elastic-net penalty and a log link.

    Notes
    -----
    For counts over different exposures, fit the rates, counts / exposure, with
    ``sample_weight=exposure``.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import PoissonNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> model = PoissonNet(alpha=0.5).fit(X, rng.poisson(np.exp(X[:, 0])))
    >>> np.flatnonzero(model.coef_)
    array([0])
    """


class PoissonNetCV(OneSidedCV, LogLink):
    """:class:`PoissonNet` with alpha, and l1_ratio of a list, by cross-validation."""


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
    """:class:`NegativeBinomialNet` with alpha, and l1_ratio of a list, by cross-validation."""

    def __init__(self, *, theta=1.0, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

    def _options(self):
        return {**super()._options(), "family": negative_binomial(self.theta)}


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
    """:class:`GammaNet` with alpha, and l1_ratio of a list, by cross-validation."""

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
    """:class:`TweedieNet` with alpha, and l1_ratio of a list, by cross-validation."""

    def __init__(self, *, power=1.5, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

    def _options(self):
        return {**super()._options(), "family": tweedie(self.power)}

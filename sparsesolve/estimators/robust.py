"""Robust regression for responses with outliers: Huber's loss."""

from sklearn.base import RegressorMixin

from sparsesolve.families import huber

from .base import TYPES, Net, read_pair, read_sample_weight
from .signatures import OneSided, OneSidedCV


class Robust(RegressorMixin, Net):
    """Base class of fits of a real response with Huber's loss."""

    _by_blocks = True

    def _read(self, X, y, sample_weight):
        X, y = read_pair(
            self, X, y, accept_sparse="csc", dtype=TYPES, order="F", y_numeric=True
        )
        return X, y, read_sample_weight(sample_weight, X.shape[0])

    def _options(self):
        return {**super()._options(), "family": huber(self.delta)}

    def predict(self, X):
        """Return predicted responses, (n,)."""
        return self._link(X)


class HuberNet(OneSided, Robust):
    """Huber's robust regression with the elastic-net penalty.

    Residuals beyond delta, in units of y, count linearly instead of squared.

    Parameters
    ----------
    delta : float, default 1.0
        The residual at which the loss changes from a square to a line.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import HuberNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = X[:, 0] + rng.standard_t(2, size=200)
    >>> model = HuberNet(alpha=0.2).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, alpha=0.01, *, delta=1.0, l1_ratio=1.0, fit_intercept=True,
                 standardize=False, positive=False, max_iter=None, tol=1e-10, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...


class HuberNetCV(OneSidedCV, Robust):
    """:class:`HuberNet` with alpha, and l1_ratio of a list, by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import HuberNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = X[:, 0] + rng.standard_t(2, size=200)
    >>> model = HuberNetCV(rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, *, delta=1.0, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

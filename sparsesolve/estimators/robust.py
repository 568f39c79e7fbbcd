"""Huber's robust regression, and regression of conditional quantiles."""

import numpy as np
from sklearn import linear_model
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sparsesolve.data import read_number
from sparsesolve.families import huber
from sparsesolve.families import quantile as family_of_quantile

from .base import TYPES, Net, read_pair, read_sample_weight
from .chosen import Chosen
from .margin import exported
from .signatures import AtAlpha, OneSided, OneSidedCV


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
    """:class:`HuberNet` with alpha, and l1_ratio of a list, by cross-validation."""

    def __init__(self, *, delta=1.0, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...


class Quantile(RegressorMixin, Net):
    """Base class of quantiles of a real response, with the pinball loss."""

    def _read(self, X, y, sample_weight):
        X, y = read_pair(
            self, X, y, accept_sparse="csc", dtype=TYPES, order="F", y_numeric=True
        )
        return X, np.asarray(y, dtype=float), read_sample_weight(sample_weight, X.shape[0])

    def _options(self):
        q = read_number("quantile", self.quantile, 0, 1, open_low=True, open_high=True)
        return {**super()._options(), "family": family_of_quantile(q)}

    def predict(self, X):
        """Return predicted quantiles, (n,)."""
        return self._link(X)

    def to_sklearn(self):
        """Return a fitted sklearn.linear_model.QuantileRegressor with the same coefficients."""
        check_is_fitted(self)
        alpha = getattr(self, "alpha_", None) or self.alpha
        return exported(self, linear_model.QuantileRegressor(quantile=self.quantile, alpha=alpha))


class QuantileRegressor(AtAlpha, Quantile):
    r"""Linear regression of a conditional quantile, with the l1 penalty or the elastic net.

    Minimises the mean pinball loss plus
    :math:`\alpha (\rho \lVert b \rVert_1 + (1 - \rho) \lVert b \rVert^2 / 2)`, with
    :math:`\rho` = l1_ratio.
    With the default l1_ratio this is the objective of scikit-learn's class of the same name.

    Parameters
    ----------
    quantile : float in (0, 1), default 0.5
        The quantile; 0.5 is the median.
    l1_ratio : float in [0, 1], default 1.0
        1 is the lasso's penalty, 0 ridge's.
    max_iter : int, default None
        Most steps; None means 100,000.
    solver, solver_options
        Parameters of scikit-learn, accepted and ignored: no external solver is called.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import QuantileRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> y = X[:, 0] + 0.2 * rng.normal(size=100)
    >>> model = QuantileRegressor(alpha=0.1, quantile=0.9).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, *, quantile=0.5, alpha=1.0, l1_ratio=1.0, fit_intercept=True, tol=1e-10,
                 max_iter=None, solver="highs", solver_options=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...


class QuantileRegressorCV(Chosen, Quantile):
    """:class:`QuantileRegressor` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    measure : str or callable, default "pinball"
        The score to compare: "pinball", "mae", "mse" or a function, as in
        :func:`sparsesolve.cv_path`.
    """

    def __init__(self, *, quantile=0.5, l1_ratio=1.0, eps=1e-3, alphas=20, fit_intercept=True,
                 measure="pinball", cv=None, rule="min", tol=1e-10, max_iter=None, verbose=False,
                 n_jobs=None, penalty_factor=None, lower=None, upper=None, exclude=None): ...

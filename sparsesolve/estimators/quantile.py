"""Conditional quantiles: QuantileRegressor and its CV form."""

import numpy as np
from sklearn import linear_model
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sparsesolve.data import read_number
from sparsesolve.families import quantile as family_of_quantile

from .base import TYPES, Net, read_pair, read_sample_weight
from .chosen import Chosen
from .margin import exported
from .signatures import AtAlpha


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
    >>> X = rng.normal(size=(200, 3))
    >>> y = X[:, 0] + rng.normal(size=200)
    >>> model = QuantileRegressor(quantile=0.9, alpha=0.01).fit(X, y)
    >>> np.mean(y <= model.predict(X)).round(2).item()
    0.9
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

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import QuantileRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> model = QuantileRegressorCV(alphas=5, rule="1se").fit(X, X[:, 0] + rng.normal(size=100))
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, *, quantile=0.5, l1_ratio=1.0, eps=1e-3, alphas=20, fit_intercept=True,
                 measure="pinball", cv=None, rule="min", tol=1e-10, max_iter=None, verbose=False,
                 n_jobs=None, penalty_factor=None, lower=None, upper=None, exclude=None): ...

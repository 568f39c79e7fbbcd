"""Classifiers with the logistic or multinomial loss and any penalty on the coefficients."""

from .classification import Logistic
from .signatures import AtAlpha, ByFolds


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
    >>> model.coef_.round(1)
    array([[0.1, 0.1, 0.1, 1.2, 1.2, 1.2]])
    """

    def __init__(self, alpha=0.01, *, penalty=None, fit_intercept=True, standardize=False,
                 class_weight=None, max_iter=None, tol=1e-7, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...


class PenalizedClassifierCV(ByFolds, PenalizedLogistic):
    """:class:`PenalizedClassifier` with alpha by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import penalties
    >>> from sparsesolve.estimators import PenalizedClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 6))
    >>> y = X @ [0, 0, 0, 2, 2, 2] + rng.logistic(size=200) > 0
    >>> model = PenalizedClassifierCV(penalty=penalties.Slope(), eps=0.01, rule="1se").fit(X, y)
    >>> bool((np.abs(model.coef_[0, 3:]) > np.abs(model.coef_[0, :3]).max()).all())
    True
    """

    def __init__(self, *, penalty=None, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, class_weight=None, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-7, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

"""Classifiers with the logistic or multinomial loss and any penalty on the coefficients."""

from .classification import Logistic
from .signatures import AtAlpha, ByFolds
from .structured import any_penalty


class PenalizedLogistic(Logistic):
    """Base class of classifiers with the penalty of the parameter `penalty`."""

    def _options(self):
        return self._under(any_penalty(self.penalty))


class PenalizedClassifier(AtAlpha, PenalizedLogistic):
    """Logistic regression with any penalty, multinomial for three classes or more.

    Minimises the mean of the log-losses plus ``alpha Omega(b)``. Omega may be the fused lasso,
    SLOPE, MCP, a trace norm, or overlapping groups.

    Parameters
    ----------
    alpha : float, default 0.01
        Strength of the penalty.
    penalty : object of `sparsesolve.penalties`, or one that keeps its contract, default None
        Omega; None is the l1 norm.
    fit_intercept : bool, default True
        Fit unpenalised intercepts.
    standardize : bool, default False
        Penalise coefficients of columns divided by their standard deviation.
    class_weight, max_iter, tol
        As in :class:`SparseLogisticRegression`, and so are the attributes; tol is 1e-7.

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
                 class_weight=None, max_iter=None, tol=1e-7):
        super().__init__(
            alpha, fit_intercept=fit_intercept, standardize=standardize, max_iter=max_iter, tol=tol
        )
        self.penalty = penalty
        self.class_weight = class_weight


class PenalizedClassifierCV(ByFolds, PenalizedLogistic):
    """:class:`PenalizedClassifier` with alpha by cross-validation.

    Parameters
    ----------
    penalty, fit_intercept, standardize, class_weight, max_iter, tol
        As in PenalizedClassifier.
    eps, alphas, measure, cv, verbose, n_jobs, rule
        As in :class:`SparseLogisticRegressionCV`; the attributes are the same.

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
                 max_iter=None, tol=1e-7, verbose=False, n_jobs=None):
        super().__init__(
            eps=eps, alphas=alphas, fit_intercept=fit_intercept, standardize=standardize,
            max_iter=max_iter, tol=tol, cv=cv, rule=rule, verbose=verbose, n_jobs=n_jobs,
        )  # fmt: skip
        self.penalty = penalty
        self.class_weight = class_weight
        self.measure = measure

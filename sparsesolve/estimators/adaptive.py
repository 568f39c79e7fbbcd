"""Least squares in two stages: the adaptive lasso."""

import numpy as np
from sklearn.model_selection import KFold
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import read_penalty_factor
from sparsesolve.selection.adaptive import adaptive_factors

from .base import warning_as_scikit_learn
from .linear import Linear
from .signatures import AtAlpha, ByFolds

# Contiguous folds by which the ridge regression of the first stage is chosen.
FOLDS = 5


class Adaptive(Linear):
    """Base class of the lasso with smaller penalties where a first fit is large."""

    _as_precise_as_X = False
    _by_blocks = False  # ridge regressions of folds choose the factors

    def _read(self, X, y, sample_weight):
        X, y, weights = super()._read(X, y, sample_weight)
        y = column_or_1d(y, warn=True)
        with warning_as_scikit_learn():
            self.penalty_factor_ = adaptive_factors(
                X, y, power=self.power, weights=weights, standardize=self.standardize,
                intercept=self.fit_intercept, folds=list(KFold(FOLDS).split(X)),
            )  # fmt: skip
        return X, y, weights

    def _options(self):
        options = super()._options()
        given = read_penalty_factor(options.get("penalty_factor"), len(self.penalty_factor_),
                                    labels=options.get("feature_names"))  # fmt: skip
        factors = self.penalty_factor_
        if given is not None:  # a feature without a penalty has none, although it was excluded
            factors = np.multiply(factors, given, out=np.zeros_like(factors), where=given > 0.0)
        return {**options, "penalty_factor": factors}


class AdaptiveLasso(AtAlpha, Adaptive):
    r"""The adaptive lasso: penalties are divided by a power of a ridge regression's coefficients.

    Minimises :math:`\lVert y - Xb \rVert^2 / (2n) + \alpha \sum_j v_j |b_j|`,
    with v scaled to mean 1.

    Parameters
    ----------
    power : float, default 1.0
        v_j is ``1 / |b_j|^power``, with b the coefficients of a ridge regression chosen by 5
        contiguous folds.
    penalty_factor : array-like (n_features,) or mapping from names or numbers, default None
        Multiplies v. Limits, too, hold for the second fit alone.
    standardize : bool, default False
        Penalise and compare coefficients of columns divided by their standard deviation.

    Attributes
    ----------
    penalty_factor_ : (p,)
        v, up to its scale.

    References
    ----------
    Zou (2006), "The adaptive lasso and its oracle properties".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import AdaptiveLasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> model = AdaptiveLasso(0.05).fit(X, X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=80))
    >>> np.flatnonzero(np.abs(model.coef_) > 0.5)
    array([0, 1])
    """

    def __init__(self, alpha=1.0, *, power=1.0, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-10, penalty_factor=None, lower=None, upper=None,
                 exclude=None): ...


class AdaptiveLassoCV(ByFolds, Adaptive):
    """:class:`AdaptiveLasso` with alpha by cross-validation.

    Factors come from all rows, so that scores are slightly optimistic; they still rank alphas.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import AdaptiveLassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> y = X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=80)
    >>> np.flatnonzero(AdaptiveLassoCV(rule="1se").fit(X, y).coef_)
    array([0, 1])
    """

    def __init__(self, *, power=1.0, eps=1e-3, alphas=100, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-10, cv=None, rule="min", verbose=False, n_jobs=None,
                 penalty_factor=None, lower=None, upper=None, exclude=None): ...

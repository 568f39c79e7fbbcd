"""Sparse logistic regression, of two classes or several, and probit regression of two."""

import numpy as np
from scipy import special

from sparsesolve.data.labels import refuse_missing_labels
from sparsesolve.families import probit

from .base import TYPES, Net, read_pair
from .classes import Classes
from .signatures import Penalised, PenalisedCV


class Logistic(Classes, Net):
    """Base class of classifiers: logistic loss for two classes, multinomial for three or more.

    Attributes
    ----------
    coef_ : (1, p) for two classes, else (K, p)
    intercept_ : (1,) or (K,)
    """

    _by_blocks = True

    def _read(self, X, y, sample_weight):
        """Return X, codes of the classes (n,), and weights."""
        refuse_missing_labels(y)
        X, y = read_pair(self, X, y, accept_sparse="csc", dtype=TYPES, order="F")
        return X, *self._read_classes(y, sample_weight)

    def _options(self):
        options = super()._options()
        return options if self._family == "multinomial" else {**options, "grouped": False}

    def _keep(self, fit, k):
        super()._keep(fit, k)
        self.coef_, self.intercept_ = np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)

    def decision_function(self, X):
        """Return linear predictors: (n,) of the second of two classes, or (n, K) of each class."""
        eta = self._link(X)
        return eta[:, 0] if len(self.classes_) == 2 else eta


class SparseLogisticRegression(Penalised, Logistic):
    """Logistic regression with the elastic-net penalty, multinomial for three classes or more.

    Minimises the mean of the log-losses plus ``alpha (l1_ratio ||b||_1 + (1 - l1_ratio) ||b||^2 /
    2)``: alpha is 1 / (C n) in scikit-learn's LogisticRegression.

    Parameters
    ----------
    fit_intercept : bool, default True
        Fit unpenalised intercepts.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import SparseLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> y = np.where(2 * X[:, 0] + rng.logistic(size=80) > 0, "sick", "well")
    >>> model = SparseLogisticRegression(alpha=0.1).fit(X, y)
    >>> np.flatnonzero(model.coef_[0])
    array([0])
    """

    def __init__(self, alpha=0.01, *, l1_ratio=1.0, fit_intercept=True, standardize=False,
                 grouped=False, class_weight=None, max_iter=None, tol=1e-10, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...


class SparseLogisticRegressionCV(PenalisedCV, Logistic):
    """:class:`SparseLogisticRegression` with alpha, and l1_ratio of a list, by cross-validation.

    Attributes
    ----------
    score_path_ : (L, K) or (R, L, K)
        The measure on each of K folds.
    """

    def __init__(self, *, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, grouped=False, class_weight=None, measure="deviance", cv=None,
                 rule="min", max_iter=None, tol=1e-10, verbose=False, n_jobs=None,
                 penalty_factor=None, lower=None, upper=None, exclude=None): ...


class Probit(Logistic):
    """Base class for two classes; the second has the probability Phi(b0 + x'b)."""

    def _read_classes(self, y, sample_weight):
        codes, weights = super()._read_classes(y, sample_weight)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported: y holds {len(self.classes_)} classes; "
                "use SparseLogisticRegression"
            )
        return codes, weights

    def _options(self):
        return {**super()._options(), "family": probit()}

    def predict_proba(self, X):
        """Return probabilities (n, 2) of the classes, in the order of ``classes_``."""
        eta = self.decision_function(X)
        return special.ndtr([-eta, eta]).T

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, (n, 2)."""
        eta = self.decision_function(X)
        return special.log_ndtr([-eta, eta]).T

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class ProbitNet(Penalised, Probit):
    """Probit regression of two classes with the elastic-net penalty.

    The second class in sorted order has the probability Phi(b0 + x'b).

    Attributes
    ----------
    classes_ : (2,)
    coef_ : (1, p)
    intercept_ : (1,)

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import ProbitNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = np.where(X[:, 0] + rng.normal(size=200) > 0, "sick", "well")
    >>> model = ProbitNet(alpha=0.1).fit(X, y)
    >>> np.flatnonzero(model.coef_[0])
    array([0])
    """

    def __init__(self, alpha=0.01, *, class_weight=None, l1_ratio=1.0, fit_intercept=True,
                 standardize=False, max_iter=None, tol=1e-10, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...


class ProbitNetCV(PenalisedCV, Probit):
    """:class:`ProbitNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    measure : str or callable, default "deviance"
        The score to compare: "deviance", "class", "auc" or a function, as in
        :func:`sparsesolve.cv_path`.
    """

    def __init__(self, *, class_weight=None, l1_ratio=1.0, eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

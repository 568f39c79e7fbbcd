"""Probit regression of two classes."""

from scipy import special

from sparsesolve.families import probit

from .classification import Logistic
from .signatures import Penalised, PenalisedCV


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

    Parameters
    ----------
    alpha : float, default 0.01
        Strength of the penalty.
    l1_ratio, fit_intercept, standardize, max_iter, tol
        As in :class:`SparseLogisticRegression`.
    class_weight : dict, "balanced" or None, default None
        As in scikit-learn.

    Attributes
    ----------
    classes_ : (2,)
    coef_ : (1, p)
    intercept_ : (1,)
    gap_ : float
    n_iter_ : int

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
                 standardize=False, max_iter=None, tol=1e-10):
        super().__init__(
            alpha, l1_ratio=l1_ratio, fit_intercept=fit_intercept, standardize=standardize,
            max_iter=max_iter, tol=tol,
        )  # fmt: skip
        self.class_weight = class_weight


class ProbitNetCV(PenalisedCV, Probit):
    """:class:`ProbitNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    l1_ratio, fit_intercept, standardize, class_weight, max_iter, tol
        As in ProbitNet; l1_ratio may be a list.
    eps, alphas, cv, verbose, n_jobs, rule
        As in :class:`ElasticNetCV`.
    measure : str or callable, default "deviance"
        The score to compare: "deviance", "class", "auc" or a function, as in
        :func:`sparsesolve.cv_path`.

    Attributes
    ----------
    alpha_, l1_ratio_, alphas_, score_path_, cv_path_
        As in :class:`SparseLogisticRegressionCV`.
    classes_, coef_, intercept_, gap_, n_iter_
        As in ProbitNet.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import ProbitNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = np.where(X[:, 0] + rng.normal(size=200) > 0, "sick", "well")
    >>> model = ProbitNetCV(rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_[0])
    array([0])
    """

    def __init__(self, *, class_weight=None, l1_ratio=1.0, eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None):
        super().__init__(
            l1_ratio=l1_ratio, eps=eps, alphas=alphas, fit_intercept=fit_intercept,
            standardize=standardize, measure=measure, cv=cv, rule=rule,
            max_iter=max_iter, tol=tol, verbose=verbose, n_jobs=n_jobs,
        )  # fmt: skip
        self.class_weight = class_weight

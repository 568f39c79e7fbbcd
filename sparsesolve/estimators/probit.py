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
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

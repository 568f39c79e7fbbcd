"""Sparse logistic regression, of two classes or several."""

import numpy as np

from sparsesolve.data.labels import refuse_missing_labels

from .base import TYPES, Net, read_pair
from .classes import Classes
from .signatures import Penalised, PenalisedCV


class Logistic(Classes, Net):
    """Base class of classifiers: logistic loss for two classes, multinomial for three or more."""

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
    alpha : float, default 0.01
        Strength of the penalty.
    l1_ratio : float in [0, 1], default 1.0
        1 is the lasso, 0 ridge regression.
    fit_intercept : bool, default True
        Fit unpenalised intercepts.
    standardize : bool, default False
        Penalise coefficients of columns divided by their standard deviation.
    grouped : bool, default False
        With several classes, select each feature for all or for none.
    class_weight : dict, "balanced" or None, default None
        As in scikit-learn.
    max_iter : int, default None
        Most Newton steps and sweeps; None means 100,000.
    tol : float, default 1e-10
        Duality gap to reach, relative to the loss of the model without features.

    Attributes
    ----------
    classes_ : (K,)
    coef_ : (1, p) for two classes, else (K, p)
    intercept_ : (1,) or (K,)
    gap_ : float
    n_iter_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsesolve.estimators import SparseLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SparseLogisticRegression(alpha=0.05).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.95
    """

    def __init__(self, alpha=0.01, *, l1_ratio=1.0, fit_intercept=True, standardize=False,
                 grouped=False, class_weight=None, max_iter=None, tol=1e-10):
        super().__init__(
            alpha, l1_ratio=l1_ratio, fit_intercept=fit_intercept, standardize=standardize,
            max_iter=max_iter, tol=tol,
        )  # fmt: skip
        self.grouped = grouped
        self.class_weight = class_weight


class SparseLogisticRegressionCV(PenalisedCV, Logistic):
    """:class:`SparseLogisticRegression` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    l1_ratio, fit_intercept, standardize, grouped, class_weight, max_iter, tol
        As in SparseLogisticRegression; l1_ratio may be a list.
    eps, alphas, cv, verbose, n_jobs, rule
        As in :class:`ElasticNetCV`; None means 5 stratified folds.
    measure : str or callable, default "deviance"
        The score to compare: "deviance", "class", "auc" (two classes), "mse", "mae", or a
        function as in :func:`sparsesolve.cv_path`.

    Attributes
    ----------
    alpha_, l1_ratio_, alphas_, cv_path_
        As in ElasticNetCV.
    score_path_ : (L, K) or (R, L, K)
        The measure on each of K folds.
    classes_, coef_, intercept_, gap_, n_iter_
        As in SparseLogisticRegression.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import SparseLogisticRegressionCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> y = np.where(2 * X[:, 0] + rng.logistic(size=80) > 0, "sick", "well")
    >>> model = SparseLogisticRegressionCV(rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_[0])
    array([0])
    """

    def __init__(self, *, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, grouped=False, class_weight=None, measure="deviance", cv=None,
                 rule="min", max_iter=None, tol=1e-10, verbose=False, n_jobs=None):
        super().__init__(
            l1_ratio=l1_ratio, eps=eps, alphas=alphas, fit_intercept=fit_intercept,
            standardize=standardize, measure=measure, cv=cv, rule=rule, max_iter=max_iter,
            tol=tol, verbose=verbose, n_jobs=n_jobs,
        )  # fmt: skip
        self.grouped = grouped
        self.class_weight = class_weight

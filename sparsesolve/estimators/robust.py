"""Real responses with outliers: Huber's loss."""

from sklearn.base import RegressorMixin

from sparsesolve.families import huber

from .base import TYPES, Net, read_pair, read_sample_weight
from .chosen import Chosen


class Robust(RegressorMixin, Net):
    """A real response fitted by Huber's loss."""

    def _read(self, X, y, sample_weight):
        X, y = read_pair(
            self, X, y, accept_sparse="csc", dtype=TYPES, order="F", y_numeric=True
        )
        return X, y, read_sample_weight(sample_weight, X.shape[0])

    def _options(self):
        return {**super()._options(), "family": huber(self.delta)}

    def predict(self, X):
        """Predicted responses, (n,)."""
        return self._link(X)


class HuberNet(Robust):
    """Huber's robust regression with the elastic-net penalty.

    Residuals beyond delta, in units of y, count linearly in place of squared.

    Parameters
    ----------
    alpha : float, default 0.01
        Strength of the penalty.
    delta : float, default 1.0
        Where the loss turns from a square to a line.
    l1_ratio, fit_intercept, standardize, max_iter, tol
        As in :class:`SparseLogisticRegression`.
    positive : bool, default False
        Allow no negative coefficient.

    Attributes
    ----------
    coef_ : (p,)
    intercept_ : float
    gap_ : float
    n_iter_ : int

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
                 standardize=False, positive=False, max_iter=None, tol=1e-10):
        self.alpha = alpha
        self.delta = delta
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.positive = positive
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,); only ratios of sample_weight (n,) matter."""
        self._solve(*self._read(X, y, sample_weight))
        return self


class HuberNetCV(Chosen, Robust):
    """:class:`HuberNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    delta, l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in HuberNet; l1_ratio may be a list.
    eps, alphas, cv, verbose, n_jobs, rule
        As in :class:`ElasticNetCV`.
    measure : str or callable, default "deviance"
        What is compared: "deviance", "mse", "mae" or a function, as in
        :func:`sparsesolve.cv_path`.

    Attributes
    ----------
    alpha_, l1_ratio_, alphas_, score_path_, cv_path_
        As in :class:`SparseLogisticRegressionCV`.
    coef_, intercept_, gap_, n_iter_
        As in HuberNet.

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
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None):
        self.delta = delta
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.positive = positive
        self.measure = measure
        self.cv = cv
        self.rule = rule
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        self._solve_cv(*self._read(X, y, sample_weight), params)
        return self

"""Counts and rates: Poisson regression."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_tweedie_score
from sklearn.utils.validation import validate_data

from sparsesolve.data import read_weights, real_array

from .base import TYPES, Net
from .chosen import Chosen


class Poisson(RegressorMixin, Net):
    """Responses of mean exp(b0 + x'b)."""

    _family = "poisson"

    def _read(self, X, y, sample_weight):
        if np.asarray(y).dtype.kind in "US":
            real_array("y", y)  # says it better
        X, y = validate_data(
            self, X, y, accept_sparse="csc", dtype=TYPES, order="F", y_numeric=True
        )
        weights = read_weights(sample_weight, X.shape[0], "sample_weight")
        return X, np.asarray(y, dtype=np.float64), weights

    def predict(self, X):
        """Expected counts, (n,)."""
        with np.errstate(over="ignore"):
            return np.exp(self._link(X))

    def score(self, X, y, sample_weight=None):
        """The fraction of the deviance explained."""
        return d2_tweedie_score(y, self.predict(X), sample_weight=sample_weight, power=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


class PoissonNet(Poisson):
    """Poisson regression with the elastic-net penalty and a log link.

    Parameters
    ----------
    alpha : float, default 0.01
        Strength of the penalty.
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

    Notes
    -----
    Counts over different exposures: fit the rates, counts / exposure, with
    ``sample_weight=exposure``.

    Examples
    --------
    >>> from sparsesolve.estimators import PoissonNet
    >>> model = PoissonNet(alpha=0.1).fit([[0.0], [1.0], [2.0], [3.0]], [1, 2, 4, 9])
    >>> model.predict([[1.5]]).round(2)
    array([2.96])
    """

    def __init__(self, alpha=0.01, *, l1_ratio=1.0, fit_intercept=True, standardize=False,
                 positive=False, max_iter=None, tol=1e-10):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.positive = positive
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,) of at least 0; only ratios of sample_weight (n,) matter."""
        self._solve(*self._read(X, y, sample_weight))
        return self


class PoissonNetCV(Chosen, Poisson):
    """:class:`PoissonNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in PoissonNet; l1_ratio may be a list.
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
        As in PoissonNet.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import PoissonNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> model = PoissonNetCV(rule="1se").fit(X, rng.poisson(np.exp(X[:, 0])))
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, *, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None):
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

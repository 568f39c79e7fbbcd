"""Counts and rates: Poisson regression."""

from .chosen import Chosen
from .glm import LogLink


class PoissonNet(LogLink):
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


class PoissonNetCV(Chosen, LogLink):
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

"""Amounts, costs and counts of wide spread: gamma, Tweedie and negative binomial regression."""

from sparsesolve.families import gamma, negative_binomial, tweedie

from .chosen import Chosen
from .glm import LogLink


class GammaNet(LogLink):
    """Gamma regression with the elastic-net penalty and a log link.

    For positive amounts whose standard deviation grows with their mean.

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

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import GammaNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.gamma(2.0, np.exp(X[:, 0]) / 2.0)
    >>> model = GammaNet(alpha=0.1).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
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

    def _options(self):
        return {**super()._options(), "family": gamma()}

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,) above 0; only ratios of sample_weight (n,) matter."""
        self._solve(*self._read(X, y, sample_weight))
        return self


class GammaNetCV(Chosen, LogLink):
    """:class:`GammaNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in GammaNet; l1_ratio may be a list.
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
        As in GammaNet.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import GammaNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.gamma(2.0, np.exp(X[:, 0]) / 2.0)
    >>> model = GammaNetCV(rule="1se").fit(X, y)
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

    def _options(self):
        return {**super()._options(), "family": gamma()}

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        self._solve_cv(*self._read(X, y, sample_weight), params)
        return self


class TweedieNet(LogLink):
    """Tweedie regression with the elastic-net penalty and a log link.

    For amounts with zeros among them, of variance proportional to mean^power.

    Parameters
    ----------
    alpha : float, default 0.01
        Strength of the penalty.
    power : float in (1, 2), default 1.5
        Near 1 as Poisson's, near 2 as gamma's.
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
    >>> from sparsesolve.estimators import TweedieNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.gamma(2.0, np.exp(X[:, 0]) / 2.0) * (rng.random(200) < 0.7)
    >>> model = TweedieNet(alpha=0.1).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, alpha=0.01, *, power=1.5, l1_ratio=1.0, fit_intercept=True,
                 standardize=False, positive=False, max_iter=None, tol=1e-10):
        self.alpha = alpha
        self.power = power
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.positive = positive
        self.max_iter = max_iter
        self.tol = tol

    def _options(self):
        return {**super()._options(), "family": tweedie(self.power)}

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,) of at least 0; only ratios of sample_weight (n,) matter."""
        self._solve(*self._read(X, y, sample_weight))
        return self


class TweedieNetCV(Chosen, LogLink):
    """:class:`TweedieNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    power, l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in TweedieNet; l1_ratio may be a list.
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
        As in TweedieNet.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import TweedieNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.gamma(2.0, np.exp(X[:, 0]) / 2.0) * (rng.random(200) < 0.7)
    >>> model = TweedieNetCV(rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, *, power=1.5, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None):
        self.power = power
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

    def _options(self):
        return {**super()._options(), "family": tweedie(self.power)}

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        self._solve_cv(*self._read(X, y, sample_weight), params)
        return self


class NegativeBinomialNet(LogLink):
    """Negative binomial regression with the elastic-net penalty and a log link.

    For counts that spread wider than Poisson's: of variance mean + mean^2 / theta.

    Parameters
    ----------
    alpha : float, default 0.01
        Strength of the penalty.
    theta : float, default 1.0
        The larger, the nearer to Poisson's.
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
    >>> from sparsesolve.estimators import NegativeBinomialNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.poisson(rng.gamma(2.0, np.exp(X[:, 0]) / 2.0))
    >>> model = NegativeBinomialNet(alpha=0.1).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, alpha=0.01, *, theta=1.0, l1_ratio=1.0, fit_intercept=True,
                 standardize=False, positive=False, max_iter=None, tol=1e-10):
        self.alpha = alpha
        self.theta = theta
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.positive = positive
        self.max_iter = max_iter
        self.tol = tol

    def _options(self):
        return {**super()._options(), "family": negative_binomial(self.theta)}

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,) of at least 0; only ratios of sample_weight (n,) matter."""
        self._solve(*self._read(X, y, sample_weight))
        return self


class NegativeBinomialNetCV(Chosen, LogLink):
    """:class:`NegativeBinomialNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    theta, l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in NegativeBinomialNet; l1_ratio may be a list.
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
        As in NegativeBinomialNet.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import NegativeBinomialNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = rng.poisson(rng.gamma(2.0, np.exp(X[:, 0]) / 2.0))
    >>> model = NegativeBinomialNetCV(rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, *, theta=1.0, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None):
        self.theta = theta
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

    def _options(self):
        return {**super()._options(), "family": negative_binomial(self.theta)}

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        self._solve_cv(*self._read(X, y, sample_weight), params)
        return self

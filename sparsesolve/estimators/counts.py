"""Counts and rates: Poisson and negative binomial regression."""

from sparsesolve.families import negative_binomial

from .glm import LogLink
from .signatures import OneSided, OneSidedCV


class PoissonNet(OneSided, LogLink):
    """Poisson regression with the elastic-net penalty and a log link.

    Parameters
    ----------
    alpha : float, default 0.01
        Strength of the penalty.
    l1_ratio, fit_intercept, standardize, max_iter, tol
        As in :class:`SparseLogisticRegression`.
    positive : bool, default False
        Keep coefficients nonnegative.

    Attributes
    ----------
    coef_ : (p,)
    intercept_ : float
    gap_ : float
    n_iter_ : int

    Notes
    -----
    For counts over different exposures, fit the rates, counts / exposure, with
    ``sample_weight=exposure``.

    Examples
    --------
    >>> from sparsesolve.estimators import PoissonNet
    >>> model = PoissonNet(alpha=0.1).fit([[0.0], [1.0], [2.0], [3.0]], [1, 2, 4, 9])
    >>> model.predict([[1.5]]).round(2)
    array([2.96])
    """


class PoissonNetCV(OneSidedCV, LogLink):
    """:class:`PoissonNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in PoissonNet; l1_ratio may be a list.
    eps, alphas, cv, verbose, n_jobs, rule
        As in :class:`ElasticNetCV`.
    measure : str or callable, default "deviance"
        The score to compare: "deviance", "mse", "mae" or a function, as in
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


class NegativeBinomialNet(OneSided, LogLink):
    """Negative binomial regression with the elastic-net penalty and a log link.

    For overdispersed counts, of variance mean + mean^2 / theta.

    Parameters
    ----------
    theta : float, default 1.0
        Larger values are closer to Poisson.
    alpha, l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in :class:`PoissonNet`; the attributes are the same.

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
        super().__init__(
            alpha, l1_ratio=l1_ratio, fit_intercept=fit_intercept, standardize=standardize,
            positive=positive, max_iter=max_iter, tol=tol,
        )  # fmt: skip
        self.theta = theta

    def _options(self):
        return {**super()._options(), "family": negative_binomial(self.theta)}


class NegativeBinomialNetCV(OneSidedCV, LogLink):
    """:class:`NegativeBinomialNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    theta, l1_ratio, fit_intercept, standardize, positive, max_iter, tol
        As in NegativeBinomialNet; l1_ratio may be a list.
    eps, alphas, measure, cv, verbose, n_jobs, rule
        As in :class:`PoissonNetCV`; the attributes are the same.

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
        super().__init__(
            l1_ratio=l1_ratio, eps=eps, alphas=alphas, fit_intercept=fit_intercept,
            standardize=standardize, positive=positive, measure=measure, cv=cv, rule=rule,
            max_iter=max_iter, tol=tol, verbose=verbose, n_jobs=n_jobs,
        )  # fmt: skip
        self.theta = theta

    def _options(self):
        return {**super()._options(), "family": negative_binomial(self.theta)}

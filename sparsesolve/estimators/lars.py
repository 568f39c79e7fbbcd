"""Lars and its CV form: least angle regression, with scikit-learn's names and conventions."""

import numpy as np

from sparsesolve.data import read_count

from .knots import Knots, KnotsCV
from .linear import ByColumn

# The default of `eps`, as in scikit-learn.
EPS = float(np.finfo(float).eps)


class Lars(Knots, ByColumn):
    """Least angle regression: features join one by one and stay.

    Parameters
    ----------
    fit_intercept : bool, default True
        Fit an unpenalised intercept.
    n_nonzero_coefs : int, default 500
        Most features.
    verbose, precompute, eps, copy_X, fit_path, jitter, random_state
        Parameters of scikit-learn, accepted and ignored: ties need no jitter.

    Attributes
    ----------
    coef_ : (p,), or (K, p) for y of K columns, which are fitted one by one
    intercept_ : float or (K,)
    alphas_ : (L,), or a list of K
        Largest correlation with the residual at each step, over n; decreasing.
    coef_path_ : (p, L), or a list of K
        Coefficients at the steps.
    active_ : list of int, or K of them
        Features with a nonzero coefficient, ascending.
    gap_ : float or (K,)
        The largest deviation of a correlation from the definition of the path, over the first
        alpha.
    n_iter_ : int or list of K

    Examples
    --------
    >>> from sparsesolve.estimators import Lars
    >>> model = Lars(n_nonzero_coefs=1).fit([[-1, 1], [0, 0], [1, 1]], [-1.1111, 0, -1.1111])
    >>> model.coef_.round(4)
    array([ 0.    , -1.1111])
    """

    _method = "lar"
    _lists = ("n_iter_", "active_", "alphas_", "coef_path_")

    def __init__(self, *, fit_intercept=True, verbose=False, precompute="auto",
                 n_nonzero_coefs=500, eps=EPS, copy_X=True, fit_path=True, jitter=None,
                 random_state=None):
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.n_nonzero_coefs = n_nonzero_coefs
        self.eps = eps
        self.copy_X = copy_X
        self.fit_path = fit_path
        self.jitter = jitter
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p), dense, sparse or a frame, and y (n,) or (n, K).

        Only ratios of sample_weight (n,) matter.
        """
        return self._solve_columns(*self._read(X, y, sample_weight))

    def _solve(self, X, y, weights):
        most = read_count("n_nonzero_coefs", self.n_nonzero_coefs, 1)
        self._end(X, y, weights, 0.0, most)


class LarsCV(KnotsCV):
    """:class:`Lars` with the number of steps by cross-validation.

    Parameters
    ----------
    fit_intercept, verbose, precompute, eps, copy_X
        As in Lars.
    max_iter : int, default 500
        Most steps.
    cv : int, splitter or iterable, default None
        Folds as scikit-learn takes them; None means 5 contiguous folds.
    max_n_alphas : int, default 1000
        With more than k times this many steps, every k-th is compared.
    n_jobs : int, default None
        Accepted and ignored.

    Attributes
    ----------
    alpha_, cv_alphas_, mse_path_
        As in :class:`LassoLarsCV`.
    coef_, intercept_, alphas_, coef_path_, active_, gap_, n_iter_
        As in Lars, of the path down to `alpha_`.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import LarsCV
    >>> X, y = make_regression(n_samples=200, noise=4.0, random_state=0)
    >>> round(LarsCV(cv=5).fit(X, y).score(X, y), 4)
    0.9997
    """

    _method = "lar"

    def __init__(self, *, fit_intercept=True, verbose=False, max_iter=500, precompute="auto",
                 cv=None, max_n_alphas=1000, n_jobs=None, eps=EPS, copy_X=True):
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.max_iter = max_iter
        self.precompute = precompute
        self.cv = cv
        self.max_n_alphas = max_n_alphas
        self.n_jobs = n_jobs
        self.eps = eps
        self.copy_X = copy_X

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
    n_nonzero_coefs : int, default 500
        Most features.

    Attributes
    ----------
    alphas_ : (L,), or a list of K
        Largest correlation with the residual at each step, over n; decreasing.
    coef_path_ : (p, L), or a list of K
        Coefficients at the steps.
    active_ : list of int, or K of them
        Features with a nonzero coefficient, ascending.
    gap_ : float or (K,)
        The largest deviation of a correlation from the definition of the path, over the first
        alpha.

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
                 random_state=None): ...

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
    max_iter : int, default 500
        Most steps.
    max_n_alphas : int, default 1000
        With more than k times this many steps, every k-th is compared.
    n_jobs : int, default None
        Accepted and ignored.

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
                 cv=None, max_n_alphas=1000, n_jobs=None, eps=EPS, copy_X=True): ...

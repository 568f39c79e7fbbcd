"""LassoLars, Lars and LassoLarsIC: paths from knot to knot, with scikit-learn's names.
"""

import numpy as np
from scipy.optimize import nnls
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import read_choice, read_count, read_number
from sparsesolve.paths.lars import lars_path
from sparsesolve.results.cv_path import choose

from .base import warning_as_scikit_learn
from .chosen import Folded, fold_summary, only, refuse_untrainable
from .linear import ByColumn, Linear


class Knots(Linear):
    """Base class: follow the path from the empty model down to `alpha`, and keep its end.

    Parameters
    ----------
    verbose, precompute, eps, copy_X, fit_path, jitter, random_state
        Parameters of scikit-learn, accepted and ignored: ties need no jitter.
    """

    _method = "lasso"
    _by_blocks = False

    def _options(self):
        return {"family": self._family}

    def _follow(self, X, y, weights, alpha, max_steps=None):
        steps = getattr(self, "max_iter", None) if max_steps is None else max_steps
        factors = {}
        if self._restricted():
            factors = {"penalty_factor": self.penalty_factor,
                       "feature_names": getattr(self, "feature_names_in_", None)}  # fmt: skip
        with warning_as_scikit_learn():
            return lars_path(
                X, y, weights=weights, lambda_min=alpha, max_steps=steps, method=self._method,
                positive=getattr(self, "positive", False), intercept=self.fit_intercept,
                standardize=False, **factors,
            )  # fmt: skip

    def _solve(self, X, y, weights):
        self._end(X, y, weights, read_number("alpha", self.alpha, 0.0, np.inf))

    def _end(self, X, y, weights, alpha, max_steps=None):
        fit = self._follow(X, y, weights, alpha, max_steps)
        self._keep(fit, -1)
        self._round(X, y, weights)
        self.alphas_ = np.array(fit.lambdas)
        self.coef_path_ = fit.coefs.toarray().astype(X.dtype)
        self.active_ = np.flatnonzero(self.coef_).tolist()
        self.n_iter_ = max(len(fit.lambdas) - 1, 1)

    def _penalty_of(self, coef):
        """Return the lasso penalty at the alpha where the path ends."""
        return float(self._last_alpha * np.abs(coef.astype(float)).sum())

    def _keep(self, fit, k):
        super()._keep(fit, k)
        self._last_alpha = float(fit.lambdas[k]) if self._method == "lasso" else 0.0


class LassoLars(Knots, ByColumn):
    r"""The lasso, computed by following its path from knot to knot.

    Minimises :math:`\lVert y - Xb \rVert^2 / (2n) + \alpha \lVert b \rVert_1`,
    and keeps every knot above alpha.

    Parameters
    ----------
    alpha : float, default 1.0
        Strength of the penalty; 0 is least squares.
    max_iter : int, default None
        Most steps; the path may then end above alpha. None means no limit.

    Attributes
    ----------
    alphas_ : (L,), or a list of K
        The knots, decreasing; the last is alpha.
    coef_path_ : (p, L), or a list of K
        Coefficients at the knots.
    active_ : list of int, or K of them
        Features with a nonzero coefficient, ascending.

    Examples
    --------
    >>> from sparsesolve.estimators import LassoLars
    >>> LassoLars(alpha=0.01).fit([[-1, 1], [0, 0], [1, 1]], [-1, 0, -1]).coef_.round(3)
    array([ 0.   , -0.955])
    """

    _lists = ("n_iter_", "active_", "alphas_", "coef_path_")

    def __init__(self, alpha=1.0, *, fit_intercept=True, verbose=False, precompute="auto",
                 max_iter=None, eps=None, copy_X=True, fit_path=True, positive=False, jitter=None,
                 random_state=None, penalty_factor=None): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p), dense, sparse or a frame, and y (n,) or (n, K).

        Only ratios of sample_weight (n,) matter.
        """
        return self._solve_columns(*self._read(X, y, sample_weight))


class KnotsCV(Folded, Knots):
    """Base class: choose alpha by cross-validation over the knots of all folds."""

    def _solve_cv(self, X, y, weights, params):
        y = column_or_1d(y, warn=True)
        weights = np.ones(len(y)) if weights is None else weights
        folds = self._folds(X, y, params)
        refuse_untrainable(y, weights, folds)
        fits = [self._follow(X, y, only(weights, train), 0.0) for train, _ in folds]
        alphas = np.unique(np.concatenate([fit.lambdas for fit in fits]))
        alphas = alphas[:: max(1, len(alphas) // read_count("max_n_alphas", self.max_n_alphas, 1))]
        scores = np.array([
            mean_squares(y[test], fit.predict(X[test], alphas), weights[test])
            for fit, (_, test) in zip(fits, folds, strict=True)
        ])  # fmt: skip
        mean, std = fold_summary(scores[:, ::-1], folds)
        self.alpha_ = float(alphas[::-1][choose(mean, std, False)[0]])
        self.cv_alphas_, self.mse_path_ = alphas, scores.T
        self._end(X, y, weights, self.alpha_)


class LassoLarsCV(KnotsCV):
    """:class:`LassoLars` with alpha by cross-validation over the knots of all folds.

    Every fold is followed to alpha = 0 and is exact at the knots of the others. No grid is made.

    Parameters
    ----------
    max_n_alphas : int, default 1000
        With more than k times this many knots, every k-th is compared.
    n_jobs : int, default None
        Accepted and ignored.

    Attributes
    ----------
    alpha_ : float
        The chosen alpha.
    cv_alphas_ : (A,)
        Knots of all folds, ascending.
    mse_path_ : (A, F)
        Mean squared error on each of F folds.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import LassoLarsCV
    >>> X, y = make_regression(noise=4.0, random_state=0)
    >>> round(LassoLarsCV(cv=5).fit(X, y).alpha_, 3)
    0.397
    """

    def __init__(self, *, fit_intercept=True, verbose=False, max_iter=None, precompute="auto",
                 cv=None, max_n_alphas=1000, n_jobs=None, eps=None, copy_X=True, positive=False,
                 penalty_factor=None): ...


def mean_squares(y, predicted, weights):
    """Return the mean squared error of each column of predictions (m, L); NaN without weight."""
    with np.errstate(invalid="ignore"):
        return weights @ (y[:, None] - predicted) ** 2 / weights.sum()


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


class LassoLarsIC(Knots):
    r""":class:`LassoLars` with alpha by Akaike's or the Bayesian information criterion.

    At each knot the criterion is, with noise variance s^2 and df nonzero coefficients,

    .. math:: n \log(2 \pi s^2) + \lVert y - Xb \rVert^2 / s^2 + c\, \mathrm{df}

    with c = 2 ("aic") or log n ("bic").

    Parameters
    ----------
    criterion : {"aic", "bic"}, default "aic"
        What a degree of freedom costs: 2, or log n.
    max_iter : int, default 500
        Most steps.
    noise_variance : float, default None
        s^2. None means the residual variance of least squares on all features, which needs more
        rows than features.

    Attributes
    ----------
    alpha_ : float
        The chosen alpha.
    alphas_ : (L,)
        The knots, decreasing.
    criterion_ : (L,)
        The criterion at the knots.
    noise_variance_ : float
    intercept_, gap_, dual_gap_ : float
        At the chosen knot.
    n_iter_ : int
        Steps of the path.

    References
    ----------
    Zou, Hastie, Tibshirani (2007), "On the degrees of freedom of the lasso".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import LassoLarsIC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 6))
    >>> model = LassoLarsIC("bic").fit(X, X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=80))
    >>> np.flatnonzero(model.coef_)
    array([0, 1])
    """

    def __init__(self, criterion="aic", *, fit_intercept=True, verbose=False, precompute="auto",
                 max_iter=500, eps=EPS, copy_X=True, positive=False, noise_variance=None,
                 penalty_factor=None): ...

    def fit(self, X, y, copy_X=None):
        """Fit to X (n, p) and y (n,); copy_X is ignored, because X is never changed."""
        X, y, _ = self._read(X, y, None)
        y, n = column_or_1d(y, warn=True).astype(float), X.shape[0]
        criterion = read_choice("criterion", self.criterion, ["aic", "bic"])
        cost = 2.0 if criterion == "aic" else np.log(n)
        self.noise_variance_ = self._variance(X, y)
        fit = self._follow(X, y, None, 0.0)
        squares = ((y[:, None] - fit.predict(X)) ** 2).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            fits = n * np.log(2.0 * np.pi * self.noise_variance_) + squares / self.noise_variance_
        self.criterion_, self.alphas_ = fits + cost * fit.df, np.array(fit.lambdas)
        best = int(np.argmin(self.criterion_))
        self.alpha_ = float(self.alphas_[best])
        self._keep(fit, best)
        self._round(X, y, None)
        self.n_iter_ = max(len(fit.lambdas) - 1, 1)
        return self

    def _variance(self, X, y):
        """Return the given noise variance, or that of least squares, at the end of the path."""
        if self.noise_variance is not None:
            return read_number("noise_variance", self.noise_variance, 0.0, np.inf, open_low=True)
        n, p = X.shape
        left = n - p - bool(self.fit_intercept)
        if left <= 0:
            raise ValueError(
                f"X has n_samples = {n} and n_features = {p}, so that least squares leaves no "
                "residual to tell the noise from; give noise_variance"
            )
        centre = y.mean() if self.fit_intercept else 0.0
        columns = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=float)
        columns = columns - columns.mean(axis=0) if self.fit_intercept else columns
        if self.positive:
            coef = nnls(columns, y - centre)[0]
        else:
            coef = np.linalg.lstsq(columns, y - centre, rcond=None)[0]
        residual = y - centre - columns @ coef
        return float(residual @ residual) / left

"""LassoLarsIC: the knot of the lasso path with the least information criterion."""

import numpy as np
from scipy.optimize import nnls
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import read_choice, read_number

from .knots import Knots
from .lars import EPS


class LassoLarsIC(Knots):
    r""":class:`LassoLars` with alpha by Akaike's or the Bayesian information criterion.

    At each knot the criterion is, with noise variance s^2 and df nonzero coefficients,

    .. math:: n \log(2 \pi s^2) + \lVert y - Xb \rVert^2 / s^2 + c\, \mathrm{df}

    with c = 2 ("aic") or log n ("bic").

    Parameters
    ----------
    criterion : {"aic", "bic"}, default "aic"
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

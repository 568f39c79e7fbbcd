"""Information criteria along a path: a choice of lambda without held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, by_rows, read_number
from sparsesolve.results.predictor import predictor_of
from sparsesolve.results.status import warn
from sparsesolve.selection.measures import Scores

LEAST_SQUARES = ("gaussian", "multigaussian")


@answers_keywords()
@by_rows("y", "weights", "offset")
def criteria(fit: Any, X: Any, y: Any, *, gamma: float = 0.5,
             noise_variance: float | None = None, weights: ArrayLike | None = None,
             offset: ArrayLike | None = None, lengths: ArrayLike | None = None) -> Scores:
    """Compute AIC, AICc, BIC, EBIC and GCV at every lambda of a path; smaller is better.

    D is the deviance. df counts nonzero coefficients and intercepts (K - 1 for multinomial);
    under total variation it counts pieces, under SLOPE clusters, and under a trace norm the
    dimension of matrices of that rank. n is the number of rows of positive weight (deaths
    for cox, K times the rows for K real responses, trials for counts of successes):

        aic   L + 2 df             L = D; for squared error, whose variance is unknown,
        aicc  aic + 2 df (df + 1) / (n - df - 1)                        L = n log(D / n)
        bic   L + df log n
        ebic  bic + 2 gamma log C(p, number of features)
        gcv   (D / n) / (1 - df / n)^2

    Weights are scaled to mean 1. A criterion is inf if df leaves nothing to estimate the variance
    from. If it leaves little (p above n, at the end of a path), L may fall faster than the charge
    for df grows. A warning says so, and with `noise_variance` the criteria charge for every
    feature.

    Parameters
    ----------
    fit : Path, CRFPath, or a cross-validation of them
        For a cross-validation its path is used. Chains count sequences as rows. alpha must be
        above 0. The number of nonzero coefficients is an unbiased estimate of the degrees of
        freedom of the lasso; with a ridge part it is too large.
    X, y : array-like
        The data of the fit.
    gamma : float in [0, 1], default 0.5
        For EBIC: how strongly the number of candidate features is charged.
    noise_variance : float > 0, default None
        For squared error: the variance of the noise, if it is known, or estimated from other data
        or by a fit with rows to spare. L is then D / noise_variance.
    weights, offset : array-like, default None
        Those of the fit, for a path from a file, which does not hold them. Default: those that
        the path knows. Weights of chains, one for each sequence, are always to be given.
    lengths : array-like (n_sequences,), default None
        For chains, where X is one table: the rows of each sequence.

    Returns
    -------
    Scores
        A dict from the names to arrays (L,), with ``lambdas``, ``df``, ``to_frame()``, ``plot()``
        and ``best(name)``, the lambda of the least value.

    Raises
    ------
    ValueError
        If the path is a ridge path, `X` and `y` are not its data, or `noise_variance` is given
        for a loss other than squared error; and as :func:`path`.

    Warns
    -----
    UserWarning
        If the minimum of a criterion is at a fit with more than half as many parameters as rows,
        and the variance is estimated from the residuals.

    References
    ----------
    Zou, Hastie, Tibshirani (2007), "On the degrees of freedom of the lasso". Chen and Chen (2008),
    "Extended Bayesian information criteria". Volinsky and Raftery (2000) on n for cox.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 30))
    >>> y = 2 * X[:, 0] - X[:, 1] + rng.normal(size=100)
    >>> fit = ss.path(X, y)
    >>> fit.nonzero(ss.criteria(fit, X, y).best("ebic"))
    array([0, 1])
    """
    gamma = read_number("gamma", gamma, 0.0, 1.0)
    if noise_variance is not None:
        noise_variance = read_number("noise_variance", noise_variance, 0.0, np.inf, open_low=True)
    path, _ = predictor_of(fit, None)
    if noise_variance is not None and path.family not in LEAST_SQUARES:
        raise ValueError(
            f"noise_variance is for squared error; family {path.family!r} knows its own"
        )
    deviance, df, n, squares = path._fit_of(X, y, weights, offset, lengths)
    with np.errstate(divide="ignore", invalid="ignore"):
        fitted = deviance
        if noise_variance is not None:
            fitted = deviance / noise_variance
        elif squares:
            fitted = np.where(df < n, n * np.log(deviance / n), np.inf)
        spare = np.maximum(n - df - 1.0, 0.0)
        aic = fitted + 2.0 * df
        bic = fitted + np.log(n) * df
        found = {
            "aic": aic,
            "aicc": np.where(spare > 0.0, aic + 2.0 * df * (df + 1.0) / spare, np.inf),
            "bic": bic,
            "ebic": bic + 2.0 * gamma * _log_choices(path.n_features, path.df),
            "gcv": np.where(df < n, deviance / n / (1.0 - df / n) ** 2, np.inf),
        }
    if squares and noise_variance is None:
        _warn_of_saturated(found, df, n)
    return Scores(found, path.lambdas, df)


def _warn_of_saturated(found, df, n):
    """Warn if the least value of a criterion is at a fit with df above half of the rows."""
    taken = {name: df[values.argmin()] for name, values in found.items()}
    high = {name: count for name, count in taken.items() if count > n / 2}
    if high:
        count = max(high.values())
        warn(
            f"the least {', '.join(high)} stand where {count} of {n:g} rows' worth is fitted, and "
            "little is left to estimate the noise from: more features may always look better; "
            "give noise_variance, or choose by cross-validation",
            UserWarning,
        )


def _log_choices(p, k):
    """Return log C(p, k)."""
    from scipy import special

    return special.gammaln(p + 1.0) - special.gammaln(k + 1.0) - special.gammaln(p - k + 1.0)

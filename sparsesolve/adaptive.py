"""The adaptive lasso: penalty factors from a first fit, so that large coefficients shrink less."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve import checks
from sparsesolve.cv import cv_path
from sparsesolve.linalg.design import Design

PENALISED = ("penalty", "penalty_factor", "alpha", "alphas", "lambdas")


def adaptive_factors(
    X: Any, y: Any, *, power: float = 1.0, coefs: ArrayLike | None = None, **options: Any
) -> np.ndarray:
    """Penalty factors ``1 / |b_j sd_j|^power`` of a first fit b, for ``penalty_factor=``.

    The first fit is ridge regression, its lambda chosen by cross-validation, unless `coefs` are
    given. Features whose first coefficient is 0 are excluded (inf).

    Parameters
    ----------
    X, y
        As for :func:`path`.
    power : float > 0, default 1.0
        How much the first fit decides.
    coefs : array-like (p,) or, of several responses, (K, p), default None
        Coefficients of a first fit of yours, of which several are taken by their norm.
    **options
        Of :func:`cv_path`, for the first fit; without those of the penalty. With
        ``standardize=False`` coefficients are not multiplied by sd_j, the standard deviations.

    Returns
    -------
    ndarray (p,)

    Notes
    -----
    Factors made from all rows have seen those that a cross-validation of the second fit holds
    out: its scores are too good, though they compare lambdas fairly well.

    References
    ----------
    Zou (2006), "The adaptive lasso and its oracle properties", equation 4.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> y = 2 * X[:, 0] - X[:, 1] + rng.normal(size=100)
    >>> factors = ss.adaptive_factors(X, y, seed=0)
    >>> fit = ss.path(X, y, penalty_factor=factors)
    >>> fit.nonzero(0.1)
    array([0, 1])
    """
    power = checks.read_number("power", power, 0.0, np.inf, open_low=True)
    for name in PENALISED:
        if name in options:
            raise ValueError(f"{name} is not for the first fit, which is ridge; leave it out")
    matrix, _ = checks.read_design(X)
    n, p = matrix.shape
    if coefs is None:
        coefs = cv_path(X, y, alpha=0.0, **options).coef("lambda_min")
    coefs = np.atleast_2d(np.asarray(coefs, dtype=float))
    if coefs.ndim != 2 or coefs.shape[1] != p or not np.isfinite(coefs).all():
        raise ValueError(f"coefs must hold {p} finite numbers, or rows of them, not {coefs.shape}")
    size = np.sqrt((coefs**2).sum(axis=0))
    if options.get("standardize", True):
        size = size * _spread(matrix, checks.read_weights(options.get("weights"), n))
    if not size.any():
        raise ValueError("every first coefficient is 0, so no feature would be left")
    with np.errstate(divide="ignore"):
        return (size / size.max()) ** -power


def _spread(matrix, weights):
    """Standard deviation (p,) of each column, as a path standardises it."""
    n = matrix.shape[0]
    design = Design(matrix)
    design.moments(np.full(n, 1.0 / n) if weights is None else weights / weights.sum())
    return np.ldexp(np.asarray(design.spread), np.asarray(design.exponent))

"""The adaptive lasso: penalty factors from a first fit, so that large coefficients shrink less."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import (
    by_rows,
    nonfinite_error,
    read_design,
    read_flag,
    read_number,
    read_shares,
    real_array,
    refuse_unknown,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.linalg.design.design import Design
from sparsesolve.paths.path import path
from sparsesolve.penalties import GroupL2
from sparsesolve.penalties.columns import by_label
from sparsesolve.selection.cv import cv_path

PENALISED = ("penalty", "penalty_factor", "alpha", "alphas", "lambdas")
# Last lambda of the ridge path over its first one. It is a thousandth of the lasso's, because the
# path would otherwise end too early.
RIDGE_END = 1e-6
# Options that the factors of given coefficients also need.
OF_ROWS = ("family", "weights", "standardize")


@by_rows("y", "weights", "offset", "folds", "family")
@described_by(path)
def adaptive_factors(
    X: Any, y: Any, *, power: float = 1.0, coefs: ArrayLike | None = None, groups: Any = None,
    **options: Any
) -> np.ndarray:
    """Return penalty factors ``1 / |b_j sd_j|^power`` of a first fit b, for ``penalty_factor=``.

    Without `coefs`, the first fit is ridge regression, with lambda chosen by cross-validation: by
    default from 1000 times the first lambda of the lasso down to at most 0.001 times it. Features
    whose first coefficient is 0 are excluded (inf). Factors are divided by the least of them.

    Parameters
    ----------
    power : float > 0, default 1.0
        How strongly the factors depend on the first fit.
    coefs : array-like (p,) or, of several responses, (K, p), default None
        Coefficients of your own first fit. With several responses the size of a feature is the
        norm of its coefficients.
    groups : array-like (p,) or object of `sparsesolve.penalties`, default None
        Labels of groups, or the group penalty of the second fit: one factor per group, in its
        order, ``1 / |b_g|^power`` for the norm of the coefficients b_j sd_j of the group.
    **options
        Options of :func:`sparsesolve.cv_path` for the first fit, except those of the penalty.
        With `coefs`, only `family`, `weights` and `standardize`. With ``standardize=False``
        coefficients are not multiplied by the standard deviations sd_j.

    Returns
    -------
    ndarray (p,), or one factor per group

    Raises
    ------
    ValueError, TypeError
        If an option is unknown, belongs to the penalty, or belongs to a first fit although
        `coefs` are given; if every first coefficient is 0; for data, as in
        :func:`sparsesolve.path`.

    Notes
    -----
    Factors come from all rows, including those that a cross-validation of the second fit holds
    out. Its scores are therefore optimistic, but still rank lambdas fairly well.

    References
    ----------
    Zou (2006), "The adaptive lasso and its oracle properties", equation 4. Wang and Leng (2008),
    "A note on adaptive group lasso".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> y = 2 * X[:, 0] - X[:, 1] + rng.normal(size=100)
    >>> factors = ss.selection.adaptive_factors(X, y, seed=0)
    >>> fit = ss.path(X, y, penalty_factor=factors)
    >>> fit.nonzero(0.1)
    array([0, 1])
    """
    power = read_number("power", power, 0.0, np.inf, open_low=True)
    for name in PENALISED:
        if name in options:
            raise ValueError(f"{name} is not for the first fit, which is ridge; leave it out")
    known = {*signature(cv_path).parameters, *signature(path).parameters}
    refuse_unknown("adaptive_factors", options, known, "function")
    for name in options:
        if coefs is not None and name not in OF_ROWS:
            raise ValueError(f"{name} is for a first fit, which coefs stand for; leave one out")
    matrix, names = read_design(X)
    n, p = matrix.shape
    given = options.get("standardize")
    standardize = read_flag("standardize", True if given is None else given)
    if coefs is None:
        options = {"lambda_min_ratio": RIDGE_END, **options}
        coefs = cv_path(X, y, alpha=0.0, **options).coef("lambda_min")
    coefs = coefs if np.ndim(coefs) == 2 else by_label("coefs", coefs, names, p, 0.0)
    coefs = np.atleast_2d(np.asarray(real_array("coefs", coefs), dtype=float))
    if coefs.ndim != 2 or coefs.shape[1] != p or not np.isfinite(coefs).all():
        raise ValueError(f"coefs must hold {p} finite numbers, or rows of them, not {coefs.shape}")
    counts = read_family(options.get("family", "gaussian")).read(y, n).counts
    shares = read_shares(options.get("weights"), n, counts)[0]
    with np.errstate(divide="ignore", over="ignore"):  # 0 excludes a feature
        level = _level(coefs)
        spread = _spread_level(matrix, names, shares)
        if standardize:
            level = level + spread
        if groups is not None:
            level = _group_level(level, groups, names)
        if not level.max() > -np.inf:
            raise ValueError("every first coefficient is 0, so no feature would be left")
        return np.exp2(power * (level.max() - level))


def _group_level(level, groups, names):
    """Return log2 of the norm of each group's coefficients (G,), from log2 of their sizes."""
    penalty = groups if hasattr(groups, "over") else GroupL2(groups)
    of = np.asarray(penalty.over(len(level), names).of)
    largest = np.full(of.max() + 1, -np.inf)
    np.maximum.at(largest, of, level)
    square, held = np.zeros(len(largest)), np.isfinite(level)
    np.add.at(square, of[held], np.exp2(2.0 * (level[held] - largest[of[held]])))
    return largest + 0.5 * np.log2(np.maximum(square, 1.0))


def _level(coefs):
    """Return log2 of the size (p,) of rows of coefficients, which may have any magnitude."""
    largest = np.abs(coefs).max(axis=0)
    unit = np.divide(coefs, largest, out=np.zeros_like(coefs), where=largest > 0.0)
    return np.log2(largest) + 0.5 * np.log2(np.maximum((unit**2).sum(axis=0), 1.0))


def _spread_level(matrix, names, shares):
    """Return log2 of the standard deviation (p,) of each column, as used for standardisation."""
    design = Design(matrix)
    if not design.moments(shares):
        raise nonfinite_error(matrix, names)
    return np.log2(np.asarray(design.spread)) + np.asarray(design.exponent)

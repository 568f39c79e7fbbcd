"""Standardisation: a design and a response in the units of a Problem.

    z_ij = (x_ij - mean_j) / spread_j,    y = (y - mean) / 2**exponent

Given: a Design with its moments, and a response or a loss. Returned: a Problem. Invariant:
scaling by powers of two is exact, so that the answer does not depend on the user's units.

Columns are divided by their spread, or all of them by one power of two, and the response of
squared error by another.

Reference: Hastie, Tibshirani, Friedman (2009), section 3.4, for standardised columns.
"""

import numpy as np

from sparsesolve.solvers.costs.rounding import UNFELT
from sparsesolve.solvers.problem.null_model import null_model, null_models
from sparsesolve.solvers.problem.problem import Problem, shifts


def assemble(design, weights, penalty_of, *, y=None, loss=None, offset=None, mean=0.0,
             exponent=0, intercept, standardize, limits=None, grouped=False, groups=None,
             basis=None, tied=False):
    """Standardise a design whose moments are known, and scale the response where there is no loss.

    Parameters
    ----------
    design : Design
        After ``moments(weights)``; it becomes the standardised one.
    weights : (n,) summing to 1
    penalty_of : callable (ridge_power, factor, shift) -> a penalty
        Called with the power of two that scales the ridge part, and with `factor` and `shift`
        of Problem.
    y : (n,) response less offset: squared error
    loss, offset : Loss, (n,) or (K, n) array
        Any other; of responses less `mean` over 2**`exponent`, if its `degree` is not 0.
    limits : pair of (p,) arrays, or None
        What the user's coefficients must not exceed.
    groups, basis : (p,) array and GroupBasis, or None
        Where features are penalised in groups, and where the design has the basis's columns.
    tied : bool
        Whether the penalty gives a constant column a coefficient, as that of its neighbours.
    """
    if loss is None:
        response, mean, exponent = scaled_response(y, weights, intercept)
        null_intercept, null_value = 0.0, 0.5 * float(np.dot(weights, response**2))
    else:
        response = None
        null = null_model if offset.ndim == 1 else null_models
        null_intercept, null_value = null(loss, offset, intercept)
    centred = intercept or shifts(loss, offset)
    if not (centred or standardize):
        _count_constants(design)
    factor, common = _factors(design, standardize, tied)
    design.standardise(centred, factor)
    shift = exponent - np.asarray(design.exponent)
    low, high = (None, None) if limits is None else limits
    return Problem(
        design=design,
        penalty=penalty_of(exponent - common, factor, shift),
        weights=weights,
        loss=loss,
        response=response,
        offset=offset,
        null_intercept=null_intercept,
        null_value=null_value,
        unit=(1 if loss is None else loss.degree - 1) * exponent + common,
        factor=factor,
        shift=shift,
        low=low,
        high=high,
        mean=mean,
        exponent=exponent,
        intercept=intercept,
        grouped=grouped,
        groups=groups,
        basis=basis,
    )


def _count_constants(design):
    """Give constant columns a spread: uncentred, they are like the others.

    Solvers leave out columns of spread 0.
    """
    spread = np.asarray(design.spread)
    spread[:] = np.maximum(spread, UNFELT * np.abs(design.mean))


def _factors(design, standardize, tied):
    """Return the factor of each column (p,), and a power of two common to all, which it lacks.

    Columns that take no part have factor 0, unless they are tied to others.
    """
    spread, stored = np.asarray(design.spread), np.asarray(design.exponent)
    alive = spread > 0
    if standardize:
        return np.divide(1.0, spread, out=np.zeros_like(spread), where=alive), 0
    common = int((np.frexp(spread)[1] + stored)[alive].max()) if alive.any() else 0
    with np.errstate(under="ignore"):
        return np.where(alive | tied, np.ldexp(1.0, stored - common), 0.0), common


def scaled_response(y, weights, intercept):
    """Return (centred y / 2**exponent, mean / 2**exponent, exponent), the first of size 1.

    For K responses y is (n, K), the mean (K,), and the exponent one for all.
    """
    exponent = int(np.frexp(np.max(np.abs(y)))[1])
    y = np.ldexp(y, -exponent)
    mean = weights @ y if intercept else np.zeros(y.shape[1:])
    y = y - mean
    if intercept:  # Once more, since the mean of a response far from 0 is rounded.
        rest = weights @ y
        y, mean = y - rest, mean + rest
    spread = np.sqrt(weights @ y**2)
    y = np.where(spread <= 1e-15 * abs(mean), 0.0, y)  # The rounding of a constant.
    finer = int(np.frexp(spread.max())[1]) if y.any() else 0
    return np.ldexp(y, -finer), np.ldexp(mean, -finer), exponent + finer

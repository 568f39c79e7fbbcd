"""Standardisation: a design and a response in the units of a Problem, and its null model.

    z_ij = (x_ij - mean_j) / spread_j,    y = (y - mean) / 2**exponent
    minimise over a   F(offset + a)

Given: a Design with its moments, and a response or a loss. Returned: a Problem, with the intercept
of its null model, whose minimum stays between two points where the slope has opposite signs once
these are known. Invariant: scaling by powers of two is exact, so that the answer does not depend
on the user's units. Columns are divided by their spread, or all of them by one power of two, and
the response of squared error by another.

Reference: Hastie, Tibshirani, Friedman (2009), section 3.4, for standardised columns; Nocedal,
Wright (2006), chapter 3, for damped Newton steps.
"""

import numpy as np

from sparsesolve.solvers.problem.problem import Problem, shifts
from sparsesolve.solvers.tolerances import LAST_DIGITS, ROUNDING

# The first step of Newton's method for the intercept is at most this long in the linear
# predictor, and each may be twice as long as the one before: exponentials grow by e^4.
STRIDE = 4.0
# Steps of length 1 down an exponential after which steps grow, or halve what is left.
STEPS_ONE_BY_ONE = 20
# A slope below this fraction of that at the start is none.
FLAT = 1e-100
# Steps of the search for an intercept: each halves its interval, and doubles have 2,000 exponents
# at most.
STEPS = 300


@np.errstate(over="ignore", invalid="ignore")
def null_model(loss, offset, intercept):
    """Return (a, F(offset + a) - least F); a = 0 without an intercept.

    For an offset (K, n) of K responses a is (K,), with mean 0 if only differences count. Raises
    ValueError if no finite a is optimal: all responses are at the edge of their range, or offsets
    are so far apart that F overflows.
    """
    if intercept:
        a, value = (best_intercepts if offset.ndim == 2 else best_intercept)(loss, offset)
    else:
        a, value = np.zeros(offset.shape[:-1])[()], loss.at(offset)[0]
    return a, _excess(value, loss, offset + np.expand_dims(a, -1))


@np.errstate(over="ignore", invalid="ignore")
def best_intercept(loss, offset):
    """Return (a, F(offset + a)); ValueError if no finite a is optimal."""
    if not loss.smooth:  # A kink is optimal, and kinks can be sorted.
        a = loss.best_shift(offset)
        return a, loss.at(offset + a)[0]
    a, low, high = 0.0, -np.inf, np.inf
    value, u = loss.at(offset)
    size = np.abs(u).sum()
    for k in range(STEPS):
        slope = float(u.sum())  # downhill
        # rounding of a sum
        if abs(slope) <= 2e-16 * np.abs(u).sum() or np.isnan(slope):
            break
        low, high = (a, high) if slope > 0 else (low, a)
        curvature = float(loss.curvature_at(offset + a).sum())
        stride = np.copysign(STRIDE * 2.0 ** min(k, 900), slope)
        step = slope / curvature if curvature > 0.0 else stride
        step = step if abs(step) < abs(stride) else stride
        unbounded = bool(np.isinf([low, high]).any())
        if k > STEPS_ONE_BY_ONE and unbounded:
            step *= 2.0 ** min(k - STEPS_ONE_BY_ONE, 900)
        # Newton steps that do not get shorter than this lead to infinity.
        if abs(slope) <= FLAT * size and abs(step) > 1e-3 and unbounded:
            if not _pulled_both_ways(loss, len(offset)):
                raise ValueError(
                    "y holds one extreme value only, so no finite intercept is best; "
                    "give responses that differ, or intercept=False"
                )
            if value - loss.saturated <= FLAT * max(1.0, abs(loss.saturated)):
                break  # an offset tells the rows apart so well that nothing is left to gain
        new = a + step
        if new == a:
            break
        if not low < new < high or (k > STEPS_ONE_BY_ONE and k % 2 and not unbounded):
            new = 0.5 * (low + high)
            if new in (low, high):
                break
        a = new
        value, u = loss.at(offset + a)
    return a, value


def _pulled_both_ways(loss, n):
    """Return True if some responses always want a larger predictor, and others a smaller one."""
    if loss.ends is None:
        pulls = loss.at(np.zeros(n))[1]
        return pulls.min() < 0.0 < pulls.max()
    low, high = loss.ends
    return low.sum() < 0.0 < high.sum()


@np.errstate(over="ignore", invalid="ignore")
def best_intercepts(loss, offset):
    """Return (a (K,), F) for K responses; a has mean 0 if only differences count.

    Newton steps on K variables are shortened until the loss falls. Where rounding hides that, the
    slope along the step must have halved.
    """
    a = np.zeros(len(offset))
    value, u = loss.at(offset)
    shares = u.sum(axis=1) + 1.0 / len(a)  # Class shares, where all have the same chance here.
    if loss.symmetric and not offset.any() and shares.min() > ROUNDING:
        start = np.log(shares)
        there, pulls = loss.at(offset + start[:, None])
        if there <= value:
            a, value, u = start, there, pulls
    last = np.inf
    for _ in range(STEPS):
        slope, eta = u.sum(axis=1), offset + a[:, None]
        rows = np.zeros(offset.shape)
        curvature = np.empty((len(a), len(a)))
        for k in range(len(a)):
            rows[k], rows[k - 1] = 1.0, 0.0 if len(a) > 1 else 1.0
            curvature[k] = loss.curvature_product(eta, rows).sum(axis=1)
        step = np.linalg.lstsq(curvature, slope, rcond=1e-12)[0]
        step *= min(1.0, STRIDE / max(np.abs(step).max(), STRIDE))
        # 2^-30 of a step moves no intercept by more than rounding.
        for _ in range(30):
            new_value, new_u = loss.at(offset + (a + step)[:, None])
            if new_value <= value + LAST_DIGITS * abs(value):
                break
            # rounding of sums over many samples
            near = new_value <= value + 1e-11 * abs(value)
            if near and abs(step @ new_u.sum(axis=1)) <= 0.5 * abs(step @ slope):
                break
            step *= 0.5
        length = np.abs(step).max() / max(1.0, np.abs(a).max())
        a, value, u = a + step, new_value, new_u
        # a step so short of which the next is not half is rounding
        if length <= 1e-15 or 1e-8 >= last <= 2.0 * length:
            break
        last = length
    return (a - a.mean() if loss.symmetric else a), value


def _excess(value, loss, eta):
    """Return F less its least value at eta; 0 if that is rounding, as nothing is to be explained.

    If both are so large that their difference is rounding, it is summed sample by sample.
    """
    if not np.isfinite(value):
        raise ValueError(
            "the loss of the model without features is beyond the largest 64-bit float; "
            "rescale y, or give an offset of smaller size"
        )
    # In a partial likelihood where nobody shares a risk, F is flat and its terms are rounding.
    # rounding
    if loss.coupled and np.abs(loss.at(eta)[1]).sum() <= 1e-15:
        return 0.0
    excess = float(value - loss.saturated)
    if excess > LAST_DIGITS * (abs(value) + abs(loss.saturated)):
        return excess
    excess = loss.fenchel_young_at(eta, np.zeros(eta.shape))  # F* at 0 is minus the least value.
    # there but for rounding of a root
    apart = 1e-7 * (1.0 + np.abs(eta))
    rounding = 0.5 * float(np.sum(loss.curvature_at(eta) * apart**2))
    return excess if rounding < excess < np.inf else 0.0


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
        null_intercept, null_value = null_model(loss, offset, intercept)
    centred = intercept or shifts(loss, offset)
    if not (centred or standardize):
        _count_constants(design)
    factor, common = _factors(design, standardize, tied)
    design.standardise(centred, factor)
    shift = exponent - np.asarray(design.exponent)
    low, high = (None, None) if limits is None else limits
    penalty = penalty_of(exponent - common, factor, shift)
    unit = (1 if loss is None else loss.degree - 1) * exponent + common
    if penalty.has_blocks and penalty.alpha == 0.0:  # lambda in the unit of squares
        unit -= exponent - common
    return Problem(
        design=design,
        penalty=penalty,
        weights=weights,
        loss=loss,
        response=response,
        offset=offset,
        null_intercept=null_intercept,
        null_value=null_value,
        unit=unit,
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
    # a smaller spread is rounding of the mean's square
    spread[:] = np.maximum(spread, (2.0**-30) * np.abs(design.mean))


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
        error = weights @ y
        y, mean = y - error, mean + error
    spread = np.sqrt(weights @ y**2)
    y = np.where(spread <= 1e-15 * abs(mean), 0.0, y)  # The rounding of a constant.
    finer = int(np.frexp(spread.max())[1]) if y.any() else 0
    return np.ldexp(y, -finer), np.ldexp(mean, -finer), exponent + finer

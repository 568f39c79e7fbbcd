"""The null model: intercepts and the offset alone.

    minimise over a   F(offset + a)

Given: a loss and an offset. Returned: the best a, and F there less its least value. Invariant:
the minimum stays between two points where the slope has opposite signs, once these are known.

The method is a damped Newton iteration on a convex function of one variable.

Reference: Nocedal, Wright (2006), "Numerical optimization", chapter 3.
"""

import numpy as np

from sparsesolve.solvers.costs.rounding import (
    HIDDEN,
    NEAR,
    OBJECTIVE,
    SETTLED,
    SHARE,
    SHIFT,
    SUMMED,
)

# The first step of Newton's method for the intercept is at most this long in the linear
# predictor, and each may be twice as long as the one before: exponentials grow by e^4.
STRIDE = 4.0
# Steps of length 1 down an exponential after which steps grow, or halve what is left.
STEPS_ONE_BY_ONE = 20
# A slope below this fraction of that at the start is none.
FLAT = 1e-100
# Newton steps that do not get shorter than this lead to infinity.
SHORT = 1e-3
# Steps of the search for an intercept: each halves its interval, and doubles have 2,000 exponents
# at most.
STEPS = 300
# 2^-30 of a step moves no intercept by more than rounding.
HALVINGS = 30


@np.errstate(over="ignore", invalid="ignore")
def null_model(loss, offset, intercept):
    """Return (a, F(offset + a) - least F); a = 0 without an intercept.

    Raises ValueError if no finite a is optimal: all responses are at the edge of their range, or
    offsets are so far apart that F overflows.
    """
    a, value = best_intercept(loss, offset) if intercept else (0.0, loss.at(offset)[0])
    return a, _excess(value, loss, offset + a)


@np.errstate(over="ignore", invalid="ignore")
def null_models(loss, offset, intercept):
    """Return (a (K,), F - least F) for K responses; a has mean 0 if only differences count."""
    if not intercept:
        return np.zeros(len(offset)), _excess(loss.at(offset)[0], loss, offset)
    a, value = best_intercepts(loss, offset)
    return a, _excess(value, loss, offset + a[:, None])


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
        if abs(slope) <= SUMMED * np.abs(u).sum() or np.isnan(slope):
            break
        low, high = (a, high) if slope > 0 else (low, a)
        curvature = float(loss.curvature_at(offset + a).sum())
        stride = np.copysign(STRIDE * 2.0 ** min(k, 900), slope)
        step = slope / curvature if curvature > 0.0 else stride
        step = step if abs(step) < abs(stride) else stride
        unbounded = bool(np.isinf([low, high]).any())
        if k > STEPS_ONE_BY_ONE and unbounded:
            step *= 2.0 ** min(k - STEPS_ONE_BY_ONE, 900)
        if abs(slope) <= FLAT * size and abs(step) > SHORT and unbounded:
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
    if loss.symmetric and not offset.any() and shares.min() > SHARE:
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
        for _ in range(HALVINGS):
            new_value, new_u = loss.at(offset + (a + step)[:, None])
            if new_value <= value + OBJECTIVE * abs(value):
                break
            near = new_value <= value + HIDDEN * abs(value)
            if near and abs(step @ new_u.sum(axis=1)) <= 0.5 * abs(step @ slope):
                break
            step *= 0.5
        length = np.abs(step).max() / max(1.0, np.abs(a).max())
        a, value, u = a + step, new_value, new_u
        if length <= 1e-15 or SETTLED >= last <= 2.0 * length:
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
    if loss.coupled and np.abs(loss.at(eta)[1]).sum() <= SHIFT:
        return 0.0
    excess = float(value - loss.saturated)
    if excess > OBJECTIVE * (abs(value) + abs(loss.saturated)):
        return excess
    excess = loss.fenchel_young_at(eta, np.zeros(eta.shape))  # F* at 0 is minus the least value.
    apart = NEAR * (1.0 + np.abs(eta))
    rounding = 0.5 * float(np.sum(loss.curvature_at(eta) * apart**2))
    return excess if rounding < excess < np.inf else 0.0

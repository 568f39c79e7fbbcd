"""The null model: an intercept and the offset alone.

    minimise over a   F(offset + a)

A damped Newton iteration on a convex function of one variable, kept between two points where its
slope has opposite signs once these are known.
"""

import numpy as np

STRIDE = 4.0  # of the first step at most, then twice as much each time
FLAT = 1e-100  # of the slope at the start: less of one,
SHORT = 1e-3  # and Newton steps that do not get shorter, lead to infinity
STEPS = 300


def null_model(loss, offset, intercept):
    """Return (a, F(offset + a) - least F); a = 0 without an intercept.

    Raises ValueError where no finite a is best: all responses at the edge of what they can be.
    """
    a, low, high = 0.0, -np.inf, np.inf
    value, u = loss.at(offset)
    if not intercept:
        return 0.0, float(value - loss.saturated)
    size = np.abs(u).sum()
    for k in range(STEPS):
        slope = float(u.sum())  # downhill
        if slope == 0.0:
            break
        low, high = (a, high) if slope > 0 else (low, a)
        curvature = float(loss.curvature_at(offset + a).sum())
        stride = np.copysign(STRIDE * 2.0 ** min(k, 900), slope)
        step = slope / curvature if curvature > 0.0 else stride
        step = step if abs(step) < abs(stride) else stride
        if abs(slope) <= FLAT * size and abs(step) > SHORT and np.isinf([low, high]).any():
            raise ValueError(
                "y holds one extreme value only, so no finite intercept is best; "
                "give responses that differ, or intercept=False"
            )
        new = a + step
        if new == a:
            break
        if not low < new < high:
            new = 0.5 * (low + high)
            if new in (low, high):
                break
        a = new
        value, u = loss.at(offset + a)
    return a, float(value - loss.saturated)

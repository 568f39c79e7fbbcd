"""The null model: an intercept and the offset alone.

    minimise over a   F(offset + a)

A damped Newton iteration on a convex function of one variable, kept between two points where its
slope has opposite signs once these are known.
"""

import numpy as np

FAR = 700.0  # of an intercept: exp() has overflowed, there is no optimum
STRIDE = 4.0  # of a Newton step where no bracket holds it
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
    for _ in range(STEPS):
        slope = float(u.sum())  # downhill
        if slope == 0.0:
            break
        low, high = (a, high) if slope > 0 else (low, a)
        curvature = float(loss.curvature_at(offset + a).sum())
        step = slope / curvature if curvature > 0.0 else np.copysign(STRIDE, slope)
        step = float(np.clip(step, -STRIDE, STRIDE))
        new = a + step
        if not low < new < high:
            new = 0.5 * (low + high)
        if new == a or abs(step) <= 1e-16 * abs(a) or abs(slope) <= 1e-17 * size:
            break
        a = new
        if abs(a) > FAR:
            raise ValueError(
                "y holds one extreme value only, so no finite intercept is best; "
                "give responses that differ, or intercept=False"
            )
        value, u = loss.at(offset + a)
    return a, float(value - loss.saturated)

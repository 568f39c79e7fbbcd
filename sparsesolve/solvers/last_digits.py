"""What the last digits of coefficients may cost.

A certificate holds for the numbers of a solver; the user has them as floats, whose rounding moves
eta_i = offset_i + b0 + x_i b by up to d = EPSILON sum_j |x_ij b_j|. That is nothing, but where
columns that all but depend on one another have coefficients of 1e10 which cancel, or data are so
well told apart that no finite ones are best.
"""

from math import sqrt

import numpy as np

EPSILON = float(np.finfo(np.float64).eps)
FAINT = 1e-9  # d, of squared error relative to the response, up to which nothing is looked at


def last_digits(problem, which, values, intercept):
    """By how much F may be above what it is for inner coefficients, values (k,) or (K, k).

    F is tried d away from eta, up the slope and down, as a convex function of one sample is
    largest at an end.
    """
    faint = FAINT if problem.loss is not None else FAINT * sqrt(2.0 * problem.null_value)
    most = EPSILON * problem.largest * sqrt(values.size) * sqrt(np.vdot(values, values))
    if most <= faint:
        return 0.0
    d = EPSILON * np.max(np.abs(values) @ problem.sizes[which])
    if d <= faint:
        return 0.0
    moved = [problem.design.combination(which, row) for row in np.atleast_2d(values)]
    if problem.loss is None:
        r = np.abs(problem.response - moved[0])
        return float(problem.weights @ (d * r + 0.5 * d * d))
    eta = problem.offset + np.reshape(moved, problem.offset.shape) + np.expand_dims(intercept, -1)
    with np.errstate(over="ignore", invalid="ignore"):
        value, u = problem.loss.at(eta)
        ends = [problem.loss.at(eta + side * np.sign(u))[0] - value for side in (d, -d)]
    return float(max(*ends, 0.0)) if np.isfinite(ends).all() else np.inf

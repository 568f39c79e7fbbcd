"""What the last digits of coefficients may cost.

A certificate holds for the numbers of a solver; the user has them as floats. Their rounding moves
eta_i by up to d = EPSILON sum_j |b_j| |x_ij - mean_j|, and all samples alike by some
EPSILON sum_j |b_j mean_j|, which the intercept takes up in as many operations, and of which the
loss at its best intercept feels the square alone. The intercept itself is a float too: in y of
mean 1e9 and spread 1e-4 its last digit is a thousandth of the spread. That is nothing, but where
columns that all but depend on one another have coefficients of 1e10 which cancel, where data are
so well told apart that no finite ones are best, or where y is that far from 0.
"""

from math import inf, sqrt

import numpy as np

# The relative error of a float: half a unit in the last place.
EPSILON = 2.0**-53
# Roundings of an intercept: coefficients, their products with means, the sum, and what it is in
# y.
ROUNDINGS = 4
# An error of the linear predictor, relative to the response of squared error, up to which no cost
# is computed: its square is 1e-18 of the objective.
FAINT = 1e-9


def felt(problem, size, square):
    """Whether the rounding of `size` inner coefficients of that sum of squares may be felt.

    Both may be arrays; where False, `last_digits` is 0.
    """
    return EPSILON * np.maximum(problem.largest * np.sqrt(size * square), problem.largest_mean) > (
        problem.faint
    )


def faint(problem):
    """What may be lost of a linear predictor without a look; inf: there is nothing to explain."""
    if problem.null_value == 0.0:
        return inf
    return FAINT if problem.loss is not None else FAINT * sqrt(2.0 * problem.null_value)


def last_digits(problem, which, values, intercept):
    """By how much F may be above what it is for inner coefficients, values (k,) or (K, k).

    F is tried d away from eta, up the slope and down, as a convex function of one sample is
    largest at an end; and of several responses as far apart as they may come.
    """
    size = problem.largest * sqrt(values.size * np.vdot(values, values))
    if not EPSILON * max(size, problem.largest_mean) > problem.faint:  # `felt`, without arrays
        return 0.0
    last_digit = EPSILON * problem.largest_mean
    sizes = np.abs(values)
    d = EPSILON * np.max(sizes @ problem.norms[which])
    common = ROUNDINGS * EPSILON * np.max(sizes @ np.abs(problem.means[which])) + 2.0 * last_digit
    if problem.far:  # the intercept is rounded once
        moved = values @ problem.means[which]
        common = EPSILON * np.max(np.abs(problem.mean + intercept - moved))
    if d + common <= problem.faint:
        return 0.0
    rows = np.ascontiguousarray(np.atleast_2d(values))
    moved = [problem.design.combination(which, row) for row in rows]
    if problem.loss is None:
        r = np.abs(problem.response - moved[0])
        return float(problem.weights @ (d * r + 0.5 * (d + common) ** 2))
    eta = problem.offset + np.reshape(moved, problem.offset.shape) + np.expand_dims(intercept, -1)
    apart = common * np.resize([1.0, -1.0], len(moved))[:, None] if eta.ndim == 2 else common
    with np.errstate(over="ignore", invalid="ignore"):
        value, u = problem.loss.at(eta)
        ends = [problem.loss.at(eta + side * np.sign(u) + way * apart)[0] - value
                for side in (d, -d) for way in (1.0, -1.0)]  # fmt: skip
    return float(max(*ends, 0.0)) if np.isfinite(ends).all() else np.inf

"""The cost of rounding in the returned coefficients.

    |eta_i - rounded eta_i| <= d = EPSILON sum_j |b_j| |x_ij - mean_j|

Given: inner coefficients. Returned: by how much F may be above its value, to be added to the gap.
Invariant: a certificate holds for the numbers that the user gets, which are floats.

Rounding also moves all samples alike, by some EPSILON sum_j |b_j mean_j|. The intercept absorbs
it in as many operations, so that the loss at its best intercept grows with the square alone. The
intercept itself is a float too: if y has mean 1e9 and spread 1e-4, its last digit is a thousandth
of the spread. The cost is negligible unless nearly dependent columns have coefficients of 1e10
that cancel, the data are separable so that no finite coefficients are optimal, or y is that far
from 0.

Reference: Higham (2002), "Accuracy and stability of numerical algorithms", section 3.1.
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
    """Return True if the rounding of `size` inner coefficients may cost something.

    `square` is their sum of squares. Both may be arrays. Where False, `last_digits` is 0.
    """
    return EPSILON * np.maximum(problem.largest * np.sqrt(size * square), problem.largest_mean) > (
        problem.faint
    )


def faint(problem):
    """Return the error of a linear predictor up to which no cost is computed; inf: nothing to
    explain.
    """
    if problem.null_value == 0.0:
        return inf
    return FAINT if problem.loss is not None else FAINT * sqrt(2.0 * problem.null_value)


def last_digits(problem, which, values, intercept):
    """Return by how much F may exceed its value at inner coefficients, values (k,) or (K, k).

    F is evaluated d away from eta, up the slope and down, as a convex function of one sample is
    largest at an end. Several responses are moved as far apart as possible.
    """
    size = problem.largest * sqrt(values.size * np.vdot(values, values))
    if not EPSILON * max(size, problem.largest_mean) > problem.faint:  # `felt` without arrays
        return 0.0
    last_digit = EPSILON * problem.largest_mean
    sizes = np.abs(values)
    d = EPSILON * np.max(sizes @ problem.norms[which])
    common = ROUNDINGS * EPSILON * np.max(sizes @ np.abs(problem.means[which])) + 2.0 * last_digit
    if problem.far:  # The intercept is rounded once.
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

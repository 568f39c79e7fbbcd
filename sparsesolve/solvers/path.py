"""The path: warm starts down a grid of lambdas, each point left with a certificate.

Given: a solver state (anything with `correlations` and `solve`), a decreasing grid, a tolerance on the gap relative to
the null objective, and the reasons for which the path may end early. Returned: one Point per lambda.
"""
from dataclasses import dataclass

import numpy as np

ENOUGH = 5                  # points before a stopping rule may speak (glmnet's mnlam)
LITTLE_GAIN = 1e-5          # relative gain of explained deviance below which the path ends
ALL_EXPLAINED = 0.999


@dataclass(frozen=True)
class Point:
    """The solution at one lambda; a callable `stop` is given it."""

    index: int              # place on the path, from 0
    lam: float              # the user's lambda
    df: int                 # nonzero coefficients
    dev_ratio: float        # fraction of deviance explained
    gap: float              # relative duality gap
    status: int             # code of a Status
    n_iter: int
    which: np.ndarray       # (df,) features with a nonzero coefficient
    values: np.ndarray      # (df,) their coefficients, in inner units


def grid(problem, correlations, alpha, n_lambdas, ratio):
    """Log-spaced lambdas from the least with b = 0 optimal; a single 0 when nothing correlates with y."""
    penalty = problem.penalty
    factors = np.asarray(penalty.factors)
    free = (factors > 0) & ((np.asarray(penalty.upper) > 0) | (np.asarray(penalty.lower) < 0))
    scores = np.abs(correlations[free]) / factors[free]
    largest = scores.max() / max(alpha, 1e-3) if scores.size else 0.0
    if largest == 0.0:
        return np.zeros(1)
    if n_lambdas == 1:
        return np.array([largest / problem.level])
    return np.geomspace(largest, largest * ratio, n_lambdas) / problem.level


def follow(state, problem, lambdas, *, tol, max_iter, stop, dfmax, pmax, advance):
    """Solve down the grid; returns (points, why it ended)."""
    points, entered = [], set()
    null = max(problem.null_value, 1e-300)
    for index, lam in enumerate(lambdas):
        before = state.quadratic.iterations
        outcome, gap = state.solve(lam * problem.level, tol * null, max_iter)
        which, values = state.quadratic.coefficients()
        if pmax is not None:
            entered.update(which.tolist())
            if len(entered) > pmax:
                return points, f"more than pmax = {pmax} features would have entered"
        explained = 1.0 - 0.5 * state.quadratic.residual_square / null if problem.null_value > 0 else 0.0
        point = Point(index, float(lam), len(which), explained, gap / null, outcome,
                      state.quadratic.iterations - before, which, values)
        points.append(point)
        advance(index + 1, f"df {point.df}, {100 * explained:.1f}% deviance")
        reason = _reason_to_end(points, stop, dfmax)
        if reason:
            return points, reason
    return points, "every lambda was solved"


def _reason_to_end(points, stop, dfmax):
    """Why the path ends at its last point, or None."""
    last = points[-1]
    if dfmax is not None and last.df > dfmax:
        return f"more than dfmax = {dfmax} features are active"
    if callable(stop):
        return "the stop function said so" if stop(last) else None
    if stop != "deviance" or len(points) < ENOUGH:
        return None
    if last.dev_ratio > ALL_EXPLAINED:
        return f"more than {100 * ALL_EXPLAINED:.1f}% of the deviance is explained"
    if last.dev_ratio - points[-2].dev_ratio < LITTLE_GAIN * last.dev_ratio:
        return f"the explained deviance gained less than {LITTLE_GAIN:g} of itself in the last step"
    return None

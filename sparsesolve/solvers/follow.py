"""The path: warm starts down a grid of lambdas, each solution with a certificate.

    minimise over b0, b   F(offset + b0 + Zb) + lam_k Omega(b),    lam_1 > lam_2 > ...

Given: a solver state (`solvers/state.py`), a decreasing grid, a tolerance on the gap relative to
the null objective, and the reasons for which the path may end early. Returned: one Point per
lambda. Invariant: a gap is of the coefficients in the user's units.

Reference: Friedman, Hastie, Tibshirani (2010), "Regularization paths for generalized linear
models via coordinate descent"; Hale, Yin, Zhang (2008), "Fixed-point continuation for
l1-minimization", for the approach of a lambda far below the last one.
"""

import logging
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, inf
from math import log as ln
from typing import NamedTuple

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.penalties.penalty import has_blocks
from sparsesolve.penalties.rows import on_rows
from sparsesolve.solvers.certificate.unbounded import UNBOUNDED, Endless
from sparsesolve.solvers.state import CONVERGED, STALLED
from sparsesolve.solvers.tolerances import LAST_DIGITS

# A lambda below this fraction of the one before is far. Grids of a ratio of 0.79 may take twice
# as long as finer ones (300 x 20,000, correlation 0.99, binomial), those of 0.32 twenty times as
# long (500 x 5,000, correlation 0.5).
FAR_LAMBDA = 0.75
# Largest ratio of neighbouring lambdas on the way. At 0.5 to 0.7 working sets still fill up in
# some problems, and the way takes up to 18 times as long as a path; from 0.85 to 0.9 less.
CONTINUATION_RATIO = 0.88

log = logging.getLogger(__name__)
OUTCOMES = ("converged", "stopped by max_iter", "stalled", "unbounded")  # by code of a Status



class StopRule(NamedTuple):
    """When glmnet ends a path, by the deviance ratios of the solved lambdas."""

    gain: float | None = 1e-5  # of dev_ratio over `steps` lambdas: below it the path ends
    steps: int = 1
    relative: bool | str = False  # gain as a fraction of dev_ratio; "rest": of what is left of it
    explained: float = 0.999  # dev_ratio above which the path ends


@dataclass(slots=True)
class Point:
    """The solution at one lambda, in the user's units; a callable `stop` receives it."""

    index: int  # place on the path, from 0
    lam: float
    df: int  # nonzero coefficients
    dev_ratio: float  # fraction of deviance explained
    gap: float  # duality gap relative to the null objective
    status: int  # code of a Status
    n_iter: int
    which: np.ndarray  # (df,) features with a nonzero coefficient, ascending
    values: np.ndarray  # (df,) their coefficients, or (K, df)
    intercept: float | np.ndarray  # or (K,)
    unbounded: np.ndarray | None = None  # features along which the objective falls for ever
    # For a callable `stop`, (n,): of a loss with kinks, or what `dual` of `follow` returns.
    dual: np.ndarray | None = None


def grid(problem, correlations, n_lambdas, ratio, start=None):
    """Return log-spaced lambdas from the least with b = 0 optimal.

    A correlation of the size of its own rounding counts as 0. If all do, the null model is the
    whole path: one lambda, that of the rounding (0 if there is nothing to explain). `start` is
    the first inner lambda of a solver for which no lambda has b = 0.
    """
    if problem.null_value == 0.0:
        return np.zeros(1)
    penalty = problem.penalty
    scores = penalty.entry_lambdas(correlations)
    norms = LAST_DIGITS * np.sqrt(2.0 * problem.null_value) * problem.norms
    norms = np.tile(norms, len(correlations) // len(norms))  # With groups of several responses.
    signed = [norms, -norms]
    kernel = None if has_blocks(penalty) else getattr(penalty, "kernel", lambda: None)()
    if kernel is not None:
        # Equal norms may lie in the kernel, where the penalty is 0 whatever their size.
        signed.append(np.copysign(norms, correlations))
    rounding = np.max([penalty.entry_lambdas(z) for z in signed], axis=0)
    largest = np.maximum(scores, rounding).max(initial=0.0)
    if (scores > rounding).any():
        largest = start or largest
        return problem.user_lambdas(largest * np.geomspace(1.0, ratio, n_lambdas))
    return problem.user_lambdas(np.array([largest])) if largest > 0.0 else np.zeros(1)


def entry_lambda(problem, correlations):
    """Return the user's lambda from which features begin to enter; 0 if floats cannot hold it."""
    largest = problem.penalty.entry_lambdas(correlations).max(initial=0.0)
    with np.errstate(over="ignore", under="ignore"):
        lam = float(np.ldexp(largest, problem.unit))
    return lam if np.isfinite(lam) else 0.0


def follow(state, problem, lambdas, *, tol, max_iter, stop, dfmax, pmax, advance, start=0.0,
           steps=0.0, warm=False, points=(), save=None, dual=None):
    """Solve down the grid; return (points, why it ended).

    `start` is the lambda at whose solution the state stands, if far lambdas are approached by
    steps of the ratio `steps` (solvers/follow); 0 if they are not. `warm` says that the
    state is where a user wants to start: if the gap is small enough there, no step is taken.
    `points` are solved already, the first of the grid; `save` takes all points after each lambda.
    `dual`(state, inner lambda) makes the dual points that a callable `stop` gets.
    """
    dual = dual or (lambda state, lam: state.dual_point())
    points, endless = list(points), Endless(problem, tol)
    state.look_ahead([problem.inner_lambda(lam) for lam in lambdas])
    entered = {j for point in points for j in point.which.tolist()}
    null = max(problem.null_value, 1e-300)
    reason = "every lambda was solved"
    found = *state.coefficients(), state.intercept
    logged = log.isEnabledFor(logging.DEBUG)
    ended = _reason_to_end(points, stop, dfmax, problem.limited) if points else None
    reason = ended or reason
    for index in range(len(lambdas) if ended else len(points), len(lambdas)):
        lam = lambdas[index]
        before = state.iterations
        budget = max_iter
        if lam < FAR_LAMBDA * start:
            ends = problem.inner_lambda(start), problem.inner_lambda(lam)
            budget -= approach(state, *ends, tol * null, max_iter, steps)
        start, last = min(start, lam), found
        if warm and index == 0:
            outcome, gap, found, loss = _solve(state, problem, lam, tol * null, 0, last)
        if not (warm and index == 0 and outcome == CONVERGED):
            outcome, gap, found, loss = _solve(state, problem, lam, tol * null, budget, last)
        outcome = endless.judged(outcome, lam, found, index + 1 == len(lambdas))
        which, values, intercept = problem.to_user(*found)
        if pmax is not None:
            entered.update(which.tolist())
            if len(entered) > pmax:
                reason = f"more than pmax = {pmax} would have entered"
                break
        explained = 0.0
        if problem.null_value > 0:
            explained = 1.0 - loss / null
        n_iter = state.iterations - before
        points.append(Point(index, float(lam), len(which), explained, gap / null, outcome, n_iter,
                            which, values, intercept, endless.features,
                            dual(state, problem.inner_lambda(lam)) if callable(stop) else None))
        if logged:
            _log_point(points[-1], len(lambdas), state.unit)
        passes = f", {state.iterations} passes" if state.unit == "passes" else ""
        design = getattr(problem, "design", None)  # kernels have none
        moved = getattr(getattr(design, "gather", None), "moved", 0)
        passes += f", {moved / 1e6:.3g} MB moved" if moved else ""
        advance(index + 1, "lambda %.3g, df %d, %.1f%% deviance, gap %.0e%s", lam, len(which),
                100 * explained, gap / null, passes)  # fmt: skip
        if save is not None:
            save(points)
        ended = _reason_to_end(points, stop, dfmax, problem.limited)
        if ended:
            reason = ended
            break
    reason += _without_optimum(points)
    log.debug("path ended after %d of %d lambdas: %s", len(points), len(lambdas), reason)
    return points, reason


def _without_optimum(points):
    """Return what to add to "solved" if no finite coefficients are optimal at some lambdas."""
    count = sum(point.status == UNBOUNDED for point in points)
    return f", but no finite coefficients are best at {count} of the lambdas" if count else ""


def _log_point(point, n_lambdas, unit):
    """Log the iterations at one lambda and its outcome."""
    log.debug("lambda %d of %d = %.6g: df %d, %.2f%% of the deviance, gap %.1e, %d %s, %s",
              point.index + 1, n_lambdas, point.lam, point.df, 100 * point.dev_ratio, point.gap,
              point.n_iter, unit, OUTCOMES[point.status])  # fmt: skip


def _solve(state, problem, lam, target, max_iter, start):
    """Reach gap <= target at lam, for coefficients as floats.

    If the cost of their rounding does not fit into the target with the gap, a second solve aims
    lower. Returns the outcome, the gap, coefficients and intercept in inner units, and their
    loss. They are those of `start`, the point before, if the solver gives up at a worse one.
    """
    outcome, gap, goal, loss = CONVERGED, 0.0, target, 0.0
    for _ in range(2):
        if problem.null_value > 0.0:  # Else there is nothing to explain.
            outcome, gap = state.solve(problem.inner_lambda(lam), goal, max_iter)
            loss = state.loss_value
        found = *state.coefficients(), state.intercept
        if outcome != CONVERGED:
            gap, found, loss = _no_worse(state, problem, lam, start, gap, found, loss)
            return outcome, gap + problem.rounding_cost(*found), found, loss
        rounding_cost = problem.rounding_cost(*found)
        gap, goal = gap + rounding_cost, 0.5 * (target - rounding_cost)
        if gap <= target or not goal > 0.0:
            break
    return (CONVERGED if gap <= target else STALLED), gap, found, loss  # STALLED at NaN


def _no_worse(state, problem, lam, start, gap, found, loss):
    """Return (gap, found, loss) of a solver that gave up, or of its start if that is lower.

    The state goes back there, and certifies the point where it then stands. Where it cannot, the
    gap of the start is that at the dual point of the end.
    """
    # Chains and kernels have no design, and the gap of a concave penalty is of a convex model.
    if getattr(problem, "design", None) is None or problem.concave:
        return gap, found, loss
    inner = problem.inner_lambda(lam)
    (before, least), (after, _) = (objective(problem, inner, *at) for at in (start, found))
    if not before < after:
        return gap, found, loss
    rounding = LAST_DIGITS * (abs(after) + abs(problem.null_value))
    if _moves(problem):
        state.start_at(*start)
        _, own = state.solve(inner, np.inf, 0)
        there = *state.coefficients(), state.intercept
        if objective(problem, inner, *there)[0] <= before + rounding:
            return own, there, state.loss_value
    better = before - after + gap if np.isfinite(after) else np.inf
    return min(max(better, 0.0) + rounding, before), start, least


def _reason_to_end(points, stop, dfmax, limited):
    """Return why the path ends at its last point, or None."""
    last = points[-1]
    if dfmax is not None and last.df > dfmax:
        return f"df is above dfmax = {dfmax}"
    if stop is None:
        return None
    if not isinstance(stop, StopRule):
        return "the stop function said so" if stop(last) else None
    enough = max(5, stop.steps + 1)  # glmnet's mnlam
    if len(points) < enough:
        return None
    if last.dev_ratio > stop.explained:
        return f"more than {100 * stop.explained:.1f}% of the deviance is explained"
    if stop.gain is None:
        return None
    gain = last.dev_ratio - points[-1 - stop.steps].dev_ratio
    whole = {True: last.dev_ratio, "rest": 1.0 - last.dev_ratio}.get(stop.relative, 1.0)
    if gain < stop.gain * whole and not _any_still(points[-enough:], limited):
        steps = "a step" if stop.steps == 1 else f"{stop.steps} steps"
        of = {True: "of itself ", "rest": "of the rest "}.get(stop.relative, "")
        return f"the explained deviance gained less than {stop.gain:g} {of}in {steps}"
    return None


def _any_still(points, limited):
    """Return True if a step changed nothing, although later ones may.

    Either a loose tolerance was met without a step, or limits held the coefficients.
    """
    steps = pairwise(points)
    return any(a.dev_ratio == b.dev_ratio or (limited and _same(a, b)) for a, b in steps)


def _same(a, b):
    same = np.array_equal(a.which, b.which)
    return same and np.allclose(a.values, b.values, rtol=1e-9, atol=0.0)


# Lambdas far below the one before.


def approach(state, start, lam, target, budget, ratio=CONTINUATION_RATIO):
    """Lead a state from the solution at `start` to a far smaller `lam`, by a few lams in between.

    A working set that starts cold at a small lam takes in many features that are never active,
    since at the null model nearly all violate their thresholds. A gradual approach takes in the
    active ones and a few more. No solution of the way is returned.

    Parameters
    ----------
    state : solver state, at the solution of `start`
    start, lam : float, in inner units
    target : float, the target gap at lam
    budget : int, iterations allowed at lam
    ratio : float, the largest of neighbouring lams on the way

    Returns
    -------
    int : iterations spent, at most half of them. It is 0, and nothing is done,
        if these do not last for the way, so that few iterations go into lam itself.
    """
    steps, before = between(start, lam, ratio), state.iterations
    # most steps take 3 to 12 iterations
    allowed = int(0.5 * budget)
    if allowed < 3 * len(steps):
        return 0
    if steps:
        log.debug("a far lambda is approached by %d steps", len(steps))
    for step in steps:
        left = allowed - (state.iterations - before)
        if left <= 0:
            break
        # 1e-5 costs a third more
        state.solve(step, max(target, 1e-3 * state.loss_value), left)
    return state.iterations - before


def between(start, lam, ratio=CONTINUATION_RATIO):
    """Return the lams on the way from `start` to `lam`, decreasing; none if it is near.

    The way to 0, a problem without a penalty, has none either: one or two Newton steps solve it.
    """
    if not 0.0 < lam < FAR_LAMBDA * start < inf:
        return []
    count = ceil(ln(lam / start) / ln(ratio) - 1e-9)
    return [start * (lam / start) ** (k / count) for k in range(1, count)]


# Coefficients of the user to start from, in place of the null model.


class Start(NamedTuple):
    """The point to start from, in the user's units."""

    coefs: np.ndarray  # (p,), or (K, p) of K responses
    intercept: np.ndarray  # () or (K,)


def begin_at(state, problem, start, lam):
    """Move the state to `start`; return True if it moved.

    States of problems in other columns (`solvers/reductions/`), and solvers that keep no
    coefficients between lams, do not move.
    """
    if not _moves(problem) or problem.null_value == 0.0:
        return False
    null = *state.coefficients(), state.intercept
    state.start_at(*inner(problem, start))
    there = *state.coefficients(), state.intercept
    if objective(problem, lam, *there)[0] < objective(problem, lam, *null)[0]:
        return True
    state.start_at(*null)
    return False


def _moves(problem):
    """Return True if states of the problem have its columns, and may be told where to stand."""
    apart = isinstance(problem.design, DistributedDesign) or problem.basis is not None
    return problem.has_blocks and not apart


def inner(problem, start):
    """Return features, their coefficients and the intercept in inner units, within the limits."""
    factor = np.ldexp(problem.factor, problem.shift)
    b = np.divide(start.coefs, factor, out=np.zeros(start.coefs.shape), where=factor > 0.0)
    b[..., ~problem.open_columns] = 0.0
    b = np.clip(b, *problem.limits)
    which = np.flatnonzero(b.reshape(-1, b.shape[-1]).any(axis=0)).astype(np.intc)
    values = np.ascontiguousarray(b[..., which])
    intercept = np.ldexp(start.intercept, -problem.exponent) - problem.mean
    intercept = intercept + values @ problem.means[which]
    return which, values, intercept if problem.intercept else np.zeros(np.shape(intercept))


def objective(problem, lam, which, values, intercept):
    """Return (F + lam Omega, F) less the least F, at a point in inner units; inf beyond floats."""
    rows = np.ascontiguousarray(np.atleast_2d(values))
    moved = np.stack([problem.design.combination(which.astype(np.intc), row) for row in rows])
    b = np.zeros((len(rows), problem.design.p))
    b[:, which] = rows
    with np.errstate(over="ignore", invalid="ignore"):
        if problem.loss is None:
            value = 0.5 * float(problem.weights @ np.square(problem.response - moved[0]))
        else:
            eta = problem.offset + moved.reshape(problem.offset.shape)
            value = problem.loss.at(eta + np.expand_dims(intercept, -1))[0]
            value -= problem.loss.saturated
        penalty = problem.penalty
        if problem.n_responses is not None:
            penalty = on_rows(penalty, problem.grouped)
        total = value + penalty.value(b if problem.n_responses is not None else b[0], lam)
    return (total if np.isfinite(total) else np.inf), value

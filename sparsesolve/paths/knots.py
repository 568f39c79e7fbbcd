"""Paths of knots: their options, the walk from knot to knot, and the results for users.

Rounding may have made knots inaccurate: from there on, the path is solved at many lambdas.

    minimise over b   |y - A b|^2 / 2 + lam sum_j v_j |b_j|       for lams below the last good knot

A homotopy goes from knot to knot with the active columns alone. If these nearly depend on one
another, it may take a wrong turn, which certificates reveal. A solver of one lambda has no such
memory. Given: Batches of knots, with gaps of the knots and of the pieces above them. Returned:
Batches in which every knot below the last good one is the solver's point if that has a smaller
gap. More points are inserted until linear interpolation meets the tolerance at the middle of each
piece.
"""

import logging
from dataclasses import replace
from math import ldexp

import numpy as np

from sparsesolve.data import read_choice, read_count, read_flag, read_number
from sparsesolve.linalg.threads import thread_count
from sparsesolve.paths.options import LITTLE, MAX_ITER, MOST_VALUES
from sparsesolve.paths.progress import progress_bar
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.results.knot_path import knot_path
from sparsesolve.results.status import warn
from sparsesolve.solvers.choice import choose
from sparsesolve.solvers.homotopy.knot_certificate import Batch, Rules
from sparsesolve.solvers.homotopy.path import UNCLEAR, FollowedPath, homotopy_data
from sparsesolve.solvers.problem.problem import ADVICE, felt
from sparsesolve.solvers.reductions.row_space import WayBack, without_collinear

# Ratio of two lambdas between which no other is inserted.
NEAR = 1.0001


def solved_again(problem, batches, tol, n_threads):
    """Return the Batches; those below the first knot that misses tol are replaced where better."""
    enough = max(tol, LITTLE)
    first = next((k for k, one in enumerate(batches) if not (one.gaps <= enough).all()), None)
    if first is None or problem.design.n * problem.design.p > MOST_VALUES:
        return batches
    at = int(np.argmax(~(batches[first].gaps <= enough)))
    points = Points(problem, n_threads)
    below = []
    for k, batch in enumerate(batches[first:]):
        below += [points.nearer(batch, row) for row in range(at if k == 0 else 0, len(batch.lams))]
    above = _cut(batches[first], at)
    before = [*batches[:first], above] if at else batches[:first]
    last = points.as_point(before[-1], len(before[-1].lams) - 1) if before else below.pop(0)
    below = [point for point in _filled(points, last, below, enough)]
    return [*before, points.batch(below if before else [last, *below])]


class Points:
    """Solutions (lam, b (p,), gap, events) of a Problem of squared error, one by one."""

    def __init__(self, problem, n_threads):
        self.problem, self.n_threads = problem, n_threads
        self.state = choose(problem, "auto", None, n_threads)
        self.null = max(problem.null_value, 1e-300)

    def as_point(self, batch, row):
        """Return a knot of a Batch as a point."""
        b = np.zeros(self.problem.design.p)
        np.add.at(b, batch.features, batch.B[row])
        return float(batch.lams[row]), b, float(batch.gaps[row]), int(batch.n_events[row])

    def nearer(self, batch, row):
        """Return a knot of a Batch, or the solver's point there if that has a smaller gap."""
        knot = self.as_point(batch, row)
        point = self.at(knot[0], knot[3])
        return point if point[2] < knot[2] else knot

    def at(self, lam, events=0):
        """Return the solver's point. If it misses the tolerance, columns replace inner products.
        """
        point = self._solved(self.state, lam, events)
        if point[2] <= LITTLE:
            return point
        other = choose(self.problem, "working_set", None, self.n_threads)
        return min(point, self._solved(other, lam, events), key=lambda found: found[2])

    def _solved(self, state, lam, events):
        """Return the point of a state."""
        _, gap = state.solve(lam, 1e-12 * self.null, MAX_ITER)
        which, values = state.coefficients()
        b = np.zeros(self.problem.design.p)
        b[which] = values
        return lam, b, (gap + self.problem.rounding_cost(which, values, 0.0)) / self.null, events

    def excess(self, point, b):
        """Return the objective at b minus that of a point, over the null objective."""
        lam, best, *_ = point
        (there, _), (here, _) = self.loss(b), self.loss(best)
        penalty = self.problem.penalty
        return (there - here + penalty.value(b, lam) - penalty.value(best, lam)) / self.null

    def loss(self, b):
        """Return (squared error at b, |y - A b|^2)."""
        which = np.flatnonzero(b).astype(np.intc)
        r = self.problem.response - self.problem.design.combination(which, b[which])
        square = float(self.problem.weights @ r**2)
        return 0.5 * square, square

    def batch(self, points):
        """Return points as a Batch of all features."""
        lams, B, gaps, events = (np.array(part) for part in zip(*points, strict=True))
        squares = np.array([self.loss(b)[1] for b in B])
        return Batch(lams, np.arange(B.shape[1], dtype=np.intc), B, squares, gaps, events)


def _filled(points, last, below, enough):
    """Return the points below `last`, with others inserted where interpolation misses `enough`.

    At most 400 are inserted, however large gaps remain. Where no other can be inserted, the gap of
    the lower point includes the error of interpolation.
    """
    filled, waiting = [], below[::-1]
    while waiting:
        lam, b, *_ = last
        low = waiting[-1]
        middle = points.at(0.5 * (lam + low[0]))
        excess = max(points.excess(middle, 0.5 * (b + low[1])), 0.0)
        room = lam > NEAR * low[0] and len(filled) + len(waiting) < 400
        if room and excess > max(enough, middle[2]):
            # The ratio of lambdas may be large; half of it is nearer to the place that is
            # missing.
            waiting.append(points.at(np.sqrt(lam * low[0])) if low[0] > 0.0 else middle)
            continue
        last = waiting.pop()
        if last[2] <= enough:  # else the knot misses in any case
            last = *last[:2], max(last[2], excess + middle[2]), last[3]
        filled.append(last)
    return filled


def _cut(batch, count):
    """Return the first `count` knots of a Batch."""
    return replace(batch, **{name: getattr(batch, name)[:count] for name in (
        "lams", "B", "squares", "gaps", "n_events")})  # fmt: skip


log = logging.getLogger(__name__)


def read_knot_options(options, intercept, standardize, n_threads):
    """Check the options that are not data, and return those that steer the path."""
    read_choice("method", options.method, ["lasso", "lar"])
    for name, flag in (("positive", options.positive), ("intercept", intercept),
                       ("standardize", standardize), ("progress", options.progress)):  # fmt: skip
        read_flag(name, flag)
    most_features, most_steps = options.max_features, options.max_steps
    if options.positive and options.method == "lar":
        raise ValueError(
            "positive is True, and method='lar': there features never leave, so that coefficients "
            "may turn negative; use method='lasso'"
        )
    return {
        "lasso": options.method == "lasso",
        "positive": bool(options.positive),
        "ridge": read_number("ridge", options.ridge, 0, np.inf),
        "lambda_min": read_number("lambda_min", options.lambda_min, 0, np.inf),
        "max_features": np.inf if most_features is None else
        read_count("max_features", most_features, 0),
        "max_steps": np.inf if most_steps is None else read_count("max_steps", most_steps, 0),
        "tol": read_number("tol", options.tol, 0, np.inf),
        "n_threads": thread_count(n_threads),
        "progress": bool(options.progress),
    }


def follow_data(problem, settings):
    """Follow the path of a Problem that has a design; see `follow_knots`.

    Unpenalised columns that nearly depend on one another are replaced by a basis of their span,
    because inner products do not separate them. Their coefficients are mapped back.
    """
    found = without_collinear(problem, most=np.inf)
    solved = problem if found is None else found[0]
    way = None if found is None else WayBack(*found, problem.design)
    data = homotopy_data(solved, settings["n_threads"])
    batches, *why = follow_knots(data, solved, settings, problem, way)
    if settings["lasso"] and not settings["ridge"]:
        batches = solved_again(problem, batches, settings["tol"], settings["n_threads"])
    return batches, *why


def follow_knots(data, solved, settings, problem=None, way=None):
    """Follow the path of the Problem `solved`; return (Batches of knots, why it ended,
    unresolved).

    `unresolved` are the unpenalised features that inner products do not separate. Gaps are those
    of the coefficients of `problem` in floats, to which the WayBack leads. Without it, they are
    gaps of the numbers found.
    """
    rules = _rules(solved, settings)
    with progress_bar(100, settings["progress"]) as advance:
        path = FollowedPath(data, rules)
        batches = [path.start]
        for batch in path.batches():
            batches.append(batch)
            done, df = 1 - path.lam / path.first, np.count_nonzero(batch.B[-1])
            advance(round(100 * done), "%d features", df)
    unresolved = sorted(path.certificate.unresolved)
    if unresolved:
        batches = [replace(one, gaps=np.full(len(one.lams), np.inf)) for one in batches]
    if problem is not None:
        batches = [_as_returned(batch, problem, way, path.certificate) for batch in batches]
    return batches, path.why, unresolved


def _as_returned(batch, problem, way, certificate):
    """Return a Batch in the columns of the problem; gaps include the rounding of the mapping."""
    features, B, cost = batch.features, batch.B, np.zeros(len(batch.lams))
    if way is not None:
        cost += [way.cost(features, row, 0.0) for row in B]
        features, B = way.led_back(features, B)
    for k in np.flatnonzero(felt(problem, B.shape[1], np.einsum("ku,ku->k", B, B))):
        nonzero = np.flatnonzero(B[k])
        cost[k] += problem.rounding_cost(features[nonzero], B[k, nonzero], 0.0)
    if not cost.any():
        return replace(batch, features=features, B=B)
    return replace(batch, features=features, B=B, gaps=batch.gaps + certificate.moved(cost))


def _rules(problem, settings):
    """Return the Rules of a path, in inner units."""
    penalty = problem.penalty
    v, upper = np.asarray(penalty.l1), np.asarray(penalty.upper)
    open_ = (upper > 0.0) & (problem.factor > 0.0)
    free = np.flatnonzero(open_ & (v == 0.0)).astype(np.intc)
    if len(free) and settings["positive"]:
        raise ValueError(
            f"penalty_factor is 0 for column {free[0]}, and positive=True: a column without a "
            f"penalty is fitted whatever its sign; use sparsesolve.path with lower=0"
        )
    open_[free] = False
    # As in Problem, lam is in units of 2**unit; 2**exponent of it is the response's.
    try:
        rho = ldexp(settings["ridge"], -2 * (problem.unit - problem.exponent))
    except OverflowError:
        raise ValueError(f"ridge is too large for columns of this size; {ADVICE}") from None
    return Rules(v, rho, open_, free, settings["lasso"], settings["positive"],
                 problem.inner_lambda(settings["lambda_min"]), settings["max_features"],
                 settings["max_steps"])  # fmt: skip


def wrap_knots(problem, followed, tol, rest):
    """Return the result of `follow_knots` as a path in the user's units.

    Warns if a certificate misses tol or the walk had to stop.
    """
    batches, reason, unresolved = followed
    log.debug("path of knots ended: %s", reason)
    path = knot_path(problem, batches, tol, stop_reason=reason, **rest)
    if unresolved:
        names = path.feature_names
        shown = [repr(str(names[j])) if names is not None else str(j) for j in unresolved[:5]]
        warn(
            f"There is no certificate: inner products do not tell column {', '.join(shown)}, "
            "which has no penalty, from the others without one, and it would explain more; leave "
            "it out, rescale differences of columns, or give the data to lars_path"
        )
    elif reason == UNCLEAR:
        warn(
            f"The path ends early, at lambda = {path.lambdas[-1]:.4g}: {reason}; "
            "sparsesolve.path with lambdas= goes further"
        )
    else:
        warn_missed([path], tol, "knots")
    return path

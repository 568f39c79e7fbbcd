"""Paths of knots: their options, the walk from knot to knot, and the results for users."""

import logging
from dataclasses import replace
from math import ldexp

import numpy as np

from sparsesolve.data import read_choice, read_count, read_flag, read_number
from sparsesolve.linalg.threads import thread_count
from sparsesolve.paths.inaccurate_knots import solved_again
from sparsesolve.paths.progress import progress_bar
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.results.knot_path import knot_path
from sparsesolve.results.status import warn
from sparsesolve.solvers.homotopy.knot_certificate import Rules
from sparsesolve.solvers.homotopy.path import UNCLEAR, FollowedPath, homotopy_data
from sparsesolve.solvers.problem.problem import ADVICE, felt
from sparsesolve.solvers.reductions.row_space import WayBack, without_collinear

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

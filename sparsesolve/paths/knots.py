"""Knots: the options of a path of them, the walk from one to the next, and what users get."""

from math import ldexp

import numpy as np

from sparsesolve.data import read_choice, read_count, read_flag, read_number
from sparsesolve.linalg.threads import thread_count
from sparsesolve.paths.progress import progress_bar
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.results.knot_path import knot_path
from sparsesolve.results.status import warn
from sparsesolve.solvers.homotopy.certificate import Rules
from sparsesolve.solvers.homotopy.path import UNCLEAR, FollowedPath
from sparsesolve.solvers.problem.problem import ADVICE


def read_knot_options(*, method, positive, ridge, lambda_min, max_features, max_steps, intercept,
                      standardize, tol, n_threads, progress, **data):
    """Check the options that are not data, and return those that steer the path."""
    read_choice("method", method, ["lasso", "lar"])
    for name, flag in (("positive", positive), ("intercept", intercept),
                       ("standardize", standardize), ("progress", progress)):  # fmt: skip
        read_flag(name, flag)
    if positive and method == "lar":
        raise ValueError(
            "positive is True, and method='lar': there features never leave, so that coefficients "
            "may turn negative; use method='lasso'"
        )
    return {
        "lasso": method == "lasso",
        "positive": bool(positive),
        "ridge": read_number("ridge", ridge, 0, np.inf),
        "lambda_min": read_number("lambda_min", lambda_min, 0, np.inf),
        "max_features": np.inf if max_features is None else
        read_count("max_features", max_features, 0),
        "max_steps": np.inf if max_steps is None else read_count("max_steps", max_steps, 0),
        "tol": read_number("tol", tol, 0, np.inf),
        "n_threads": thread_count(n_threads),
        "progress": bool(progress),
    }


def follow_knots(data, problem, settings):
    """Follow the path; returns (Batches of knots, why it ended)."""
    rules = _rules(problem, settings)
    with progress_bar(100, settings["progress"]) as advance:
        path = FollowedPath(data, rules)
        batches = [path.start]
        for batch in path.batches():
            batches.append(batch)
            done, df = 1 - path.lam / path.first, np.count_nonzero(batch.B[-1])
            advance(round(100 * done), "%d features", df)
    return batches, path.why


def _rules(problem, settings):
    """The Rules of a path, in inner units."""
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
    try:  # as in Problem: lam counts in 2**unit, of which 2**exponent are the response's
        rho = ldexp(settings["ridge"], -2 * (problem.unit - problem.exponent))
    except OverflowError:
        raise ValueError(f"ridge is too large for columns of this size; {ADVICE}") from None
    return Rules(v, rho, open_, free, settings["lasso"], settings["positive"],
                 problem.inner_level(settings["lambda_min"]), settings["max_features"],
                 settings["max_steps"])  # fmt: skip


def wrap_knots(problem, batches, reason, tol, rest):
    """The path in the user's units; warns where a certificate misses tol or it had to stop."""
    path = knot_path(problem, batches, tol, stop_reason=reason, **rest)
    if reason == UNCLEAR:
        warn(f"The path ends early, at lambda = {path.lambdas[-1]:.4g}: {reason}")
    else:
        warn_missed([path], tol, "knots")
    return path

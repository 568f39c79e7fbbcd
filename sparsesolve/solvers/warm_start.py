"""Warm start: a state moved to coefficients of the user, before its first lam.

    minimise over b   F(eta) + lam Omega(b),   starting at b_0 in place of the null model

Given: a Problem, a state of it at the null model, and coefficients with their intercept in the
user's units. Returned: the state at those within the limits. If the objective at lam is no lower
there, it stays at the null model. Invariant: a start changes how long a solution takes, and not
its certificate.

Reference: none.
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.penalties.rows import on_rows


class Start(NamedTuple):
    """The point to start from, in the user's units."""

    coefs: np.ndarray  # (p,), or (K, p) of K responses
    intercept: np.ndarray  # () or (K,)


def begin_at(state, problem, start, lam):
    """Move the state to `start`; return True if it moved.

    States of problems in other columns (`solvers/reductions/`), and solvers that keep no
    coefficients between lams, do not move.
    """
    apart = isinstance(problem.design, DistributedDesign) or problem.basis is not None
    if apart or not problem.has_blocks or problem.null_value == 0.0:
        return False
    null = *state.coefficients(), state.intercept
    state.start_at(*inner(problem, start))
    there = *state.coefficients(), state.intercept
    if objective(problem, lam, *there)[0] < objective(problem, lam, *null)[0]:
        return True
    state.start_at(*null)
    return False


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

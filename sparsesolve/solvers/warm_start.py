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
    least = objective(state, problem, lam)
    state.start_at(*inner(problem, start))
    if objective(state, problem, lam) < least:
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


def objective(state, problem, lam):
    """Return F + lam Omega at the state's point; inf if rounding leaves no number."""
    which, values = state.coefficients()
    b = np.zeros((*values.shape[:-1], problem.design.p))
    b[..., which] = values
    penalty = problem.penalty
    if b.ndim == 2:
        penalty = on_rows(penalty, problem.grouped)
    value = state.loss_value + penalty.value(b, lam)
    return value if np.isfinite(value) else np.inf

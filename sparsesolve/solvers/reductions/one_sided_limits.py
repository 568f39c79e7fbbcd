"""One-sided limits of unpenalised coefficients of a softmax, which restrain nothing.

    softmax(eta_1 + t, ..., eta_K + t) = softmax(eta_1, ..., eta_K)      for every t

Given: a Problem. Returned: the Problem without such limits, and the state that restores them.
Invariant: coefficients that are returned keep the limits.

A constant added to a feature's coefficients in all classes changes no softmax. If it changes no
penalty either, enough of it keeps a limit on one side, whatever the differences between the
classes. A solver that kept the limit would find everything flat in the direction in which it has
to move. So it is given the problem without such limits, and its solution is shifted here, no
further than necessary.

Reference: Friedman, Hastie, Tibshirani (2010), section 4.1, for the invariance.
"""

from dataclasses import replace

import numpy as np


def unbound(problem, lambdas=None):
    """Return (Problem without such limits, mask (p,) of the features that had them); None if none
    had.
    """
    K = problem.n_responses
    if not problem.limited or K is None or not problem.loss.symmetric:
        return None
    low, high = np.isfinite(problem.limits)
    which = problem.unpenalised(lambdas) & (low != high)
    if problem.has_groups:  # Whole groups alone: within one all have limits or none.
        of = np.asarray(problem.penalty.of)[: problem.design.p]
        which &= ~np.isin(of, of[low & high])
    if not which.any():
        return None
    coefficients = np.tile(which, K) if problem.has_groups else which
    return replace(problem, penalty=problem.penalty.unlimited(coefficients)), which


class OneSidedState:
    """The state of a solver of the Problem without such limits; its coefficients keep them.

    Parameters
    ----------
    state : a solver state of that Problem
    problem : Problem with the limits
    which : (p,) bool
        Features whose limits the state does not know.
    """

    start_at = None  # The coefficients within belong to other columns.

    def __init__(self, state, problem, which):
        self.state, self.limits, self.which = state, problem.limits, which

    def __getattr__(self, name):
        return getattr(self.state, name)

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients (K, count)."""
        which, values = self.state.coefficients()
        moved = np.flatnonzero(self.which[which])
        low, high = self.limits[:, which[moved]]
        rows = values[:, moved]
        over = np.maximum(rows.max(axis=0, initial=-np.inf) - high, 0.0)
        under = np.minimum(rows.min(axis=0, initial=np.inf) - low, 0.0)
        values = values.copy()
        values[:, moved] = np.clip(rows - (over + under), low, high)
        kept = values.any(axis=0)
        return which[kept], np.ascontiguousarray(values[:, kept])

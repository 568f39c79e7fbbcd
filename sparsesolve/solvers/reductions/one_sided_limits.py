"""Limits that hold nothing back: of a softmax, on one side of a coefficient without a penalty.

A softmax does not see what is added to a feature's coefficients in all classes. Where neither does
a penalty, enough of it keeps a limit on one side, whatever the differences between the classes. A
solver that kept it too would find everything flat in the direction in which it has to move. So it
is given the problem without such limits, and what it finds is shifted here, no further than it
takes.
"""

from dataclasses import replace

import numpy as np


def unbound(problem, lambdas=None):
    """Return (Problem without such limits, which features had them, (p,)); or None: no such."""
    K = problem.n_responses
    if not problem.limited or K is None or not problem.loss.symmetric:
        return None
    low, high = np.isfinite(problem.limits)
    which = problem.unpenalised(lambdas) & (low != high)
    if problem.has_groups:  # whole groups alone: within one all have limits or none
        of = np.asarray(problem.penalty.of)[: problem.design.p]
        which &= ~np.isin(of, of[low & high])
    if not which.any():
        return None
    coefficients = np.tile(which, K) if problem.has_groups else which
    return replace(problem, penalty=problem.penalty.unlimited(coefficients)), which


class OneSidedState:
    """The state of a solver of that problem; its coefficients keep the limits.

    Parameters
    ----------
    state : whatever answers `solve`, `coefficients` and the like
    problem : Problem with the limits
    which : (p,) bool
        Features whose limits the state does not know of.
    """

    start_at = None  # the coefficients within are of other columns

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

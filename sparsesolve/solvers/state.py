"""State: the contract of everything that solves along a path.

A solver is a function that makes a state of a Problem (`solvers/__init__.py` lists them). The
loop over lambdas (`solvers/follow.py`), the reductions that wrap a state (`solvers/reductions/`)
and the choice of a solver use exactly what stands here. A new solver implements these names.

Shapes: n samples, p features, K responses. With one response, K is left out. Everything is in the
problem's inner units: standardised columns, and the lambda of `Problem.inner_level`.
"""

from typing import Protocol

CONVERGED, MAX_ITER, STALLED = 0, 1, 2  # what `solve` returns: the codes of results.status.Status
NULL_LEVEL = 1e20  # an inner lambda at which every penalised coefficient is 0


class State(Protocol):
    """A solver's state along a path: warm from the last lambda, certified at each.

    Attributes
    ----------
    iterations : int
        Iterations so far, over all lambdas, in the solver's own unit.
    loss_value : float
        F at the current point.
    intercept : float or (K,) array
        The intercept of the current point; 0 where the problem has none.

    Notes
    -----
    A state that can begin elsewhere than at the null model has ``start_at(which, values,
    intercept)``, called before the first solve with coefficients as ``coefficients`` returns them.
    A state that can share work between lambdas also has ``set_grid(levels)``: it is called before
    the first solve of a path with the decreasing levels that will be asked for.
    """

    iterations: int
    loss_value: float
    intercept: object

    def solve(self, lam, target, budget):
        """Minimise F(Z b + b0) + lam Omega(b), starting from the current point.

        Parameters
        ----------
        lam : float
            The regularisation level. The first call has NULL_LEVEL: it solves the null model.
        target : float
            Absolute duality gap at which to stop.
        budget : int
            Iterations that may still be made.

        Returns
        -------
        status, gap : int, float
            One of CONVERGED (gap <= target), MAX_ITER (the budget is spent) and STALLED (no step
            makes progress), and a duality gap of the current point, computed from the data.
        """

    def coefficients(self):
        """Return (which, values): features with a nonzero coefficient, ascending, (m,), and their
        coefficients (m,) or (K, m)."""

    def correlations(self):
        """Return what `Penalty.entry_levels` turns into the first lambda of a path: Z'u (p,) for
        the residual u = -F'(eta) of the current point. For rows of coefficients of K responses it
        is the level (p,) of each row, for groups of them Z'u as (K p,), response by response."""

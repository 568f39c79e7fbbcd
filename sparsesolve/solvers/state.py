"""State: the contract of everything that solves along a path, and of states that show another.

A solver is a function that makes a state of a Problem (`solvers/__init__.py` lists them). The
loop over lambdas (`solvers/follow.py`), the reductions (`solvers/reductions/`) and the choice of a
solver use exactly what stands here. A new solver inherits `State` and implements `solve`,
`coefficients` and `correlations`; the other names have defaults.

Shapes: n samples, p features, K responses. With one response, K is left out. Everything is in the
problem's inner units: standardised columns, and the lambda of `Problem.inner_lambda`.
"""

CONVERGED, MAX_ITER, STALLED = range(3)  # what `solve` returns: the codes of results.status.Status
NULL_LAMBDA = 1e20  # an inner lambda at which every penalised coefficient is 0


class State:
    """A solver's state along a path: warm from the last lambda, certified at each.

    Attributes
    ----------
    iterations : int
        Iterations so far, over all lambdas, in the solver's own unit.
    unit : str
        What the unit is called, for the log; "passes" are shown by a progress bar as well.
    loss_value : float
        F at the current point.
    intercept : float or (K,) array
        The intercept of the current point; 0 where the problem has none.
    grid_problem : Problem or None
        The problem whose penalty turns `correlations` into the first lambda; None is the problem
        that the state was made of.
    """

    __slots__ = ()
    iterations: int
    loss_value: float
    intercept: object
    grid_problem = None
    unit = "iterations"

    def solve(self, lam, target, budget):
        """Minimise F(Z b + b0) + lam Omega(b), starting from the current point.

        Parameters
        ----------
        lam : float
            The regularisation parameter. The first call has NULL_LAMBDA: it solves the null model.
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
        raise NotImplementedError

    def coefficients(self):
        """Return (which, values): features with a nonzero coefficient, ascending, (m,), and their
        coefficients (m,) or (K, m)."""
        raise NotImplementedError

    def correlations(self):
        """Return what `Penalty.entry_lambdas` turns into the first lambda of a path: Z'u (p,) for
        the residual u = -F'(eta) of the current point. For rows of coefficients of K responses it
        is the level (p,) of each row, for groups of them Z'u as (K p,), response by response."""
        raise NotImplementedError

    def correlations_here(self):
        """Return `correlations` of the current point; those of the first lambda may take more."""
        return self.correlations()

    def first_lambda(self):
        """Return the first lambda of a path where no lambda has b = 0; None elsewhere."""
        return None

    def dual_point(self):
        """Return the dual point u (n,) of the certificate, where it is not -F' of the current
        point: where F has kinks. None elsewhere."""
        return None

    def look_ahead(self, grid):
        """Take the lambdas that `solve` will be asked for, decreasing, in inner units."""

    def start_at(self, which, values, intercept):
        """Move to coefficients as `coefficients` returns them, before the first lambda; a state
        that cannot begin elsewhere than at the null model stays there."""

    def restart(self):
        """Continue from the coefficients after the loss of the problem has changed."""
        raise NotImplementedError


class Reduced(State):
    """The state of another problem, shown as that of the problem asked.

    A reduction inherits it: `forward` makes a problem smaller, `back` leads its coefficients back.
    What is not overridden is the answer of `state`.

    Parameters
    ----------
    state : State
        A state of the smaller problem.
    spent : int
        Iterations made elsewhere than in `state`.
    """

    words = "a smaller problem"  # for the log: what is done to the problem

    def __init__(self, state):
        self.state, self.spent = state, 0
        self.grid_problem = state.grid_problem  # of one reduction within another

    @classmethod
    def forward(cls, problem, lambdas, n_threads):
        """Return (the smaller Problem, a callable state -> Reduced), or None if it does not suit.
        """
        raise NotImplementedError

    def back(self, which, values):
        """Return coefficients of the problem asked, from those of the smaller one."""
        return which, values

    @property
    def iterations(self):
        """Iterations so far, over all lambdas."""
        return self.spent + self.state.iterations

    @property
    def unit(self):
        """What iterations are called."""
        return self.state.unit

    @property
    def loss_value(self):
        """F at the current point, less its least value."""
        return self.state.loss_value

    @property
    def intercept(self):
        """Intercept of the standardised problem."""
        return self.state.intercept

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; return (outcome, gap)."""
        return self.state.solve(lam, target, budget)

    def look_ahead(self, grid):
        """Pass on the lambdas to come."""
        self.state.look_ahead(grid)

    def coefficients(self):
        """Return features with a nonzero coefficient, ascending, and their coefficients."""
        return self.back(*self.state.coefficients())

    def correlations(self):
        """Return what `entry_lambdas` takes."""
        return self.state.correlations()

    def first_lambda(self):
        """Return the first lambda of a path where no lambda has b = 0; None elsewhere."""
        return self.state.first_lambda()

    def dual_point(self):
        """Return the dual point u (n,) of a loss with kinks, which has the same rows."""
        return self.state.dual_point()

    def start_at(self, which, values, intercept):
        """Move to coefficients that are the same in both problems."""
        self.state.start_at(which, values, intercept)


def used(b):
    """Return the features with a nonzero coefficient in b, (p,) or (K, p), and their coefficients.
    """
    which = (b.any(axis=0) if b.ndim == 2 else b).nonzero()[0].astype("intc")
    return which, b[..., which].copy()

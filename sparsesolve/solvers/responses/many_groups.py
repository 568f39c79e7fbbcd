"""Groups of K responses: Newton steps while few coefficients are active, SpaRSA steps beyond.

    minimise over b0, B   F(offset + b0 + ZB)  +  lam sum_g Omega_g(B_g)

The model of a Newton step costs the square of the number K m of working coefficients. A proximal
gradient step costs that number itself. So a path begins with `groups.py` and continues with SpaRSA
once m is large. If SpaRSA misses its target, because columns are too similar, Newton steps take
over for the rest of the path. Invariant: both solvers share one kind of Point and certify
it alike.
"""

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.solvers.first_order.fista import Sparsa
from sparsesolve.solvers.responses.groups import ResponseGroups
from sparsesolve.solvers.state import CONVERGED, Reduced


class ManyGroups(Reduced):
    """A solver state, see solvers/state.py."""

    def __init__(self, problem, n_threads):
        self.newton = ResponseGroups(problem, n_threads)
        super().__init__(self.newton)
        self.newton.most = costs.MOST_MODEL_COEFFICIENTS
        self.problem, self.n_threads = problem, n_threads

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; return (outcome, gap)."""
        limit = self.iterations + budget
        outcome, gap = self.state.solve(lam, target, budget)
        if self.state is self.newton and self.newton.too_many:
            self._go_on_with(Sparsa(self.problem, self.n_threads))
            left = min(limit - self.iterations, costs.MOST_STEPS_OF_GROUPS)
            outcome, gap = self.state.solve(lam, target, left)
        if self.state is not self.newton and outcome != CONVERGED:
            self.newton.most, self.newton.too_many = np.inf, False
            self._go_on_with(self.newton)
            outcome, gap = self.state.solve(lam, target, limit - self.iterations)
        return outcome, gap

    def _go_on_with(self, state):
        self.spent = self.iterations - state.iterations
        state.point = self.state.point
        self.state = state

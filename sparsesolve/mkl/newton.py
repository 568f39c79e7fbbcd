"""Newton's method on kernel norms and one dual vector, over working sets of kernels.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Given: a KernelProblem and a decreasing sequence of lam.
Returned: norms n and the dual vector u of a Point whose gap over all kernels is below a target.
Invariant: u sums to 0 where there is an intercept, and K_m u is known for the working kernels.

Where no f_m is 0 the objective is smooth. A Newton step in the product of the RKHSs is

    f_m <- (n_m + t_m) e_m + eta_m (K_m - e_m e_m') u+,
    e_m = f_m / n_m,   eta_m = n_m / (lam phi_m'(n)),
    u+ = -F' - H (what f and b0 move),   e_m'u+ = lam (phi' + phi'' t)_m,   1'u+ = 0:

It takes one factorisation of size n, and one small quadratic program in t and the intercept's a.
The program keeps n + t >= 0, so any number of kernels can leave at once. A kernel that enters
does so along K_m u. The new point is u+ and n + t, or a point on the segment to it. If the
objective rises at all of these, a step of reweighted least squares at eta follows, for which it
cannot rise; samples without curvature get the mean curvature in it. For kernels of rank one the
Newton step is that of the lasso on its support; squared error needs one step.
Reference: Bach et al. (2012), section 1.5 for the representer theorem in a product of RKHSs, and
section 9 for the dual program in norms.
"""

from sparsesolve.mkl.directions import (
    columns_of,
    newton_direction,
    norms_alone,
    solve_columns,
    system_of,
    weighted_direction,
)
from sparsesolve.mkl.point import make_point
from sparsesolve.mkl.single_kernel import search_weighted, shares_of
from sparsesolve.mkl.state import ROUNDING, WorkingState

# Most halvings of a Newton step; after these, a step of reweighted least squares is tried.
BACKTRACKS = 4
# Most halvings of a step in norms alone, which decreases the objective once it is short enough.
PATIENT = 40


class Newton(WorkingState):
    """A state along a path; see the top of this file."""

    def _step(self, lam):
        """Make a Newton step that decreases the objective, or else two steps that cannot increase
        it.
        """
        problem, point = self.problem, self.point
        slope = lam * problem.norm.slope(point.n, problem.factors[point.which])
        eta = shares_of(problem, point, lam)
        columns = columns_of(problem, point)
        solved, system = solve_columns(problem, point, columns, eta)
        u, t = newton_direction(problem, point, lam, eta, slope, columns, solved)
        if self._search(lam, self.sum_to_zero(u), t):
            return
        raised = problem.raised_curvature(point.eta)
        # for example Huber's loss with all samples on its arms
        if (raised > system.curvature).any():
            system = system_of(problem, point, eta, raised)
        u = self.sum_to_zero(weighted_direction(problem, point, system, eta))
        self.point = search_weighted(problem, point, lam, u, eta, ROUNDING * self.null)
        self._search(lam, self.point.u, norms_alone(problem, self.point, lam), PATIENT)

    def _search(self, lam, u, t, backtracks=BACKTRACKS):
        """Move towards u and by t while the objective decreases; return whether it did."""
        problem, old = self.problem, self.point
        products = problem.kernels.times(old.which, u)
        bound = old.objective(problem, lam) + ROUNDING * self.null
        share = 1.0
        for _ in range(backtracks):
            point = make_point(
                problem, old.which, problem.norm.move(old.n, share * t),
                old.u + share * (u - old.u),
                old.products + share * (products - old.products), old.intercepts,
            )  # fmt: skip
            if point.objective(problem, lam) <= bound:
                self.point = point
                return True
            share *= 0.5
        return False

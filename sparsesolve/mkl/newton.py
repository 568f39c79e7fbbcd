"""Newton's method on kernel norms and one dual vector, over working sets of kernels.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Given: a KernelProblem and a decreasing sequence of lam. Left: norms n and the dual vector u of a
Point whose gap over all kernels is below a target.
Invariant: u sums to 0 where there is an intercept, and K_m u is known for the working kernels.

Where no f_m is 0 the objective is smooth, and a Newton step in the product of the RKHSs is

    f_m <- (n_m + t_m) e_m + eta_m (K_m - e_m e_m') u+,
    e_m = f_m / n_m,   eta_m = n_m / (lam phi_m'(n)),
    u+ = -F' - H (what f and b0 move),   e_m'u+ = lam (phi' + phi'' t)_m,   1'u+ = 0:

one factorisation of size n and one small quadratic program in t and the intercept's a, which
keeps n + t >= 0, so kernels leave as many at a time as must; those that enter do so along K_m u.
The new point is made of u+ and n + t, or of what lies between; should the objective rise all the
same, a step of reweighted least squares at eta follows, which never lets it: there samples
without curvature have that of the mean. For kernels of
rank one this is the lasso's Newton step on its support: with squared error one is enough.
Reference: Newton's method in a product of RKHSs, with the representer theorem of Bach et al. 2012,
section 1.5; the dual program in norms is that of their section 9.
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
from sparsesolve.mkl.state import ROUNDING, WorkingState
from sparsesolve.mkl.weighted import search_weighted, shares_of

BACKTRACKS = 4
PATIENT = 40  # of norms alone: downhill once short enough


class Newton(WorkingState):
    """A state along a path; see the top of this file."""

    def _step(self, lam):
        """A Newton step, shortened until the objective falls, or else two that let it not rise."""
        problem, point = self.problem, self.point
        slope = lam * problem.norm.slope(point.n, problem.factors[point.which])
        eta = shares_of(problem, point, lam)
        columns = columns_of(problem, point)
        solved, system = solve_columns(problem, point, columns, eta)
        u, t = newton_direction(problem, point, lam, eta, slope, columns, solved)
        if self._search(lam, self.sum_to_zero(u), t):
            return
        raised = problem.raised_curvature(point.eta)
        if (raised > system.curvature).any():  # as of Huber's loss, where they all are on its arms
            system = system_of(problem, point, eta, raised)
        u = self.sum_to_zero(weighted_direction(problem, point, system, eta))
        self.point = search_weighted(problem, point, lam, u, eta, ROUNDING * self.null)
        self._search(lam, self.point.u, norms_alone(problem, self.point, lam), PATIENT)

    def _search(self, lam, u, t, backtracks=BACKTRACKS):
        """Go from the point towards u and by t as far as the objective falls; whether it does."""
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

"""Reweighted least squares: solve for the single kernel K = sum_m eta_m K_m, then update eta.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Given: a KernelProblem and decreasing lam. Returned: a Point whose gap is below a target.
Invariant: the objective does not rise.

With eta_m = n_m / (lam phi_m'(n)) the penalty lam phi is at most sum_m n_m^2 / (2 eta_m) plus a
constant, with equality at n. The minimiser of this bound is f = K u with u = -F'(f + b0). It is a
smooth problem with one kernel, and its norms n_m = eta_m s_m give the next eta. For the lp norms
this is the Gauss-Seidel alternation of Kloft et al. (2011), whose kernel weights are eta up to a
factor.
Reference: Bach et al. (2012), section 5.
"""

import numpy as np

from sparsesolve.mkl.directions import solve_columns, weighted_direction
from sparsesolve.mkl.point import make_point, sizes_of
from sparsesolve.mkl.state import ROUNDING, WorkingState

# A step is halved at most this often.
BACKTRACKS = 40
# The norm of a kernel that enters is at first this share of the largest norm.
NEW = 1e-3
# A kernel leaves if its norm falls below this share of the largest norm.
GONE = 1e-9


def shares_of(problem, point, lam):
    """Return eta (k,) of a point's norms."""
    slope = lam * problem.norm.slope(point.n, problem.factors[point.which])
    return np.divide(point.n, slope, out=np.zeros_like(slope), where=slope > 0.0)


def search_weighted(problem, old, lam, u, eta, allowance):
    """Return a point between `old` and that of u, with f = K u and n = eta s, by halving.

    Its objective exceeds that of `old` by at most `allowance`.
    """
    products = problem.kernels.times(old.which, u)
    bound, share = old.objective(problem, lam) + allowance, 1.0
    for _ in range(BACKTRACKS):
        new = old.products + share * (products - old.products)
        mixed = old.u + share * (u - old.u)
        n = eta * sizes_of(new, mixed)
        point = make_point(problem, old.which, n, mixed, new, old.intercepts)
        if point.objective(problem, lam) <= bound:
            return point
        share *= 0.5
    return old


class Reweighted(WorkingState):
    """A state along a path; see the top of this file."""

    patience = 50

    def _step(self, lam):
        problem = self.problem
        self._let_in(lam)
        point = self.point
        eta = shares_of(problem, point, lam)
        _, system = solve_columns(problem, point, np.zeros((0, *problem.shape)), eta)
        u = self.sum_to_zero(weighted_direction(problem, point, system, eta))
        self.point = search_weighted(problem, point, lam, u, eta, ROUNDING * self.null)

    def _let_in(self, lam):
        """Give a small norm to violating kernels of norm 0, and 0 to those that vanish."""
        point, problem = self.point, self.problem
        if not problem.norm.sparse:
            return
        d, most = problem.factors[point.which], point.n.max(initial=0.0)
        pull = point.s > lam * problem.norm.slope(point.n, d)
        start = NEW * most if most > 0.0 else 1e-3 * self.null / max(lam, 1e-300)
        n = np.where((point.n == 0.0) & pull, start, point.n)
        n[(n < GONE * n.max(initial=0.0)) & ~pull] = 0.0
        if (n != point.n).any():
            self._make(point.which, n, point.u, point.products)

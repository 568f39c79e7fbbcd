"""The inner problem of wrapper methods, with one kernel K = sum_m eta_m K_m.

    minimise over f, b0   F(offset + f + b0) + f'K^-1 f / 2

Given: the kernels, eta and a first u. Returned: a Point with f = K u, where u = -F' at the
solution. If F is smooth, Newton steps solve it; for the hinge loss sequential minimal
optimisation does. Invariant: the value does not rise. The optimal value J(eta) is convex, and its
slope in eta_m is -u'K_m u / 2.
Reference: Bach et al. (2012), section 1.5.

Reweighted least squares: solve for the single kernel K = sum_m eta_m K_m, then update eta.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Given: a KernelProblem and decreasing lam. Returned: a Point whose gap is below a target.
Invariant: the objective does not rise.

With eta_m = n_m / (lam phi_m'(n)) the penalty lam phi is at most sum_m n_m^2 / (2 eta_m) plus a
constant, with equality at n. The minimiser of this bound is f = K u with u = -F'(f + b0). It is a
smooth problem with one kernel, and its norms n_m = eta_m s_m give the next eta. For the lp norms
this is the Gauss-Seidel alternation of Kloft et al. (2011), whose kernel weights are eta up to a
factor.
Reference: Bach et al. (2012), section 5.

Wrapper methods, as baselines: an inner solver for one kernel, and an update of its weights.

    minimise over eta   J(eta)     with J as above

Given: a KernelProblem and decreasing lam. Returned: a Point whose gap is below a target.
Invariant: J does not rise.

SimpleMKL follows the reduced gradient of J on the simplex of beta_m = lam d_m^2 eta_m, for the
norm "l1_squared". The alternation sets eta_m = n_m / (lam phi_m'(n)), the closed form for given
norms. Both work for the hinge loss, which no other algorithm here does.
References: Rakotomamonjy, Bach, Canu, Grandvalet (2008), "SimpleMKL", JMLR 9; Kloft, Brefeld,
Sonnenburg, Zien (2011), "lp-norm multiple kernel learning", JMLR 12, algorithm 1.
"""

import numpy as np

from sparsesolve.losses.kinked import Hinge
from sparsesolve.mkl.newton import (
    search_weighted,
    shares_of,
    solve_columns,
    weighted_direction,
)
from sparsesolve.mkl.problem import make_point, sizes_of
from sparsesolve.mkl.smo import solve_machine
from sparsesolve.mkl.state import HALVINGS, ROUNDING, WorkingState

# Newton's method takes at most this many steps.
STEPS = 50


def solve_single(problem, which, eta, u, near, enough):
    """Return the Point of f = K u, starting from u (q, n), with J accurate to about `enough`.

    The kernels are `which` (k,), with eta (k,) at least 0. Intercepts are searched from `near`.
    """
    if isinstance(problem.loss, Hinge):
        return _machine(problem, which, eta, u, near, enough)
    point = _point(problem, which, eta, u, problem.kernels.times(which, u), near)
    for _ in range(STEPS):
        _, system = solve_columns(problem, point, np.zeros((0, *problem.shape)), eta)
        target = weighted_direction(problem, point, system, eta)
        if problem.intercept:
            target = target - problem.weights * target.sum(axis=1, keepdims=True)
        before, point = point, _towards(problem, point, eta, target)
        if single_value(before) - single_value(point) <= enough:
            break
    return point


def single_value(point):
    """Return J of a Point with a single kernel: its norms are n = eta s, so f'K^-1 f = n's."""
    return point.loss_value + 0.5 * float(point.n @ point.s)


def _point(problem, which, eta, u, products, near):
    return make_point(problem, which, eta * sizes_of(products, u), u, products, near)


def _towards(problem, old, eta, target):
    """Return a point between `old` and `target` at which J is no larger, by halving."""
    products, share = problem.kernels.times(old.which, target), 1.0
    for _ in range(HALVINGS):
        u = old.u + share * (target - old.u)
        mixed = old.products + share * (products - old.products)
        point = _point(problem, old.which, eta, u, mixed, old.intercepts)
        if single_value(point) <= single_value(old):
            return point
        share *= 0.5
    return old


def _machine(problem, which, eta, u, near, enough):
    """Return the Point for the hinge loss, for which u = y a with the variables a of the dual."""
    n, y, w = problem.kernels.n, np.asarray(problem.loss.responses), problem.weights
    K = np.empty((n, n))
    active = eta > 0.0
    problem.kernels.total(which[active], eta[active], K)
    K = np.tril(K) + np.tril(K, -1).T
    start = y * u[0]
    feasible = (start >= 0.0).all() and (start <= w).all() and abs(u.sum()) <= 1e-12
    start = start if feasible else np.zeros(n)
    a, _, _ = solve_machine(K, y, w, start, problem.intercept, enough, 10**7)
    u = (y * a)[None]
    return _point(problem, which, eta, u, problem.kernels.times(which, u), near)


# The norm of a kernel that enters is at first this share of the largest norm.
NEW = 1e-3
# A kernel leaves if its norm falls below this share of the largest norm.
GONE = 1e-9


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


# The inner problem is solved to this share of the target, so that its error does not count.
INSIDE = 1e-3
# Share of the predicted decrease that a step must reach.
ARMIJO = 1e-4


class Alternation(WorkingState):
    """Alternate between the inner problem and the closed form of the kernel weights."""

    patience = 200

    def __init__(self, problem):
        super().__init__(problem)
        self._work_on(self.all)

    def _look(self, lam):
        return 0.0, False

    def solve(self, lam, target, budget):
        self.enough = INSIDE * max(target, 1e-13 * self.null)
        if not self.point.n.any():
            sizes = self.point.s
            n = self.problem.norm.response(sizes, self.problem.factors[self.all], lam)
            n = np.maximum(n, 1e-3 * max(n.max(initial=0.0), 1e-3 * self.null / lam))
            self._make(self.all, n, self.point.u, self.point.products)
            self.started = True
        return super().solve(lam, target, budget)

    def _step(self, lam):
        eta = shares_of(self.problem, self.point, lam)
        self.point = self._inner(eta)

    def _inner(self, eta):
        point = self.point
        return solve_single(self.problem, self.all, eta, point.u, point.intercepts, self.enough)


class SimpleMKL(Alternation):
    """Follow the reduced gradient of the kernel weights, with a line search on the simplex."""

    def solve(self, lam, target, budget):
        d = self.problem.factors[self.all]
        self.scale = 1.0 / (lam * d**2)  # eta at beta = 1
        if not self.started:
            self.beta = np.full(len(d), 1.0 / max(len(d), 1))
            self.started = True
        self.enough = INSIDE * max(target, 1e-13 * self.null)
        self.point = self._inner(self.beta * self.scale)
        return WorkingState.solve(self, lam, target, budget)

    def _step(self, lam):
        slope = -0.5 * self.point.s**2 * self.scale
        top = int(np.argmax(self.beta))
        direction = -(slope - slope[top])
        direction[(self.beta <= 0.0) & (direction < 0.0)] = 0.0
        direction[top] = 0.0
        direction[top] = -direction.sum()
        share = self._to_the_edge(direction, top)
        if share > 0.0:
            self._search_line(slope, direction, share)

    def _to_the_edge(self, direction, top):
        """Move to the next face of the simplex while J decreases; return the length that is left.
        """
        while True:
            falling = np.flatnonzero(direction < 0.0)
            if not len(falling):
                return 0.0
            lengths = -self.beta[falling] / direction[falling]
            first, length = falling[np.argmin(lengths)], float(lengths.min())
            beta = np.maximum(self.beta + length * direction, 0.0)
            beta[first] = 0.0
            point = self._inner(beta * self.scale)
            if single_value(point) >= single_value(self.point) or first == top:
                return length
            self.beta, self.point = beta / beta.sum(), point
            direction[first] = direction[top] = 0.0
            direction[top] = -direction.sum()  # exactly 0 in a corner of the simplex

    def _search_line(self, slope, direction, share):
        value, fall = single_value(self.point), float(slope @ direction)
        for _ in range(HALVINGS):
            beta = np.maximum(self.beta + share * direction, 0.0)
            point = self._inner(beta / beta.sum() * self.scale)
            if single_value(point) <= value + ARMIJO * share * fall:
                self.beta, self.point = beta / beta.sum(), point
                return
            share *= 0.5

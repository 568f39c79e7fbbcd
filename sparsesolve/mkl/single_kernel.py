"""The inner problem of wrapper methods, with one kernel K = sum_m eta_m K_m.

    minimise over f, b0   F(offset + f + b0) + f'K^-1 f / 2

Given: the kernels, eta and a first u. Returned: a Point with f = K u, where u = -F' at the
solution. If F is smooth, Newton steps solve it; for the hinge loss sequential minimal
optimisation does. Invariant: the value does not rise. The optimal value J(eta) is convex, and its
slope in eta_m is -u'K_m u / 2.
Reference: Bach et al. (2012), section 1.5.
"""

import numpy as np

from sparsesolve.losses.hinge import Hinge
from sparsesolve.mkl.directions import solve_columns, weighted_direction
from sparsesolve.mkl.point import make_point, sizes_of
from sparsesolve.mkl.smo import solve_machine

# Newton's method takes at most this many steps.
STEPS = 50
# A step is halved at most this often.
BACKTRACKS = 30
# The solver for the hinge loss makes at most this many moves.
MOVES = 10_000_000


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
    for _ in range(BACKTRACKS):
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
    a, _, _ = solve_machine(K, y, w, start, problem.intercept, enough, MOVES)
    u = (y * a)[None]
    return _point(problem, which, eta, u, problem.kernels.times(which, u), near)

"""Newton's method on kernel norms and one dual vector, over working sets of kernels.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Given: a KernelProblem and a decreasing sequence of lam. Left: norms n and the dual vector u of a
Point whose gap over all kernels is below a target.
Invariant: u sums to 0 where there is an intercept, and K_m u is known for the working kernels.

Where no f_m is 0 the objective is smooth, and a Newton step in the product of the RKHSs is

    f_m <- t_m f_m/n_m + eta_m K_m u+,     eta_m = n_m / (lam phi_m'(n)),
    (I + H K) u+ = u + H (f + b0 - F t - 1 a),     K = sum_m eta_m K_m,   F = [f_m / n_m],
    F'u+ = lam (phi' + phi'' t),   1'u+ = 0:

one factorisation of size n and one small quadratic program in t and the intercept's a, which
keeps n + t >= 0, so kernels leave as many at a time as must; those that enter do so along K_m u.
The new point is made of u+ and n + t, or of what lies between; should the objective rise all the
same, a step of reweighted least squares at eta follows, which never lets it. For kernels of
rank one this is the lasso's Newton step on its support: with squared error one is enough.
Reference: the quadratic program is that of Tibshirani's lasso in norms; working sets as in Bach
et al. 2012, section 6.4.
"""

import numpy as np

from sparsesolve.mkl.certificate import gap_at
from sparsesolve.mkl.point import make_point, sizes_of
from sparsesolve.mkl.problem import KernelFit
from sparsesolve.mkl.screening import Screening
from sparsesolve.mkl.step import bounded_step
from sparsesolve.mkl.system import System
from sparsesolve.result import Status

ENTER = 20  # kernels that may enter at a time, or as many as are at work
VIOLATION = 1e-12  # relative
INSIDE = 0.3  # of the target: gap over the working kernels at which all are looked at
BACKTRACKS = 4
KEEP = 0.1  # of a norm at least, in one step, where no norm can be 0
PATIENCE = 4  # steps without progress after which rounding is to blame
SHRINK = 0.5  # of lam at most from one solution to the next: farther ones are reached by stages
ROUNDING = 1e-13  # of the null objective
STAGE_TARGET = 1e-2  # of the null objective: gap at a stage


class Newton:
    """A state along a path; see the top of this file."""

    def __init__(self, problem):
        self.problem = problem
        self.iterations = 0
        self.screening = Screening(problem.kernels, problem.shape)
        self.all = problem.included
        u = problem.loss_at(problem.offset + problem.null_intercept[:, None])[1]
        u -= problem.weights * u.sum(axis=1, keepdims=True) if problem.intercept else 0.0
        self.null = max(problem.null_value, 1e-300)
        sizes = problem.kernels.sizes(self.all, u) if len(self.all) else np.zeros(0)
        self.first_sizes = sizes / problem.factors[self.all]
        self.lam = problem.norm.first(self.first_sizes, problem.null_value)
        which = self.all[:0] if problem.norm.sparse else self.all
        products = problem.kernels.times(which, u)
        self.point = make_point(
            problem, which, np.zeros(len(which)), u, products, problem.null_intercept
        )
        self.started = False

    @property
    def loss_value(self):
        return self.point.loss_value

    @property
    def intercept(self):
        return self.point.intercepts

    def coefficients(self):
        """Active kernels and the KernelFit of the solution."""
        point, active = self.point, self.point.n > 0.0
        n = point.n[active]
        return point.which[active], KernelFit(n, n / point.s[active], point.u)

    def solve(self, lam, target, budget):
        """Move to lam; returns (code of a Status, certified gap)."""
        floor = SHRINK * min(self.lam, self.problem.norm.first(self.first_sizes, self.null))
        while floor > lam > 0.0 and budget > 0:
            before = self.iterations
            self._solve(floor, max(target, STAGE_TARGET * self.null), budget)
            budget -= self.iterations - before
            floor *= SHRINK
        return self._solve(lam, target, budget)

    def _solve(self, lam, target, budget):
        self.lam = lam
        if not self.started:
            self._start(lam)
        self._look(lam)
        best, idle = np.inf, 0
        status, gap = Status.MAX_ITER, np.inf
        for count in range(budget + 1):
            inner = self.point.gap(self.problem, lam)
            if inner <= INSIDE * target or count == budget or idle >= PATIENCE:
                others, entered = self._look(lam)
                gap = self.point.gap(self.problem, lam, others)
                if gap <= target:
                    return Status.CONVERGED, gap
                if not entered:
                    gap = min(gap, self._gap_of_residual(lam))
                    if gap <= target:
                        return Status.CONVERGED, gap
                    if idle >= PATIENCE:
                        status = Status.STALLED
                        break
                best, idle = np.inf, 0
            if count == budget:
                break
            before = self.point.objective(self.problem, lam)
            self._step(lam)
            self.iterations += 1
            after = self.point.objective(self.problem, lam)
            progress = inner < 0.7 * best or after < before - ROUNDING * self.null
            best, idle = min(best, inner), 0 if progress else idle + 1
        return status, gap

    def _start(self, lam):
        """Norms to begin with, where a norm of degree 2 has no solution 0."""
        self.started = True
        norm, problem = self.problem.norm, self.problem
        if not norm.squared:
            return
        sizes = self.first_sizes * problem.factors[self.all]
        n = norm.response(sizes, problem.factors[self.all], lam)
        kept = n > 0.0
        self._work_on(self.all[kept])
        self._make(self.point.which, n[kept], self.point.u, self.point.products)

    # working sets

    def _look(self, lam):
        """Let kernels that matter join the working ones; returns (largest s_m / d_m of others,
        whether any joined)."""
        problem, point = self.problem, self.point
        rest = np.setdiff1d(self.all, point.which)
        if not len(rest):
            return 0.0, False
        d = problem.factors[rest]
        quiet = problem.norm.quiet(point.n, point.s, problem.factors[point.which], lam)
        ratios = self.screening.sizes(point.u, rest, quiet * d) / d
        loud = np.flatnonzero(ratios > quiet * (1 + VIOLATION))
        if not len(loud):
            return float(ratios.max()), False
        most = max(ENTER, np.count_nonzero(point.n))
        chosen = rest[loud[np.argsort(-ratios[loud])[:most]]]
        self._work_on(np.concatenate([point.which[point.n > 0.0], chosen]))
        return float(ratios.max()), True

    def _work_on(self, which):
        """Change the working kernels, keeping what is known of them."""
        point, problem = self.point, self.problem
        which = np.sort(which)
        products = np.empty((len(which), *problem.shape))
        n = np.zeros(len(which))
        old, places = np.isin(which, point.which), np.searchsorted(point.which, which)
        products[old], n[old] = point.products[places[old]], point.n[places[old]]
        products[~old] = problem.kernels.times(which[~old], point.u)
        self._make(which, n, point.u, products)

    def _make(self, which, n, u, products):
        self.point = make_point(self.problem, which, n, u, products, self.point.intercepts)

    # one step

    def _step(self, lam):
        """A Newton step, shortened until the objective falls, or one of least squares."""
        problem, point = self.problem, self.point
        d = problem.factors[point.which]
        slope = lam * problem.norm.slope(point.n, d)
        eta = np.divide(point.n, slope, out=np.zeros_like(slope), where=slope > 0.0)
        system = self._system(eta)
        u, t = self._direction(system, lam, eta, slope)
        if self._search(lam, u, np.maximum(point.n + t, 0.0)):
            return
        u, _ = self._direction(system, lam, eta, None)
        self._search_weighted(lam, u, eta)

    def _system(self, eta):
        problem, active = self.problem, eta > 0.0
        curvature = problem.curvature(self.point.eta)
        return System(
            problem.kernels, self.point.which[active], eta[active], curvature, problem.joined
        )

    def _direction(self, system, lam, eta, slope):
        """u+ (q, n) and t (k,); with slope None eta is kept: reweighted least squares."""
        problem, point = self.problem, self.point
        q, n = problem.shape
        k = len(eta) if slope is not None else 0
        columns = np.zeros((k + q * problem.intercept, q, n))
        if k:
            columns[:k] = point.products / np.maximum(point.s, 1e-300)[:, None, None]
        for j in range(q * problem.intercept):
            columns[k + j, j] = 1.0
        f = point.f if k else np.tensordot(eta, point.products, axes=1)
        rest = point.residual + problem.curvature_times(
            point.eta, f + point.intercepts[:, None] * problem.intercept
        )
        times = system.kernel_times(rest)
        solved = system.inverse(np.concatenate([times[None], columns]))
        base = rest - solved[0]
        flat, G = columns.reshape(len(columns), -1), solved[1:].reshape(len(columns), -1)
        S, c = flat @ G.T, flat @ base.ravel()
        S = 0.5 * (S + S.T)
        low = np.zeros(0)
        if k:
            d = problem.factors[point.which]
            S[:k, :k] += lam * problem.norm.bend(point.n, d)
            c[:k] -= slope
            low = -point.n if problem.norm.sparse else -(1.0 - KEEP) * point.n
        t = bounded_step(S, c, low, point.n[:k] > 0.0)
        u = base - np.tensordot(t, solved[1:], axes=1)
        return self._sum_to_zero(u), t[:k]

    def _sum_to_zero(self, u):
        if self.problem.intercept:
            u = u - self.problem.weights * u.sum(axis=1, keepdims=True)
        return u

    def _search(self, lam, u, n):
        """Go from the point towards (u, n) as far as the objective falls; whether it does."""
        problem, old = self.problem, self.point
        products = problem.kernels.times(old.which, u)
        bound = old.objective(problem, lam) + ROUNDING * self.null
        share = 1.0
        for _ in range(BACKTRACKS):
            point = make_point(
                problem, old.which, old.n + share * (n - old.n), old.u + share * (u - old.u),
                old.products + share * (products - old.products), old.intercepts,
            )  # fmt: skip
            if point.objective(problem, lam) <= bound:
                self.point = point
                return True
            share *= 0.5
        return False

    def _search_weighted(self, lam, u, eta):
        """The same for f = K u with fixed eta, and n what follows."""
        problem, old = self.problem, self.point
        products = problem.kernels.times(old.which, u)
        bound = old.objective(problem, lam) + ROUNDING * self.null
        share = 1.0
        for _ in range(10 * BACKTRACKS):
            new = old.products + share * (products - old.products)
            mixed = old.u + share * (u - old.u)
            n = eta * sizes_of(new, mixed)
            point = make_point(problem, old.which, n, mixed, new, old.intercepts)
            if point.objective(problem, lam) <= bound:
                self.point = point
                return
            share *= 0.5

    def _gap_of_residual(self, lam):
        """The gap at the dual point -F'(eta), which is in the domain of F* wherever u may be."""
        problem, point = self.problem, self.point
        u = self._sum_to_zero(point.residual)
        mine = problem.kernels.sizes(point.which, u)
        rest = np.setdiff1d(self.all, point.which)
        d = problem.factors[rest]
        quiet = problem.norm.quiet(point.n, mine, problem.factors[point.which], lam)
        others = self.screening.sizes(u, rest, quiet * d) / d if len(rest) else np.zeros(1)
        # f_m is made of the point's own u: its product with this one is no longer n_m s_m
        inner = np.einsum("kqn,qn->k", point.products, u) / np.maximum(point.s, 1e-300)
        return gap_at(problem, lam, point, u, mine, inner, float(others.max()))

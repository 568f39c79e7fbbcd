"""Newton's method on kernel norms and one dual vector, over working sets of kernels.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Given: a KernelProblem and a decreasing sequence of lam. Left: norms n and the dual vector u of a
Point whose gap over all kernels is below a target.
Invariant: u sums to 0 where there is an intercept, and K_m u is known for the working kernels.

Where no f_m is 0 the objective is smooth, and a Newton step in the product of the RKHSs is

    f_m <- (n_m + t_m) e_m + eta_m (K_m - e_m e_m') u+,  e_m = f_m / n_m,  eta_m = n_m / lam phi_m',
    u+ = -F' - H (what f and b0 move),   e_m'u+ = lam (phi' + phi'' t)_m,   1'u+ = 0:

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
        """A Newton step, shortened until the objective falls, or else steps that let it not rise."""
        problem, point = self.problem, self.point
        slope = lam * problem.norm.slope(point.n, problem.factors[point.which])
        eta = np.divide(point.n, slope, out=np.zeros_like(slope), where=slope > 0.0)
        columns = self._columns()
        solved, system = self._solve_columns(columns, eta)
        u, t = self._direction(lam, eta, slope, columns, solved)
        if self._search(lam, u, t):
            return
        u = self._weighted_direction(system, eta)
        self._search_weighted(lam, u, eta)
        self._search(lam, self.point.u, self._norms_alone(lam))

    def _columns(self):
        """f_m / n_m of the working kernels, and the intercepts' columns, (k + q, q, n)."""
        point, (q, n) = self.point, self.problem.shape
        k, free = len(point.n), q * self.problem.intercept
        columns = np.zeros((k + free, q, n))
        columns[:k] = point.products / np.maximum(point.s, 1e-300)[:, None, None]
        for j in range(free):
            columns[k + j, j] = 1.0
        return columns

    def _solve_columns(self, columns, eta):
        """[base, (H^-1 + K)^-1 columns], base = (I + H K)^-1 (r + H b0), and the System."""
        problem, point, active = self.problem, self.point, eta > 0.0
        system = System(
            problem.kernels, point.which[active], eta[active], problem.curvature(point.eta),
            problem.joined,
        )  # fmt: skip
        rest = point.residual.copy()
        if problem.intercept:
            level = np.repeat(point.intercepts[:, None], problem.shape[1], axis=1)
            rest += problem.curvature_times(point.eta, level)
        times = system.kernel_times(rest)
        solved = system.inverse(np.concatenate([times[None], columns]))
        solved[0] = rest - solved[0]
        return solved, system

    def _direction(self, lam, eta, slope, columns, solved):
        """u+ (q, n) and t (k,): the system with K - F diag(eta) F' in the place of K, by Woodbury."""
        problem, point = self.problem, self.point
        k, free = len(eta), len(columns) - len(eta)
        base, flat = solved[0], columns.reshape(len(columns), -1)
        S = flat @ solved[1:].reshape(len(columns), -1).T
        S = 0.5 * (S + S.T)
        b = flat @ base.ravel()
        eta = np.append(eta, np.zeros(free))
        narrow = _without_own(S, eta)
        c = b + narrow @ (eta * b) - np.append(slope, np.zeros(free))
        Q = narrow.copy()
        Q[:k, :k] += lam * problem.norm.bend(point.n, problem.factors[point.which])
        t = bounded_step(Q, c, problem.norm.reach(point.n), point.n > 0.0)
        g = b + narrow @ (eta * b - t)
        u = base - np.tensordot(t - eta * g, solved[1:], axes=1)
        return self._sum_to_zero(u), t[:k]

    def _weighted_direction(self, system, eta):
        """u+ (q, n) of reweighted least squares: eta as it is, f = K u+."""
        problem, point = self.problem, self.point
        q, n = problem.shape
        level = np.repeat(point.intercepts[:, None], n, axis=1) * problem.intercept
        f = np.tensordot(eta, point.products, axes=1)
        rest = point.residual + problem.curvature_times(point.eta, point.f + level)
        # the factor has taken the place of K: its product is that of the kernels
        active = eta > 0.0
        products = problem.kernels.times(point.which[active], rest)
        times = np.tensordot(eta[active], products, axes=1)
        columns = np.zeros((q * problem.intercept, q, n))
        for j in range(len(columns)):
            columns[j, j] = 1.0
        solved = system.inverse(np.concatenate([times[None], columns]))
        base = rest - solved[0]
        if len(columns):
            S = np.einsum("jqn,kqn->jk", columns, solved[1:])
            a = np.linalg.lstsq(S, np.einsum("jqn,qn->j", columns, base), rcond=1e-13)[0]
            base = base - np.tensordot(a, solved[1:], axes=1)
        return self._sum_to_zero(base)

    def _norms_alone(self, lam):
        """t (k,) of a Newton step for norms of functions that keep their directions."""
        problem, point = self.problem, self.point
        d, columns = problem.factors[point.which], self._columns()
        k, flat = len(point.n), columns.reshape(len(columns), -1)
        curved = np.array([problem.curvature_times(point.eta, column) for column in columns])
        S = flat @ curved.reshape(len(columns), -1).T
        S = 0.5 * (S + S.T)
        S[:k, :k] += lam * problem.norm.bend(point.n, d)
        c = flat @ point.residual.ravel()
        c[:k] -= lam * problem.norm.slope(point.n, d)
        return bounded_step(S, c, problem.norm.reach(point.n), point.n > 0.0)[:k]

    def _sum_to_zero(self, u):
        if self.problem.intercept:
            u = u - self.problem.weights * u.sum(axis=1, keepdims=True)
        return u

    def _search(self, lam, u, t):
        """Go from the point towards u and by t as far as the objective falls; whether it does."""
        problem, old = self.problem, self.point
        products = problem.kernels.times(old.which, u)
        bound = old.objective(problem, lam) + ROUNDING * self.null
        share = 1.0
        for _ in range(BACKTRACKS):
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


def _without_own(S, eta):
    """S (I - diag(eta) S)^-1, which is F'(H^-1 + K - F diag(eta) F')^-1 F where S is that with K."""
    root = np.sqrt(eta)
    inner = np.eye(len(S)) - root[:, None] * S * root
    try:
        half = np.linalg.solve(np.linalg.cholesky(inner), root[:, None] * S)
        return S + half.T @ half
    except np.linalg.LinAlgError:  # rounding where a kernel's own direction is all there is
        values, vectors = np.linalg.eigh(inner)
        half = (vectors.T @ (root[:, None] * S)) / np.sqrt(np.maximum(values, 1e-12))[:, None]
        return S + half.T @ half

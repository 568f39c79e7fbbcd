"""States along a path that work on sets of kernels; what an algorithm adds is its step.

Invariant: the point's dual vector sums to 0 over the samples where there is an intercept, and its
products with the working kernels are known. A kernel joins the working ones when s_m = sqrt(u'K_m
u) exceeds what leaves the certificate as it is, and may leave again when its norm is 0.
Reference: working sets as in Bach et al. 2012, section 6.4.
"""

import numpy as np

from sparsesolve.mkl.certificate import gap_at
from sparsesolve.mkl.point import make_point
from sparsesolve.mkl.problem import KernelFit
from sparsesolve.mkl.screening import Screening
from sparsesolve.results.status import Status

ENTER = 20  # kernels that may enter at a time, or as many as are at work
VIOLATION = 1e-12  # relative
INSIDE = 0.3  # of the target: gap over the working kernels at which all are looked at
SHRINK = 0.5  # of lam at most from one solution to the next: farther ones are reached by stages
ROUNDING = 1e-13  # of the null objective
NOTHING = 1e-7  # of what a kernel could have of the null residual at most: rounding
STAGE_TARGET = 1e-2  # of the null objective: gap at a stage


class WorkingState:
    """A state along a path; see the top of this file."""

    patience = 4  # steps without progress after which rounding is to blame

    def __init__(self, problem):
        self.problem = problem
        self.iterations = 0
        self.screening = Screening(problem.kernels, problem.shape)
        self.all = problem.included
        u = problem.loss_at(problem.offset + problem.null_intercept[:, None])[1]
        u -= problem.weights * u.sum(axis=1, keepdims=True) if problem.intercept else 0.0
        self.null = max(problem.null_value, 1e-300)
        sizes = problem.kernels.sizes(self.all, u) if len(self.all) else np.zeros(0)
        largest = problem.kernels.bounds[self.all] * np.linalg.norm(u)
        sizes[sizes <= NOTHING * largest] = 0.0
        self.first_sizes = sizes / problem.factors[self.all]
        self.largest_sizes = largest / problem.factors[self.all]
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
        self._extrapolate(lam)
        best, idle = np.inf, 0
        status, gap = Status.MAX_ITER, np.inf
        for count in range(budget + 1):
            inner = self.point.gap(self.problem, lam)
            if inner <= INSIDE * target or count == budget or idle >= self.patience:
                others, entered = self._look(lam)
                gap = self.point.gap(self.problem, lam, others)
                if gap <= target:
                    return Status.CONVERGED, gap
                if not entered:
                    gap = min(gap, self._gap_of_residual(lam))
                    if gap <= target:
                        return Status.CONVERGED, gap
                    if idle >= self.patience:
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
        rest, d, quiet = self._others(lam)
        if not len(rest):
            return 0.0, False
        ratios = self.screening.sizes(self.point.u, rest, quiet * d) / d
        return float(ratios.max()), self._let_join(rest, ratios, quiet)

    def _extrapolate(self, lam):
        """Let kernels join that seem to matter at a new lam, by what is known of them already."""
        rest, d, quiet = self._others(lam)
        self._let_join(rest, self.screening.estimates(self.point.u, rest) / d, quiet)

    def _others(self, lam):
        """Kernels that are not at work, their d, and the level below which they do not matter."""
        problem, point = self.problem, self.point
        rest = np.setdiff1d(self.all, point.which)
        quiet = problem.norm.quiet(point.n, point.s, problem.factors[point.which], lam)
        return rest, problem.factors[rest], quiet

    def _let_join(self, rest, ratios, quiet):
        """Whether any kernels are loud; the loudest of them join."""
        point, loud = self.point, np.flatnonzero(ratios > quiet * (1 + VIOLATION))
        if len(loud):
            most = max(ENTER, np.count_nonzero(point.n))
            chosen = rest[loud[np.argsort(-ratios[loud])[:most]]]
            self._work_on(np.concatenate([point.which[point.n > 0.0], chosen]))
        return bool(len(loud))

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

    # a step

    def _step(self, lam):
        """Change the point so that its objective does not rise; the working kernels stay."""
        raise NotImplementedError

    def sum_to_zero(self, u):
        """u less what rounding, or curvature, has left of its sums."""
        if self.problem.intercept:
            u = u - self.problem.weights * u.sum(axis=1, keepdims=True)
        return u

    def _gap_of_residual(self, lam):
        """The gap at the dual point -F'(eta), which is in the domain of F* wherever u may be."""
        problem, point = self.problem, self.point
        u = self.sum_to_zero(point.residual)
        mine = problem.kernels.sizes(point.which, u)
        rest = np.setdiff1d(self.all, point.which)
        d = problem.factors[rest]
        quiet = problem.norm.quiet(point.n, mine, problem.factors[point.which], lam)
        others = self.screening.sizes(u, rest, quiet * d) / d if len(rest) else np.zeros(1)
        # f_m is made of the point's own u: its product with this one is no longer n_m s_m
        inner = np.einsum("kqn,qn->k", point.products, u) / np.maximum(point.s, 1e-300)
        return gap_at(problem, lam, point, u, mine, inner, float(others.max()))

"""The working set of kernels along a path; an algorithm adds its step.

    minimise over f_m, b0   F(b0 + sum_m f_m) + lam Omega(|f_1|, ..., |f_M|)

Given: a problem of mkl/problem.py. Returned: a point at each lam, and its certified gap.
Invariant: the products of the dual vector u with the working kernels are known. Where there is an
intercept, u sums to 0 over the samples.

A kernel joins the working set when s_m = sqrt(u'K_m u) exceeds the level below which it does not
change the certificate. It may leave again when its norm is 0.
Reference: Bach et al. (2012), section 6.4, on working sets.
"""

import numpy as np

from sparsesolve.mkl.problem import ROUNDING_OF_SIZES, KernelFit, gap_at, make_point
from sparsesolve.mkl.screening import Screening
from sparsesolve.results.status import Status
from sparsesolve.solvers.state import State

# Most kernels that join at once, if the working set is smaller than this; else as many as it has.
MOST_JOINING = 20
# A kernel joins if it violates its condition by more than this fraction: less is rounding.
VIOLATION = 1e-12
# Most halvings of a step: it is then 10^-12 times as long.
HALVINGS = 40
# A decrease below this share of the null objective is rounding.
ROUNDING = 1e-13


class WorkingState(State):
    """A state along a path; see the top of this file."""

    patience = 4  # the state has stalled after this many steps without progress

    def __init__(self, problem):
        self.problem = problem
        self.iterations = 0
        self.screening = Screening(problem.kernels)
        self.all = problem.included
        u = problem.loss_at(problem.offset + problem.null_intercept[:, None])[1]
        u -= problem.weights * u.sum(axis=1, keepdims=True) if problem.intercept else 0.0
        self.null = max(problem.null_value, 1e-300)
        sizes = problem.kernels.sizes(self.all, u) if len(self.all) else np.zeros(0)
        largest = problem.kernels.bounds[self.all] * np.linalg.norm(u)
        sizes[sizes <= ROUNDING_OF_SIZES * largest] = 0.0
        self.first_sizes = sizes / problem.factors[self.all]
        self.largest_sizes = largest / problem.factors[self.all]
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
        """Return the active kernels and the KernelFit of the solution."""
        point, active = self.point, self.point.n > 0.0
        n = point.n[active]
        return point.which[active], KernelFit(n, n / point.s[active], point.u)

    def solve(self, lam, target, budget):
        """Move to lam; returns (code of a Status, certified gap)."""
        if not self.started:
            self._start(lam)
        self._extrapolate(lam)
        best, idle = np.inf, 0
        status, gap = Status.MAX_ITER, np.inf
        for count in range(budget + 1):
            inner = self.point.gap(self.problem, lam)
            if inner <= target or count == budget or idle >= self.patience:
                others, joined = self._look(lam)
                gap = self.point.gap(self.problem, lam, others)
                if gap <= target:
                    return Status.CONVERGED, gap
                if not joined:
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
        """Choose the first norms for an Omega of degree 2, for which 0 is never a solution."""
        self.started = True
        norm, problem = self.problem.norm, self.problem
        if not norm.squared:
            return
        sizes = self.first_sizes * problem.factors[self.all]
        n = norm.response(sizes, problem.factors[self.all], lam)
        kept = n > 0.0
        self._work_on(self.all[kept])
        self._make(self.point.which, n[kept], self.point.u, self.point.products)

    # the working set

    def _look(self, lam):
        """Examine all other kernels; returns (their largest s_m / d_m, whether any joined)."""
        rest, d, level = self._others(lam)
        if not len(rest):
            return 0.0, False
        ratios = self.screening.sizes(self.point.u, rest, level * d) / d
        return float(ratios.max()), self._let_join(rest, ratios, level)

    def _extrapolate(self, lam):
        """Let kernels join that are predicted to violate at a new lam, without new products."""
        rest, d, level = self._others(lam)
        self._let_join(rest, self.screening.estimates(self.point.u, rest) / d, level)

    def _others(self, lam):
        """Return the kernels outside the working set, their d, and the level of a violation."""
        problem, point = self.problem, self.point
        rest = np.setdiff1d(self.all, point.which)
        level = problem.norm.inactive_level(point.n, point.s, problem.factors[point.which], lam)
        return rest, problem.factors[rest], level

    def _let_join(self, rest, ratios, level):
        """Add the kernels that violate most; return whether any violates."""
        point, violating = self.point, np.flatnonzero(ratios > level * (1 + VIOLATION))
        if len(violating):
            most = max(MOST_JOINING, np.count_nonzero(point.n))
            chosen = rest[violating[np.argsort(-ratios[violating])[:most]]]
            self._work_on(np.concatenate([point.which[point.n > 0.0], chosen]))
        return bool(len(violating))

    def _work_on(self, which):
        """Change the working set, and keep the products that are known."""
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

    # the step of an algorithm

    def _step(self, lam):
        """Move the point so that its objective does not rise; the working set stays."""
        raise NotImplementedError

    def sum_to_zero(self, u):
        """Return u with its sums removed; rounding or the curvature left them."""
        if self.problem.intercept:
            u = u - self.problem.weights * u.sum(axis=1, keepdims=True)
        return u

    def _gap_of_residual(self, lam):
        """Return the gap at -F'(eta), a dual point that is always in the domain of F*."""
        problem, point = self.problem, self.point
        u = self.sum_to_zero(point.residual)
        mine = problem.kernels.sizes(point.which, u)
        rest = np.setdiff1d(self.all, point.which)
        d = problem.factors[rest]
        level = problem.norm.inactive_level(point.n, mine, problem.factors[point.which], lam)
        others = self.screening.sizes(u, rest, level * d) / d if len(rest) else np.zeros(1)
        # f_m is computed from the point's own u, so its product with this u is not n_m s_m
        inner = np.einsum("kqn,qn->k", point.products, u) / np.maximum(point.s, 1e-300)
        return gap_at(problem, lam, point, u, mine, inner, float(others.max()))

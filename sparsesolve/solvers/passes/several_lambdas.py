"""Newton steps for several lambdas of a path at once, which share their passes over X.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam Omega(b)      for lam_1 > lam_2 > ... > lam_K

Given: a grid, and what PassNewton needs. Returned: a solution and a gap for each lambda, when the
path asks for it. Invariant: that of PassNewton. `curvature` belongs to a point nearby, and
`stale` says that it does not.

With many rows and few columns a model costs nothing, and a pass over X for K points little more
than for one.

    1. Prediction: quadratic models at a solved point predict the points of the next K lambdas.
    2. Gradients: one pass evaluates F and its gradient at all of them.
    3. Curvature: it is taken at the last of them. That of each lambda lies on the straight line in
       log(lam) between both ends of the block. The last block predicts its slope.
    4. Correction: the model of its own curvature corrects each point, one pass a round.
    5. Certificate: each point has its own, from products that came with it.

Lambdas that are not solved so are left to PassNewton, and the next block is smaller.

Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014), for one lambda.
"""

from math import log
from typing import NamedTuple

import numpy as np

from sparsesolve.solvers.certificate.dual_point import still_missing
from sparsesolve.solvers.certificate.gap import blocks_gap, scales
from sparsesolve.solvers.costs import passes as costs
from sparsesolve.solvers.costs.rounding import MODEL
from sparsesolve.solvers.first_order.first_order import CONVERGED, Point
from sparsesolve.solvers.passes.curvature import inverse
from sparsesolve.solvers.passes.pass_newton import PassNewton
from sparsesolve.solvers.passes.row_pass import cleared, evaluate, suits


class PointWithGradient(NamedTuple):
    """A point and its products with X, which is all that a model needs."""

    point: Point
    z: np.ndarray  # (p,) Z'u
    pull: np.ndarray  # (f,) Q'u


class Clearing(NamedTuple):
    """What makes a dual point orthogonal to the basis Q: H times a combination of Q is
    subtracted.
    """

    heavy: np.ndarray  # (f, n) Q'H
    mixed: np.ndarray  # (f, p) Q'HZ
    inner: np.ndarray  # (f, f) Q'HQ


class SeveralLambdas(PassNewton):
    """A solver state, see solvers/state.py."""

    def __init__(self, problem, n_threads):
        self.levels, self.ready = [], {}
        self.most = max(min(costs.LAMBDAS_TOGETHER, costs.KEPT_VALUES // problem.design.n), 1)
        if problem.has_groups and problem.design.p > costs.MOST_COLUMNS:
            self.most = 1
        self.together = min(2, self.most)
        self.gradient_point = self.change = self.reached = None
        super().__init__(problem, n_threads)
        self.shared = suits(self.design, self.loss)

    def set_grid(self, levels):
        """Set the lambdas that will be asked for, decreasing."""
        self.levels = levels

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        together = budget > costs.PASSES_TOGETHER and lam not in self.ready
        lams = self.upcoming(lam) if together else []
        if len(lams) > 1:
            with np.errstate(over="ignore", invalid="ignore"):  # where a prediction goes too far
                self.solve_together(lams, target)
        if lam in self.ready:
            self.gradient_point, gap, steps = self.ready.pop(lam)
            self.point, self.reached = self.gradient_point.point, lam
            self.iterations += steps
            return CONVERGED, gap
        if not self.stale:
            self.project(self.curvature)  # The current model may belong to another point.
        before = self.iterations
        outcome, gap = super().solve(lam, target, budget)
        self.gradient_point = None
        if len(lams) < 2 and self.iterations - before <= costs.EASY_STEPS:
            self.together = min(2 * self.together, self.most)
        return outcome, gap

    def upcoming(self, lam):
        """Return the lambdas from this one on that are solved together."""
        if lam not in self.levels:
            return []
        first = self.levels.index(lam)
        lams = self.levels[first : first + self.together]
        same = self.unpenalised_basis.same_at
        return [lam for lam in lams if same(lam) and lam not in self.ready]

    def solve_together(self, lams, target):
        """Solve at these lambdas from the current point; solved ones are put into `ready`."""
        if not self.begin_block(lams):
            return
        base, near = self.gradient_point, self.curvature
        distances = {lam: log(self.reached / lam) for lam in lams}
        curvatures = dict.fromkeys(lams, near)
        if self.change is not None:  # the curvature halfway
            reach = near.reach(self.change)
            curvatures = {k: near.moved(self.change, min(distance / 2, reach))
                          for k, distance in distances.items()}
        size = np.array([np.linalg.norm(self.whitened(base.point.u))])
        goal = max(costs.MODEL_SHARE * target, MODEL * self.problem.null_value)
        unsolved, steps = dict.fromkeys(lams, base), 0
        while unsolved and steps < costs.PASSES_TOGETHER:
            unsolved, steps = self.advance(unsolved, curvatures, size, goal), steps + 1
            if steps == 1:
                if not self.estimate_change(near, unsolved[lams[-1]], lams[-1]):
                    break
                curvatures = {lam: near.moved(self.change, distance)
                              for lam, distance in distances.items()}
                clearing = self.clearing()
            for lam, place in list(unsolved.items()):
                gap = self.certify(lam, place, clearing, target)
                if gap <= target:
                    self.ready[lam] = place, gap, steps
                    del unsolved[lam]
        self.point = base.point
        self.together = min(2 * self.together, self.most)
        if unsolved:
            self.stale = True
            self.together = self.most = max(self.most // 2, 1)
            first = unsolved.get(lams[0], base).point
            if self.objective(lams[0], first) < self.objective(lams[0]):
                self.point = first

    def advance(self, places, curvatures, size, goal):
        """Return the minima of the models at these points, by lambda, evaluated in one pass."""
        aims = [self.model_minimum(lam, place, curvatures[lam], size, goal)
                for lam, place in places.items()]
        B, C = map(np.stack, zip(*aims, strict=True))
        return dict(zip(places, self.evaluate(B, C), strict=True))

    def estimate_change(self, near, place, lam):
        """Estimate the change of the curvature down to lam; return True if it is finite."""
        if not np.isfinite(place.point.value):
            return False
        self.point = place.point
        self.grow(lam * lam / self.reached, place.z)
        self.refresh_hessian()
        self.change = near.rate(self.curvature, log(self.reached / lam))
        return bool(np.isfinite(self.curvature.gram).all())

    def begin_block(self, lams):
        """Evaluate the current point and its curvature; return True if lambdas can be solved
        together.
        """
        if self.gradient_point is None:
            self.gradient_point = self.evaluate(self.point.b[None], self.point.c[None])[0]
            self.change, self.stale = None, True
            self.reached = lams[0]
            sizes = self.penalty.polar(np.where(self.unpenalised, 0.0, self.gradient_point.z))
            if lams[0] < sizes < np.inf:
                self.reached = sizes
        grown = self.grow(lams[-1], self.gradient_point.z)
        if len(self.which) > costs.MOST_COLUMNS:
            self.stale, self.together, self.most = True, 1, 1
            return False
        if grown or self.stale:
            self.refresh_hessian()
            self.change = None
        return self.reached > lams[-1]

    def grow(self, lam, z):
        """Add columns that may be needed down to lam, judged by z; return True if any were added.
        """
        if self.problem.has_groups:
            return self.grow_working_set(lam)
        missing = self.alive & ~self.unpenalised
        missing[self.which] = False
        if self.design.p > costs.FEW_COLUMNS:
            sizes, threshold = np.abs(z), lam * np.asarray(self.penalty.l1)
            if not (missing & (sizes > costs.CLOSE * threshold)).any():
                return False
            missing &= sizes > costs.ENTER_TOGETHER * threshold
        self.which = np.append(self.which, np.flatnonzero(missing)).astype(np.intc)
        return missing.any()

    def model_minimum(self, lam, place, curvature, size, goal):
        """Return coefficients (p,) and (f,) at the minimum of a model, for a residual of norm
        `size`.
        """
        self.project(curvature)
        which = self.which[: len(curvature.gram)]
        pull = self.inverse_inner @ place.pull
        z = place.z[which] - self.mixed.T @ pull
        b = place.point.b.copy()
        b[which] = self.minimiser(lam, b[which], z, size, goal)
        change = (b - place.point.b)[which]
        return b, place.point.c + pull - self.inverse_inner @ (self.mixed @ change)

    def evaluate(self, B, C):
        """Evaluate coefficients B (K, p) and C (K, f) in one pass over X, or two."""
        if self.shared:
            found = evaluate(
                self.design, self.loss, self.offset, self.basis, B, C, self.n_threads
            )
        else:
            eta = self.design.combinations(B)
            u, values = np.empty_like(eta), []
            for row, slope, c in zip(eta, u, C, strict=True):
                row += self.offset
                row += self.basis @ c
                value, slope[:] = self.loss.at(row)
                values.append(value)
            z = self.design.response_products(u, None, self.n_threads)
            found = eta, values, u, z, u @ self.basis
        return [
            PointWithGradient(Point(b, c, eta, value, u), z, pull)
            for b, c, eta, value, u, z, pull in zip(B, C, *found, strict=True)
        ]

    def clearing(self):
        """Return the Clearing of the curvature taken last."""
        heavy = np.ascontiguousarray((self.h[:, None] * self.basis).T)
        mixed = np.zeros((len(heavy), self.design.p))
        if len(self.which) == self.design.p:
            mixed[:, self.which] = self.curvature.mixed
        elif len(heavy):
            mixed = self.design.response_products(heavy, None, self.n_threads)
        return Clearing(heavy, mixed, self.curvature.inner)

    def certify(self, lam, place, clearing, target):
        """Return the gap at a point; infinite if its columns alone exceed the target."""
        pull = inverse(clearing.inner) @ place.pull
        z = place.z - pull @ clearing.mixed
        z[self.unpenalised] = 0.0
        self.point = place.point
        penalty, b, charge = self.penalty, place.point.b, self.penalty.value(place.point.b, lam)
        parts = [blocks_gap(penalty, lam, charge, b, s * z) for s in scales(penalty, z, lam)]
        if min(parts) > target:
            return np.inf
        dual, left, size = cleared(self.point.u, clearing.heavy, self.basis, pull)
        missing = still_missing(clearing.inner, left, size)
        gap = self.gap_by(lam, dual, z, self.unpenalised, missing)
        if gap > costs.HOPELESS * (abs(self.loss_value) + charge):
            gap = self.gap(lam)
        return gap

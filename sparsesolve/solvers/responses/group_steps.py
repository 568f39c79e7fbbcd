"""Proximal Newton steps whose model is in inner products of working columns, kept until steps get
slow.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam Omega(b)

Given: what FirstOrder needs. Returned per lam: the duality gap over all columns. Invariant: what
FirstOrder keeps. Memory: some vectors of n and of p, and three S x S matrices.

A step minimises a quadratic model with F'' = s H, where H is taken at an earlier point. s is
estimated from the change of the gradient along the last step. Gradient and duality gap are exact,
over all columns. The intercept and unpenalised columns are projected out of the model under H.

Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014).
"""

import numpy as np

from sparsesolve.solvers.first_order.first_order import CONVERGED, MAX_ITER, STALLED, FirstOrder
from sparsesolve.solvers.quadratic.sufficient_statistics import InnerModel
from sparsesolve.solvers.tolerances import ARMIJO, MOST_IDLE, PROGRESS, SLOW_STEP

# A model is solved to this share of the target gap: its inner products are in memory, and steps
# cost passes.
MODEL_SHARE = 0.1
# Steps in which the gap does not halve before the solver gives up, as where no finite point is
# best and it would go on for ever.
PATIENCE = 100


class GroupSteps(FirstOrder):
    """Newton steps; a subclass gives the working set and the Hessian.

    It has `grow_working_set`, `refresh_hessian`, `charged`, `whitened` and `curvature_along`.
    """

    def __init__(self, problem, n_threads):
        self.n_threads = n_threads
        self.products_at, self.cleared, self.problem = None, (None, None), problem
        super().__init__(problem, n_threads)
        self.which = np.empty(0, dtype=np.intc)  # S
        self.scale, self.stale, self.model = 1.0, True, None

    too_many = False  # The working columns are too many for a model.

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        limit, idle, gap = self.iterations + budget, 0, self.gap(lam)
        least = last = lowest = halved = np.inf
        review = self.iterations + PATIENCE
        while gap > target:
            if self.iterations >= limit:
                return MAX_ITER, gap
            value = self.objective(lam)
            falls = gap < PROGRESS * least
            idle = 0 if falls or value < lowest - self.rounding(value) else idle + 1
            if self.iterations == review:
                if gap > 0.5 * halved:
                    return STALLED, gap
                halved, review = gap, review + PATIENCE
            if idle == MOST_IDLE:
                return STALLED, gap
            least, lowest = min(gap, least), min(value, lowest)
            grown = self.grow_working_set(lam)
            if self.too_many:
                self.stale = True
                return STALLED, gap
            if grown or self.stale or gap > SLOW_STEP * last:
                self.refresh_hessian()
            # no model is solved to rounding
            goal = max(MODEL_SHARE * target, 1e-13 * self.problem.null_value)
            # Without progress the model was too near its minimum to say where that of F is.
            self.step(lam, goal if falls else 0.0)
            self.iterations += 1
            self.loss.raise_pending()
            last, gap = gap, self.gap(lam)
        return CONVERGED, gap

    def restart(self):
        """Continue from the coefficients after the loss has changed."""
        super().restart()
        self.seen, self.products_at, self.cleared = (), None, (None, None)
        self.scale, self.stale = 1.0, True

    def products(self, u):
        """Return z_j'u of every column, (p,)."""
        self.products_at = self.point
        return super().products(u)

    def dual_at(self, lam):
        """Return the dual point of FirstOrder, once for a point at which it cannot change with
        lam.
        """
        if not self.unpenalised_basis.same_at(lam):
            return super().dual_at(lam)
        if self.cleared[0] is not self.point:
            self.cleared = self.point, super().dual_at(lam)
        return self.cleared[1]

    def gradient(self):
        """Return u or, if only that is known, the dual point, with its products with the columns.

        They differ by a combination of the basis under H, which the model projects out anyway.
        """
        return next((pair for pair in self.seen if pair[0] is self.point.u), self.seen[0])

    def gap(self, lam):
        """Return the duality gap over all columns."""
        gap = super().gap(lam)
        if self.products_at is not self.point:  # there is no certificate yet
            self.products(self.point.u)
        return gap

    def project(self, gram, mixed, inner):
        """Make the model: inner products under H of the working columns S (S, S), of the basis Q
        with these (f, S), and of Q (f, f).
        """
        self.mixed, self.inverse_inner = mixed, np.linalg.pinv(inner, hermitian=True)
        gram = gram - mixed.T @ self.inverse_inner @ mixed
        self.fixed = fixed = self.unpenalised_products(self.which)
        gram[fixed] = gram[:, fixed] = 0.0
        self.model = InnerModel(gram, self.charged(self.which))

    def unpenalised_products(self, which):
        """Return a mask of columns that a model leaves alone: in the basis, or constant."""
        return (self.unpenalised | ~self.alive)[which % self.design.p]

    def step(self, lam, goal):
        """Step towards the model's minimum as far as the objective falls."""
        u, z = self.gradient()
        basis_step = self.inverse_inner @ (self.point.u @ self.basis).ravel() / self.scale
        z = z.ravel()[self.which]
        z -= self.mixed.T @ self.inverse_inner @ (u @ self.basis).ravel()
        b = self.point.b.copy()
        z, e, level = z / self.scale, self.whitened(u) / self.scale, lam / self.scale
        start = b.ravel()[self.which]
        b.reshape(-1)[self.which] = self.minimiser(level, start, z, e, goal / self.scale)
        change = b - self.point.b
        c_step = basis_step - self.inverse_inner @ (self.mixed @ change.ravel()[self.which])
        c_step = c_step.reshape(self.point.c.shape)
        image = self.combination(change) + c_step @ self.basis.T
        self.descend(lam, change, b, c_step, image)

    def minimiser(self, lam, start, z, e, goal):
        """Return the model's coefficients (S,), solved to a gap.

        z is without what H projects out; e is u in the model's units.
        """
        if len(start) == 0:
            return start
        self.model.aim(start, np.where(self.fixed, 0.0, z), e)
        # Steps within a model, which is replaced by the next.
        self.model.solve(lam, goal, 1000)
        found = np.zeros(len(start))
        which, values = self.model.coefficients()
        found[which] = values
        return np.where(self.fixed, start, found)

    def descend(self, lam, change, b, c_step, image):
        """Halve the step until the objective falls by Armijo's condition; update s."""
        start = self.point
        before, charge = self.objective(lam), self.penalty.value(start.b, lam)
        slope = self.penalty.value(b, lam) - charge - float(np.vdot(start.u, image))
        t = 1.0
        # 2^-30 of a step moves no coefficient by more than rounding.
        for _ in range(30):
            new_b = b if t == 1.0 else start.b + t * change
            eta = start.eta + t * image
            new = type(start)(new_b, start.c + t * c_step, eta, *self.loss.at(eta))
            reached = self.objective(lam, new)
            if reached < np.inf and reached <= before + ARMIJO * t * slope + self.rounding(before):
                break
            t *= 0.5
        else:
            self.stale = True
            return
        along, modelled = float(np.vdot(start.u - new.u, image)), self.curvature_along(image)
        if modelled > 0.0 and along > 0.0:
            least = 0.1 if t == 1.0 else 2.0
            self.scale = max(along / (t * modelled), least * self.scale)
        self.point = new

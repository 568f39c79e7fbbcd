"""Groups of features with K responses: Newton steps, then SpaRSA where many are active.

    minimise over b0, B   F(offset + b0 + ZB)  +  lam sum_g Omega_g(B_g)

B_g (K, p_g) holds the coefficients of the features of group g for all K responses.
Given: a problem with K responses and a penalty of groups. Returned for each lam: coefficients with
a duality gap over all groups. A step minimises a quadratic model with F'' = s H. H is F'' over the
K m coefficients of the working groups at an earlier point, kept as inner products until steps get
slow; s is estimated from the change of the gradient along the last step. Intercepts and
unpenalised columns are projected out of the model under H.

A model costs the square of K m, a proximal gradient step K m itself. So a path continues with
SpaRSA once m is large. If SpaRSA misses its target, because columns are too similar, Newton steps
take over for the rest of the path. Invariant: that of FirstOrder, for both.
Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014).
"""

import numpy as np

from sparsesolve.linalg.design.response_columns import response_columns
from sparsesolve.solvers.first_order.first_order import FirstOrder, Sparsa
from sparsesolve.solvers.quadratic.sufficient_statistics import InnerModel
from sparsesolve.solvers.screening.inactive import farthest, most_entering
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, STALLED, Reduced
from sparsesolve.solvers.tolerances import ARMIJO, MOST_IDLE, PROGRESS, SLOW_STEP

# Working coefficients of groups of K responses, K m, up to which Newton steps are made: beyond, a
# model takes longer than proximal gradient steps to the same gap.
MOST_MODEL_COEFFICIENTS = 500
# Proximal gradient steps at one lambda after which Newton steps take over in such problems.
MOST_STEPS_OF_GROUPS = 3000
# A model is solved to this fraction of the target gap: its inner products are in memory.
MODEL_FRACTION = 0.1
# Steps in which the gap does not halve before the solver gives up, as where no finite point is
# best and it would go on for ever.
PATIENCE = 100
# Least curvature of each sample in any direction: more holds steps back where classes are all but
# told apart.
LEAST_CURVATURE = 1e-13


class ResponseGroups(FirstOrder):
    """The solver state along a path, as solvers/state.py describes it.

    Attributes
    ----------
    most : float
        The number of working coefficients above which `solve` gives up and sets `too_many`.
    """

    most = np.inf
    too_many = False  # The working columns are too many for a model.

    def __init__(self, problem, n_threads):
        self.products_at, self.last_dual, self.problem = None, (None, None), problem
        super().__init__(problem, n_threads)
        self.which = np.empty(0, dtype=np.intc)  # S
        self.scale, self.stale, self.model = 1.0, True, None
        self.groups = np.zeros(problem.penalty.n_groups, dtype=bool)  # working
        of = np.asarray(problem.penalty.of)[: self.design.p]
        self.open = np.zeros(len(self.groups), dtype=bool)
        self.open[of[self.alive & ~self.unpenalised]] = True
        self.working = problem.penalty.part(np.flatnonzero(self.groups))

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
            goal = max(MODEL_FRACTION * target, 1e-13 * self.problem.null_value)
            # Without progress the model was too near its minimum to say where that of F is.
            self.step(lam, goal if falls else 0.0)
            self.iterations += 1
            self.loss.raise_pending()
            last, gap = gap, self.gap(lam)
        return CONVERGED, gap

    def restart(self):
        """Continue from the coefficients after the loss has changed."""
        super().restart()
        self.recent, self.products_at, self.last_dual = (), None, (None, None)
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
        if self.last_dual[0] is not self.point:
            self.last_dual = self.point, super().dual_at(lam)
        return self.last_dual[1]

    def gradient(self):
        """Return u or, if only that is known, the dual point, with its products with the columns.

        They differ by a combination of the basis under H, which the model projects out anyway.
        """
        return next((pair for pair in self.recent if pair[0] is self.point.u), self.recent[0])

    def gap(self, lam):
        """Return the duality gap over all columns."""
        gap = super().gap(lam)
        if self.products_at is not self.point:  # there is no certificate yet
            self.products(self.point.u)
        return gap

    def step(self, lam, goal):
        """Step towards the model's minimum as far as the objective falls."""
        u, z = self.gradient()
        basis_step = self.inverse_inner @ (self.point.u @ self.basis).ravel() / self.scale
        z = z.ravel()[self.which]
        z -= self.mixed.T @ self.inverse_inner @ (u @ self.basis).ravel()
        b = self.point.b.copy()
        z, scaled = z / self.scale, lam / self.scale
        e = np.einsum("iab,bi->ia", self.unroot, u).ravel() / self.scale  # H^-1/2 u
        start = b.ravel()[self.which]
        b.reshape(-1)[self.which] = self.minimiser(scaled, start, z, e, goal / self.scale)
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
        self.model.set_gradient(start, np.where(self.fixed, 0.0, z), e)
        # Steps within a model, which is replaced by the next.
        self.model.solve(lam, goal, 1000)
        found = np.zeros(len(start))
        which, values = self.model.coefficients()
        found[which] = values
        return np.where(self.fixed, start, found)

    def descend(self, lam, change, b, c_step, image):
        """Halve the step until the objective falls by Armijo's condition; update s."""
        start = self.point
        before, after = self.objective(lam), self.penalty.value(b, lam)
        slope = after - self.penalty.value(start.b, lam) - float(np.vdot(start.u, image))
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
        along = float(np.vdot(start.u - new.u, image))
        modelled = float(np.vdot(image, self.loss.curvature_product(self.weighed, image)))
        if modelled > 0.0 and along > 0.0:
            least = 0.1 if t == 1.0 else 2.0
            self.scale = max(along / (t * modelled), least * self.scale)
        self.point = new

    def grow_working_set(self, lam):
        """Add groups to the working set if the product of at least one exceeds lam.

        These are the groups with products near or above lam, the largest first if there are many.
        Return True if any group was added.
        """
        pressed = self.problem.penalty.levels(self.gradient()[1].ravel())
        pressed[self.groups | ~self.open] = 0.0
        if not (pressed > lam).any():
            return False
        near = np.flatnonzero(pressed > 0.9 * lam)
        penalty = self.problem.penalty
        member, start = np.asarray(penalty.member), np.asarray(penalty.start)
        most = most_entering(np.count_nonzero(self.point.b[0]))
        self.groups[near[farthest(pressed[near], np.diff(start)[near], most)]] = True
        found = np.flatnonzero(self.groups)
        self.which = np.concatenate([member[start[g] : start[g + 1]] for g in found])
        self.working = penalty.part(found)
        self.too_many = len(self.which) > self.most
        return True

    def refresh_hessian(self):
        """Compute F'' at the current point, and the quadratic model from it."""
        K, p = self.several, self.design.p
        self.scale, self.stale, self.weighed = 1.0, False, self.point.eta
        features, place = np.unique(self.which % p, return_inverse=True)
        alike = np.repeat(np.eye(K)[:, :, None], self.design.n, axis=2)
        curvatures = np.stack([self.loss.curvature_product(self.weighed, row) for row in alike])
        mean = np.einsum("kkn->", curvatures) / K * self.problem.weights
        # Curvature of each sample along (1, ..., 1), relative to the mean and over the sample's
        # weight, where softmax has none.
        curvatures += 1e-8 / K * mean
        curvatures[np.arange(K), np.arange(K)] += LEAST_CURVATURE * mean
        spectrum, turn = np.linalg.eigh(curvatures.transpose(2, 0, 1))
        sizes, turn = np.sqrt(np.maximum(spectrum, 0.0))[:, :, None], turn.transpose(0, 2, 1)
        self.unroot = np.divide(turn, sizes, out=np.zeros_like(turn), where=sizes > 0.0)
        m, order = len(features), (self.which // p) * len(features) + place
        columns, basis, f = response_columns(self.design), self.basis.T, self.basis.shape[1]
        columns.append(features.astype(np.intc))
        gram, mixed = np.empty((K, m, K, m)), np.empty((K, f, K, m))
        inner = np.einsum("kln,fn,gn->kflg", curvatures, basis, basis, optimize=True)
        for k in range(K):
            for other in range(K):
                mixed[k, :, other] = columns.correlate(curvatures[k, other] * basis)
                if other >= k:
                    gram[k, :, other] = gram[other, :, k] = columns.gram(curvatures[k, other])
        # The basis is projected out of the inner products of the working columns.
        self.mixed = mixed.reshape(K * f, K * m)[:, order]
        self.inverse_inner = np.linalg.pinv(inner.reshape(K * f, K * f), hermitian=True)
        gram = gram.reshape(K * m, K * m)[np.ix_(order, order)]
        gram -= self.mixed.T @ self.inverse_inner @ self.mixed
        # What a model leaves alone: columns in the basis, or constant ones.
        self.fixed = fixed = (self.unpenalised | ~self.alive)[self.which % p]
        gram[fixed] = gram[:, fixed] = 0.0
        self.model = InnerModel(gram, self.working)


class ManyGroups(Reduced):
    """A solver state, see solvers/state.py."""

    def __init__(self, problem, n_threads):
        self.newton = ResponseGroups(problem, n_threads)
        super().__init__(self.newton)
        self.newton.most = MOST_MODEL_COEFFICIENTS
        self.problem, self.n_threads = problem, n_threads

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; return (outcome, gap)."""
        limit = self.iterations + budget
        most = budget if self.state is self.newton else min(budget, MOST_STEPS_OF_GROUPS)
        outcome, gap = self.state.solve(lam, target, most)
        if self.state is self.newton and self.newton.too_many:
            self._go_on_with(Sparsa(self.problem, self.n_threads))
            left = min(limit - self.iterations, MOST_STEPS_OF_GROUPS)
            outcome, gap = self.state.solve(lam, target, left)
        if self.state is not self.newton and outcome != CONVERGED:
            self.newton.most, self.newton.too_many = np.inf, False
            self._go_on_with(self.newton)
            outcome, gap = self.state.solve(lam, target, limit - self.iterations)
        return outcome, gap

    def _go_on_with(self, state):
        self.spent = self.iterations - state.iterations
        state.point = self.state.point
        self.state = state

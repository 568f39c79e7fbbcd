"""Groups of features with K responses: Newton steps, then SpaRSA where many are active.

    minimise over b0, B   F(offset + b0 + ZB)  +  lam sum_g Omega_g(B_g)

B_g (K, p_g) holds the coefficients of the features of group g for all K responses.
Given: a problem with K responses and a penalty of groups. Returned for each lam: coefficients with
a duality gap over all groups. The model's Hessian is F'' over the K m coefficients of the working
groups, kept as inner products as in GroupSteps, and reused until steps get slow. Intercepts and
unpenalised columns are projected out.

A model costs the square of K m, a proximal gradient step K m itself. So a path continues with
SpaRSA once m is large. If SpaRSA misses its target, because columns are too similar, Newton steps
take over for the rest of the path. Invariant: that of FirstOrder, for both.
Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014).
"""

import numpy as np

from sparsesolve.linalg.design.response_columns import response_columns
from sparsesolve.solvers.first_order.first_order import Sparsa
from sparsesolve.solvers.responses.group_steps import GroupSteps
from sparsesolve.solvers.screening.inactive import farthest, most_entering
from sparsesolve.solvers.state import CONVERGED, Reduced

# Working coefficients of groups of K responses, K m, up to which Newton steps are made: beyond, a
# model takes longer than proximal gradient steps to the same gap.
MOST_MODEL_COEFFICIENTS = 500
# Proximal gradient steps at one lambda after which Newton steps take over in such problems.
MOST_STEPS_OF_GROUPS = 3000

# Least curvature of each sample in any direction: more holds steps back where classes are all but
# told apart.
LEAST_CURVATURE = 1e-13


class ResponseGroups(GroupSteps):
    """The solver state along a path, as solvers/state.py describes it.

    Attributes
    ----------
    most : float
        The number of working coefficients above which `solve` gives up and sets `too_many`.
    """

    most = np.inf

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        self.groups = np.zeros(problem.penalty.n_groups, dtype=bool)  # working
        of = np.asarray(problem.penalty.of)[: self.design.p]
        self.open = np.zeros(len(self.groups), dtype=bool)
        self.open[of[self.alive & ~self.unpenalised]] = True
        self.working = problem.penalty.part(np.flatnonzero(self.groups))

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
        curvatures = np.stack([self.curved(row) for row in np.eye(K)])
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
        gram = gram.reshape(K * m, K * m)[np.ix_(order, order)]
        mixed = mixed.reshape(K * f, K * m)[:, order]
        self.project(gram, mixed, inner.reshape(K * f, K * f))

    def charged(self, which):
        return self.working

    def whitened(self, u):
        """Return H^-1/2 u, computed sample by sample, (nK,)."""
        return np.einsum("iab,bi->ia", self.unroot, u).ravel()

    def curved(self, row):
        """Return F'' times the vector that equals `row` (K,) in every sample, (K, n)."""
        constant = np.repeat(row[:, None], self.design.n, axis=1)
        return self.loss.curvature_product(self.weighed, constant)

    def curvature_along(self, image):
        """Return image'H image for H = F'' at the point of the model."""
        return float(np.vdot(image, self.loss.curvature_product(self.weighed, image)))


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

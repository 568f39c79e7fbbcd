"""Groups of features of K responses: proximal Newton over working groups, with a gap over all.

    minimise over b0, B   F(offset + b0 + ZB)  +  lam sum_g Omega_g(B_g)

with B_g (K, p_g) the coefficients of the features of g for all K responses.
The model's Hessian is F'' over the working groups' K m coefficients, of which the rest is as in
PassNewton: made rows of a small problem in memory, served until steps get slow, intercepts and
columns that nothing holds back projected out. Invariant: what FirstOrder keeps.
Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014).
"""

import numpy as np

from sparsesolve.solvers.pass_newton import PassNewton
from sparsesolve.solvers.reduced import SampleRows

AHEAD = 0.9  # of lam: a group of products above it comes to work
FLAT = 1e-8  # of the mean curvature: what is added to each sample's, over its weight
SHORTER = 0.5  # columns to a sample from which the samples are the model's rows


class ResponseGroups(PassNewton):
    """Solver state along a path; answers what WorkingSet answers."""

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        self.groups = np.zeros(problem.penalty.n_groups, dtype=bool)  # at work
        of = np.asarray(problem.penalty.of)[: self.design.p]
        self.open = np.zeros(len(self.groups), dtype=bool)
        self.open[of[self.alive & ~self.unheld]] = True

    def recruit(self, lam):
        """Let groups of products near lam in, once one is beyond; whether it did."""
        pressed = self.problem.penalty.levels(self.gradient()[1].ravel())
        pressed[self.groups | ~self.open] = 0.0
        if not (pressed > lam).any():
            return False
        self.groups |= pressed > AHEAD * lam
        penalty, found = self.problem.penalty, np.flatnonzero(self.groups)
        member, start = np.asarray(penalty.member), np.asarray(penalty.start)
        self.which = np.concatenate([member[start[g] : start[g + 1]] for g in found])
        self.at_work = penalty.part(found)
        return True

    def weigh(self):
        """Take F'' at the current point, and with it the model."""
        K, p = self.several, self.design.p
        self.scale, self.stale, self.weighed = 1.0, False, self.point.eta
        features, place = np.unique(self.which % p, return_inverse=True)
        f = self.basis.shape[1]
        columns = np.hstack([self.basis, self.design.unpacked(features.astype(np.intc))])
        bends = np.stack([self.curved(row) for row in np.eye(K)])
        least = FLAT * np.einsum("kkn->", bends) / K
        bends[np.arange(K), np.arange(K)] += least * self.problem.weights
        m, order = len(features), (self.which // p) * len(features) + place
        if m > SHORTER * len(columns):
            return self.take_rows(bends, columns, order)
        hessian = np.empty((K, f + m, K, f + m))
        for k in range(K):
            for other in range(k, K):
                block = columns.T @ (bends[k, other][:, None] * columns)
                hessian[k, :, other] = hessian[other, :, k] = block
        gram = hessian[:, f:, :, f:].reshape(K * m, K * m)[np.ix_(order, order)]
        mixed = hessian[:, :f, :, f:].reshape(K * f, K * m)[:, order]
        self.project(gram, mixed, hessian[:, :f, :, :f].reshape(K * f, K * f))

    def take_rows(self, bends, columns, order):
        """The model's rows by a root of each sample's curvature, where these are fewer."""
        K, n = bends.shape[1:]
        spectrum, turn = np.linalg.eigh(bends.transpose(2, 0, 1))
        sizes, turn = np.sqrt(np.maximum(spectrum, 0.0))[:, :, None], turn.transpose(0, 2, 1)
        roots = sizes * turn
        f = self.basis.shape[1]
        free, own = (
            (roots[..., None] * part[:, None, None, :]).reshape(n * K, K * part.shape[1])
            for part in (columns[:, :f], columns[:, f:])
        )
        own = own[:, order]
        inner = free.T @ free
        self.mixed, self.inverse_inner = free.T @ own, np.linalg.pinv(inner, hermitian=True)
        own -= free @ (self.inverse_inner @ self.mixed)
        own[:, (self.unheld | ~self.alive)[self.which % self.design.p]] = 0.0
        inverse = np.divide(turn, sizes, out=np.zeros_like(turn), where=sizes > 0.0)
        self.rows = SampleRows(own, inverse)

    def curved(self, row):
        """F'' times what is `row` (K,) in every sample, (K, n)."""
        constant = np.repeat(row[:, None], self.design.n, axis=1)
        return self.loss.curvature_product(self.weighed, constant)

    def bend(self, image):
        """image'H image."""
        return float(np.vdot(image, self.loss.curvature_product(self.weighed, image)))

"""ADMM and linearised ADMM: penalties that are simple in other coordinates, or sums of such.

    minimise over b, s   F(Zb) + lam Psi(s)    subject to  A b = s,       Omega(b) = Psi(A b)

Given: a Problem with a norm; ``splitting`` of a penalty on whole vectors gives A and Psi. For a
penalty on disjoint blocks A is the identity, and Psi is lam Omega with its ridge part and limits.
With K responses b is (K, p), and A is applied to the raveled array. Returned: b with the gap
under Omega itself, which needs the penalty's own polar; for blocks s, which is b with exact zeros
and within limits.
Invariant: what FirstOrder keeps. Under whole norms coefficients are hardly ever exactly 0.

With scaled multipliers w and a parameter rho, a step is

    b <- argmin F(Zb) + rho |A b - s + w|^2 / 2     a linear system, with squared error
    a <- relaxed: 1.6 A b - 0.6 s
    s <- prox_(lam / rho) Psi (a + w)
    w <- w + a - s.

Linearised steps replace the first by a gradient step of length 1 / (L + rho |A|^2), which needs
products alone and takes any smooth loss. L grows if the model of F is too low. rho follows the
residuals of A b = s and of the gradient: if one is much larger, it changes by a factor.

References: Boyd, Parikh, Chu, Peleato, Eckstein (2011), sections 3 and 4.4.2; Bach et al. 2012,
section 8.3, of which figure 19 compares the two.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from sparsesolve.losses.multigaussian import Multigaussian
from sparsesolve.penalties.forms import by_identity
from sparsesolve.solvers.first_order.first_order import Ista
from sparsesolve.solvers.state import NULL_LAMBDA


class LinearizedAdmm(Ista):
    """A solver state, see solvers/state.py."""

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        self.blocks = problem.has_blocks
        own = by_identity(self.penalty, self.point.b.shape)
        self.A, self.psi, self.parts = own if self.blocks else self.penalty.splitting()
        self.alpha, self.ridge = (
            (1.0, 0.0) if self.blocks else (self.penalty.alpha, self.penalty.ridge)
        )
        self.moved = None  # the point b of a step, where s is shown
        self.transposed = self.A.T.tocsr()
        self.s = self.image(self.point.b)
        self.w, self.rho = np.zeros_like(self.s), None
        sizes = abs(self.A)  # |A|^2 is at most the largest sum of a column times that of a row
        self.square = float(sizes.sum(axis=0).max() * sizes.sum(axis=1).max())

    def begin(self, lam):
        super().begin(lam)
        if self.rho is None:
            self.rho = self.L / max(self.square, 1e-300)
        self.taken, self.look, self.moved = 0, 10, None

    def step(self, lam):
        if lam >= NULL_LAMBDA:  # b stays 0, to which multipliers would be long in leading it
            super().step(lam)
            return
        before, self.point = self.s, self.moved or self.point
        self.move(lam)
        self.split(lam, self.image(self.point.b))
        self.taken += 1
        if self.taken == self.look:
            self.look *= 2
            self.balance(before)
        if self.blocks:
            self.moved = self.point
            self.point = self.at(self.s.reshape(self.moved.b.shape), self.moved.c)

    def gap(self, lam):
        """Return the duality gap; the search for the polar begins with the multipliers."""
        if self.parts is not None and self.rho is not None and self.alpha > 0.0:
            multipliers = self.rho / self.alpha * self.w
            self.penalty.begin_polar(self.point.b, self.parts(multipliers))
        return super().gap(lam)

    def image(self, b):
        """Return A b, of K responses that of the raveled array."""
        return self.A @ b.ravel()

    def back(self, s):
        """Return A's in the shape of b."""
        return (self.transposed @ s).reshape(self.point.b.shape)

    def descent_direction(self, start, lam):
        z, z_basis = super().descent_direction(start, lam)
        if lam < NULL_LAMBDA:
            z = z - self.rho * self.back(self.image(start.b) - self.s + self.w)
            z -= lam * self.ridge * start.b
        return z, z_basis

    def prox_step(self, start, z, L, lam):
        if lam >= NULL_LAMBDA:
            return super().prox_step(start, z, L, lam)
        return start.b + z / (L + self.rho * self.square + lam * self.ridge)

    def move(self, lam):
        """Take a gradient step."""
        self.point = self.descend(self.point, lam)

    def split(self, lam, image):
        """Take the prox, and update the multipliers."""
        # Boyd et al. (2011), section 3.4.3, recommend over-relaxation of 1.5 to 1.8.
        relaxed = 1.6 * image - 0.6 * self.s
        t = lam * self.alpha / self.rho
        new = self.psi.prox(relaxed + self.w, t) if t > 0.0 else relaxed + self.w
        self.w = self.w + relaxed - new
        self.s = new

    def balance(self, before):
        """Change rho if one of the residuals is much the larger; s = 0 says nothing.

        It is called after 10 steps, then after twice as many, and so on, since a rho that changes
        for ever need not converge.
        """
        if not (self.s.any() and before.any()):
            return
        primal = np.linalg.norm(self.image(self.point.b) - self.s)
        dual = self.rho * np.linalg.norm(self.transposed @ (self.s - before))
        size = max(np.linalg.norm(self.s), 1e-300)
        slope = max(self.rho * np.linalg.norm(self.transposed @ self.w), 1e-300)
        ratio = (primal / size) / max(dual / slope, 1e-300)
        # Boyd et al. 2011, section 3.4.1, have 10 and 2 for 5 and 2.5.
        factor = 2.5 if ratio > 5.0 else 0.4 if ratio < 0.2 else 1.0
        self.rho *= factor
        self.w = self.w / factor


class Admm(LinearizedAdmm):
    """ADMM with a linear system at each step, for squared error."""

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        every = np.arange(self.design.p, dtype=np.intc)
        columns = self.design.unpacked(every)
        kernel = self.unpenalised_basis.kernel
        self.within = np.zeros((self.design.p,) * 2)  # b stays 0 along the kernel of Omega.
        if kernel is not None:
            columns = columns - (columns @ kernel) @ kernel.toarray().T
            self.within = (kernel @ kernel.T).toarray()
        columns[:, self.unpenalised] = 0.0  # they are in the span of the basis
        columns = np.column_stack([self.basis, columns])
        curvature = self.loss.curvature_at(self.point.eta).reshape(-1, self.design.n)[0]
        self.gram = columns.T @ (curvature[:, None] * columns)  # of each response
        own = self.A[:, : self.design.p]  # A'A is the same for all responses
        self.of_A = (own.T @ own).toarray()
        self.factored = None, None

    def move(self, lam):
        """Move to the minimum by one Newton step, exact with squared error."""
        z, across = self.descent_direction(self.point, lam)
        found = cho_solve(self._factor(lam), np.concatenate([across, z], axis=-1).T).T
        f = across.shape[-1]
        self.point = self.at(self.point.b + found[..., f:], self.point.c + found[..., :f])

    def _factor(self, lam):
        key = self.rho, lam * self.ridge
        if self.factored[0] != key:
            f = self.basis.shape[1]
            H = self.gram.copy()
            H[f:, f:] += self.rho * (self.of_A + self.within)
            H[np.arange(f, len(H)), np.arange(f, len(H))] += key[1]
            H[np.diag_indices(len(H))] *= 1.0 + 1e-14
            try:
                self.factored = key, cho_factor(H, lower=True)
            except LinAlgError:  # Columns that are 0 and in no group.
                H[np.diag_indices(len(H))] += 1e-10 * H.diagonal().max()
                self.factored = key, cho_factor(H, lower=True)
        return self.factored[1]


def suits_linearized(problem, lambdas):
    """Return True for norms, of blocks or on whole vectors or arrays, with a ridge part or not."""
    return problem.has_blocks or getattr(problem.penalty, "is_norm", False)


def suits(problem, lambdas):
    """Return True with squared error and columns that fit in, under such a norm."""
    squares = problem.loss is None or isinstance(problem.loss, Multigaussian)
    small = problem.design.p <= 6_000  # whose Cholesky factor takes 288 MB
    return squares and small and suits_linearized(problem, lambdas)

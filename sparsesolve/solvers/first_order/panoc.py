"""PANOC: proximal gradient steps accelerated by L-BFGS, for any smooth loss and any prox.

    minimise over b   F(b) + lam Omega(b)

Given: what FirstOrder needs. Returned: T(b), as sparse as the penalty makes it, certified.
Invariant: `point` is T(b) for the current b.

The proximal gradient map T(b) = prox(b - F'(b) / L) has the solution as its fixed point. L-BFGS
takes the residual r(b) = b - T(b) for a gradient and proposes d. The step goes to b + d if that
lowers the forward-backward envelope

    phi(b) = F(b) + F'(b)'(T(b) - b) + L |T(b) - b|^2 / 2 + lam Omega(T(b)),

else part of the way from T(b), and at last to T(b) itself, which always lowers it. An iteration
costs one product with X and one with X'.

Reference: Stella, Themelis, Sopasakis, Patrinos, "A simple and efficient algorithm for nonlinear
model predictive control" (2017).
"""

import numpy as np

from sparsesolve.solvers.first_order.first_order import MORE_CURVATURE, Ista, divergence
from sparsesolve.solvers.tolerances import ROUNDING


class Panoc(Ista):
    """A solver state, see solvers/state.py."""

    memory = 20  # pairs that L-BFGS keeps; each costs four products of vectors

    def begin(self, lam):
        super().begin(lam)
        self._stand(self.point, lam)

    @property
    def point(self):
        """T(b), evaluated on demand."""
        if self._point is None:
            self._point = self.at(*self._apart(self.end_vector))
        return self._point

    @point.setter
    def point(self, point):
        self._point = point

    def step(self, lam):
        if self._point is not None and self._too_short():
            return self._stand(self.descend(self.base, lam), lam)
        d, envelope = self._direction(), self.envelope
        least = 1e-4 * self.L * self.length
        # Lengths of a PANOC step that are tried, each half as far, before the proximal step
        # itself, which always lowers the envelope.
        for k in range(4):
            t = 0.5**k
            goal = self.vector + t * d - (1.0 - t) * self.residual
            base = self.at(*self._apart(goal))
            if not np.isfinite(base.value):
                continue
            moved = self.square(goal - self.vector)
            curvature = 2.0 * divergence(self.base, base)
            if curvature > MORE_CURVATURE * self.L * moved:
                self.L = MORE_CURVATURE * curvature / moved
                return self._stand(self.base, lam)
            last = self.vector, self.residual
            kept = self.base, self.slope, self.end_vector, self.length
            self._arrive(base, goal, lam)
            # Below 0, the least value of an objective, L is too small for the curvature there.
            rounding = self.rounding(envelope)
            if -rounding <= self.envelope <= envelope - least + rounding:
                self._remember(self.vector - last[0], self.residual - last[1])
                return None
            (self.vector, self.residual), self.envelope = last, envelope
            self.base, self.slope, self.end_vector, self.length = kept
            self._point = None
        return self._stand(self.descend(self.base, lam), lam)

    def square(self, v):
        """Return the squared length of a vector of all coefficients; a subclass has its metric."""
        return float(v @ v)

    # The point of the iteration.

    def _stand(self, base, lam):
        """Begin at a Point, without pairs."""
        self.pairs = []
        self._arrive(base, self._joined(base.b, base.c), lam)

    def _arrive(self, base, vector, lam):
        """Take the proximal gradient step from a Point, with the residual, its squared length and
        the envelope.
        """
        self.base, self.vector, L = base, vector, self.L
        z, z_basis = self.downhill(base.u)
        self.slope = self._joined(z, z_basis)
        b = self.prox_step(base, z, L, lam)
        self.end_vector = self._joined(b, base.c + z_basis / L)
        self.residual = vector - self.end_vector
        self.length = self.square(self.residual)
        down = float(self.slope @ self.residual) + 0.5 * L * self.length
        self.envelope = base.value - self.loss.saturated + down + self.penalty.value(b, lam)
        self._point = None

    def _too_short(self):
        """Return True if the curvature of the loss towards T(b) exceeds L."""
        moved = self.L * self.length
        return 2.0 * divergence(self.base, self._point) > MORE_CURVATURE * moved > 0.0

    # L-BFGS

    def _remember(self, s, y):
        self.pairs = [*self.pairs[1 - self.memory :], (s, y)]

    def _direction(self):
        """Return minus the inverse of the residual's derivative times the residual, by two loops.

        On coordinates that T(b) sets to 0 the derivative of T vanishes. There it is minus the
        residual, and pairs are used on the other coordinates alone.
        """
        moving = self.end_vector != 0.0
        every = bool(moving.all())
        at = slice(None) if every else np.flatnonzero(moving)  # a slice copies nothing
        d, pairs = -self.residual[at], []
        for s, y in self.pairs:
            s, y = s[at], y[at]
            product, square = float(s @ y), float(y @ y)
            if product > ROUNDING * np.sqrt(float(s @ s) * square):
                pairs.append((s, y, 1.0 / product, product / square))
        alphas = []
        for s, y, inverse, _ in reversed(pairs):
            alphas.append(inverse * float(s @ d))
            d -= alphas[-1] * y
        if pairs:
            d *= pairs[-1][3]
        for (s, y, inverse, _), alpha in zip(pairs, reversed(alphas), strict=True):
            d += (alpha - inverse * float(y @ d)) * s
        if every:
            return d
        whole = -self.residual
        whole[at] = d
        return whole

    # Coefficients and those of the basis as one vector.

    def _joined(self, b, c):
        return np.concatenate([np.ravel(b), np.ravel(c)])

    def _apart(self, vector):
        b, c = self.base.b, self.base.c
        return vector[: b.size].reshape(b.shape), vector[b.size :].reshape(c.shape)

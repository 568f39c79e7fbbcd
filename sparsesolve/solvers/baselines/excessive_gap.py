"""Nesterov's excessive gap technique for losses with kinks: Pragam.

    minimise over w    J(w) = lam |w|^2 / 2 + max over u in Q of  h'u - u'A w
    maximise over u    D(u) = h'u - |A'u|^2 / (2 lam),      u in Q

Given: Q a box, perhaps cut by sum u = total; A as products; h. For the hinge u_i is y_i alpha_i,
and total is 0 with a bias. The box [0, 1] with total 1 is the simplex.
Returned: w_k and u_k.
Invariant: J_mu(w_k) <= D(u_k), where J_mu takes mu |u - centre|^2 / 2 off the maximum. Hence
J(w_k) - D(u_k) <= mu_k D2, with D2 the largest |u - centre|^2 / 2 on Q.
With the true L = |A|^2 / lam, mu_0 = 2 L and steps 2 / (k + 3) give
mu_k = 4 L / ((k + 1) (k + 2)).
With backtracking L grows until the quadratic bound of D holds along the step, mu_0 = L, and the
step solves tau^2 = (1 - tau) mu / L. D is quadratic: the test |A'(u+ - beta)|^2 / lam <= L
|u+ - beta|^2 is exact.
Reference: Nesterov, "Excessive gap technique in nonsmooth convex minimization" (2005); Saha,
Zhang, Vishwanathan, "Lower bounds for BMRM and faster rates for training SVMs" (2010), section 4.
The proof starts at the centre, not at any point of Q.
"""

import numpy as np

from sparsesolve.linalg.kernels.box_hyperplane import project
from sparsesolve.solvers.costs.rounding import DUAL_STEP


class ExcessiveGap:
    """Pragam step by step.

    Parameters
    ----------
    forward, back : callable
        w (p,) -> A w (n,) and u (n,) -> A'u (p,).
    h, low, high : (n,)
    total : float or None
        What u sums to in Q, if anything.
    lam : float > 0
    L : float > 0
    backtracking : bool
        L is a first guess.
    centre : (n,), a point of Q
    """

    def __init__(self, forward, back, h, low, high, total, lam, L, backtracking, centre):
        self.forward, self.back, self.h, self.lam = forward, back, h, lam
        self.low, self.high, self.total = low, high, total
        self.one = np.ones(len(h))
        self.L, self.backtracking, self.centre = L, backtracking, centre
        self.products, self.k = 0, 0
        self._begin()

    @property
    def dual_value(self):
        """The dual objective D(u)."""
        return float(self.h @ self.u) - float(self.z @ self.z) / (2.0 * self.lam)

    @property
    def radius(self):
        """D2 of the box alone."""
        far = np.maximum(self.centre - self.low, self.high - self.centre)
        return 0.5 * float(far @ far)

    def _project(self, u):
        if self.total is not None:
            return project(u, self.low, self.high, self.one, self.total, self.one)
        return np.clip(u, self.low, self.high)

    def _begin(self):
        """Set w_0 to the centre's w, and u_0 to a gradient step from there."""
        z = self.back(self.centre)
        self.w = z / self.lam
        self.eta = self.forward(self.w)
        self.products += 2
        self._ascend(self.centre, z, self.eta)
        self.mu = self.L if self.backtracking else 2.0 * self.L

    def _ascend(self, beta, z, eta):
        """Set u and A'u: a projected gradient step from beta; z is A'beta, eta is A w(beta).

        With backtracking L grows until the quadratic bound of D holds along the step.
        """
        while True:
            self.u = self._project(beta + (self.h - eta) / self.L)
            self.z = self.back(self.u)
            self.products += 1
            if not self.backtracking:
                return
            size = np.linalg.norm(self.u - beta) + DUAL_STEP * np.linalg.norm(self.u)
            if np.linalg.norm(self.z - z) <= np.sqrt(self.lam * self.L) * size:
                return
            self.L *= 2.0

    def step(self):
        """Move from (w_k, u_k) to (w_k+1, u_k+1)."""
        best = self._project(self.centre + (self.h - self.eta) / self.mu)  # of the smoothed J
        z_best = self.back(best)
        self.products += 1
        start = self.u, self.z
        while True:
            L = self.L
            tau = self._tau()
            beta = (1.0 - tau) * start[0] + tau * best
            z = (1.0 - tau) * start[1] + tau * z_best
            eta = self.forward(z / self.lam)
            self.products += 1
            self._ascend(beta, z, eta)
            if self.L == L:
                break
        self.w = (1.0 - tau) * self.w + tau * (z / self.lam)
        self.eta = (1.0 - tau) * self.eta + tau * eta
        self.mu *= 1.0 - tau
        self.k += 1

    def _tau(self):
        """Return 2 / (k + 3), or the largest tau with tau^2 <= (1 - tau) mu / L."""
        if not self.backtracking:
            return 2.0 / (self.k + 3.0)
        ratio = self.mu / self.L
        return 0.5 * (np.sqrt(ratio * (ratio + 4.0)) - ratio)

"""Subgradient descent, which needs nothing of the problem and is slow, and step sizes fixed ahead.

    minimise over b   F(b) + lam Omega(b)

Given: what FirstOrder needs. Returned: the best point with its gap, which is certified but hardly
ever small, as coefficients do not become zero. Expect status MAX_ITER or STALLED. Invariant: what
FirstOrder keeps; the best point so far is kept.

Step k goes a / (k + delay) along minus a subgradient, then back within the limits. The
subgradient of the penalty is (b - prox_t(b)) / t for a tiny t, which is one at prox_t(b),
whatever the penalty. Online learners and structured prediction take `step_sizes`.

References: Bach et al. 2012, sections 2 and 8.1; Duchi and Singer (2009), corollaries 3 to 7;
Martins et al. (2011), section 4; Shalev-Shwartz, Singer, Srebro, Cotter (2011), "Pegasos".
"""

import numpy as np

from sparsesolve.solvers.first_order.first_order import Ista

SCHEDULES = ("sqrt", "inverse", "constant")


def step_sizes(schedule, eta0, t):
    """Return eta_t (S,) at times t (S,); ValueError if a callable gives one that is not positive.
    """
    if callable(schedule):
        eta = np.array([schedule(s) if s > 0.0 else 1.0 for s in t.tolist()], dtype=float)
        if not ((eta > 0.0) & (eta < np.inf)).all():
            k = int(np.argmin((eta > 0.0) & (eta < np.inf)))
            raise ValueError(f"step({t[k]!s}) is {eta[k]!s}; a step size is positive")
        return eta
    if schedule == "constant":
        return np.full(len(t), eta0)
    return eta0 / (np.sqrt(t) if schedule == "sqrt" else t)


class Subgradient(Ista):
    """A solver state, see solvers/state.py."""

    delay = 100.0
    a = None  # If None, it is chosen at every lam by a trial, whose steps count.

    def begin(self, lam):
        super().begin(lam)
        self.length = self.a
        if self.a is None:
            self.descend(self.point, lam)  # This finds its L.
            # relative to the step of gradient descent
            lengths = [self.delay * length / self.L for length in (1.0, 0.1, 0.01, 0.001)]
            nothing_to_do = self.penalty.polar(self.downhill(self.point.u)[0]) <= lam
            self.length = lengths[0] if nothing_to_do else min(
                lengths, key=lambda length: self._try(length, lam)
            )  # fmt: skip
        self._start(lam)

    def _start(self, lam):
        self.k, self.here, self.least = 0, self.point, self.objective(lam)

    def _try(self, length, lam):
        """Return the least objective in 40 steps."""
        start, self.length = self.point, length
        self._start(lam)
        for _ in range(40):
            self.step(lam)
        self.iterations += 40
        self.point = start
        return self.least

    def step(self, lam):
        here, penalty = self.here, self.penalty
        z, z_basis = self.downhill(here.u)
        t = 1e-7 * abs(here.b).max(initial=0.0)
        if t > 0.0:
            z = z - (here.b - penalty.prox(here.b, lam * t)) / t
        length = self.length / (self.k + self.delay)
        self.k += 1
        self.here = self.at(penalty.prox(here.b + length * z, 0.0), here.c + length * z_basis)
        value = self.objective(lam, self.here)
        if value < self.least:
            self.point, self.least = self.here, value

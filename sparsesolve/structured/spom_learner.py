"""SPOM: online proximal steps for sums of norms of groups of parameters.

    minimise over theta   lam Omega(theta)  +  (1/N) sum_s loss_s(theta),     |theta| <= radius

Step t, on one sequence, is theta -= eta_t g with step sizes of `step_sizes`; then the prox of
each part of Omega in turn, with eta_t lam; then the projection onto the ball. Both depend on
groups by their norms alone, so they multiply each group by a number (Martins et al. 2011,
proposition 1). With one part it is FOBOS. With Omega = |theta|^2 / 2 and eta_t = 1 / (lam t) it
is the implicit form of Pegasos; "pegasos" takes the explicit step of the ridge part instead of
the prox. Given: blocks of parameters. Invariant: `squares` are the squared norms of the stored
parameters.
Reference: Martins, Smith, Xing, Aguiar, Figueiredo (2011), algorithms 1 and 3.
"""

import numpy as np

from sparsesolve.solvers.baselines.subgradient import step_sizes
from sparsesolve.structured.spom_step import SequenceStep

# If a multiplier falls below this, it is folded into the stored parameters, so that it never
# underflows.
SMALL = 1e-6
# |g|^2 follows from squared norms, which rounding changes by up to this fraction.
ROUNDED = 1e-14


class SPOMLearner:
    """Parameters during learning.

    Parameters
    ----------
    make : callable (state, averaged) -> list of blocks; state is (3, G)
    n_groups : int
    ptr, y, K : sequences and labels by number
    hinge : bool or (K, K) array
        True: hinge loss whose costs are wrong labels; an array: with these costs.
    norm : GroupNorm or PenaltyNorm
    lam : float
    learned : bool
        Whether transitions are one more group of the norm; else they have their own |.|^2 / 2.
    radius : float
        May be infinite.
    average : {False, True, "epoch"}
    schedule : one of SCHEDULES, callable, or "pegasos"
        Step sizes; "pegasos" is 1 / (lam t) with the gradient of the ridge in the step.
    n_threads : int
    """

    def __init__(self, make, n_groups, ptr, y, K, hinge, norm, lam, learned, radius, average,
                 schedule="sqrt", n_threads=1):
        self.state = np.zeros((3, n_groups))
        self.multipliers, self.squares, self.clocks = self.state
        self.blocks = make(self.state, bool(average))
        self.work = SequenceStep([block for block, _ in self.blocks], ptr, y, K, hinge, n_threads)
        self.tied = np.asarray(self.work.tied)
        self.norm, self.lam, self.learned, self.radius = norm, lam, learned, radius
        self.average, self.N, self.t = average, len(ptr) - 1, 0
        self.schedule, self.paid, self.projected = schedule, 0.0, False
        self.count, self.tied_sum = 0, np.zeros_like(self.tied)
        # For bounds of the regret: sum eta |g|^2, 1 / eta of the first step, rises of 1 / eta
        # beyond strong convexity, the longest theta, and the last step.
        self.regret, self.last_step = np.zeros(4), None
        self.before = None  # count and mean of iterates of earlier data

    def norms(self):
        """Return the norms of the groups (G,), and of the transitions."""
        return self.multipliers * np.sqrt(np.maximum(self.squares, 0.0)), np.linalg.norm(self.tied)

    def penalty(self):
        """Return Omega."""
        n, tied = self.norms()
        if self.norm.on_coefficients:
            own = self.norm.value(self.blocks[0][0].parameters())
            return own + (self.norm.tied * tied if self.learned else 0.5 * float(tied) ** 2)
        if self.learned:
            return self.norm.value(np.append(n, tied))
        return self.norm.value(n) + 0.5 * float(tied) ** 2

    def epoch(self, order, eta0):
        """Take steps over the sequences in this order; return the mean loss before each."""
        total = 0.0
        for s, eta in zip(order, self._steps(len(order), eta0), strict=True):
            self._count_iterate()
            self.t += 1
            total += self.work.loss(s)
            self.paid += self.work.cost
            square, inner = self._square(), self.work.inner
            if self.schedule == "pegasos":  # the step of lam |theta|^2 / 2
                self.multipliers *= 1.0 - 1.0 / self.t
                self.tied *= 1.0 - 1.0 / self.t
                self._fold_small()
            self.work.step(s, eta)
            self._count_regret(eta, square, inner)
            if self.norm.on_coefficients:
                self._shrink_coefficients(eta * self.lam)
            else:
                self._shrink(eta * self.lam)
        return total / self.N

    def _square(self):
        """Return |theta|^2."""
        n, tied = self.norms()
        return float(n @ n + tied**2)

    def strong(self):
        """Return the strong convexity of lam Omega, transitions included."""
        if self.norm.kind == "penalty" and self.learned:
            return 0.0
        return self.lam * self.norm.strong

    def _count_regret(self, eta, square, inner):
        """Count a step, from |theta|^2 and <theta, phi D> before it, for `regret_bound`."""
        pegasos, strong = self.schedule == "pegasos", self.strong()
        keep = 1.0 - eta * self.lam if pegasos else 1.0
        moved = (self._square() - keep * keep * square - 2.0 * eta * keep * inner) / eta**2
        if pegasos:  # the gradient of the ridge is part of the step's
            moved += self.lam**2 * square - 2.0 * self.lam * inner
        spent, first, rises, longest = self.regret
        if self.last_step is None:
            first = max(1.0 / eta - strong, 0.0) if pegasos else 1.0 / eta
        else:
            rises += max(1.0 / eta - 1.0 / self.last_step - strong, 0.0)
        self.last_step = eta
        moved += ROUNDED * (self._square() + square) / eta**2
        self.regret[:] = (spent + eta * max(moved, 0.0), first, rises,
                          max(longest, np.sqrt(square)))  # fmt: skip

    def _steps(self, count, eta0):
        t = np.arange(self.t + 1.0, self.t + count + 1.0)
        if self.schedule == "pegasos":
            return 1.0 / (self.lam * t)
        return step_sizes(self.schedule, eta0, t)

    def _count_iterate(self):
        if self.average:
            self.count += 1
            self.clocks += self.multipliers
            self.tied_sum += self.tied

    def _shrink(self, t):
        """Apply the prox and the projection to the norms."""
        n, tied = self.norms()
        if self.schedule == "pegasos":
            new, new_tied = n, tied
        elif self.learned:
            new = self.norm.prox(np.append(n, tied), t)
            new, new_tied = new[:-1], new[-1]
        else:
            new, new_tied = self.norm.prox(n, t), tied / (1.0 + t)
        size = np.hypot(np.sqrt(new @ new), new_tied)
        back = self.radius / size if size > self.radius else 1.0
        self.projected |= bool(back < 1.0)
        self.multipliers *= back * np.divide(new, n, out=np.zeros_like(n), where=n > 0.0)
        self.tied *= back * new_tied / tied if tied > 0.0 else 0.0
        self._fold_small()

    def _shrink_coefficients(self, t):
        """Apply the prox and the projection to all coefficients."""
        block, tied = self.blocks[0][0], float(np.linalg.norm(self.tied))
        new = self.norm.prox(block.parameters(), t)
        less = t * self.norm.tied  # of a group of transitions
        share = max(1.0 - less / tied, 0.0) if self.learned and tied > 0.0 else 1.0 / (1.0 + t)
        size = np.hypot(np.linalg.norm(new), share * tied)
        back = self.radius / size if size > self.radius else 1.0
        self.projected |= bool(back < 1.0)
        block.replace(back * new)
        self.tied *= back * share

    def _fold_small(self):
        for g in np.flatnonzero(self.multipliers < SMALL):
            self._fold(g)

    def _fold(self, g):
        for block, first in self.blocks:
            if first <= g < first + block.n_groups:
                block.fold(g - first)

    def begin_mean(self):
        """Start a new mean of iterates."""
        self.count, self.before = 0, None
        self.tied_sum[:] = 0.0
        for block, _ in self.blocks:
            block.forget_averages()

    def pegasos_bound(self):
        """Return the lower bound that steps 1 / (lam t) give after whole epochs.

        With Omega = |theta|^2 / 2 and no projection, theta is Z / lam for the mean of all decoded
        labellings. That is a dual point, whose cost is the mean of theirs. "inverse" counts the
        true labels once as well.
        """
        n, tied = self.norms()
        count = self.t + (self.schedule != "pegasos")
        return self.paid / count - 0.5 * self.lam * float(n @ n + tied**2)

    def put(self, parameters, tied):
        """Set these parameters."""
        for (block, _), theta in zip(self.blocks, parameters, strict=True):
            block.put(theta)
        self.tied[:] = tied

    def objective(self):
        """Return lam Omega plus the mean loss, with all sequences at the current parameters."""
        loss = sum(self.work.loss(s) for s in range(self.N)) / self.N
        return self.lam * self.penalty() + loss

    def parameters(self):
        """Return the parameters of each block, and transitions; the mean of iterates if one is
        kept.
        """
        tied = self.tied_sum / self.count if self.count else self.tied.copy()
        found = [block.parameters(self.count) for block, _ in self.blocks]
        if self.before is None or not self.count:
            return found, tied
        count, old, old_tied = self.before
        share = self.count / (count + self.count)
        return ([a + share * (b - a) for a, b in zip(old, found, strict=True)],
                old_tied + share * (tied - old_tied))  # fmt: skip

    def kept(self):
        """Return all that further steps, on these or other data, depend on."""
        count = self.count + (self.before[0] if self.before else 0)
        last = [block.parameters() for block, _ in self.blocks], self.tied.copy()
        return {"t": self.t, "last": last, "mean": (count, *self.parameters()) if count else None,
                "regret": self.regret.copy(), "last_step": self.last_step}  # fmt: skip

    def go_on(self, kept):
        """Continue from what another learner has `kept`."""
        self.put(*kept["last"])
        self.t, self.before, self.last_step = kept["t"], kept["mean"], kept["last_step"]
        self.regret[:] = kept["regret"]

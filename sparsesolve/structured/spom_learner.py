"""SPOM: online proximal steps for sums of norms of groups of parameters.

    minimise over theta   lam Omega(theta)  +  (1/N) sum_s loss_s(theta),     |theta| <= radius

Step t, on one sequence: theta -= eta_t g with eta_t = eta0 / sqrt(t); then the prox of each part
of Omega in turn, with eta_t lam; then the projection on the ball. Both see groups by their norms
alone, so they multiply each group by a number (Martins et al. 2011, proposition 1).
With one part it is FOBOS; with Omega = |theta|^2 / 2 Pegasos but for its step sizes.
Given: blocks of parameters. Invariant: `squares` are those of the stored parameters.
Reference: Martins, Smith, Xing, Aguiar, Figueiredo (2011), algorithms 1 and 3.
"""

import numpy as np

from sparsesolve.penalties.prox.powers import power_lengths, squared_l1_lengths
from sparsesolve.structured.spom_step import SequenceStep

SMALL = 1e-6  # a multiplier below which what is stored takes it in


class GroupNorm:
    """Omega on the norms n of all groups, as the parts of which the prox is taken in turn.

    Parameters
    ----------
    kind : {"l1_squared", "l1", "lp", "elastic", "l2"}
    q : float
        Power of "lp".
    share : float
        What the squared l2 norm is of "elastic".
    """

    def __init__(self, kind, q=1.5, share=0.5):
        self.kind, self.q, self.share = kind, q, share

    def value(self, n):
        """Omega."""
        if self.kind == "l1":
            return float(n.sum())
        if self.kind == "lp":
            return float(np.sum(n**self.q))
        squares, total = 0.5 * float(n @ n), 0.5 * float(n.sum()) ** 2
        share = {"l1_squared": 0.0, "l2": 1.0}.get(self.kind, self.share)
        return share * squares + (1.0 - share) * total

    def prox(self, n, t):
        """New norms, one part after another."""
        if self.kind == "l1":
            return np.maximum(n - t, 0.0)
        if self.kind == "lp":
            return power_lengths(n, np.full(len(n), t), self.q)
        if self.kind == "l2":
            return n / (1.0 + t)
        if self.kind == "l1_squared":
            return squared_l1_lengths(n, np.ones(len(n)), t)
        n = n / (1.0 + t * self.share)
        return squared_l1_lengths(n, np.ones(len(n)), t * (1.0 - self.share))

    def radius(self, bound, lam):
        """A ball that holds the optimum, whose objective is at most `bound` (that at 0)."""
        half = np.sqrt(2.0 * bound / lam)
        if self.kind == "l1":
            return float(np.hypot(bound / lam, half))
        if self.kind == "lp":
            return float(np.hypot((bound / lam) ** (1.0 / self.q), half))
        return float(half)

    def weights(self, n):
        """Kernel weights beta, of sum 1."""
        raw = n ** (2.0 - self.q) if self.kind == "lp" else n
        return raw / (raw.sum() or 1.0)


class SPOMLearner:
    """Parameters under way.

    Parameters
    ----------
    make : callable (state, averaged) -> list of blocks; state is (3, G)
    n_groups : int
    ptr, y, K : sequences and labels by number
    hinge : bool
    norm : GroupNorm
    lam : float
    learned : bool
        Whether transitions are one more group of the norm; else |.|^2 / 2 of their own.
    radius : float
        May be infinite.
    average : {False, True, "epoch"}
    """

    def __init__(self, make, n_groups, ptr, y, K, hinge, norm, lam, learned, radius, average):
        self.state = np.zeros((3, n_groups))
        self.multipliers, self.squares, self.clocks = self.state
        self.blocks = make(self.state, bool(average))
        self.work = SequenceStep([block for block, _ in self.blocks], ptr, y, K, hinge)
        self.tied = np.asarray(self.work.tied)
        self.norm, self.lam, self.learned, self.radius = norm, lam, learned, radius
        self.average, self.N, self.t = average, len(ptr) - 1, 0
        self.count, self.tied_sum = 0, np.zeros_like(self.tied)

    def norms(self):
        """Norms of the groups (G,), and of the transitions."""
        return self.multipliers * np.sqrt(np.maximum(self.squares, 0.0)), np.linalg.norm(self.tied)

    def penalty(self):
        """Omega."""
        n, tied = self.norms()
        if self.learned:
            return self.norm.value(np.append(n, tied))
        return self.norm.value(n) + 0.5 * float(tied) ** 2

    def epoch(self, order, eta0):
        """Steps over the sequences in this order; returns the mean loss before each."""
        total = 0.0
        for s in order:
            self._count_iterate()
            self.t += 1
            eta = eta0 / np.sqrt(self.t)
            total += self.work.loss(s)
            self.work.step(s, eta)
            self._shrink(eta * self.lam)
        return total / self.N

    def _count_iterate(self):
        if self.average:
            self.count += 1
            self.clocks += self.multipliers
            self.tied_sum += self.tied

    def _shrink(self, t):
        """The prox and the projection, by norms."""
        n, tied = self.norms()
        if self.learned:
            new = self.norm.prox(np.append(n, tied), t)
            new, new_tied = new[:-1], new[-1]
        else:
            new, new_tied = self.norm.prox(n, t), tied / (1.0 + t)
        size = np.hypot(np.sqrt(new @ new), new_tied)
        back = self.radius / size if size > self.radius else 1.0
        self.multipliers *= back * np.divide(new, n, out=np.zeros_like(n), where=n > 0.0)
        self.tied *= back * new_tied / tied if tied > 0.0 else 0.0
        for g in np.flatnonzero(self.multipliers < SMALL):
            self._fold(g)

    def _fold(self, g):
        for block, first in self.blocks:
            if first <= g < first + block.n_groups:
                block.fold(g - first)

    def begin_mean(self):
        """Begin a new mean of iterates."""
        self.count = 0
        self.tied_sum[:] = 0.0
        for block, _ in self.blocks:
            block.forget_averages()

    def objective(self):
        """lam Omega + mean loss, all sequences at the parameters as they stand."""
        loss = sum(self.work.loss(s) for s in range(self.N)) / self.N
        return self.lam * self.penalty() + loss

    def parameters(self):
        """Those of each block, and transitions: the mean of iterates if one is kept."""
        tied = self.tied_sum / self.count if self.count else self.tied.copy()
        return [block.parameters(self.count) for block, _ in self.blocks], tied

"""SPOM: online proximal steps for sums of norms of groups of parameters, and lower bounds.

    minimise over theta   lam Omega(theta)  +  (1/N) sum_s loss_s(theta),     |theta| <= radius

Step t, on one sequence, is theta -= eta_t g with step sizes of `step_sizes`; then the prox of
each part of Omega in turn, with eta_t lam; then the projection onto the ball. Both depend on
groups by their norms alone, so they multiply each group by a number (Martins et al. 2011,
proposition 1). With one part it is FOBOS. With Omega = |theta|^2 / 2 and eta_t = 1 / (lam t) it
is the implicit form of Pegasos; "pegasos" takes the explicit step of the ridge part instead of
the prox. Given: blocks of parameters. Invariant: `squares` are the squared norms of the stored
parameters.
Reference: Martins, Smith, Xing, Aguiar, Figueiredo (2011), algorithms 1 and 3.

Lower bounds come from dual variables, which block Frank-Wolfe steps improve:

    P(theta) = lam Omega(theta) + (1/N) sum_s max_mu [<theta, phi(mu) - phi(y_s)> + h(mu)]
            >= (1/N) sum_s h(mu_s) - (lam Omega)*(|Z_1|, ..., |Z_M|)

with Z = (1/N) sum_s phi(y_s) - phi(mu_s), for any mixture mu_s of labellings of each sequence,
and h its mean number of wrong labels (hinge loss) or its entropy (log loss). Mixing with the true
labels, s mu_s + (1 - s) y_s gives s Z and at least s h, so s is chosen as well. Given: blocks
that store sum_i phi(x_i) D_i for D = labels minus mu.

Steps use fixed weights beta of groups, theta_m = beta_m Z_m / lam. A step on sequence s moves
mu_s towards its best labelling (or its marginals) as far as the dual rises. Omega is at most the
mean of n_m^2 / (2 beta_m), so the next passes use the beta of the current norms (Gauss-Seidel).
The bound is valid for any beta; better D make it tighter.
Invariant: `costs` are h(mu_s), or less (entropy is concave).
References: Lacoste-Julien, Jaggi, Schmidt, Pletscher (2013), "Block-coordinate Frank-Wolfe
optimization for structural SVMs"; Bach et al. (2012), section 1.5, for weights.
"""

import numpy as np
from scipy.optimize import minimize_scalar

from sparsesolve.solvers.baselines.subgradient import step_sizes
from sparsesolve.structured.spom_step import SequenceStep

# If a multiplier falls below this, it is folded into the stored parameters, so that it never
# underflows.
SMALL = 1e-6
# |g|^2 follows from squared norms, which rounding changes by up to this fraction.
ROUNDED = 1e-14


class Parameters:
    """Blocks of parameters and transitions, and their objective; `norms` gives their sizes.

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
    averaged : bool
        Whether blocks keep means of iterates.
    n_threads : int
    """

    def __init__(self, make, n_groups, ptr, y, K, hinge, norm, lam, learned, averaged=False,
                 n_threads=1):
        state = np.zeros((3, n_groups))
        self.multipliers, self.squares, self.clocks = state
        self.blocks = make(state, averaged)
        self.work = SequenceStep([block for block, _ in self.blocks], ptr, y, K, hinge, n_threads)
        self.tied = np.asarray(self.work.tied)
        self.norm, self.lam, self.learned, self.N = norm, lam, learned, len(ptr) - 1

    def penalty(self):
        """Return Omega."""
        n, tied = self.norms()
        if self.norm.on_coefficients:
            own = self.norm.value(self.blocks[0][0].parameters())
            return own + (self.norm.tied * tied if self.learned else 0.5 * float(tied) ** 2)
        if self.learned:
            return self.norm.value(np.append(n, tied))
        return self.norm.value(n) + 0.5 * float(tied) ** 2

    def objective(self):
        """Return lam Omega plus the mean loss, with all sequences at the current parameters."""
        return self.lam * self.penalty() + sum(map(self.work.loss, range(self.N))) / self.N

    def parameters(self):
        """Return theta of each block, and of transitions, as a SPOM holds them."""
        return [block.parameters() for block, _ in self.blocks], self.tied.copy()


class SPOMLearner(Parameters):
    """Parameters during learning; see the head of this file.

    Parameters
    ----------
    given : what Parameters begins with, from `make` to `learned`
    radius : float
        May be infinite.
    average : {False, True, "epoch"}
    schedule : one of SCHEDULES, callable, or "pegasos"
        Step sizes; "pegasos" is 1 / (lam t) with the gradient of the ridge in the step.
    n_threads : int
    """

    def __init__(self, *given, radius=np.inf, average=False, schedule="sqrt", n_threads=1):
        super().__init__(*given, bool(average), n_threads)
        self.radius, self.average, self.t = radius, average, 0
        self.schedule, self.paid, self.projected = schedule, 0.0, False
        self.count, self.tied_sum = 0, np.zeros_like(self.tied)
        # For bounds of the regret: sum eta |g|^2, 1 / eta of the first step, rises of 1 / eta
        # beyond strong convexity, the longest theta, and the last step.
        self.regret, self.last_step = np.zeros(4), None
        self.before = None  # count and mean of iterates of earlier data

    def norms(self):
        """Return the norms of the groups (G,), and of the transitions."""
        return self.multipliers * np.sqrt(np.maximum(self.squares, 0.0)), np.linalg.norm(self.tied)

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
            self.work.step(s, eta, eta)
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

    def parameters(self):
        """Return the parameters of each block, and transitions; the mean of iterates if one is
        kept.
        """
        if not self.count:
            return super().parameters()
        tied = self.tied_sum / self.count
        found = [block.parameters(self.count) for block, _ in self.blocks]
        if self.before is None:
            return found, tied
        count, old, old_tied = self.before
        share = self.count / (count + self.count)
        return ([a + share * (b - a) for a, b in zip(old, found, strict=True)],
                old_tied + share * (tied - old_tied))  # fmt: skip

    def kept(self):
        """Return all that further steps, on these or other data, depend on."""
        count = self.count + (self.before[0] if self.before else 0)
        return {"t": self.t, "last": super().parameters(),
                "mean": (count, *self.parameters()) if count else None,
                "regret": self.regret.copy(), "last_step": self.last_step}  # fmt: skip

    def go_on(self, kept):
        """Continue from what another learner has `kept`."""
        self.put(*kept["last"])
        self.t, self.before, self.last_step = kept["t"], kept["mean"], kept["last_step"]
        self.regret[:] = kept["regret"]


# A group has at least this share of weight: a group with weight 0 could never become active again.
FLOOR = 1e-3


class SPOMDual(Parameters):
    """Dual variables of all sequences; `given` are as in SPOMLearner."""

    def __init__(self, *given, n_threads=1):
        super().__init__(*given, n_threads=n_threads)
        _, n_groups, self.ptr, y, K = given[:5]
        for block, _ in self.blocks:
            block.dual = True
        self.D, self.E = np.zeros((len(y), K)), np.zeros((self.N, K * K))
        self.costs = np.zeros(self.N)
        self.beta, self.tied_beta, self.settled = np.ones(n_groups), 1.0, False
        self.set_weights_at(np.ones(n_groups), 1.0)

    def sums(self):
        """Return |Z_m| of the groups (M,), and the part of Z on transitions and ends (K K + 2
        K,).
        """
        tied = np.concatenate([self.E.sum(axis=0), self.D[self.ptr[:-1]].sum(axis=0),
                               self.D[self.ptr[1:] - 1].sum(axis=0)])  # fmt: skip
        return np.sqrt(np.maximum(self.squares, 0.0)) / self.N, tied / self.N

    def norms(self):
        """Return the norms of theta's groups, and of its transitions."""
        z, tied = self.sums()
        return self.beta * z / self.lam, self.tied_beta * float(np.linalg.norm(tied)) / self.lam

    def set_weights_at(self, n, tied):
        """Set the weights beta at which the quadratic form touches Omega at norms n and `tied`."""
        if self.norm.on_coefficients:
            self.beta, self.tied_beta = self._weights_of_rows(n), 1.0
            if self.learned and tied > 0.0:
                self.tied_beta = float(tied) / self.norm.tied
            return self.use(self.beta, self.tied_beta)
        if self.learned:
            n = np.append(n, tied)
        n = np.maximum(n, FLOOR * (n.sum() / len(n)))
        if self.norm.kind == "lp" and self.norm.q > 2.0 and self.settled:
            # From Z: weights of the slope at n would overshoot.
            old = np.append(self.beta, self.tied_beta) if self.learned else self.beta
            n = (n / (old * self.norm.q)) ** (1.0 / (self.norm.q - 1.0))
        self.settled = True
        beta = self.norm.majorant(n) if n.any() else np.ones(len(n))
        self.beta, self.tied_beta = (beta[:-1], float(beta[-1])) if self.learned else (beta, 1.0)
        self.use(self.beta, self.tied_beta)

    def _weights_of_rows(self, n):
        """Return weights of features at the current coefficients, or equal ones at norms n."""
        theta = self.blocks[0][0].parameters()
        size = np.linalg.norm(theta, axis=1, keepdims=True)
        n = np.maximum(n, FLOOR * (n.sum() / len(n)) or 1.0)[:, None]
        even = np.full(theta.shape, theta.shape[1] ** -0.5)
        return self.norm.majorant(n * np.divide(theta, size, out=even, where=size > 0.0))

    def use(self, beta, tied_beta=1.0):
        """Set these weights: theta changes, dual variables stay."""
        self.beta, self.tied_beta = beta, tied_beta
        self.multipliers[:] = beta / (self.lam * self.N)
        self.c = tied_beta / (self.lam * self.N)
        self.tied[:] = tied_beta / self.lam * self.sums()[1]

    def refresh(self):
        """Recompute the stored parameters of the blocks from D, which removes the rounding of
        many steps.
        """
        for block, _ in self.blocks:
            block.gather(self.D)
        self.use(self.beta, self.tied_beta)

    def epoch(self, order):
        """Take steps over the sequences in this order; return the mean of their gaps at fixed
        beta.
        """
        return sum(max(self.work.ascend(s, self.D, self.E, self.costs, self.c), 0.0)
                   for s in order) / self.N  # fmt: skip

    def bound(self):
        """Return the lower bound of the objective that these dual variables give."""
        z, tied = self.sums()
        size, cost = float(np.linalg.norm(tied)), float(self.costs.sum()) / self.N
        most = 1.0
        if self.norm.on_coefficients:
            z = self.lam / self.beta[:, None] * self.blocks[0][0].parameters()
            if self.learned and size > self.lam * self.norm.tied:
                most = self.lam * self.norm.tied / size
        elif self.learned:
            z = np.append(z, size)
        own = 0.0 if self.learned else size

        def lower(s):
            return (s * cost - self.norm.conjugate(s * z, self.lam)
                    - 0.5 * (s * own) ** 2 / self.lam)  # fmt: skip

        most = min(most, self.norm.reach(z, self.lam))
        best = minimize_scalar(lambda s: -lower(s), bounds=(0.0, most), method="bounded").x
        return max(lower(most), lower(float(best)), 0.0)


def raise_bound(dual, learner, passes, rng):
    """Return the best lower bound after `passes` passes; the first weights are those of the
    learner.

    The passes start at the true labels: mixtures of few labellings are sharper than any that
    follow from one iterate. For the log loss they start at the marginals of the iterate, which
    are near their optimum.
    """
    if not dual.work.hinge:
        for s in range(dual.N):
            learner.work.loss(s)
            learner.work.answer(s, dual.D, dual.E)
            dual.costs[s] = learner.work.cost
        dual.refresh()
    dual.set_weights_at(*learner.norms())
    best = dual.bound()
    for _ in range(passes):
        dual.epoch(rng.permutation(dual.N))
        best = max(best, dual.bound())
        dual.set_weights_at(*dual.norms())
    return best

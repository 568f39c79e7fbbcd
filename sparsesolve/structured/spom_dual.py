"""Lower bounds of SPOM's objective: dual variables, and block Frank-Wolfe steps that improve
them.

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

from sparsesolve.structured.spom_step import SequenceStep

# A group has at least this share of weight: a group with weight 0 could never become active again.
FLOOR = 1e-3


class SPOMDual:
    """Dual variables of all sequences.

    Parameters
    ----------
    make, n_groups, ptr, y, K, hinge, norm, lam, learned
        As in SPOMLearner.
    n_threads : int
    """

    def __init__(self, make, n_groups, ptr, y, K, hinge, norm, lam, learned, n_threads=1):
        self.state = np.zeros((3, n_groups))
        self.blocks = [block for block, _ in make(self.state, False)]
        for block in self.blocks:
            block.dual = True
        self.work = SequenceStep(self.blocks, ptr, y, K, hinge, n_threads)
        self.norm, self.lam, self.learned = norm, lam, learned
        self.ptr, self.N, self.K, self.n = ptr, len(ptr) - 1, K, len(y)
        self.D, self.E = np.zeros((self.n, K)), np.zeros((self.N, K * K))
        self.costs = np.zeros(self.N)
        self.beta, self.tied_beta, self.settled = np.ones(n_groups), 1.0, False
        self.set_weights_at(np.ones(n_groups), 1.0)

    def sums(self):
        """Return |Z_m| of the groups (M,), and the part of Z on transitions and ends (K K + 2
        K,).
        """
        tied = np.concatenate([self.E.sum(axis=0), self.D[self.ptr[:-1]].sum(axis=0),
                               self.D[self.ptr[1:] - 1].sum(axis=0)])  # fmt: skip
        return np.sqrt(np.maximum(self.state[1], 0.0)) / self.N, tied / self.N

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
        theta = self.blocks[0].parameters()
        size = np.linalg.norm(theta, axis=1, keepdims=True)
        n = np.maximum(n, FLOOR * (n.sum() / len(n)) or 1.0)[:, None]
        even = np.full(theta.shape, theta.shape[1] ** -0.5)
        return self.norm.majorant(n * np.divide(theta, size, out=even, where=size > 0.0))

    def use(self, beta, tied_beta=1.0):
        """Set these weights: theta changes, dual variables stay."""
        self.beta, self.tied_beta = beta, tied_beta
        self.state[0] = beta / (self.lam * self.N)
        self.c = tied_beta / (self.lam * self.N)
        np.asarray(self.work.tied)[:] = tied_beta / self.lam * self.sums()[1]

    def begin(self, D, E, costs):
        """Set these dual variables."""
        self.D[:], self.E[:], self.costs[:] = D, E, costs
        self.refresh()

    def refresh(self):
        """Recompute the stored parameters of the blocks from D, which removes the rounding of
        many steps.
        """
        for block in self.blocks:
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
            z = self.lam / self.beta[:, None] * self.blocks[0].parameters()
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

    def objective(self):
        """Return lam Omega plus the mean loss at theta."""
        n, tied = self.norms()
        if self.norm.on_coefficients:
            omega = self.norm.value(self.blocks[0].parameters())
            omega += self.norm.tied * tied if self.learned else 0.5 * tied**2
        elif self.learned:
            omega = self.norm.value(np.append(n, tied))
        else:
            omega = self.norm.value(n) + 0.5 * tied**2
        return self.lam * omega + sum(self.work.loss(s) for s in range(self.N)) / self.N

    def quadratic_value(self):
        """Return the dual value at fixed beta."""
        z, tied = self.sums()
        quadratic = float(self.beta @ z**2) + self.tied_beta * float(tied @ tied)
        return float(self.costs.sum()) / self.N - 0.5 * quadratic / self.lam

    def quadratic_gap(self):
        """Return the gap of the problem at fixed beta, with all sequences at one theta."""
        found = 0.0
        for s in range(self.N):
            loss = self.work.loss(s)
            found += loss - self.costs[s] + self.work.along_dual(s, self.D, self.E)
        return found / self.N

    def parameters(self):
        """Return theta of each block, and of transitions, as a SPOM holds them."""
        return ([block.parameters() for block in self.blocks], np.array(self.work.tied))


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

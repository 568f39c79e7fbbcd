"""Clock: how the steps of an online method use gradients and penalty, computed in advance.

Time t is the weight of all rows so far. Each step adds u, the mean weight of its rows (1 without
weights). A row of weight w thus counts as the gradient and the penalty of w rows.

    schedule     FOBOS eta_t      RDA beta_t
    "sqrt"       eta0 / sqrt(t)   sqrt(t) / eta0
    "inverse"    eta0 / t         (1 + log t) / eta0
    "constant"   eta0             1 / eta0

References: Duchi and Singer (2009), Corollaries 3-7 and Theorem 8; Xiao (2010), section 3.
"""

import numpy as np

from sparsesolve.solvers.baselines.subgradient import step_sizes

# If the product of ridge factors exceeds this, they are folded into the weights.
LARGEST = 1e100


class Clock:
    """Time, and how weights are read at it.

    Parameters
    ----------
    method : {"fobos", "rda", "ftrl"}
    schedule : one of SCHEDULES, or callable t -> eta_t
    eta0, lam, alpha : float
    factors : (kinds,)
        The different penalty factors.
    next_prox : bool
        FOBOS: the proximal operator takes eta of the next step, if that weighs as much as this.
    """

    next_prox = False  # of pickles of before 0.2

    def __init__(self, method, schedule, eta0, lam, alpha, factors, next_prox=False):
        self.method, self.schedule, self.eta0 = method, schedule, eta0
        self.next_prox = next_prox
        self.l1, self.ridge = lam * alpha * factors, lam * (1.0 - alpha) * factors
        self.t, self.rate = 0.0, eta0
        self.level, self.scale = np.zeros(len(factors)), np.ones(len(factors))  # for FOBOS

    def run(self, u):
        """Advance by steps of mean weights u (S,), as many as one run may have.

        Returns
        -------
        times : dict
            rate (S,) multiplies a step's gradient; level and scale (S + 1, kinds) say how weights
            are read before each step and after the last; plain (S + 1,) is the scale without a
            ridge part; eta (S,) are the step sizes.
        """
        t = np.cumsum(np.append(self.t, u))
        eta = self.rates(t[1:])
        if self.method == "fobos":
            return self._forward_backward(t, u, eta)
        self.t, self.rate = t[-1], eta[-1] if len(eta) else self.rate
        level, ridge = t[:, None] * self.l1, t[:, None] * self.ridge
        if self.method == "ftrl":
            return self._times(u, level, ridge, np.ones(len(t)), eta)
        with np.errstate(divide="ignore"):
            beta = np.where(t > 0.0, 1.0 / self.rates(t) if len(t) else t, 1.0)
        return self._times(u, level, beta[:, None] + ridge, beta, eta)

    def _forward_backward(self, t, u, eta):
        rate = eta * u
        prox = u * self.rates(t[1:] + u) if self.next_prox else rate
        with np.errstate(over="ignore"):
            growth = np.cumprod(np.vstack([self.scale, 1.0 + prox[:, None] * self.ridge]), axis=0)
        large = np.flatnonzero((growth[1:] > LARGEST).any(axis=1))
        S = len(u) if not len(large) else int(large[0]) + 1
        growth, rate, prox = growth[: S + 1], rate[:S], prox[:S]
        moves = prox[:, None] * self.l1 * growth[:-1]
        level = np.cumsum(np.vstack([self.level, moves]), axis=0)
        self.t, self.rate = t[S], eta[S - 1] if S else self.rate
        self.level, self.scale = level[-1].copy(), growth[-1].copy()
        return self._times(rate, level, growth, np.ones(S + 1), eta[:S])

    @property
    def full(self):
        """Return True if levels are so large that the weights must be folded."""
        return self.method == "fobos" and bool((self.scale > LARGEST).any())

    def restart(self):
        """Read weights as they are, after Shrinkage.refold."""
        self.level, self.scale = np.zeros_like(self.level), np.ones_like(self.scale)

    def rates(self, t):
        """Return eta_t (S,) at times t; for RDA 1 / beta_t."""
        if self.method == "ftrl":
            return np.full(len(t), self.eta0)
        if self.method == "rda" and self.schedule == "inverse":
            return self.eta0 / (1.0 + np.maximum(np.log(np.maximum(t, 1e-300)), 0.0))
        return step_sizes(self.schedule, self.eta0, t)

    def now(self):
        """Return level (kinds,), scale (kinds,) and plain scale at this time, in the form of
        `run`.
        """
        if self.method == "fobos":
            return self.level, self.scale, 1.0
        level, ridge = self.t * self.l1, self.t * self.ridge
        if self.method == "ftrl":
            return level, ridge, 1.0
        beta = 1.0 / self.rates(np.array([self.t]))[0] if self.t > 0.0 else 1.0
        return level, beta + ridge, beta

    @staticmethod
    def _times(rate, level, scale, plain, eta):
        arrays = {"rate": rate, "level": level, "scale": scale, "plain": plain, "eta": eta}
        return {name: np.ascontiguousarray(a, dtype=float) for name, a in arrays.items()}

"""GroupNorm: Omega on the norms of groups, its prox, its conjugate, and weights that bound it.

    minimise over theta   lam Omega(|theta_1|, ..., |theta_M|)  +  F(theta)

Omega is a sum of parts. Their proximal operators are applied in turn, which gives the prox of the
sum for every kind here: each part keeps the order of norms, and the ridge part comes first
(Martins et al. 2011, lemma 2). A certificate needs (lam Omega)*(z) for z_m = |grad F_m|. Wrappers
need weights beta with Omega(n) <= (1/2) sum n_m^2 / beta_m + constant, with equality at the
current norms.
"""

import numpy as np

from sparsesolve.penalties.prox.powers import power_lengths, squared_l1_lengths

KINDS = ("l1_squared", "l1", "lp", "elastic", "l2")


class GroupNorm:
    """Omega on the norms n of all groups, as parts whose proxes are applied in turn.

    Parameters
    ----------
    kind : {"l1_squared", "l1", "lp", "elastic", "l2"}
    q : float
        Power of "lp".
    share : float
        Share of the squared l2 norm in "elastic".
    """

    def __init__(self, kind, q=1.5, share=0.5):
        self.kind, self.q = kind, q
        self.share = {"l1_squared": 0.0, "l2": 1.0}.get(kind, share)

    @property
    def strong(self):
        """Return the strong convexity of Omega in theta: the share of |theta|^2 / 2."""
        return self.share if self.kind in ("elastic", "l2") else 0.0

    def value(self, n):
        """Return Omega."""
        if self.kind == "l1":
            return float(n.sum())
        if self.kind == "lp":
            return float(np.sum(n**self.q))
        squares, total = 0.5 * float(n @ n), 0.5 * float(n.sum()) ** 2
        return self.share * squares + (1.0 - self.share) * total

    def prox(self, n, t):
        """Return the new norms, one part after another."""
        if self.kind == "l1":
            return np.maximum(n - t, 0.0)
        if self.kind == "lp":
            return power_lengths(n, np.full(len(n), t), self.q)
        n = n / (1.0 + t * self.share)
        if self.share == 1.0:
            return n
        return squared_l1_lengths(n, np.ones(len(n)), t * (1.0 - self.share))

    def reach(self, z, lam):
        """Return the largest s <= 1 with a finite conjugate at s z."""
        most = float(np.max(z, initial=0.0))
        return lam / most if self.kind == "l1" and most > lam else 1.0

    def conjugate(self, z, lam):
        """Return (lam Omega)*(z) for z (M,) at least 0, where it is finite."""
        if self.kind == "l1":
            return 0.0
        if self.kind == "lp":
            power = self.q / (self.q - 1.0)
            return float((self.q - 1.0) * lam * np.sum((z / (lam * self.q)) ** power))
        if self.share == 0.0:
            return 0.5 * float(np.max(z, initial=0.0)) ** 2 / lam
        best = z / (lam * self.share)
        if self.share < 1.0:
            best = squared_l1_lengths(best, np.ones(len(z)), (1.0 - self.share) / self.share)
        return 0.5 * float(z @ best)

    def radius(self, bound, lam):
        """Return the radius of a ball that contains the optimum.

        The optimal objective is at most `bound`, that at 0.
        """
        half = np.sqrt(2.0 * bound / lam)
        if self.kind == "l1":
            return float(np.hypot(bound / lam, half))
        if self.kind == "lp":
            return float(np.hypot((bound / lam) ** (1.0 / self.q), half))
        return float(half)

    def weights(self, n):
        """Return kernel weights beta with sum 1."""
        raw = n ** (2.0 - self.q) if self.kind == "lp" else n
        return raw / (raw.sum() or 1.0)

    def majorant(self, n):
        """Return weights beta (M,) with Omega(v) <= (1/2) sum v_m^2 / beta_m + constant, equal at
        n.
        """
        if self.kind == "l1":
            return n.copy()
        if self.kind == "lp":  # q < 2
            return n ** (2.0 - self.q) / self.q
        if self.share == 1.0:
            return np.ones_like(n)
        slope = self.share * n + (1.0 - self.share) * n.sum()
        return np.divide(n, slope, out=np.zeros_like(n), where=slope > 0.0)

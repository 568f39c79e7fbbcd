"""GroupNorm: Omega on the norms of groups, its prox, its conjugate, and weights that bound it.

    minimise over theta   lam Omega(|theta_1|, ..., |theta_M|)  +  F(theta)

Omega is a sum of parts. Their proximal operators are applied in turn, which gives the prox of the
sum for every kind here: each part keeps the order of norms, and the ridge part comes first
(Martins et al. 2011, lemma 2). A certificate needs (lam Omega)*(z) for z_m = |grad F_m|. Wrappers
need weights beta with Omega(n) <= (1/2) sum n_m^2 / beta_m + constant, with equality at the
current norms.
"""

import numpy as np

from sparsesolve.paths.in_turn import check_penalty, laid_out, over, refuse_concave
from sparsesolve.penalties.prox.powers import power_lengths, squared_l1_lengths
from sparsesolve.penalties.registry import named_penalty

KINDS = ("l1_squared", "l1", "lp", "elastic", "l2")


class GroupNorm:
    """Omega on the norms n of all groups, as parts whose proxes are applied in turn.

    Parameters
    ----------
    kind : {"l1_squared", "l1", "lp", "elastic", "l2"}
    q : float
        Power of "lp", above 1.
    share : float
        Share of the squared l2 norm in "elastic".
    """

    on_coefficients = False

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

    def radius(self, bound, lam, count=1):
        """Return the radius of a ball that contains the optimum, for `count` groups.

        The optimal objective is at most `bound`, that at 0.
        """
        half = np.sqrt(2.0 * bound / lam)
        if self.kind == "l1":
            return float(np.hypot(bound / lam, half))
        if self.kind == "lp":
            most = count ** max(0.5 - 1.0 / self.q, 0.0)  # of |n|_2 over |n|_q
            return float(np.hypot(most * (bound / lam) ** (1.0 / self.q), half))
        return float(half)

    def weights(self, n):
        """Return kernel weights beta with sum 1; where q is above 2, shares of the norms."""
        raw = n ** (2.0 - self.q) if self.kind == "lp" and self.q <= 2.0 else n
        return raw / (raw.sum() or 1.0)

    def majorant(self, n):
        """Return weights beta (M,) with Omega(v) <= (1/2) sum v_m^2 / beta_m + constant, equal at
        n. Where q is above 2 no quadratic is above Omega: then they have its slope at n.
        """
        if self.kind == "l1":
            return n.copy()
        if self.kind == "lp":
            return n ** (2.0 - self.q) / self.q
        if self.share == 1.0:
            return np.ones_like(n)
        slope = self.share * n + (1.0 - self.share) * n.sum()
        return np.divide(n, slope, out=np.zeros_like(n), where=slope > 0.0)


# Weights of a penalty come from its proximal operator for this share of the least norm.
SHORT = 1e-6


class PenaltyNorm:
    """Omega given by objects of `penalties`, whose proximal operators are applied in turn.

    It takes the norms n (M,) of groups, or, with `on_coefficients`, all coefficients (p, K). In
    a sum with transitions as a group of their own, Omega has d |t| more, and n their norm as its
    last entry.

    Parameters
    ----------
    laid : Laid or InTurn
        On (1, M), or (K, p).
    on_coefficients : bool
    tied : float
        d, or 0 where transitions are no part of Omega.
    ridge : float
        Share of |theta|^2 / 2 in Omega.
    """

    kind = "penalty"
    given = None  # what made it, for pickles, as compiled penalties have none

    def __reduce__(self):
        return penalty_norm, self.given

    def __init__(self, laid, on_coefficients, tied, ridge):
        self.laid, self.on_coefficients = laid, on_coefficients
        self.tied, self.strong = tied, ridge

    def _parts(self, v):
        """Return v as the penalty takes it, and the norm of transitions that it ends with."""
        if self.on_coefficients:
            return np.ascontiguousarray(v.T), 0.0
        return (v[None, :-1], float(v[-1])) if self.tied else (v[None], 0.0)

    def value(self, v):
        """Return Omega."""
        own, last = self._parts(v)
        return self.laid.value(own, 1.0) + self.tied * last

    def prox(self, v, t):
        """Return the new norms, or coefficients, one part after another."""
        own, last = self._parts(v)
        new = self.laid.prox(own, t)
        if self.on_coefficients:
            return new.T
        new = np.maximum(new[0], 0.0)
        return np.append(new, max(last - t * self.tied, 0.0)) if self.tied else new

    def reach(self, z, lam):
        """Return the largest s <= 1 with a conjugate at s z that is known to be finite."""
        own, last = self._parts(z)
        most = lam * self.tied / last if last > lam * self.tied else 1.0
        return min(most, float(self.laid.feasible_scale(own, lam)))

    def conjugate(self, z, lam):
        """Return (lam Omega)*(z), or an upper bound, where `reach` says that it is finite."""
        return float(self.laid.conjugate(self._parts(z)[0], lam))

    def radius(self, bound, lam, count=1):
        """Return the radius of a ball that contains the optimum; infinite without a ridge part."""
        return float(np.sqrt(2.0 * bound / (lam * self.strong))) if self.strong else np.inf

    def weights(self, n):
        """Return the shares of the norms."""
        return n / (n.sum() or 1.0)

    def majorant(self, v):
        """Return weights (M,) of a quadratic form that has the slope of Omega at v."""
        rows = v if self.on_coefficients else v[:, None]
        n = np.linalg.norm(rows, axis=1)
        t = SHORT * float(n[n > 0.0].min(initial=np.inf))
        slope = np.linalg.norm(rows - np.reshape(self.prox(v, t), rows.shape), axis=1) / t
        return np.divide(n, slope, out=np.ones_like(n), where=slope > 0.0)


def read_penalty(penalty, alpha, data, K, learned, on_coefficients):
    """Return the PenaltyNorm of what `spom` takes as penalty, for data as read."""
    penalty = named_penalty(penalty)
    check_penalty(penalty, False)
    M = data.n_features if on_coefficients else data.n_groups
    names = data.feature_names if on_coefficients else np.array([*data.group_labels, None])[:-1]
    refuse_concave(over(penalty, M, names), "regret")
    return penalty_norm(penalty, M, names, K if on_coefficients else 1, alpha, on_coefficients,
                        np.sqrt(K + 2.0) if learned else 0.0)  # fmt: skip


def penalty_norm(*given):
    """Return a PenaltyNorm, from what its pickle holds."""
    penalty, M, names, K, alpha, on_coefficients, tied = given
    bound = over(penalty, M, names)
    weights = np.ones(getattr(bound, "n_groups", M))
    laid = laid_out(bound, M, K, alpha, weights, False)
    if not laid.absolute:
        raise ValueError(
            "penalty must grow with the size of each coefficient, so that no operator raises an "
            "earlier part and norms of groups have one; give norms of groups, or use crf_path"
        )
    made = PenaltyNorm(laid, on_coefficients, tied, 1.0 - alpha)
    made.given = given
    return made

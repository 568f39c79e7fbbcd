"""The penalty of a chain: one part on features' coefficients, one on scores that tie labels
together.

    Omega(b, t) = Omega_X(b) + Omega_T(t)

b are K coefficients for each feature, feature by feature; t are the intercepts of the labels,
transitions, start and stop scores. Omega_T is

    "ridge"  |t|^2 / 2    "l1"  |t|_1    "group"  d |t|_2    "free"  0 where |t_i| <= BOX, else inf

The best free score of a transition that never occurs is minus infinity, which no optimum attains.
So t is free within a box, and the certificate is that of the problem with the box; free.py says
where that differs from the problem without it.
"""

import numpy as np

from sparsesolve.penalties import ElasticNet, GroupL2
from sparsesolve.penalties.groups import one_by_one

# Bound on free scores. exp(20) is 5e8: a transition with that score is certain, or excluded.
BOX = 20.0
KINDS = ("ridge", "l1", "group", "free")


class ChainPenalty:
    """A penalty on whole vectors, of `n_penalised` coefficients of features and the rest.

    Parameters
    ----------
    features : ElasticNet or BlockPenalty
        Penalty on the coefficients of the features.
    n_penalised : int
        Their number, p K.
    n_tied : int
        Number of the other coefficients.
    kind : {"ridge", "l1", "group", "free"}
    weight : float
        d of "group".
    """

    def __init__(self, features, n_penalised, n_tied, kind, weight):
        self.features, self.cut = features, n_penalised
        self.normed = kind in ("group", "l1")  # True if t = 0 may be optimal
        if kind == "group":
            self.tied = GroupL2([0] * n_tied, [weight]).on(
                one_by_one(1, n_tied)._replace(labels=[0], n_named=1)
            )
        elif kind == "l1":
            self.tied = ElasticNet(n_tied)
        else:
            box = BOX if kind == "free" else np.inf
            self.tied = ElasticNet(n_tied, 0.0, None, np.full(n_tied, -box), np.full(n_tied, box),
                                   0.0 if kind == "free" else 1.0)  # fmt: skip

    def _parts(self, v):
        return (self.features, v[: self.cut]), (self.tied, v[self.cut :])

    def value(self, b, lam=1.0):
        """Return lam * Omega(b)."""
        return sum(part.value(x, lam) for part, x in self._parts(b))

    def prox(self, x, lam=1.0):
        """Return argmin_b |b - x|^2 / 2 + lam Omega(b)."""
        return np.concatenate([part.prox(v, lam) for part, v in self._parts(x)])

    def tied_prox(self, t, z, h, lam, L):
        """Return argmin_v -z'(v - t) + L sum_i h_i (v_i - t_i)^2 / 2 + lam Omega_T(v).

        A group uses its largest curvature for all its entries.
        """
        if isinstance(self.tied, GroupL2):
            h = np.full(len(t), h.max())
        r = L * h
        x = z + r * t
        if isinstance(self.tied, GroupL2):
            return self.tied.prox(x / r, lam / r[0])
        l1, l2 = lam * np.asarray(self.tied.l1), lam * np.asarray(self.tied.l2)
        v = np.sign(x) * np.maximum(np.abs(x) - l1, 0.0) / (r + l2)
        return np.clip(v, self.tied.lower, self.tied.upper)

    def polar(self, z):
        """Return the least lam with b = 0 optimal for -z'b, over the coefficients with a norm on
        them.
        """
        (features, v), (tied, t) = self._parts(z)
        return max(features.polar(v), tied.polar(t) if self.normed else 0.0)

    def entry_levels(self, z):
        """Return the least lam that keeps each group of features at zero against z."""
        levels = self.features.entry_levels(z[: self.cut])
        if not self.normed:
            return levels
        return np.append(levels, self.tied.entry_levels(z[self.cut :]))

    def conjugate(self, z, lam=1.0):
        """Return sup_b z'b - lam * Omega(b)."""
        return sum(part.conjugate(v, lam) for part, v in self._parts(z))

    def feasible_scale(self, z, lam=1.0):
        """Return the largest s <= 1 for which the conjugate of s z is finite."""
        return min(part.feasible_scale(v, lam) for part, v in self._parts(z))


def over_labels(penalty, K, alpha):
    """Return a penalty on groups of p features as one on their p K coefficients."""
    layout = penalty.layout
    member = (np.asarray(layout.member)[:, None] * K + np.arange(K)).ravel()
    flat = layout._replace(
        start=(K * np.asarray(layout.start)).astype(np.intc), member=member.astype(np.intc),
        of=np.repeat(layout.of, K).astype(np.intc),
    )  # fmt: skip
    bound = penalty.on(flat)
    G, p = bound.n_groups, len(member)
    none = np.zeros(G, dtype=bool)
    return bound.under(alpha, np.ones(G), none, np.full(p, -np.inf), np.full(p, np.inf), 1.0)

"""Penalties on K rows of coefficients, asked as the penalties of one response are asked."""

import numpy as np

from sparsesolve.penalties.elastic_net_rows import ElasticNetRows


def on_rows(penalty, grouped):
    """The penalty of a Problem of K responses as one on arrays (K, p)."""
    if not penalty.has_blocks:
        return penalty
    return GroupRows(penalty) if penalty.has_groups else Rows(penalty, grouped)


class Rows:
    """Elastic net on whole arrays (K, p), one row of them a response; see ElasticNetRows."""

    def __init__(self, net, grouped):
        self.net = ElasticNetRows(net, grouped)
        self.value, self.prox = self.net.value, self.net.shrink

    def sizes(self, C):
        """Of each feature what meets its penalty, (p,)."""
        return self.net.polar(C)

    def polar(self, C):
        """The least lam with B = 0 optimal for the linear term -C'B."""
        sizes, l1 = self.net.polar(C), np.asarray(self.net.l1)
        bare = sizes[l1 == 0.0].any()
        return np.inf if bare else float((sizes / np.where(l1 > 0.0, l1, 1.0)).max(initial=0.0))

    def conjugate(self, C, lam=1.0):
        """sup_B C'B - lam * Omega(B)."""
        return self.net.conjugate(C, lam)

    def feasible_scale(self, C, lam=1.0):
        """The largest s <= 1 for which conjugate(s C) is finite."""
        return self.net.feasible_scale(np.zeros_like(C), C, lam)

    def unpenalised(self, B, C, lam=1.0):
        """Which features nothing holds back in some response, (p,)."""
        return self.unpenalised_each(B, C, lam).any(axis=0)

    def unpenalised_each(self, B, C, lam=1.0):
        """Which coefficients nothing holds back, (K, p)."""
        return self.net.unpenalised(B, C, lam)


class GroupRows:
    """A penalty on groups of the K p coefficients of arrays (K, p), which are read row by row."""

    def __init__(self, penalty):
        self.flat = penalty

    def sizes(self, C):
        """What meets the penalty, (K p,)."""
        return C.ravel()

    def value(self, B, lam=1.0):
        """lam * Omega(B)."""
        return self.flat.value(B.ravel(), lam)

    def prox(self, X, lam=1.0):
        """argmin_B |B - X|^2 / 2 + lam Omega(B)."""
        return self.flat.prox(X.ravel(), lam).reshape(X.shape)

    def polar(self, C):
        """The least lam with B = 0 optimal for the linear term -C'B."""
        return self.flat.polar(C.ravel())

    def conjugate(self, C, lam=1.0):
        """sup_B C'B - lam * Omega(B)."""
        return self.flat.conjugate(C.ravel(), lam)

    def feasible_scale(self, C, lam=1.0):
        """The largest s <= 1 for which conjugate(s C) is finite."""
        return self.flat.feasible_scale(C.ravel(), lam)

    def unpenalised(self, B, C, lam=1.0):
        """Which features nothing holds back in some response, (p,)."""
        return self.unpenalised_each(B, C, lam).any(axis=0)

    def unpenalised_each(self, B, C, lam=1.0):
        """Which coefficients nothing holds back, (K, p)."""
        return self.flat.unpenalised(B.ravel(), C.ravel(), lam).reshape(B.shape)

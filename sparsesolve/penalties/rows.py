"""Rows: a view of a penalty on the K p coefficients of K responses as one on arrays (K, p)."""

from sparsesolve.penalties.elastic_net_rows import ElasticNetRows


def on_rows(penalty, grouped):
    """Return the penalty of a Problem of K responses as one on arrays (K, p)."""
    if not penalty.has_blocks:
        return penalty
    return Rows(penalty) if penalty.has_groups else ElasticNetRows(penalty, grouped)


class Rows:
    """A view of any penalty on K p coefficients: row k of an array (K, p) is response k.

    Parameters
    ----------
    penalty : penalty on vectors (K p,), the coefficients of one response after the other
    """

    def __init__(self, penalty):
        self.flat = penalty

    def sizes(self, C):
        """Return the products that the penalty's `entry_lambdas` takes, (K p,)."""
        return C.ravel()

    def value(self, B, lam=1.0):
        """Return lam * Omega(B)."""
        return self.flat.value(B.ravel(), lam)

    def prox(self, X, lam=1.0):
        """Return argmin_B |B - X|^2 / 2 + lam Omega(B)."""
        return self.flat.prox(X.ravel(), lam).reshape(X.shape)

    def polar(self, C):
        """Return the least lam with B = 0 optimal for the linear term -C'B."""
        return self.flat.polar(C.ravel())

    def conjugate(self, C, lam=1.0):
        """Return sup_B C'B - lam * Omega(B)."""
        return self.flat.conjugate(C.ravel(), lam)

    def feasible_scale(self, C, lam=1.0):
        """Return the largest s <= 1 for which conjugate(s C) is finite."""
        return self.flat.feasible_scale(C.ravel(), lam)

    def unpenalised(self, B, C, lam=1.0):
        """Return a mask (p,) of the features with an unpenalised coefficient that no limit stops.
        """
        return self.unpenalised_each(B, C, lam).any(axis=0)

    def unpenalised_each(self, B, C, lam=1.0):
        """Return a mask (K, p) of the unpenalised coefficients that no limit stops."""
        return self.flat.unpenalised(B.ravel(), C.ravel(), lam).reshape(B.shape)

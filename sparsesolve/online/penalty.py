"""The penalty of an online fit, laid out for its features and responses, on arrays (K, p)."""

import numpy as np

from sparsesolve.online.in_turn import InTurn, read_parts
from sparsesolve.paths.penalty import is_concave, no_penalty
from sparsesolve.penalties.elastic_net import ElasticNet
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.penalties.penalty import has_blocks, missing_method
from sparsesolve.penalties.rows import Rows
from sparsesolve.penalties.whole import WholePenalty


def check_penalty(penalty, grouped):
    """Raise unless `penalty` is a penalty."""
    if penalty is None:
        return
    if isinstance(penalty, list | tuple):
        for _, part in read_parts(penalty):
            check_penalty(part, grouped)
        return
    if isinstance(penalty, type) or missing_method(penalty) is not None:
        raise TypeError(no_penalty(penalty))
    if grouped:
        raise ValueError(
            "grouped=True ties single features across the classes, and a penalty object ties its "
            "own groups; leave grouped out"
        )


def refuse_concave(penalty, what):
    """Raise under a concave penalty, which gives no bound of `what`."""
    for part in penalty if isinstance(penalty, list) else [(1.0, penalty)]:
        if is_concave(part[1]):
            raise ValueError(
                f"{type(part[1]).__name__} is not convex, so nothing bounds the {what}; "
                "path(..., penalty=, start=fit) ends at a stationary point, whose gap says so"
            )


def scaled_factors(penalty_factor, count, per="column"):
    """Return penalty factors (count,), as read, scaled to sum count; ones for None."""
    if penalty_factor is None:
        return np.ones(count)
    v = penalty_factor
    if np.isinf(v).any():
        raise ValueError(
            f"penalty_factor excludes {per} {int(np.isinf(v).argmax())}; leave it out"
        )
    return v * (count / v.sum()) if v.any() else v


class Laid:
    """lam Omega on (K, p).

    Attributes
    ----------
    blocks : BlockPenalty or None
        The norms of groups alone, over all K p weights.
    sizes : (G,) or None
        Factors of these norms.
    free : (p,) bool
        Features without a penalty.
    kernel : sparse (p, k) or None
        Orthonormal directions that do not change Omega, apart from features.
    absolute, homogeneous : bool
        Whether Omega grows with each |b_j|; whether Omega(c b) = c Omega(b) for c > 0.
    """

    def __init__(self, penalty, p, K, alpha, v, grouped):
        self.blocks = self.sizes = self.kernel = None
        self.absolute = self.homogeneous = True
        self.several, self.flat = K > 1, False  # flat: called on vectors (p,)
        if penalty is None:
            self.rows, self.free = ElasticNetRows(ElasticNet(p, alpha, v), grouped), v == 0.0
        elif has_blocks(penalty):
            ends = np.full(p, -np.inf), np.full(p, np.inf)
            none = np.zeros(penalty.n_groups, dtype=bool)
            whole = penalty.under(alpha, v, none, *ends, 1.0).repeated(K)
            self.blocks = penalty.under(1.0, v, none, *ends, 1.0).repeated(K)
            self.sizes = np.asarray(self.blocks.weight) + np.asarray(self.blocks.l1)
            self.rows = Rows(whole)
            self.free = (self.sizes == 0.0)[np.asarray(penalty.of)]
        else:
            self.rows = WholePenalty(penalty, p, alpha, n_responses=K if self.several else None)
            self.free, self.flat = np.zeros(p, dtype=bool), not self.several
            self.kernel, self.homogeneous = self.rows.kernel(), self.rows.is_norm
            self.absolute = getattr(penalty, "absolute", False)

    def _given(self, B):
        return np.ascontiguousarray(B[0] if self.flat else B)

    def value(self, B, lam):
        """Return lam Omega(B)."""
        return float(self.rows.value(self._given(B), lam))

    def prox(self, V, amount):
        """Return argmin_B |B - V|^2 / 2 + amount Omega(B)."""
        return np.reshape(self.rows.prox(self._given(V), amount), V.shape)

    def conjugate(self, Z, lam):
        """Return sup_B Z'B - lam Omega(B)."""
        return float(self.rows.conjugate(self._given(Z), lam))

    def polar(self, Z):
        """Return the least lam with B = 0 optimal for the linear term -Z'B."""
        return self.rows.polar(self._given(Z))

    def feasible_scale(self, Z, lam):
        """Return the largest s <= 1 for which conjugate(s Z) is finite."""
        return self.rows.feasible_scale(self._given(Z), lam)


def laid_out(penalty, p, K, alpha, v, grouped):
    """Return the penalty as Laid; a sequence of penalties as InTurn."""
    if not isinstance(penalty, list | tuple):
        return Laid(penalty, p, K, alpha, v, grouped)
    return InTurn([(c, Laid(part, p, K, 1.0, np.ones(getattr(part, "n_groups", p)), False))
                   for c, part in read_parts(penalty)], alpha)  # fmt: skip


def over(penalty, n_features, names):
    """Return the penalty, or each of a sequence, for `n_features` features."""
    if isinstance(penalty, list | tuple):
        return [(c, over(part, n_features, names)) for c, part in read_parts(penalty)]
    found = getattr(penalty, "over", None)
    return penalty if found is None else found(n_features, names)

"""The penalty of steps on arrays (K, p): laid out for features and responses, or several in turn.

Of a sum of penalties the proximal operators are applied in turn, algorithm 1 of Martins et al.:

    Omega = alpha sum_j c_j Omega_j + (1 - alpha) |w|^2 / 2
    w <- prox of Omega_1, ..., Omega_J, each with its own amount, and then of the ridge part

The regret is bounded as for the prox of the sum, as long as no operator raises an earlier
penalty. This holds for l1 before a norm of groups, and for nested groups, inner ones first, where
it is the prox of the sum itself. A certificate needs the conjugate of the sum. Where all parts
are norms, what each operator in turn subtracts from z lies in its dual ball, so that

    (lam Omega)*(z) <= |rest|^2 / (2 lam (1 - alpha)),   and 0 where nothing is left;

it is the conjugate itself wherever the operators in turn are the prox of the sum. Otherwise, as
each Omega_j is at least 0, the least conjugate of one of them is taken; the gap is then valid
but loose. Given: penalties laid out on arrays (K, p), see `Laid`.
References: Martins, Smith, Xing, Aguiar, Figueiredo (2011), algorithm 1 and lemma 2; Jenatton,
Mairal, Obozinski, Bach (2011) for nested groups.
"""

import numpy as np

from sparsesolve.paths.penalty import is_concave, read_penalty
from sparsesolve.penalties.elastic_net import ElasticNet
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.penalties.penalty import has_blocks
from sparsesolve.penalties.rows import Rows
from sparsesolve.penalties.whole import WholePenalty

# What is left of Z counts as nothing below this fraction of its length: it is rounding.
NOTHING = 1e-13


class InTurn:
    """lam Omega on (K, p), with the methods of `Laid`.

    Parameters
    ----------
    parts : list of (c, Laid), in the order of their operators
    alpha : float in [0, 1]
    """

    blocks = sizes = None
    homogeneous = False

    def __init__(self, parts, alpha):
        self.parts, self.ridge = [(c * alpha, laid) for c, laid in parts], 1.0 - alpha
        self.free = np.all([laid.free for _, laid in parts], axis=0) & (self.ridge == 0.0)
        self.absolute = all(laid.absolute for _, laid in parts)
        self.norms = all(laid.homogeneous for _, laid in parts)
        # The conjugate is that of any one part, so the part with the smallest kernel will do.
        kernels = [laid.kernel for _, laid in parts]
        seen = self.ridge > 0.0 or any(kernel is None for kernel in kernels)
        self.kernel = None if seen else min(kernels, key=lambda kernel: kernel.shape[1])

    def value(self, B, lam):
        """Return lam Omega(B)."""
        own = 0.5 * self.ridge * float(np.vdot(B, B))
        return lam * (own + sum(laid.value(B, c) for c, laid in self.parts))

    def prox(self, V, amount):
        """Apply one operator after another."""
        for c, laid in self.parts:
            V = laid.prox(V, amount * c)
        return V / (1.0 + amount * self.ridge)

    def _left(self, Z, lam):
        """Return what the operators in turn leave of Z."""
        for c, laid in self.parts:
            Z = laid.prox(Z, lam * c)
        return Z

    def conjugate(self, Z, lam):
        """Return an upper bound of sup_B Z'B - lam Omega(B)."""
        if self.norms and self.kernel is None:
            left = self._left(Z, lam)
            square = float(np.vdot(left, left))
            if square <= NOTHING**2 * float(np.vdot(Z, Z)):
                return 0.0
            return 0.5 * square / (lam * self.ridge) if self.ridge > 0.0 else np.inf
        least = min(float(laid.conjugate(Z, lam * c)) for c, laid in self.parts)
        if self.ridge > 0.0:
            least = min(least, 0.5 * float(np.vdot(Z, Z)) / (lam * self.ridge))
        return least

    def polar(self, Z):
        """Return an upper bound of the least lam with B = 0 optimal for the linear term -Z'B."""
        return min(laid.polar(Z) / c if c > 0.0 else np.inf for c, laid in self.parts)

    def feasible_scale(self, Z, lam):
        """Return a scale s <= 1 for which conjugate(s Z) is finite."""
        if self.ridge > 0.0:
            return 1.0
        if self.norms and self.kernel is None:
            return self._largest_scale(Z, lam)
        return max(laid.feasible_scale(Z, lam * c) for c, laid in self.parts)

    def _largest_scale(self, Z, lam):
        """Return the largest s <= 1, by bisection, with nothing left of s Z."""
        if not self._left(Z, lam).any():
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(50):  # to 1e-15
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self._left(middle * Z, lam).any() else (middle, high)
        return low


def read_parts(penalty):
    """Return (c, penalty) of each part of a sequence of penalties, or of pairs (c, penalty)."""
    parts = [part if isinstance(part, tuple) else (1.0, part) for part in penalty]
    if not parts:
        raise ValueError("penalty is an empty sequence; give penalties, or None")
    for j, part in enumerate(parts):
        if len(part) != 2 or not np.isscalar(part[0]) or not 0.0 < float(part[0]) < np.inf:
            raise ValueError(
                f"penalty[{j}] is {part!r}; give a penalty, or a pair (c, penalty) with c > 0"
            )
    return [(float(c), part) for c, part in parts]


def check_penalty(penalty, grouped):
    """Raise unless `penalty` is a penalty."""
    if penalty is None:
        return
    if isinstance(penalty, list | tuple):
        for _, part in read_parts(penalty):
            check_penalty(part, grouped)
        return
    read_penalty(penalty)
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

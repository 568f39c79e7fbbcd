"""Sums of penalties whose proximal operators are applied in turn: algorithm 1 of Martins et al.

    Omega = alpha sum_j c_j Omega_j + (1 - alpha) |w|^2 / 2
    w <- prox of Omega_1, ..., Omega_J, each with its own amount, and then of the ridge part

The regret is bounded as for the prox of the sum, as long as no operator raises an earlier
penalty. This holds for l1 before a norm of groups, and for nested groups, inner ones first, where
it is the prox of the sum itself. A certificate needs the conjugate of the sum. Each Omega_j is at
least 0, so the conjugate of any one of them is an upper bound. The least is taken; the gap is
valid but loose. Given: penalties laid out on arrays (K, p), see `Laid`.
References: Martins, Smith, Xing, Aguiar, Figueiredo (2011), algorithm 1 and lemma 2; Jenatton,
Mairal, Obozinski, Bach (2011) for nested groups.
"""

import numpy as np


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

    def conjugate(self, Z, lam):
        """Return an upper bound of sup_B Z'B - lam Omega(B)."""
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
        return max(laid.feasible_scale(Z, lam * c) for c, laid in self.parts)


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

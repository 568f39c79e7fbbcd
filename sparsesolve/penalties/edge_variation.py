"""Total variation on the edges of a graph: what images and graphs share.

    Omega(b) = sum_e w_e |b_i(e) - b_j(e)| + l1 sum_i |b_i|

Level sets of a prox are minimum cuts, which `prox.level_sets` finds all at once, to rounding; the
prox with l1 is soft thresholding after that of the edges. Unit balls have multiples of indicators
of sets as extreme points, so that the dual norm is

    max over S  |z(S)| / (l1 |S| + weight of the edges that leave S).

Reference: Chambolle, Darbon, "On total variation minimization and surface evolution using
parametric maximum flows" (2009); Friedman, Hastie, Hoefling, Tibshirani (2007) on l1.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from sparsesolve.penalties.norm import Norm, soft
from sparsesolve.penalties.prox.level_sets import largest_ratio, network, prox_levels
from sparsesolve.penalties.splitting import Splitting, WeightedL1
from sparsesolve.penalties.tangent import on_pieces

ROUNDING = 1e-9  # of the largest coefficient: a difference between equal ones
ORTHOGONAL = 1e-9  # of sum |z|: a sum over a connected part that is rounding


class EdgeVariation:
    """Value, prox, dual norm, kernel and tangent for p coefficients.

    Parameters
    ----------
    n_features : int
    tail, head : (E,) int
        The coefficients that each edge joins.
    weights : (E,) >= 0
    l1 : float >= 0
    """

    def __init__(self, n_features, tail, head, weights, l1):
        held = weights > 0.0
        self.p, self.l1 = n_features, l1
        self.tail, self.head, self.weights = tail[held], head[held], weights[held]
        self.network = network(self.p, self.tail, self.head, self.weights, self.weights)
        self.part = self._pieces(np.ones(len(self.tail), dtype=bool))

    def _pieces(self, joined):
        """The connected part of each coefficient along the edges `joined` (E,) bool."""
        i, j = self.tail[joined], self.head[joined]
        graph = sparse.coo_array((np.ones(len(i), dtype=bool), (i, j)), (self.p, self.p))
        return connected_components(graph.tocsr(), directed=False)[1] if self.p else i

    def value(self, b):
        """Omega(b)."""
        jumps = float(self.weights @ np.abs(b[self.head] - b[self.tail]))
        return jumps + self.l1 * float(np.abs(b).sum())

    def prox(self, v, t):
        """argmin_b |b - v|^2 / 2 + t Omega(b), (p,)."""
        b = prox_levels(self.network, v, t)
        return soft(b, t * self.l1) if self.l1 > 0.0 else b

    def polar(self, z):
        """The dual norm; without l1 inf where z does not sum to 0 over each connected part."""
        if self.l1 > 0.0:
            return largest_ratio(self.network, -z, self.l1,
                                 largest_ratio(self.network, z, self.l1))  # fmt: skip
        count = np.bincount(self.part)
        total = np.bincount(self.part, z)
        if (np.abs(total) > ORTHOGONAL * np.bincount(self.part, np.abs(z))).any():
            return np.inf
        # a set and its complement have the same edges, and sums that differ by sign alone
        return largest_ratio(self.network, z - (total / count)[self.part], 0.0)

    def kernel(self):
        """Constants on each connected part, without l1."""
        if self.l1 > 0.0 or not self.p:
            return None
        return sparse.csc_array((np.ones(self.p), (np.arange(self.p), self.part)))

    def splitting(self):
        """The weighted l1 norm of differences along edges, and of coefficients with l1."""
        count = len(self.tail)
        ends = np.r_[self.head, self.tail]
        signs = np.r_[np.ones(count), -np.ones(count)]
        edges = sparse.csr_array((signs, (np.r_[:count, :count], ends)), (count, self.p))
        if self.l1 == 0.0:
            return Splitting(edges, WeightedL1(self.weights))
        matrix = sparse.vstack([edges, sparse.eye_array(self.p)], format="csr")
        return Splitting(matrix, WeightedL1(np.append(self.weights, np.full(self.p, self.l1))))

    def tangent(self, b):
        """Connected pieces of equal coefficients; with l1 those that are not 0."""
        step = b[self.head] - b[self.tail]
        label = self._pieces(step == 0.0)
        pull = self.weights * np.sign(step)
        pull = np.bincount(self.head, pull, self.p) - np.bincount(self.tail, pull, self.p)
        gradient = np.bincount(label, pull + self.l1 * np.sign(b))
        if self.l1 > 0.0:
            kept = np.bincount(label, b != 0.0) > 0.0
            label = np.where(kept, np.cumsum(kept) - 1, -1)[label]
            gradient = gradient[kept]
        return on_pieces(label, np.ones(self.p), gradient)

    def degrees(self, b):
        """Connected pieces of equal coefficients; with l1 those that are not 0."""
        step = np.abs(b[self.head] - b[self.tail])
        label = self._pieces(step <= ROUNDING * np.abs(b).max(initial=0.0))
        return len(np.unique(label[b != 0.0] if self.l1 > 0.0 else label))


class EdgeNorm(Norm):
    """What norms on edges share; a subclass makes `_graph`, an EdgeVariation, in `_bind`."""

    _graph: EdgeVariation

    def norm(self, b: np.ndarray) -> float:
        """See Norm."""
        return self._graph.value(b)

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """See Norm."""
        return self._graph.prox(v, t)

    def dual_norm(self, z: np.ndarray) -> float:
        """See Norm; without l1, for z that sums to 0 on each connected part."""
        return self._graph.polar(z)

    def kernel(self) -> Any:
        """Constants on each connected part, without l1."""
        return self._graph.kernel() if self.n_features else None

    def splitting(self) -> Any:
        """See `EdgeVariation`."""
        return self._graph.splitting()

    def tangent(self, b: np.ndarray) -> Any:
        """Connected pieces of equal coefficients."""
        return self._graph.tangent(b)

    def degrees(self, b: np.ndarray) -> int:
        """Connected pieces of equal coefficients; with l1 those that are not 0."""
        b = np.asarray(b)
        return self._at(b)._graph.degrees(b)

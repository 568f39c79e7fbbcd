"""Total variation on the edges of a graph: neighbours with equal coefficients.

    Omega(b) = sum_e w_e |b_i(e) - b_j(e)| + l1 sum_i |b_i|

Level sets of a prox are minimum cuts, which `prox.regions` finds all at once, to rounding; the
prox with l1 is soft thresholding after that of the edges. Unit balls have multiples of indicators
of sets as extreme points, so that the dual norm is

    max over S  |z(S)| / (l1 |S| + weight of the edges that leave S).

Reference: Chambolle, Darbon, "On total variation minimization and surface evolution using
parametric maximum flows" (2009); Friedman, Hastie, Hoefling, Tibshirani (2007) on l1.

`EdgeNorm` has everything but the reading of edges, for images as well. `graph_groups` makes
the edges groups of two features, which turn the latent group lasso into the graph lasso.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.penalties.groups import numbers_of_features
from sparsesolve.penalties.norm import Norm, plain, read_number, read_weights, soft
from sparsesolve.penalties.prox.flows import components
from sparsesolve.penalties.prox.regions import largest_ratio, network, prox_levels
from sparsesolve.penalties.splitting import Splitting, WeightedL1
from sparsesolve.penalties.tangent import on_pieces


def graph_groups(edges: Iterable[Any]) -> list[list[Any]]:
    """Make the edges of a graph the groups of :class:`LatentGroupL2`: the graph lasso.

    Parameters
    ----------
    edges : iterable of pairs
        Two features each, by number or name.

    Returns
    -------
    list of lists of two features

    Raises
    ------
    TypeError
        If edges cannot be iterated over.
    ValueError
        If edges is an adjacency matrix, or if an edge is not a pair, joins a feature to itself, or
        occurs twice.

    References
    ----------
    Jacob, Obozinski, Vert (2009), "Group lasso with overlap and graph lasso".

    Examples
    --------
    >>> import sparsesolve as ss
    >>> ss.penalties.graph_groups([(0, 1), (1, 2)])
    [[0, 1], [1, 2]]
    """
    if not isinstance(edges, Iterable):
        raise TypeError(f"edges is {edges!r}; give a list of pairs of features")
    shape = getattr(edges, "shape", (0, 2))
    if len(shape) != 2 or (shape[1] != 2 and shape[0] == shape[1]):
        raise ValueError(
            f"edges has shape {shape}; of an adjacency matrix A give np.transpose(np.nonzero(A)), "
            "once for each edge"
        )
    seen, found = set(), []
    for k, edge in enumerate(edges):
        pair = [plain(end) for end in edge] if isinstance(edge, Iterable) else []
        if len(pair) != 2:
            raise ValueError(f"edge {k} is {edge!r}; an edge is a pair of features")
        if pair[0] == pair[1]:
            raise ValueError(f"edge {k} joins feature {pair[0]!r} to itself; leave it out")
        if frozenset(pair) in seen:
            raise ValueError(f"edge {k}, {tuple(pair)!r}, occurs twice; leave one out")
        seen.add(frozenset(pair))
        found.append(pair)
    return found


# Coefficients that differ by less than this fraction of the largest one count as equal.
ROUNDING = 1e-9
# z counts as orthogonal to the constants of a connected part if its sum there is below this
# fraction of sum |z|.
ORTHOGONAL = 1e-9


class EdgeNorm(Norm):
    """Base class of norms on edges; a subclass calls `_join` in `_bind`."""

    scale_free = False  # Coefficients are compared with one another.
    counted = "pieces"
    l1: float

    def _join(self, tail, head, weights):
        """Join coefficients tail (E,) to head (E,) with weights >= 0."""
        held = weights > 0.0
        self._tail, self._head, self._w = tail[held], head[held], weights[held]
        self._network = network(self.n_features, self._tail, self._head, self._w, self._w)
        self._connected = self._pieces(np.ones(len(self._tail), dtype=bool))

    def _pieces(self, joined):
        """Return the connected part (p,) of each coefficient along the edges `joined` (E,) bool.
        """
        i, j = self._tail[joined], self._head[joined]
        return components(i, j, self.n_features) if self.n_features else i

    def norm(self, b: np.ndarray) -> float:
        jumps = float(self._w @ np.abs(b[self._head] - b[self._tail]))
        return jumps + self.l1 * float(np.abs(b).sum())

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        b = prox_levels(self._network, v, t)
        return soft(b, t * self.l1) if self.l1 > 0.0 else b

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the dual norm; without l1 it is inf if z has a sum on a connected part."""
        if self.l1 > 0.0:
            return largest_ratio(self._network, -z, self.l1,
                                 largest_ratio(self._network, z, self.l1))  # fmt: skip
        part = self._connected
        count, total = np.bincount(part), np.bincount(part, z)
        if (np.abs(total) > ORTHOGONAL * np.bincount(part, np.abs(z))).any():
            return np.inf
        # A set and its complement cut the same edges, and their sums differ only in sign.
        return largest_ratio(self._network, z - (total / count)[part], 0.0)

    def kernel(self) -> Any:
        """Return the constants on each connected part, or None with l1."""
        p = self.n_features
        if self.l1 > 0.0 or not p:
            return None
        return sparse.csc_array((np.ones(p), (np.arange(p), self._connected)))

    def splitting(self) -> Any:
        """Return the weighted l1 norm of differences along edges, and of coefficients with l1."""
        count, p = len(self._tail), self.n_features
        ends = np.r_[self._head, self._tail]
        signs = np.r_[np.ones(count), -np.ones(count)]
        edges = sparse.csr_array((signs, (np.r_[:count, :count], ends)), (count, p))
        if self.l1 == 0.0:
            return Splitting(edges, WeightedL1(self._w))
        matrix = sparse.vstack([edges, sparse.eye_array(p)], format="csr")
        return Splitting(matrix, WeightedL1(np.append(self._w, np.full(p, self.l1))))

    def tangent(self, b: np.ndarray) -> Any:
        """Return the connected pieces of equal coefficients as directions; of zeros without l1."""
        step, p = b[self._head] - b[self._tail], self.n_features
        label = self._pieces(step == 0.0)
        pull = self._w * np.sign(step)
        pull = np.bincount(self._head, pull, p) - np.bincount(self._tail, pull, p)
        gradient = np.bincount(label, pull + self.l1 * np.sign(b))
        if self.l1 > 0.0:
            kept = np.bincount(label, b != 0.0) > 0.0
            label = np.where(kept, np.cumsum(kept) - 1, -1)[label]
            gradient = gradient[kept]
        return on_pieces(label, np.ones(p), gradient)

    def degrees(self, b: np.ndarray) -> int:
        """Count the connected pieces of equal coefficients; with l1 only nonzero ones."""
        b = np.asarray(b)
        own = self._at(b)
        step = np.abs(b[own._head] - b[own._tail])
        label = own._pieces(step <= ROUNDING * np.abs(b).max(initial=0.0))
        return len(np.unique(label[b != 0.0] if self.l1 > 0.0 else label))


class GraphTV(EdgeNorm):
    r"""Total variation over the edges (i, j) of a graph.

    :math:`\Omega(b) = \sum_{ij} w_{ij} |b_i - b_j| + \ell_1 \sum_i |b_i|`, with :math:`\ell_1` the
    argument l1.

    Coefficients that are joined become equal: solutions are constant on connected pieces. Without
    l1, constants on each connected part of the graph are not penalised. The prox is exact, by
    minimum cuts.

    Parameters
    ----------
    edges : sequence of pairs
        Two features each, by number or name.
    weights : array-like (E,), default None
        w of each edge, at least 0; None means 1.
    l1 : float >= 0, default 0.0
        Weight of the l1 norm added to total variation.

    Raises
    ------
    ValueError, TypeError
        If an edge is not a pair, joins a feature to itself or occurs twice, or l1 is not a
        number of at least 0; when a path is fitted, if an edge names something that is not a
        feature, or weights do not fit.

    References
    ----------
    Bach, Jenatton, Mairal, Obozinski (2012), section 1. Hochbaum (2001), "An efficient algorithm
    for image segmentation, Markov random fields and related problems".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> penalty = ss.penalties.GraphTV([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)])
    >>> fit = ss.path(X, X @ [2, 2, 2, -1, -1, -1], penalty=penalty)
    >>> fit.coef(0.1).round(2)
    array([ 1.95,  1.95,  1.95, -0.96, -0.96, -0.96])
    """

    def __init__(self, edges: Any, weights: ArrayLike | None = None, l1: float = 0.0):
        self.l1 = read_number("l1", l1)
        self.edges = [tuple(edge) for edge in graph_groups(edges)]
        self.weights = None if weights is None else np.array(weights)

    def _arguments(self):
        return f"{self.edges!r}, weights={self.weights!r}, l1={self.l1!r}"

    def _bind(self, names):
        found = numbers_of_features(self.edges, self.n_features, names, "edge", mixed=True)
        ends = np.array([*found], dtype=np.intp).reshape(-1, 2)
        same = np.flatnonzero(ends[:, 0] == ends[:, 1])  # by a name and by a number
        if len(same):
            raise ValueError(f"edge {same[0]} joins feature {ends[same[0], 0]} to itself; "
                             "leave it out")  # fmt: skip
        w = read_weights(self.weights, len(ends), "edges")
        w = np.ones(len(ends)) if w is None else w
        self._join(ends[:, 0], ends[:, 1], w)

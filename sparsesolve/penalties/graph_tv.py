"""Total variation on the edges of a graph: neighbours with equal coefficients.

    Omega(b) = sum_e w_e |b_i(e) - b_j(e)| + l1 sum_i |b_i|

Level sets of a prox are minimum cuts, which `prox.regions` finds all at once, to rounding; the
prox with l1 is soft thresholding after that of the edges. Unit balls have multiples of indicators
of sets as extreme points, so that the dual norm is

    max over S  |z(S)| / (l1 |S| + weight of the edges that leave S).

Reference: Chambolle, Darbon, "On total variation minimization and surface evolution using
parametric maximum flows" (2009); Friedman, Hastie, Hoefling, Tibshirani (2007) on l1.

`EdgeVariation` has everything but the reading of edges, for images as well. `graph_groups` makes
the edges groups of two features, which turn the latent group lasso into the graph lasso.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.penalties.norm import Norm, plain, read_number, read_weights, soft
from sparsesolve.penalties.prox.regions import components, largest_ratio, network, prox_levels
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
        """Return the connected part (p,) of each coefficient along the edges `joined` (E,) bool.
        """
        i, j = self.tail[joined], self.head[joined]
        return components(i, j, self.p) if self.p else i

    def value(self, b):
        """Return Omega(b)."""
        jumps = float(self.weights @ np.abs(b[self.head] - b[self.tail]))
        return jumps + self.l1 * float(np.abs(b).sum())

    def prox(self, v, t):
        """Return ``argmin_b |b - v|^2 / 2 + t Omega(b)``, (p,)."""
        b = prox_levels(self.network, v, t)
        return soft(b, t * self.l1) if self.l1 > 0.0 else b

    def polar(self, z):
        """Return the dual norm; without l1 it is inf unless z sums to 0 over each connected part.
        """
        if self.l1 > 0.0:
            return largest_ratio(self.network, -z, self.l1,
                                 largest_ratio(self.network, z, self.l1))  # fmt: skip
        count = np.bincount(self.part)
        total = np.bincount(self.part, z)
        if (np.abs(total) > ORTHOGONAL * np.bincount(self.part, np.abs(z))).any():
            return np.inf
        # A set and its complement cut the same edges, and their sums differ only in sign.
        return largest_ratio(self.network, z - (total / count)[self.part], 0.0)

    def kernel(self):
        """Return the constants on each connected part, or None with l1."""
        if self.l1 > 0.0 or not self.p:
            return None
        return sparse.csc_array((np.ones(self.p), (np.arange(self.p), self.part)))

    def splitting(self):
        """Return the weighted l1 norm of the differences along edges, and of the coefficients
        with l1.
        """
        count = len(self.tail)
        ends = np.r_[self.head, self.tail]
        signs = np.r_[np.ones(count), -np.ones(count)]
        edges = sparse.csr_array((signs, (np.r_[:count, :count], ends)), (count, self.p))
        if self.l1 == 0.0:
            return Splitting(edges, WeightedL1(self.weights))
        matrix = sparse.vstack([edges, sparse.eye_array(self.p)], format="csr")
        return Splitting(matrix, WeightedL1(np.append(self.weights, np.full(self.p, self.l1))))

    def tangent(self, b):
        """Return the connected pieces of equal coefficients as directions; with l1 only nonzero
        ones.
        """
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
        """Count the connected pieces of equal coefficients; with l1 only nonzero ones."""
        step = np.abs(b[self.head] - b[self.tail])
        label = self._pieces(step <= ROUNDING * np.abs(b).max(initial=0.0))
        return len(np.unique(label[b != 0.0] if self.l1 > 0.0 else label))


class EdgeNorm(Norm):
    """Base class of norms on edges; a subclass sets `_graph`, an EdgeVariation, in `_bind`."""

    scale_free = False  # Coefficients are compared with one another.
    _graph: EdgeVariation
    counted = "pieces"

    def norm(self, b: np.ndarray) -> float:
        return self._graph.value(b)

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return self._graph.prox(v, t)

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the dual norm; without l1 z must sum to 0 on each connected part."""
        return self._graph.polar(z)

    def kernel(self) -> Any:
        """Return the constants on each connected part, or None with l1."""
        return self._graph.kernel() if self.n_features else None

    def splitting(self) -> Any:
        """Return the weighted l1 norm of differences; see `EdgeVariation`."""
        return self._graph.splitting()

    def tangent(self, b: np.ndarray) -> Any:
        """Return the connected pieces of equal coefficients as directions."""
        return self._graph.tangent(b)

    def degrees(self, b: np.ndarray) -> int:
        """Count the connected pieces of equal coefficients; with l1 only nonzero ones."""
        b = np.asarray(b)
        return self._at(b)._graph.degrees(b)


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
        ends = _read_edges(self.edges, self.n_features, names)
        w = read_weights(self.weights, len(ends), "edges")
        w = np.ones(len(ends)) if w is None else w
        self._graph = EdgeVariation(self.n_features, ends[:, 0], ends[:, 1], w, self.l1)


def _read_edges(edges, n_features, names):
    """Return the feature numbers (E, 2) of the edges."""
    place = {} if names is None else {name: j for j, name in enumerate(names)}
    found = np.empty((len(edges), 2), dtype=np.intp)
    for e, edge in enumerate(edges):
        for k, end in enumerate(edge):
            j = place.get(end) if isinstance(end, str) else end
            if j is None:
                raise ValueError(f"edge {e} names {end!r}, which is not a column of X")
            if isinstance(j, bool) or not hasattr(j, "__index__") or not 0 <= j < n_features:
                raise ValueError(
                    f"edge {e} holds {end!r}; features are numbered from 0 to {n_features - 1}"
                )
            found[e, k] = j
        if found[e, 0] == found[e, 1]:
            raise ValueError(f"edge {e} joins feature {found[e, 0]} to itself; leave it out")
    return found

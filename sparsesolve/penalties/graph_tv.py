"""Total variation on the edges of a graph, or of an image: neighbours with equal coefficients.

    Omega(b) = sum_e w_e |b_i(e) - b_j(e)| + l1 sum_i |b_i|

Level sets of a prox are minimum cuts, which `prox.regions` finds all at once, to rounding; the
prox with l1 is soft thresholding after that of the edges. Unit balls have multiples of indicators
of sets as extreme points, so that the dual norm is

    max over S  |z(S)| / (l1 |S| + weight of the edges that leave S).

Reference: Chambolle, Darbon, "On total variation minimization and surface evolution using
parametric maximum flows" (2009); Friedman, Hastie, Hoefling, Tibshirani (2007) on l1.

`EdgeNorm` has everything but the edges. `graph_groups` makes them groups of two features, which
turn the latent group lasso into the graph lasso.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.linalg.threads import thread_count
from sparsesolve.penalties.forms import Splitting, WeightedL1, on_pieces
from sparsesolve.penalties.groups import numbers_of_features
from sparsesolve.penalties.norm import (
    ROUNDING,
    Norm,
    plain,
    read_number,
    read_shape,
    read_weights,
    soft,
)
from sparsesolve.penalties.prox.chains import DualSteps
from sparsesolve.penalties.prox.flows import components
from sparsesolve.penalties.prox.regions import (
    Flows,
    largest_ratio,
    network,
    prox_levels,
    prox_levels_near,
)


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
        """Return each coefficient's connected part (p,) along the edges `joined` (E,) bool."""
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
        if (np.abs(total) > ROUNDING * np.bincount(part, np.abs(z))).any():
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


# Dual steps are stopped at this gap, relative to the squared distance of the image from its mean,
# or after so many, and exact flows take over. Between 5e-6 and 1e-4 times differ by 10 % on images
# of 16 x 16 to 512 x 512 (benchmarks/structured/overlap.py prox).
DUAL_STEPS_GAP = 2e-5
# At most this many dual steps precede the exact method, which then corrects what they left.
MOST_DUAL_STEPS = 40


class TotalVariation2D(EdgeNorm):
    """Anisotropic total variation of an image of coefficients: they become constant on regions.

    Parameters
    ----------
    shape : pair of int
        Rows and columns of the image; its coefficients are taken row by row.
    weights : pair of float >= 0, default (1, 1)
        Weights of differences between rows, and between columns.
    l1 : float >= 0, default 0.0
        Weight of the l1 norm added to total variation; without it the mean of the image is not
        penalised.

    Raises
    ------
    ValueError, TypeError
        If shape is not a pair of positive whole numbers, weights are not a pair or negative, or
        l1 is not a number of at least 0; when a path is fitted, if the features do not fill the
        shape.

    References
    ----------
    Rudin, Osher, Fatemi (1992), "Nonlinear total variation based noise removal algorithms".
    Chambolle, Darbon (2009), "On total variation minimization and surface evolution using
    parametric maximum flows".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import penalties
    >>> image = np.array([[0.0, 0.1, 5.0], [0.1, 0.0, 5.2]])
    >>> penalties.TotalVariation2D((2, 3)).prox(image.ravel(), 0.1).reshape(2, 3)
    array([[0.1, 0.1, 5. ],
           [0.1, 0.1, 5. ]])
    """

    def __init__(
        self, shape: Sequence[int], weights: Sequence[float] = (1.0, 1.0), l1: float = 0.0
    ):
        self.shape, self.l1 = read_shape(shape), read_number("l1", l1)
        if len(np.shape(weights)) != 1 or len(weights) != 2:
            raise ValueError(f"weights must be a pair (rows, columns), not {weights!r}")
        self.weights = (
            read_number("weights[0]", weights[0]), read_number("weights[1]", weights[1])
        )  # fmt: skip

    def _arguments(self):
        return f"{self.shape!r}, weights={self.weights!r}, l1={self.l1!r}"

    def _bind(self, names):
        rows, columns = self.shape
        if rows * columns != self.n_features:
            raise ValueError(
                f"shape {self.shape} has {rows * columns} entries for {self.n_features} features"
            )
        place = np.arange(rows * columns).reshape(rows, columns)
        down, right = place[:-1].ravel(), place[:, :-1].ravel()
        w = np.repeat(self.weights, (len(down), len(right)))
        tail, head = np.r_[down, right], np.r_[down + columns, right + 1]
        self._join(tail, head, w)

    def prox(self, v: ArrayLike, t: float = 1.0, n_threads: int | None = 1) -> np.ndarray:
        """Return the proximal operator, ``argmin_b |b - v|^2 / 2 + t Omega(b)``, a new array (p,).

        Parameters
        ----------
        v : array-like (p,)
            The image row by row.
        t : float >= 0, default 1.0
        n_threads : int or None, default 1
            Threads that share rows and columns of a large image; -1 and None are all cores.
            Any number gives the same bits.

        Returns
        -------
        ndarray (p,)
            Exact but for rounding.

        Raises
        ------
        ValueError, TypeError
            If v does not fill the shape, t is negative, or n_threads is not a number of threads.
        """
        threads = thread_count(n_threads)
        return self._prox_near_one(v, t, lambda own, x, t: own._prox(x, t, threads))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """See Norm."""
        return self._prox(v, t, 1)

    def _prox(self, v, t, threads):
        """Compute the prox approximately by dual steps, then exactly from their flows."""
        net, chains = self._network, min(self.weights) == 0.0 or 1 in self.shape
        near = None if chains or not np.isfinite(t) else self._approximate(net, v, t, threads)
        b = prox_levels_near(net, v, t, near)[0]
        return soft(b, t * self.l1) if self.l1 > 0.0 else b

    def _approximate(self, net, v, t, threads):
        """Return flows near those of the prox."""
        V = v.reshape(self.shape)
        image = DualSteps(V, t * self.weights[0], t * self.weights[1], threads)
        spread = float(((V - V.mean()) ** 2).sum())
        image.approximate(DUAL_STEPS_GAP * spread, MOST_DUAL_STEPS)
        flow = np.empty(len(net.head))
        forth = np.concatenate([part.ravel() for part in image.flows()])
        flow[net.place] = np.concatenate([forth, -forth])
        return Flows(flow, image.pieces(), t)

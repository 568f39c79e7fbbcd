"""Total variation on a graph: neighbours with equal coefficients.

    Omega(b) = sum_e w_e |b_i(e) - b_j(e)| + l1 sum_i |b_i|

`edge_variation.py` has everything but the reading of edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.edge_variation import EdgeNorm, EdgeVariation
from sparsesolve.penalties.edges import graph_groups
from sparsesolve.penalties.norm import read_number, read_weights


class GraphTV(EdgeNorm):
    """``Omega(b) = sum w_ij |b_i - b_j| + l1 sum |b_i|`` over the edges (i, j) of a graph.

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

"""Edges of a graph as groups of two features, which turn the latent group lasso into the graph
lasso.
"""

from collections.abc import Iterable
from typing import Any

from sparsesolve.penalties.norm import plain


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

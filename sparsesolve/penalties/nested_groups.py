"""Nested groups: they are read into a tree, or made from a hierarchical clustering."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.groups import by_number
from sparsesolve.penalties.norm import read_weights
from sparsesolve.penalties.prox.trees import Tree, nest


def read_tree(groups, weights, n_features, names):
    """Return the Tree of nested groups, and the features of each group, by size.

    Parameters
    ----------
    groups : sequence of sequences, mapping from labels to them, or one label per feature
    weights : array-like (G,), mapping from labels, or None for square roots of sizes
    n_features : int
    names : (p,) strings, or None

    Returns
    -------
    tree : Tree
        A feature in no group is a group of one, with weight 1.

    Raises
    ------
    ValueError, TypeError
        If two groups cross, a group is empty or names something that is not a feature, or
        weights do not fit.
    """
    found = by_number(groups, n_features, names)
    labels, members = list(found), [which.astype(np.intp) for which in found.values()]
    sizes = np.array([len(which) for which in members], dtype=np.intp)
    every = np.concatenate([np.empty(0, dtype=np.intp), *members])
    _refuse_twice(every, np.repeat(np.arange(len(sizes)), sizes), labels, n_features)
    d = _read_weights(weights, labels, sizes)
    alone = np.repeat(sizes == 1, sizes)
    leaf = np.bincount(every[alone], d[sizes == 1], n_features).astype(float)
    leaf[np.bincount(every, minlength=n_features) == 0] = 1.0
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] > 1]
    inside = [members[g] for g in order]
    start = np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.intp)
    joined = np.concatenate([np.empty(0, dtype=np.intp), *inside])
    node_of, parent, crossing = nest(start, joined, n_features)
    if crossing is not None:
        _refuse_crossing(*(order[g] for g in crossing), members, labels)
    return Tree(node_of, leaf, parent, d[order])


def over_rows(tree, n_responses):
    """Return the tree of groups on arrays (K, p), raveled; each has its features in all rows."""
    alone = np.flatnonzero(tree.leaf > 0.0)
    count = len(alone)
    up = np.where(tree.parent < 0, -1, tree.parent + count)
    own = np.where(tree.node_of < 0, -1, tree.node_of + count)
    parent = np.concatenate([own[alone], up]).astype(np.intp)
    own[alone] = np.arange(count)
    weight = np.concatenate([tree.leaf[alone], tree.weight])
    node_of = np.tile(own, n_responses).astype(np.intp)
    return Tree(node_of, np.zeros(len(node_of)), parent, weight)


def tree_groups(linkage: ArrayLike, leaves: bool = True) -> list[list[int]]:
    """Make the groups of a hierarchical clustering of features, for `TreeL2` and `TreeLinf`.

    Parameters
    ----------
    linkage : array-like (p - 1, 4)
        The linkage of the columns of X, as returned by ``scipy.cluster.hierarchy.ward(X.T)``.
    leaves : bool, default True
        Whether each feature is also a group by itself, so that it can be zero alone.

    Returns
    -------
    list of lists of int
        The features of each cluster: first the features themselves if `leaves`, then the clusters
        in the order of their merges. The last one holds all.

    Raises
    ------
    ValueError
        If this is no linkage of scipy's form.

    References
    ----------
    Jenatton, Gramfort, Michel, Obozinski, Eger, Bach, Thirion (2012), "Multiscale mining of fMRI
    data with hierarchical structured sparsity". Bach et al. 2012, section 23.2.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.cluster.hierarchy import ward
    >>> from sparsesolve import penalties
    >>> X = np.array([[1.0, 1.1, 4.0], [2.0, 2.1, 0.0]])
    >>> penalties.tree_groups(ward(X.T), leaves=False)
    [[0, 1], [2, 0, 1]]
    """
    Z = np.asarray(linkage, dtype=float)
    if Z.ndim != 2 or Z.shape[1] != 4:
        raise ValueError(
            f"linkage has shape {Z.shape}; give what scipy.cluster.hierarchy.ward(X.T) returns, "
            "(p - 1, 4)"
        )
    p = len(Z) + 1
    clusters = [[j] for j in range(p)]
    used: set[int] = set()
    for i, row in enumerate(Z):
        pair = (int(row[0]), int(row[1])) if np.isfinite(row[:2]).all() else (-1, -1)
        if (
            pair != tuple(row[:2]) or pair[0] == pair[1] or used & set(pair)
            or not all(0 <= child < p + i for child in pair)
        ):  # fmt: skip
            raise ValueError(
                f"linkage joins {row[0]:g} and {row[1]:g} in row {i}; each cluster, numbered from "
                "0, is joined once, after it was made"
            )
        used |= set(pair)
        clusters.append(clusters[pair[0]] + clusters[pair[1]])
    return clusters if leaves else clusters[p:]


def _read_weights(weights: Any, labels, sizes):
    """Return the weight d of each group, (G,)."""
    if hasattr(weights, "keys"):
        missing = [label for label in labels if label not in weights]
        if missing:
            raise ValueError(f"weights has none for group {missing[0]!r}; give one for each group")
    given = read_weights(weights, len(labels), "groups", labels)
    return np.sqrt(sizes) if given is None else given


def _refuse_twice(features, group, labels, n_features):
    """Say which group holds a feature twice; `group` is that of each of the features."""
    pair = np.sort(group * n_features + features)
    twice = np.flatnonzero(pair[1:] == pair[:-1])
    if len(twice):
        label = labels[pair[twice[0]] // n_features]
        raise ValueError(f"group {label!r} holds a feature twice; leave one out")


def _refuse_crossing(a, b, members, labels):
    """Raise ValueError with the two groups that cross, and their features."""
    one, other = set(members[a].tolist()), set(members[b].tolist())
    both, alone = min(one & other), min(one - other)
    raise ValueError(
        f"groups {labels[a]!r} and {labels[b]!r} cross: feature {both} is in both, feature "
        f"{alone} only in {labels[a]!r}, and neither holds the other; a tree has nested "
        "or disjoint groups, others are for OverlapL2, OverlapLinf or LatentGroupL2"
    )

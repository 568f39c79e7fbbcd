"""TreeL2 and TreeLinf: sums over nested groups of the l2 norm, or of the largest coefficient.

    Omega(b) = sum_g d_g N(b_g)      any two groups are disjoint, or one holds the other

`read_tree` reads nested groups into a tree, `tree_groups` makes them of a hierarchical clustering.
`TreeNorm` is the base of the norms; a subclass defines N.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.penalties.forms import on_pieces, on_support
from sparsesolve.penalties.groups import NormOfGroups, by_number
from sparsesolve.penalties.norm import read_weights, units_of
from sparsesolve.penalties.prox.trees import (
    Tree,
    dual_norm,
    groups_of,
    highest_equal,
    nest,
    part_of,
    prox_l2,
    prox_linf,
    sizes,
    sums_above,
)
from sparsesolve.penalties.rows import Rows


def read_tree(groups, weights, n_features, names):
    """Return the Tree of nested groups, and the features of each group, by size.

    A feature in no group is a group of one, with weight 1. Raises ValueError or TypeError if two
    groups cross, a group is empty or names something that is not a feature, or weights do not fit.
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


class TreeNorm(NormOfGroups):
    """Base class of `TreeL2` and `TreeLinf`. Groups are read once the number of features is
    known.

    Parameters
    ----------
    groups : sequence of sequences, or mapping from labels to them
        Feature numbers, or names, of each group; `tree_groups` makes them of a hierarchical
        clustering. One label per feature, (p,), gives disjoint groups.
    weights : array-like (G,), or mapping from labels, default None
        d_g >= 0 of the groups given; None means the square roots of their sizes.

    Raises
    ------
    ValueError, TypeError
        When a path is fitted: if two groups cross, a group is empty or names something that is
        not a feature, or weights do not fit.
    """

    absolute = True  # Omega depends on sizes alone and grows with them.
    largest = False  # True if N is linf, False if it is l2

    def _bind(self, names):
        self.tree = read_tree(self.groups, self.weights, self.n_features, names)

    def _on(self, tree):
        """Return the norm on another tree."""
        made = copy(self)
        made.tree, made.n_features = tree, len(tree.node_of)
        return made

    def norm(self, b: np.ndarray) -> float:
        tree = self.tree
        return float(tree.leaf @ np.abs(b) + tree.weight @ sizes(tree, b, self.largest))

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the least level at which the prox is 0, by Newton's method."""
        return dual_norm(self.tree, z, self.largest)

    def kernel(self) -> Any:
        """Return the unit vectors of the features whose groups all have weight 0."""
        if not self.n_features or (self.tree.weight.all() and self.tree.leaf.all()):
            return None
        return units_of(self.free())

    def free(self) -> np.ndarray:
        """Return a mask (p,) of the features without a penalty."""
        return self.tree.leaf + sums_above(self.tree, self.tree.weight) == 0.0

    def part(self, which: np.ndarray) -> Any:
        """Return the norm on the features `which`, with the groups cut to these."""
        return self._on(part_of(self.tree, np.asarray(which, dtype=np.intp)))

    def over_responses(self, n_responses: int) -> Any:
        """Return the norm on arrays (K, p): a group has its features' coefficients in all rows."""
        return Rows(self._on(over_rows(self.tree, n_responses)))


# The least normal number keeps quotients by a norm of 0 finite.
TINY = np.finfo(float).tiny


class TreeL2(TreeNorm):
    r"""The tree-structured group lasso: groups that are nested or disjoint.

    :math:`\Omega(b) = \sum_g d_g \lVert b_g \rVert_2`.

    If a group is zero, all groups inside it are zero: a feature is chosen only if every group
    that holds it is chosen. Groups of one feature are leaves, with an l1 norm of their own.
    Features in no group are groups of one, with weight 1. With several responses a group has the
    coefficients of its features in all of them.

    References
    ----------
    Jenatton, Mairal, Obozinski, Bach (2011), "Proximal methods for hierarchical sparse coding".
    Zhao, Rocha, Yu (2009), "The composite absolute penalties family".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> penalty = ss.penalties.TreeL2([range(3), range(3, 6), range(6), [4], [5]])
    >>> fit = ss.path(X, X @ [1, 1, 1, 0, 0, 0], penalty=penalty)
    >>> fit.nonzero(0.5 * fit.lambdas[0])
    array([0, 1, 2])
    """

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return the prox, by one pass up the tree and one down."""
        return prox_l2(self.tree, v, t)

    def majorant(self, b: np.ndarray, smoothing: float) -> np.ndarray:
        """Return w (p,) with Omega <= sum_j w_j b_j^2 / 2 + constant, equal near b."""
        tree, size = self.tree, np.hypot(sizes(self.tree, b, False), smoothing)
        return tree.leaf / np.hypot(b, smoothing) + sums_above(tree, tree.weight / size)

    def tangent(self, b: np.ndarray) -> Any:
        """Return the nonzero coefficients as directions: their groups' lengths are smooth."""
        tree, size = self.tree, sizes(self.tree, b, False)
        w = np.divide(tree.weight, size, out=np.zeros_like(size), where=size > 0.0)
        diagonal, free = sums_above(tree, w), self.free()
        which = np.flatnonzero((b != 0.0) | free)

        def curvature(z):
            starts, groups = groups_of(tree, which)
            scaled = np.sqrt(w) / np.maximum(size, TINY)
            unit = np.repeat(b[which], np.diff(starts)) * scaled[groups]
            U = sparse.csr_array((unit, groups, starts), (len(which), len(w)))
            return np.diag(diagonal[which]) - (U @ U.T).toarray()

        gradient = b * diagonal + tree.leaf * np.sign(b)
        return on_support(b, gradient, free)._replace(curvature=curvature)


class TreeLinf(TreeNorm):
    r"""Groups that are nested or disjoint, each by its largest coefficient.

    :math:`\Omega(b) = \sum_g d_g \lVert b_g \rVert_\infty`.

    It selects like `TreeL2`, and the largest coefficients of a group tend to be equal. Features in
    no group are groups of one, with weight 1.

    References
    ----------
    Jenatton, Mairal, Obozinski, Bach (2011), "Proximal methods for hierarchical sparse coding".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalty = penalties.TreeLinf([[0, 1], [0, 1, 2]], weights=[1.0, 1.0])
    >>> penalty.value([3.0, -1.0, 4.0])
    7.0
    >>> penalty.prox([3.0, -1.0, 4.0], 1.0)
    array([ 2., -1.,  3.])
    """

    largest = True

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return the prox: sizes are cut group by group and kept in heaps."""
        return prox_linf(self.tree, v, t)

    def tangent(self, b: np.ndarray) -> Any:
        """Return the directions: coefficients that are equally largest in a group move together.

        They are numbered by the largest such group; any other nonzero coefficient moves alone.
        """
        tree, p, size = self.tree, len(b), sizes(self.tree, b, True)
        highest, own = highest_equal(tree, size), tree.node_of
        at_top = (own >= 0) & (np.abs(b) == np.append(size, np.inf)[own])
        piece = np.where(at_top, p + np.append(highest, 0)[own], np.arange(p))
        free = self.free()
        piece[free] = np.flatnonzero(free)
        which = np.flatnonzero((b != 0.0) | free)
        found, numbers = np.unique(piece[which], return_inverse=True)
        label = np.full(p, -1)
        label[which] = numbers
        slope = np.concatenate([tree.leaf, np.zeros(len(size))])
        slope[piece[at_top]] = 0.0
        np.add.at(slope, piece[at_top], tree.leaf[at_top])
        np.add.at(slope, p + highest, tree.weight)
        return on_pieces(label, np.where(free, 1.0, np.sign(b)), slope[found])

    def degrees(self, b: np.ndarray) -> int:
        """Count the free sizes: coefficients that are the largest of a group count once."""
        if np.ndim(b) == 2:  # (K, p)
            rows = self._at(b).over_responses(len(b))
            return len(rows.tangent(np.asarray(b)).gradient)
        b = self._read(b)
        return len(self._at(b).tangent(b).gradient)

"""TreeL2 and TreeLinf: sums over nested groups of the l2 norm, or of the largest coefficient.

    Omega(b) = sum_g d_g N(b_g)      any two groups are disjoint, or one holds the other

`TreeNorm` is their base; a subclass defines N. Features in no group are groups of one, with
weight 1.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011); Bach et al. 2012, section 3.3.
"""

from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.groups import NormOfGroups
from sparsesolve.penalties.nested_groups import over_rows, read_tree
from sparsesolve.penalties.norm import units_of
from sparsesolve.penalties.prox.trees import (
    dual_norm,
    groups_of,
    highest_equal,
    part_of,
    prox_l2,
    prox_linf,
    sizes,
    sums_above,
)
from sparsesolve.penalties.rows import Rows
from sparsesolve.penalties.tangent import on_pieces, on_support


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
        """Return the nonzero coefficients as directions: the lengths of their groups are smooth.
        """
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
        """Count the free sizes: coefficients that are together the largest of a group count once.
        """
        if np.ndim(b) == 2:  # (K, p)
            rows = self._at(b).over_responses(len(b))
            return len(rows.tangent(np.asarray(b)).gradient)
        b = self._read(b)
        return len(self._at(b).tangent(b).gradient)

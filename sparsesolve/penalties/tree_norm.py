"""TreeNorm: the base class of norms that are sums over nested groups.

    Omega(b) = sum_g d_g N(b_g)      any two groups are disjoint, or one holds the other

A subclass defines N. Features in no group are groups of one, with weight 1.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011); Bach et al. 2012, section 3.3.
"""

from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.groups import group_members, held, held_weights
from sparsesolve.penalties.nested_groups import over_rows, read_tree
from sparsesolve.penalties.norm import Norm
from sparsesolve.penalties.prox.trees import dual_norm, part_of, sizes, sums_above


class TreeNorm(Norm):
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

    def __init__(self, groups: Any, weights: Any = None):
        self.groups, self.weights = held(groups), held_weights(weights)

    def _arguments(self):
        return f"{self.groups!r}, weights={self.weights!r}"

    def _bind(self, names):
        self.tree = read_tree(self.groups, self.weights, self.n_features, names)

    def _on(self, tree):
        """Return the norm on another tree."""
        made = copy(self)
        made.tree, made.n_features = tree, len(tree.node_of)
        return made

    def group_members(self, n_features: int, names: Any = None) -> dict:
        """Return the features of each group by its label."""
        return group_members(self.groups, n_features, names)

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
        free = np.flatnonzero(self.free())
        if not len(free):
            return None
        place = (free, np.arange(len(free)))
        return sparse.csc_array((np.ones(len(free)), place), (self.n_features, len(free)))

    def free(self) -> np.ndarray:
        """Return a mask (p,) of the features without a penalty."""
        return self.tree.leaf + sums_above(self.tree, self.tree.weight) == 0.0

    def part(self, which: np.ndarray) -> Any:
        """Return the norm on the features `which`, with the groups cut to these."""
        return self._on(part_of(self.tree, np.asarray(which, dtype=np.intp)))

    def over_responses(self, n_responses: int) -> Any:
        """Return the norm on arrays (K, p): a group has its features' coefficients in all rows."""
        return RowsTree(self._on(over_rows(self.tree, n_responses)))


class RowsTree:
    """A tree norm of vectors (K p,) as a norm on arrays (K, p)."""

    def __init__(self, flat):
        self.flat = flat

    def value(self, B):
        """Return Omega(B)."""
        return self.flat.norm(B.ravel())

    def prox(self, V, t):
        """Return the prox of V at level t."""
        return self.flat.norm_prox(V.ravel(), float(t)).reshape(V.shape)

    def polar(self, Z):
        """Return the dual norm."""
        return self.flat.dual_norm(np.ascontiguousarray(Z).ravel())

    def tangent(self, B):
        """Return the tangent of the raveled coefficients."""
        return self.flat.tangent(B.ravel())

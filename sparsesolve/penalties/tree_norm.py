"""TreeNorm: the base of norms that are sums over nested groups.

    Omega(b) = sum_g d_g N(b_g)      any two groups are disjoint, or one holds the other

A subclass says N. Features in no group are groups of one, with weight 1.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011); Bach et al. 2012, section 3.3.
"""

from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.groups import by_number, held, held_weights
from sparsesolve.penalties.nested_groups import over_rows, read_tree
from sparsesolve.penalties.norm import Norm
from sparsesolve.penalties.prox.trees import dual_norm, part_of, sizes, sums_above


class TreeNorm(Norm):
    """Groups are read when the number of features is known; see `TreeL2`."""

    absolute = True  # grows with sizes alone
    largest = False  # whether N is linf, else l2

    def __init__(self, groups: Any, weights: Any = None):
        self.groups, self.weights = held(groups), held_weights(weights)

    def _arguments(self):
        return f"{self.groups!r}, weights={self.weights!r}"

    def _bind(self, names):
        self.tree = read_tree(self.groups, self.weights, self.n_features, names)

    def _on(self, tree):
        """The same norm on another tree."""
        made = copy(self)
        made.tree, made.n_features = tree, len(tree.node_of)
        return made

    def group_members(self, n_features: int, names: Any = None) -> dict:
        """Labels of the groups given, and the feature numbers of each."""
        return by_number(self.groups, n_features, names)

    def norm(self, b: np.ndarray) -> float:
        """See Norm."""
        tree = self.tree
        return float(tree.leaf @ np.abs(b) + tree.weight @ sizes(tree, b, self.largest))

    def dual_norm(self, z: np.ndarray) -> float:
        """The least level that leaves nothing, by Newton's method."""
        return dual_norm(self.tree, z, self.largest)

    def kernel(self) -> Any:
        """Features all of whose groups have weight 0."""
        if not self.n_features or (self.tree.weight.all() and self.tree.leaf.all()):
            return None
        free = np.flatnonzero(self.free())
        if not len(free):
            return None
        place = (free, np.arange(len(free)))
        return sparse.csc_array((np.ones(len(free)), place), (self.n_features, len(free)))

    def free(self) -> np.ndarray:
        """Which features no group holds back, (p,)."""
        return self.tree.leaf + sums_above(self.tree, self.tree.weight) == 0.0

    def part(self, which: np.ndarray) -> Any:
        """The groups cut to these features."""
        return self._on(part_of(self.tree, np.asarray(which, dtype=np.intp)))

    def over_responses(self, n_responses: int) -> Any:
        """The same on arrays (K, p): a group has the coefficients of its features in all rows."""
        return RowsTree(self._on(over_rows(self.tree, n_responses)))


class RowsTree:
    """A tree norm of vectors (K p,) on arrays (K, p)."""

    def __init__(self, flat):
        self.flat = flat

    def value(self, B):
        """Omega(B)."""
        return self.flat.norm(B.ravel())

    def prox(self, V, t):
        """See `Norm.prox`."""
        return self.flat.norm_prox(V.ravel(), float(t)).reshape(V.shape)

    def polar(self, Z):
        """The dual norm."""
        return self.flat.dual_norm(np.ascontiguousarray(Z).ravel())

    def tangent(self, B):
        """That of the vector."""
        return self.flat.tangent(B.ravel())

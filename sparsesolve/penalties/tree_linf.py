"""TreeLinf: nested groups of features, each with its largest coefficient."""

from typing import Any

import numpy as np

from sparsesolve.penalties.prox.trees import highest_equal, prox_linf, sizes
from sparsesolve.penalties.tangent import on_pieces
from sparsesolve.penalties.tree_norm import TreeNorm


class TreeLinf(TreeNorm):
    """``Omega(b) = sum_g d_g max_{j in g} |b_j|`` over groups that are nested or disjoint.

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

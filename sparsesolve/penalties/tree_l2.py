"""TreeL2: nested groups of features, each with the l2 norm of its coefficients."""

from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.prox.trees import groups_of, prox_l2, sizes, sums_above
from sparsesolve.penalties.tangent import on_support
from sparsesolve.penalties.tree_norm import TreeNorm

# The least normal number keeps quotients by a norm of 0 finite.
TINY = np.finfo(float).tiny


class TreeL2(TreeNorm):
    """``Omega(b) = sum_g d_g |b_g|_2`` over groups that are nested or disjoint.

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

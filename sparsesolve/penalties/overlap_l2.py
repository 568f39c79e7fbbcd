"""Groups that overlap, in the l2 norm: zeros are unions of groups.

    Omega(b) = sum_g d_g |b_g|_2

Neither prox nor dual norm has a closed form: see `prox.sum_of_norms` and `prox.dual_norm_bounds`.
The prox is computed to rounding. The dual norm is bounded from above by a decomposition of z. The
bound is valid whatever the accuracy of the decomposition, and is usually within 1e-10 of the dual
norm.
Reference: Jenatton, Audibert, Bach, "Structured variable selection with sparsity-inducing norms"
(2011).
"""

from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.overlapping import OverlappingNorm
from sparsesolve.penalties.prox.dual_norm_bounds import ByTheSum
from sparsesolve.penalties.prox.sum_of_norms import SumOfNorms
from sparsesolve.penalties.sparse_group import GroupL2
from sparsesolve.penalties.splitting import Splitting, copies
from sparsesolve.penalties.tangent import Tangent


class OverlapL2(ByTheSum, OverlappingNorm):
    r"""The overlapping group lasso.

    :math:`\Omega(b) = \sum_g d_g \lVert b_g \rVert_2`.

    A group enters or leaves as a whole, so that the features that are 0 are a union of groups; in
    `LatentGroupL2` the features that are not 0 are. With `interval_groups` supports are intervals,
    with `rectangle_groups` rectangles. Features in no group are groups of one.

    References
    ----------
    Jenatton, Audibert, Bach (2011), "Structured variable selection with sparsity-inducing norms".
    Bach, Jenatton, Mairal, Obozinski (2012), section 1.3.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> penalty = ss.penalties.OverlapL2(ss.penalties.interval_groups(8))
    >>> fit = ss.path(X, X @ [0, 0, 1, 1, 1, 0, 0, 0], penalty=penalty)
    >>> fit.nonzero(0.3 * fit.lambdas[0])
    array([2, 3, 4, 5, 6, 7])
    """

    def _of_groups(self, groups):
        """Set the norm's groups."""
        self._found = groups
        self._sum = SumOfNorms(self.n_features, groups.features, groups.start, groups.weights)
        return self

    def majorant(self, b: np.ndarray, smoothing: float) -> np.ndarray:
        """Return w (p,) with Omega <= sum_j w_j b_j^2 / 2 + constant, equal near b."""
        found = self._found
        square = np.bincount(found.of, b[found.features] ** 2, len(found.weights))
        own = found.weights / np.hypot(np.sqrt(square), smoothing)
        return np.bincount(found.features, own[found.of], self.n_features)

    def splitting(self) -> Splitting:
        """Return the norm of disjoint groups of copies."""
        found = self._found
        psi = GroupL2(found.of, found.weights).over(len(found.features))
        return Splitting(copies(self.n_features, found.features), psi, lambda y: y)

    def tangent(self, b: np.ndarray) -> Any:
        """Return the nonzero coefficients as directions: the lengths of their groups are smooth.
        """
        which = np.flatnonzero(b)
        T = sparse.csc_array(
            (np.ones(len(which)), (which, np.arange(len(which)))), (len(b), len(which))
        )
        weight, unit = self._sum.smooth_part(b)
        gradient = self._sum.total(weight[self._sum.of] * b[self._sum.features])

        def curvature(z):
            return self._sum.curvature(weight, unit)[np.ix_(which, which)]

        return Tangent(T, gradient[which], curvature)

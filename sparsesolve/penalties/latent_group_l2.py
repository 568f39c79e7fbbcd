"""The latent group lasso: groups may overlap, and the support is a union of groups.

Paths are those of the group lasso on copied columns; the columns are not copied in memory. The
prox here finds the latent vectors by block coordinate descent with exact steps, until nothing
changes:

    min_v |x - sum_g v_g|^2 / 2 + t sum_g d_g |v_g|,    z = x - sum_g v_g,   |z_g| <= t d_g
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.forms import Copied
from sparsesolve.penalties.overlapping import OverlappingNorm
from sparsesolve.penalties.prox.group_balls import ascend
from sparsesolve.penalties.sparse_group import GroupL2

# Sweeps end when no latent coefficient changes by more than this fraction of the largest |x_j|.
ACCURACY = 1e-15
# No prox takes more than this many sweeps. It usually ends before, at ACCURACY.
SWEEPS = 100_000


class LatentGroupL2(OverlappingNorm):
    r"""The latent group lasso: groups may overlap, and supports are unions of groups.

    :math:`\Omega(b) = \min \sum_g d_g \lVert v_g \rVert_2` over :math:`b = \sum_g v_g`.

    A feature may stand in several groups and is chosen through any of them, so that supports are
    unions of groups; ``fit.latent_coefs`` are the v_g. Features in no group are groups of one.

    References
    ----------
    Jacob, Obozinski, Vert (2009), "Group lasso with overlap and graph lasso".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> penalty = ss.penalties.LatentGroupL2([[0, 1, 2], [2, 3, 4], [4, 5]])
    >>> fit = ss.path(X, X @ [0, 0, 1, 1, 1, 0], penalty=penalty)
    >>> fit.nonzero(0.5 * fit.lambdas[0])
    array([2, 3, 4])
    """

    absolute = False  # Limits go with no map to copied columns.

    def _of_groups(self, groups):
        """Set the norm's groups."""
        self._found, self._copies, self._of = groups, groups.features, groups.of
        self._first = np.unique(groups.features, return_index=True)[1]  # a copy of each feature
        return self

    def _lengths(self, copies):
        """Return the length of each group of copies (q,)."""
        return np.sqrt(np.bincount(self._of, copies * copies, len(self._found.weights)))

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the largest ``|z_g| / d_g`` over the groups."""
        return float((self._lengths(z[self._copies]) / self._found.weights).max(initial=0.0))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return self._descend(v, t, np.zeros(len(self._copies)))[0]

    def _descend(self, x, t, latent):
        """Return the sum of the latent vectors, and these vectors (q,), group by group."""
        latent = latent.copy()
        rest = x - np.bincount(self._copies, latent, minlength=len(x))
        small = ACCURACY * np.abs(x).max(initial=0.0)
        radius, start = t * self._found.weights, self._found.start
        ascend(radius, self._copies, start, latent, rest, SWEEPS, small, latent=True)
        return np.bincount(self._copies, latent, minlength=len(x)), latent

    def latent(self, b: ArrayLike) -> list[np.ndarray]:
        """Return the latent vectors of b: one array (p,) per group, which sum to b."""
        b = self._read(b)
        own = self._at(b)
        out = np.zeros((len(own._found.weights), len(b)))
        out[own._of, own._copies] = own._decompose(b)[1]
        return list(out)

    def _decompose(self, b):
        """Return (Omega(b), latent (q,)), by the method of multipliers.

        The latent vectors sum to b up to rounding, so that Omega(b) is never less than the norm.
        """
        size = last = float(np.linalg.norm(b))
        latent, y = np.zeros(len(self._copies)), np.zeros(len(b))
        t = 0.1 * self.dual_norm(b)
        for _ in range(200 if size > 0.0 else 0):
            found, latent = self._descend(b + y, t, latent)
            left = b - found
            y, missed = y + left, float(np.linalg.norm(left))
            if missed <= 1e-13 * size:
                break
            if missed > 0.1 * last:  # a slow step; y / t, the dual point, stays
                t, y = 0.1 * t, 0.1 * y
            last = missed
        latent[self._first] += b - np.bincount(self._copies, latent, minlength=len(b))
        return float(self._found.weights @ self._lengths(latent)), latent

    def norm(self, b: np.ndarray) -> float:
        """Return Omega(b), computed by the method of multipliers."""
        return self._decompose(b)[0]

    def mapping(self) -> Any:
        """Return the map to the group lasso on copied columns."""
        inner = GroupL2(self._of, self._found.weights).over(len(self._copies))
        return Copied(self._copies, self.n_features, inner)

"""The latent group lasso: groups may overlap, and the support is a union of groups.

    Omega(b) = min {sum_g d_g |v_g|_2: b = sum_g v_g, v_g zero outside g}

Paths are those of the group lasso on copied columns; the columns are not copied in memory. The
prox here finds the latent vectors by block coordinate descent with exact steps, until nothing
changes:

    min_v |x - sum_g v_g|^2 / 2 + t sum_g d_g |v_g|,    z = x - sum_g v_g,   |z_g| <= t d_g

Reference: Jacob, Obozinski, Vert, "Group lasso with overlap and graph lasso" (2009).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.mapping import Copied
from sparsesolve.penalties.overlapping import OverlappingNorm
from sparsesolve.penalties.prox.group_balls import latent_vectors
from sparsesolve.penalties.sparse_group import GroupL2

# Sweeps end when no latent coefficient changes by more than this fraction of the largest |x_j|.
ACCURACY = 1e-15
# No prox takes more than this many sweeps. It usually ends before, at ACCURACY.
SWEEPS = 100_000
# The method of multipliers that computes a value takes at most this many steps.
OUTER = 200
# A step that leaves more than this fraction of the last error is slow; t is then a tenth of it.
SLOW = 0.1


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
        self._found = found = groups
        self.members = np.split(found.features, found.start[1:-1])
        self._d, self._copies, self._starts = found.weights, found.features, found.start
        self._of = found.of
        self._first = np.unique(found.features, return_index=True)[1]  # a copy of each feature
        return self

    def _lengths(self, z):
        copies = z[self._copies]
        return np.sqrt(np.bincount(self._of, copies * copies, minlength=len(self._d)))

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the largest ``|z_g| / d_g`` over the groups."""
        return float((self._lengths(z) / self._d).max(initial=0.0))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return self._descend(v, t, np.zeros(len(self._copies)))[0]

    def _descend(self, x, t, latent):
        """Return the sum of the latent vectors, and these vectors (q,), group by group."""
        latent = latent_vectors(
            x, t, self._d, self._copies, self._starts, latent, ACCURACY, SWEEPS
        )  # fmt: skip
        return np.bincount(self._copies, latent, minlength=len(x)), latent

    def latent(self, b: ArrayLike) -> list[np.ndarray]:
        """Return the latent vectors of b: one array (p,) per group, which sum to b."""
        b = self._read(b)
        own = self._at(b)
        found = own._decompose(b)[1]
        out = [np.zeros(len(b)) for _ in own.members]
        for vector, which, part in zip(
            out, own.members, np.split(found, np.cumsum([len(m) for m in own.members])[:-1]),
            strict=True,
        ):  # fmt: skip
            vector[which] = part
        return out

    def _decompose(self, b):
        """Return (Omega(b), latent (q,)), by the method of multipliers.

        The latent vectors sum to b up to rounding, so that Omega(b) is never less than the norm.
        """
        size = last = float(np.linalg.norm(b))
        latent, y = np.zeros(len(self._copies)), np.zeros(len(b))
        t = 0.1 * self.dual_norm(b)
        for _ in range(OUTER if size > 0.0 else 0):
            found, latent = self._descend(b + y, t, latent)
            left = b - found
            y, missed = y + left, float(np.linalg.norm(left))
            if missed <= 1e-13 * size:
                break
            if missed > SLOW * last:  # y / t, the dual point, stays
                t, y = 0.1 * t, 0.1 * y
            last = missed
        latent[self._first] += b - np.bincount(self._copies, latent, minlength=len(b))
        lengths = np.sqrt(np.bincount(self._of, latent * latent, minlength=len(self._d)))
        return float(self._d @ lengths), latent

    def norm(self, b: np.ndarray) -> float:
        """Return Omega(b), computed by the method of multipliers."""
        return self._decompose(b)[0]

    def mapping(self) -> Any:
        """Return the map to the group lasso on copied columns."""
        inner = GroupL2(self._of, self._d).over(len(self._copies))
        return Copied(self._copies, self.n_features, inner)

"""Centring and scaling of a kernel in its feature space, and the same for new samples.

    centred   phi - mean of phi over the samples of the fit
    "trace"     divided by the root mean square norm of those: the diagonal has mean 1
    "diagonal"  divided by the norm of each: the diagonal is 1

With both, centring comes first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsesolve.data import read_choice

SCALES = ("trace", "diagonal")
# A centred diagonal below this share of the raw one is rounding.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Scaling:
    """The means and scales of the samples of the fit, which new samples need."""

    shares: np.ndarray  # (n,) weights of the samples in all means, sum 1
    means: np.ndarray | None  # (n,) column means of the raw kernel, if it is centred
    mean: float  # the mean of all its entries
    unit: float  # for "trace": mean of the centred diagonal; inf if centring leaves 0
    roots: np.ndarray | None  # for "diagonal": (n,) roots of the centred diagonal

    def apply(self, block, diagonal):
        """Return a block (k, n) between new samples and those of the fit, centred and scaled.

        `diagonal` (k,) holds the raw k(x, x) of the new samples.
        """
        block = np.array(block, dtype=np.float64)
        if self.means is not None:
            own = block @ self.shares
            block += (self.mean - own)[:, None] - self.means
            if diagonal is not None:
                diagonal = diagonal - 2.0 * own + self.mean
        if self.roots is not None:
            roots = np.sqrt(np.maximum(diagonal, 0.0))
            block /= _or_one(roots)[:, None]
            block /= self.roots
        return block / self.unit if self.unit != 1.0 else block

    def own_diagonal(self, diagonal):
        """Return the diagonal (n,) of the fit's kernel from the raw one; rounding becomes 0."""
        if self.means is not None:
            rounding = ROUNDING * np.abs(diagonal).max()
            diagonal = diagonal - 2.0 * self.means + self.mean
            diagonal = np.where(np.abs(diagonal) <= rounding, 0.0, diagonal)
        if self.roots is not None:
            return np.where(diagonal > 0.0, 1.0, diagonal) / self.unit
        return diagonal / self.unit


def learn_scaling(shares, means, diagonal, centre, scale):
    """Return the Scaling of a raw kernel, from its column means (n,) and its diagonal (n,)."""
    mean = float(shares @ means) if centre else 0.0
    own = diagonal - 2.0 * means + mean if centre else diagonal
    constant = centre and np.abs(own).max() <= ROUNDING * np.abs(diagonal).max()
    own = np.maximum(own, 0.0)
    unit = np.inf if constant else float(shares @ own) if scale == "trace" else 1.0
    return Scaling(
        shares, means if centre else None, mean, unit if unit > 0.0 else 1.0,
        _or_one(np.sqrt(own)) if scale == "diagonal" else None,
    )  # fmt: skip


def read_scale(scale):
    """Read one of SCALES, or None."""
    return None if scale is None else read_choice("scale", scale, list(SCALES))


def _or_one(values):
    return np.where(values > 0.0, values, 1.0)

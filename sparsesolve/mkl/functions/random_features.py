"""RandomFeatures: a low-rank form of the gaussian kernel by random cosines.

Reference: Rahimi and Recht 2007, "Random features for large-scale kernel machines".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsesolve.data import read_count
from sparsesolve.mkl.functions.gaussian import Gaussian


@dataclass(frozen=True)
class RandomFeatures:
    """Random cosines Z with Z Z' close to the gaussian kernel; a larger rank is more accurate."""

    function: Gaussian
    rank: int
    seed: int = 0

    def features(self, A):
        """Return the function of tables that gives Z, from the table of the fit."""
        rng = np.random.default_rng(self.seed)
        half = max(1, self.rank // 2)
        return Cosines(rng.normal(size=(A.shape[1], half)) / self.function.width)


@dataclass(frozen=True)
class Cosines:
    """The function of tables that RandomFeatures learns from the table of the fit."""

    frequencies: np.ndarray

    def __call__(self, B):
        phases = np.asarray(B @ self.frequencies)
        return np.hstack([np.cos(phases), np.sin(phases)]) / np.sqrt(self.frequencies.shape[1])


def random_features(function: Callable[..., Any], rank: int, seed: int = 0) -> RandomFeatures:
    """Return random cosines whose products approximate a gaussian kernel function.

    Parameters
    ----------
    function : kernel function made by `gaussian`
        The kernel function to approximate.
    rank : int >= 2
        Number of cosines and sines, the columns of the factor; it must be even.
    seed : int, default 0
        Seed of the random frequencies.

    Returns
    -------
    kernel function
        For the pairs of :func:`build_grams`.

    Raises
    ------
    TypeError, ValueError
        If `function` is not gaussian, or `rank` not a whole number of at least 2.

    References
    ----------
    Rahimi and Recht (2007), "Random features for large-scale kernel machines".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> kernel = mkl.random_features(mkl.gaussian(1.0), rank=20)
    >>> mkl.build_grams(X, [(kernel, None)]).nbytes <= 50 * 20 * 8
    True
    """
    if not isinstance(function, Gaussian):
        raise TypeError(f"random features are of gaussian kernels, not of {function!r}")
    return RandomFeatures(function, read_count("rank", rank, 2), read_count("seed", seed, 0))

"""Nystroem: a low-rank form of a kernel function, from its values at some rows of the fit's
table.

Reference: Williams and Seeger 2001, "Using the Nystroem method to speed up kernel machines".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsesolve.data import read_count


@dataclass(frozen=True)
class Nystroem:
    """A low-rank kernel function from the values of another at `rank` rows of the fit's table.

    Z = k(A, landmarks) k(landmarks, landmarks)^(-1/2).
    """

    function: object
    rank: int
    seed: int = 0

    def features(self, A):
        """Return the function of tables that gives Z, from the table of the fit."""
        rng = np.random.default_rng(self.seed)
        landmarks = A[np.sort(rng.choice(A.shape[0], min(self.rank, A.shape[0]), replace=False))]
        values, vectors = np.linalg.eigh(self.function(landmarks, landmarks))
        kept = values > 1e-12 * max(values[-1], 1e-300)
        root = vectors[:, kept] / np.sqrt(values[kept])
        return Landmarks(self.function, landmarks, root)


@dataclass(frozen=True)
class Landmarks:
    """The function of tables that Nystroem learns from the table of the fit."""

    function: object
    rows: object  # landmarks, of the table of the fit
    root: np.ndarray

    def __call__(self, B):
        return self.function(B, self.rows) @ self.root


def nystroem(function: Callable[..., Any], rank: int, seed: int = 0) -> Nystroem:
    """Return a kernel function of low rank that agrees with `function` on `rank` rows of the fit.

    Parameters
    ----------
    function : kernel function
        The kernel function to approximate.
    rank : int >= 1
        Number of rows drawn at random, and of columns of the factor.
    seed : int, default 0
        Seed of the random rows.

    Returns
    -------
    kernel function
        For the pairs of :func:`build_grams`.

    Raises
    ------
    ValueError, TypeError
        If `rank` is not a whole number of at least 1, or `seed` of at least 0.

    References
    ----------
    Williams and Seeger (2001), "Using the Nystroem method to speed up kernel machines".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> kernel = mkl.nystroem(mkl.gaussian(1.0), rank=10)
    >>> mkl.build_grams(X, [(kernel, None)]).nbytes <= 50 * 10 * 8
    True
    """
    return Nystroem(function, read_count("rank", rank, 1), read_count("seed", seed, 0))

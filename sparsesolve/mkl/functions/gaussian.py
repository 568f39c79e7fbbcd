"""Gaussian: the kernel function that decreases with the distance."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from scipy import sparse

from sparsesolve.data import read_number
from sparsesolve.mkl.functions.products import inner, squares


@dataclass(frozen=True)
class Gaussian:
    """The kernel function exp(-|a - b|^2 / (2 width^2))."""

    width: float

    def __call__(self, A, B):
        """Return the kernel in double precision, for rows minus the medians of B's.

        Far from 0, squares lose the digits of distances. One row far from the others would move a
        mean, but not a median.
        """
        A, B = A.astype(float), B.astype(float)
        if not (sparse.issparse(A) or sparse.issparse(B)):
            centre = np.median(B, axis=0)
            A, B = A - centre, B - centre
        distances = squares(A)[:, None] + squares(B) - 2.0 * inner(A, B)
        np.maximum(distances, 0.0, out=distances)
        distances *= -0.5 / self.width**2
        return np.exp(distances, out=distances)

    def diagonal(self, A):
        return np.ones(A.shape[0])


def gaussian(width: float) -> Gaussian:
    """Return the gaussian kernel function, ``exp(-|a - b|^2 / (2 width^2))``.

    Parameters
    ----------
    width : float > 0
        In units of the columns.

    Returns
    -------
    kernel function
        For the pairs of :func:`build_grams`.

    Raises
    ------
    ValueError, TypeError
        If `width` is not a positive number.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> len(mkl.build_grams(X, [(mkl.gaussian(1.0), None), (mkl.gaussian(3.0), 0)]))
    2
    """
    return Gaussian(read_number("width", width, 0, inf, open_low=True))

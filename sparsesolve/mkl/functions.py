"""Kernel functions of two tables, and low-rank forms of them.

A kernel function is any callable (A, B) -> (len(A), len(B)) array, symmetric and positive
semidefinite. Those of this file also answer `diagonal(A)`, the values k(a, a). Functions of low
rank answer `features(A)`, some of them nothing else: from the table of the fit, a function of
tables that gives their factors Z, with k(A, B) = Z(A) Z(B)'.
References: Williams and Seeger 2001, "Using the Nystroem method to speed up kernel machines";
Rahimi and Recht 2007, "Random features for large-scale kernel machines".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import read_count, read_number
from sparsesolve.data.paragraphs import returning

kernel_function = returning("kernel function", "For the pairs of :func:`build_grams`.")


def inner(A, B):
    """Return A B' as a dense array."""
    product = A.astype(np.float64, copy=False) @ B.astype(np.float64, copy=False).T
    return product.toarray() if sparse.issparse(product) else np.asarray(product)


def squares(A):
    """Return the squared norms of the rows of A, dense or sparse."""
    A = A.astype(np.float64, copy=False)
    if sparse.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, A)


@dataclass(frozen=True)
class Linear:
    """The kernel function a'b."""

    def __call__(self, A, B):
        return inner(A, B)

    def diagonal(self, A):
        return squares(A)

    def features(self, A):
        """Return the table's function of factors: the table itself."""
        return dense


def dense(A):
    """Return A as an array of floats."""
    return A.toarray() if sparse.issparse(A) else np.asarray(A, dtype=float)


@kernel_function
def linear() -> Linear:
    """Return the linear kernel function, a'b; a factor, if columns are fewer than rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> mkl.build_grams(X, [(mkl.linear(), None)]).nbytes == X.nbytes
    True
    """
    return Linear()


@dataclass(frozen=True)
class Polynomial:
    """The kernel function (a'b + shift)^degree."""

    degree: int = 2
    shift: float = 1.0

    def __call__(self, A, B):
        return (inner(A, B) + self.shift) ** self.degree

    def diagonal(self, A):
        return (squares(A) + self.shift) ** self.degree


@kernel_function
def polynomial(degree: int = 2, shift: float = 1.0) -> Polynomial:
    r"""Return the polynomial kernel, :math:`(a^\top b + s)^d` of degree d and shift s.

    Parameters
    ----------
    degree : int >= 1, default 2
    shift : float >= 0, default 1.0
        In squared units of the columns; 0 keeps only products of exactly that degree.

    Raises
    ------
    ValueError, TypeError
        If `degree` is not a whole number of at least 1, or `shift` is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> made = mkl.build_grams(X, [(mkl.polynomial(2), None)])
    >>> bool(np.isclose(made.between(X[:1])[0][0, 1], (X[0] @ X[1] + 1) ** 2))
    True
    """
    degree = read_count("degree", degree, 1)
    return Polynomial(degree, read_number("shift", shift, 0, inf))


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


@kernel_function
def gaussian(width: float) -> Gaussian:
    r"""Return the gaussian kernel, :math:`\exp(-\lVert a - b \rVert^2 / (2 w^2))` of width w.

    Parameters
    ----------
    width : float > 0
        In units of the columns.

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


@kernel_function
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


@kernel_function
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


def classical(
    X: ArrayLike,
    widths: Sequence[float] = (0.5, 1, 2, 5, 7, 10, 12, 15, 17, 20),
    degrees: Sequence[int] = (1, 2, 3),
) -> list[tuple[Callable[..., Any], int | None]]:
    """Return the classical set: gaussian and polynomial kernels on all columns and each.

    Parameters
    ----------
    X : table (n, p)
        Columns of about unit variance.
    widths : sequence of float, default those of the reference
        Widths of the gaussian kernels.
    degrees : sequence of int, default (1, 2, 3)
        Degrees of the polynomial kernels.

    Returns
    -------
    specifications : list of (p + 1) * (len(widths) + len(degrees)) pairs for :func:`build_grams`

    Raises
    ------
    ValueError, TypeError
        If a width or a degree is not positive.

    References
    ----------
    Rakotomamonjy, Bach, Canu, Grandvalet (2008), "SimpleMKL", section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> len(mkl.classical(np.zeros((10, 3))))
    52
    """
    made: list[Callable[..., Any]] = [*map(gaussian, widths), *map(polynomial, degrees)]
    columns: list[int | None] = [None, *range(np.shape(X)[1])]
    return [(function, column) for column in columns for function in made]

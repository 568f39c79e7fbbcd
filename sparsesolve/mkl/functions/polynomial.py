"""Polynomial: the kernel function of products of columns, up to a degree."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from sparsesolve.data import read_count, read_number
from sparsesolve.mkl.functions.products import inner, squares


@dataclass(frozen=True)
class Polynomial:
    """The kernel function (a'b + shift)^degree."""

    degree: int = 2
    shift: float = 1.0

    def __call__(self, A, B):
        return (inner(A, B) + self.shift) ** self.degree

    def diagonal(self, A):
        return (squares(A) + self.shift) ** self.degree


def polynomial(degree: int = 2, shift: float = 1.0) -> Polynomial:
    """Return the polynomial kernel function, ``(a'b + shift)^degree``.

    Parameters
    ----------
    degree : int >= 1, default 2
    shift : float >= 0, default 1.0
        In squared units of the columns; 0 keeps only products of exactly that degree.

    Returns
    -------
    kernel function
        For the pairs of :func:`build_grams`.

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

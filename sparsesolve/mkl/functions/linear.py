"""Linear: the kernel function of inner products, whose factor is the table itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sparsesolve.mkl.functions.products import inner, squares


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


def linear() -> Linear:
    """Return the linear kernel function, a'b; a factor, if columns are fewer than rows.

    Returns
    -------
    kernel function
        For the pairs of :func:`build_grams`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> mkl.build_grams(X, [(mkl.linear(), None)]).nbytes == X.nbytes
    True
    """
    return Linear()

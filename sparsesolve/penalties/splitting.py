"""Splitting: a penalty as a simple penalty of linear images of the coefficients, for ADMM.

    Omega(b) = Psi(A b),     A sparse (q, p), Psi with a prox in closed form

    total variation      differences along edges, the weighted l1 norm
    overlapping groups   a copy of each group's coefficients, a norm of disjoint groups
    sums                 the images of the terms, stacked

A penalty offers it by ``splitting()``. For any other penalty A is the identity and Psi the
penalty. On arrays B (K, p) of K responses A is applied to the raveled array, and a penalty offers
it by ``splitting_over(shape)``; there A'A is the same (p, p) matrix for each response, and 0
between responses.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sparsesolve.penalties.norm import soft
from sparsesolve.penalties.rows import Rows


class Splitting(NamedTuple):
    """Omega(b) = psi(matrix @ b)."""

    matrix: sparse.csr_array  # A (q, p)
    psi: Any  # value(s) and prox(s, t) for s (q,)
    # Makes from multipliers y (q,) in the dual ball of psi a start for `polar_near`; or None.
    parts: Any = None


class WeightedL1:
    """Psi(s) = sum_i w_i |s_i|."""

    def __init__(self, weights):
        self.weights = weights

    def value(self, s):
        return float(self.weights @ np.abs(s))

    def prox(self, s, t):
        return soft(s, t * self.weights)


class Raveled:
    """Psi of raveled arrays, from a penalty on arrays of that shape."""

    def __init__(self, penalty, shape):
        self.penalty, self.shape = penalty, shape

    def value(self, s):
        return float(self.penalty.value(s.reshape(self.shape)))

    def prox(self, s, t):
        return self.penalty.prox(s.reshape(self.shape), t).ravel()


class Side:
    """The sum of penalties of parts of s that stand one after the other."""

    def __init__(self, parts, sizes):
        self.parts, self.ends = parts, np.cumsum(sizes)[:-1]

    def value(self, s):
        pieces = np.split(s, self.ends)
        return sum(float(own.value(x)) for own, x in zip(self.parts, pieces, strict=True))

    def prox(self, s, t):
        pieces = np.split(s, self.ends)
        return np.concatenate([own.prox(x, t) for own, x in zip(self.parts, pieces, strict=True)])


def splitting_of(penalty, n_features):
    """Return the penalty's own splitting, or that by the identity."""
    own = getattr(penalty, "splitting", None)
    if own is not None:
        return own()
    return Splitting(sparse.eye_array(n_features, format="csr"), penalty)


def splitting_over(penalty, shape):
    """Return the splitting of a penalty on arrays of that shape (K, p), of the raveled array."""
    own = getattr(penalty, "splitting_over", None)
    if own is not None:
        return own(shape)
    if isinstance(penalty, Rows):
        return splitting_of(penalty.flat, shape[0] * shape[1])
    return by_identity(penalty, shape)


def by_identity(penalty, shape):
    """Return the splitting by the identity of a penalty on arrays of that shape, raveled."""
    return Splitting(sparse.eye_array(int(np.prod(shape)), format="csr"), Raveled(penalty, shape))


def stacked(found, shape):
    """Return the splitting of a sum of penalties from those of the terms.

    Its `parts` are the images A_k'y_k of the terms, arrays of `shape`.
    """
    sizes = [own.matrix.shape[0] for own in found]
    matrix = sparse.vstack([own.matrix for own in found], format="csr")
    back = [own.matrix.T.tocsr() for own in found]

    def parts(y):
        pieces = np.split(y, np.cumsum(sizes)[:-1])
        return [(own @ x).reshape(shape) for own, x in zip(back, pieces, strict=True)]

    return Splitting(matrix, Side([own.psi for own in found], sizes), parts)


def copies(n_features, features):
    """Return the matrix A that copies the coefficients `features` (q,)."""
    q = len(features)
    return sparse.csr_array((np.ones(q), (np.arange(q), features)), (q, n_features))

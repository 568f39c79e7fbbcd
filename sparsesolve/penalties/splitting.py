"""Splitting: a penalty as a simple penalty of linear images of the coefficients, for ADMM.

    Omega(b) = Psi(A b),     A sparse (q, p), Psi with a prox in closed form

    total variation      differences along edges, the weighted l1 norm
    overlapping groups   a copy of each group's coefficients, a norm of disjoint groups
    sums                 the images of the terms, stacked

A penalty offers it by ``splitting()``. For any other penalty A is the identity and Psi the
penalty.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sparsesolve.penalties.norm import soft


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


def copies(n_features, features):
    """Return the matrix A that copies the coefficients `features` (q,)."""
    q = len(features)
    return sparse.csr_array((np.ones(q), (np.arange(q), features)), (q, n_features))

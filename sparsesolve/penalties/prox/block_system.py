"""BlockSystem: linear systems of overlapping blocks of low rank, full or sparse.

    H = diag(h) - sum_g (x_g y_g' + y_g x_g') / 2,    x_g and y_g zero outside group g

Given: the features of groups, one after the other. A sparse H has the same pattern for all x and
y. The places of all pairs of entries in it are computed once.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dposv
from scipy.sparse.linalg import splu

# Share of pairs of features within one group above which a dense system is faster than a sparse
# one: windows of 10 among 400, a share of .24, take 28 ms sparse and 68 dense.
DENSE = 0.4
# Multiply-adds of a matrix product in the time that one pair of entries takes.
PAIR = 50


class BlockSystem:
    """Systems in p features.

    Parameters
    ----------
    n_features : int
    features : int32 (q,), start : int32 (G + 1,)
        Group g holds features[start[g]:start[g + 1]].
    of : (q,)
        Group of each entry.
    """

    def __init__(self, n_features, features, start, of):
        self.p, self.features, self.of, sizes = n_features, features, of, np.diff(start)
        self.n_groups, count = len(sizes), sizes.astype(np.int64) ** 2
        pairs = int(count.sum())
        self.full = pairs > DENSE * n_features**2
        self.by_products = self.full and PAIR * pairs > self.n_groups * n_features**2
        if not self.by_products:
            self._pair(start, sizes, count)

    def _pair(self, start, sizes, count):
        """Find where pairs of entries of one group stand in H, for `solve`."""
        p = self.p
        self.first = np.repeat(np.arange(len(self.features)), sizes[self.of])
        within = np.arange(len(self.first)) - np.repeat(np.cumsum(count) - count, count)
        group = self.of[self.first]
        self.second = start[group] + within % sizes[group]
        place = self.features[self.second].astype(np.int64) * p + self.features[self.first]
        self.slot, self.diagonal = place, np.arange(p) * (p + 1)
        if not self.full:
            every, slot = np.unique(np.append(place, self.diagonal), return_inverse=True)
            self.slot, self.diagonal = slot[: len(place)], slot[len(place) :]
            pointers = np.searchsorted(every, p * np.arange(p + 1))
            self.pattern = (every % p).astype(np.intc), pointers.astype(np.intc)

    def solve(self, held, xi, own, pull):
        """Return (I + sum_g held_g I_g - (xi_g own_g' + own_g xi_g') / 2)^-1 pull; xi, own (q,).
        """
        diagonal = 1.0 + np.bincount(self.features, held[self.of], minlength=self.p)
        H = self._less_products(xi, own, diagonal)
        if self.full:
            _, x, info = dposv(H, pull)
            if info != 0:
                raise LinAlgError("the matrix is not positive definite")
            return x
        try:
            return splu(H, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(pull)
        except RuntimeError as error:  # SuperLU raises this where a pivot is 0
            raise LinAlgError(str(error)) from None

    def _less_products(self, xi, own, diagonal):
        """Return diag - sum_g (xi_g own_g' + own_g xi_g') / 2, (p, p), an array or sparse."""
        p = self.p
        if self.by_products:
            X, Y = np.zeros((2, self.n_groups, p))
            X[self.of, self.features], Y[self.of, self.features] = xi, own
            H = -0.5 * (X.T @ Y)
            H += H.T
            H.flat[:: p + 1] += diagonal
            return H
        i, j, room = self.first, self.second, p * p if self.full else len(self.pattern[0])
        values = -0.5 * np.bincount(self.slot, xi[i] * own[j] + own[i] * xi[j], room)
        values[self.diagonal] += diagonal
        return values.reshape(p, p) if self.full else sparse.csc_array(
            (values, *self.pattern), (p, p)
        )

    def matrix(self, x, y, diagonal):
        """Return H as an array, (p, p)."""
        H = self._less_products(x, y, diagonal)
        return H if self.full else H.toarray()

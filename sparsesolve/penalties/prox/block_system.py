"""BlockSystem: linear systems of overlapping blocks of low rank, full or sparse.

    H = diag(h) - sum_g (x_g y_g' + y_g x_g') / 2,    x_g and y_g zero outside group g

Given: the features of groups, one after the other. A sparse H has the same pattern for all x and
y. The places of all pairs of entries in it are computed once.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import splu

# Share of pairs of features within one group above which a dense system is faster than a sparse
# one.
DENSE = 0.2


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
        self.p, self.features, self.start, self.of = n_features, features, start, of
        self.n_entries, self.n_groups = len(features), len(start) - 1
        sizes = np.diff(start)
        self.full = float((sizes.astype(float) ** 2).sum()) > DENSE * n_features**2
        if not self.full:
            self._lay_out(sizes)

    def _lay_out(self, sizes):
        """Find where pairs of entries of one group stand in a sparse matrix, for `solve`."""
        count = sizes**2
        self.first = np.repeat(np.arange(self.n_entries), sizes[self.of])
        within = np.arange(len(self.first)) - np.repeat(np.cumsum(count) - count, count)
        group = self.of[self.first]
        self.second = self.start[group] + within % sizes[group]
        place = self.features[self.second].astype(np.int64) * self.p + self.features[self.first]
        every, self.slot = np.unique(
            np.append(place, np.arange(self.p) * (self.p + 1)), return_inverse=True
        )
        self.slot, self.diagonal = self.slot[: len(place)], self.slot[len(place) :]
        pointers = np.searchsorted(every, self.p * np.arange(self.p + 1))
        self.pattern = (every % self.p).astype(np.intc), pointers.astype(np.intc)

    def solve(self, held, xi, own, pull):
        """Return (I + sum_g held_g I_g - (xi_g own_g' + own_g xi_g') / 2)^-1 pull; xi, own (q,).
        """
        diagonal = 1.0 + np.bincount(self.features, held[self.of], minlength=self.p)
        H = self._less_products(xi, own, diagonal)
        if self.full:
            return cho_solve(cho_factor(H, lower=True), pull)
        try:
            return splu(H, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(pull)
        except RuntimeError as error:  # SuperLU raises this where a pivot is 0
            raise LinAlgError(str(error)) from None

    def _less_products(self, xi, own, diagonal):
        """Return diag - sum_g (xi_g own_g' + own_g xi_g') / 2, (p, p), an array or sparse."""
        if self.full:
            shape = (self.n_groups, self.p)
            X = sparse.csr_array((xi, self.features, self.start), shape).toarray()
            half = X.T @ sparse.csr_array((own, self.features, self.start), shape).toarray()
            return np.diag(diagonal) - 0.5 * (half + half.T)
        i, j, (rows, pointers) = self.first, self.second, self.pattern
        values = -0.5 * np.bincount(self.slot, xi[i] * own[j] + own[i] * xi[j], len(rows))
        values[self.diagonal] += diagonal
        return sparse.csc_array((values, rows, pointers), (self.p, self.p))

    def matrix(self, x, y, diagonal):
        """Return H as an array, (p, p)."""
        H = self._less_products(x, y, diagonal)
        return H if self.full else H.toarray()

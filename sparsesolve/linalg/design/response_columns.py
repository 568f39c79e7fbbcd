"""Response columns: the working columns of a solver for K responses.

Coefficients have the shape (K, m), vectors of sample space (K, n). Column -1 is the intercept, a
column of ones.
"""

import numpy as np
from scipy import sparse

from sparsesolve.linalg.gram.products import row_products, row_sums
from sparsesolve.linalg.working.columns import DENSE_FROM


def response_columns(design):
    """Return an empty container for working columns of this design."""
    dense = design.stored >= DENSE_FROM * design.n * design.p
    return DenseColumns(design) if dense else SparseColumns(design)


class DenseColumns:
    """Working columns unpacked into one array."""

    dense = True

    def __init__(self, design):
        self.design = design
        self.size = 0
        self._rows = np.empty((16, design.n))  # one row per column

    @property
    def rows(self):
        """The working columns, transposed: (m, n)."""
        return self._rows[: self.size]

    def append(self, which):
        """Add columns of the design."""
        size = self.size + len(which)
        if size > len(self._rows):
            room = max(size, 2 * len(self._rows)) - self.size
            self._rows = np.concatenate([self.rows, np.empty((room, self.design.n))])
        real, new = which >= 0, self._rows[self.size : size]
        new[~real] = 1.0
        new[real] = self.design.unpacked(which[real]).T
        self.size = size

    def combine(self, B):
        """Return the combinations (K, n) of the columns with coefficients B (K, m)."""
        return row_sums(B, self.rows)

    def correlate(self, u, first=0):
        """Return the products of u (K, n) with the columns from `first` on, (K, m - first)."""
        return row_products(u, self.rows[first:])

    def gram(self, h, first=0):
        """Return inner products under weights h (n,) of all columns with those from `first` on."""
        return row_products(self.rows[first:] * h, self.rows).T

    def squares(self, h, first=0):
        """Return the squared norms under weights h (n,) of the columns from `first` on."""
        rows = self.rows[first:]
        return np.einsum("ji,ji,i->j", rows, rows, h)

    def some(self, which):
        """Return a view or copy of some working columns, given by ascending positions."""
        prefix = not len(which) or which[-1] == len(which) - 1
        part = DenseColumns.__new__(DenseColumns)
        part.design, part.size = self.design, len(which)
        part._rows = self._rows[: len(which)] if prefix else self._rows[which]
        return part


class SparseColumns:
    """Working columns as a compressed `matrix` (n, m) minus a constant per column, `offset`.

    The intercept is an empty column with the offset -1.
    """

    dense = False

    def __init__(self, design):
        self.design = design
        self.matrix = sparse.csc_array((design.n, 0))
        self.offset = np.zeros(0)

    @property
    def size(self):
        """Number of working columns."""
        return len(self.offset)

    def append(self, which):
        """Add columns of the design."""
        nothing = sparse.csc_array((self.design.n, np.count_nonzero(which < 0)))
        matrix, offset = self.design.stored_columns(which[which >= 0])
        self.matrix = sparse.hstack([self.matrix, nothing, matrix], format="csc")
        self.offset = np.concatenate([self.offset, -np.ones(nothing.shape[1]), offset])

    def combine(self, B):
        """Return the combinations (K, n) of the columns with coefficients B (K, m)."""
        out = np.ascontiguousarray((self.matrix @ B.T).T)
        out -= (B @ self.offset)[:, None]
        return out

    def correlate(self, u, first=0):
        """Return the products of u (K, n) with the columns from `first` on, (K, m - first)."""
        matrix = self.matrix[:, first:] if first else self.matrix
        out = np.ascontiguousarray((matrix.T @ u.T).T)
        out -= np.outer(u.sum(axis=1), self.offset[first:])
        return out

    def gram(self, h, first=0):
        """Return inner products under weights h (n,) of all columns with those from `first` on."""
        sums = self.matrix.T @ h
        weighted = (self.matrix[:, first:] if first else self.matrix) * h[:, None]
        out = (self.matrix.T @ weighted).toarray()
        out -= np.outer(sums, self.offset[first:]) + np.outer(self.offset, sums[first:])
        out += h.sum() * np.outer(self.offset, self.offset[first:])
        return out

    def squares(self, h, first=0):
        """Return the squared norms under weights h of the columns from `first` on.

        For weights h (n,) the result is (m - first,); for h (K, n) it is (K, m - first).
        """
        matrix, offset = self.matrix[:, first:], self.offset[first:]
        twice = 2.0 * (matrix.T @ h.T).T - np.multiply.outer(h.sum(axis=-1), offset)
        return (matrix.power(2).T @ h.T).T - offset * twice

    def some(self, which):
        """Return a copy of some working columns, given by ascending positions."""
        if len(which) == self.size:
            return self
        part = SparseColumns.__new__(SparseColumns)
        part.design = self.design
        part.matrix, part.offset = self.matrix[:, which], self.offset[which]
        return part

"""The curvature that all responses share: Z'diag(h)Z of the working columns, h from one point.

Given: working columns Z and weights h (n,). Returned: inner products, or columns times sqrt(h), in
single precision. They are computed on request. Invariant: until h is renewed, only the values of
new columns are computed. Sparse columns with few stored values need neither (`scattered`).
"""

import numpy as np

from sparsesolve.solvers import costs


class SharedCurvature:
    """The curvature of the columns of a ResponseDescent under weights h (n,)."""

    def __init__(self, columns, h):
        self.columns = columns
        self.renew(h)

    def renew(self, h):
        """Set new weights h, and drop everything computed with the old ones."""
        self.h = h
        self._gram, self._known = np.empty((16, 16), dtype=np.float32), 0
        self._rows, self._packed = np.empty((16, len(h)), dtype=np.float32), 0
        self._squares = np.zeros(0)

    @property
    def squares(self):
        """Return the diagonal of the curvature, (m,)."""
        known = len(self._squares)
        if known < self.columns.size:
            self._squares = np.append(self._squares, self.columns.squares(self.h, known))
        return self._squares

    @property
    def gram(self):
        """Return the weighted inner products of the columns, (m, m)."""
        size, first = self.columns.size, self._known
        if first < size:
            self._gram = _with_room(self._gram, size, first, size)
            block = self.columns.gram(self.h, first)
            self._gram[:size, first:size], self._gram[first:size, :size] = block, block.T
            self._known = size
        return self._gram[:size, :size]

    @property
    def wide(self):
        """Return True if a column is shorter than a row of inner products, up to a factor."""
        return self.columns.dense and self.columns.size > costs.responses.WIDE * len(self.h)

    @property
    def scattered(self):
        """Return True if the columns have so few stored values that inner products do not pay."""
        columns = self.columns
        if columns.dense:
            return False
        return costs.responses.SCATTERED_COST * columns.matrix.nnz < columns.size**2

    def rows(self):
        """Return the arguments of a DenseModel: (rows, True if they are inner products)."""
        size, first = self.columns.size, self._packed
        if not self.wide:
            return self.gram, True
        if first < size:
            self._rows = _with_room(self._rows, size, first)
            self._rows[first:size] = self.columns.rows[first:] * np.sqrt(self.h)
            self._packed = size
        return self._rows[:size], False


def _with_room(table, size, used, wide=None):
    """Return the table, or a larger one with a copy of its `used` rows. `wide`: it is square."""
    if size <= len(table):
        return table
    larger = np.empty((2 * size, 2 * size if wide else table.shape[1]), dtype=table.dtype)
    columns = used if wide else table.shape[1]
    larger[:used, :columns] = table[:used, :columns]
    return larger

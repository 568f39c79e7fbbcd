"""The curvature that responses share: Z'diag(h)Z of the working columns, with the h of one point.

Kept in single precision, as inner products or as columns times sqrt(h), made when they are asked
for, and until h is renewed only for columns that have come since; or not at all where columns have
so few values that they meet by these.
"""

import numpy as np

from sparsesolve.solvers import costs


class SharedCurvature:
    """Of the columns of a ResponseDescent, under weights h (n,)."""

    def __init__(self, columns, h):
        self.columns = columns
        self.renew(h)

    def renew(self, h):
        """Other weights."""
        self.h = h
        self._gram, self._known = np.empty((16, 16), dtype=np.float32), 0
        self._rows, self._packed = np.empty((16, len(h)), dtype=np.float32), 0
        self._squares = np.zeros(0)

    @property
    def squares(self):
        """The diagonal, (m,)."""
        known = len(self._squares)
        if known < self.columns.size:
            self._squares = np.append(self._squares, self.columns.squares(self.h, known))
        return self._squares

    @property
    def gram(self):
        """Inner products (m, m)."""
        size, first = self.columns.size, self._known
        if first < size:
            self._gram = _with_room(self._gram, size, first, size)
            block = self.columns.gram(self.h, first)
            self._gram[:size, first:size], self._gram[first:size, :size] = block, block.T
            self._known = size
        return self._gram[:size, :size]

    @property
    def wide(self):
        """Whether columns are shorter than rows of their inner products."""
        return self.columns.dense and self.columns.size > costs.responses.WIDE * len(self.h)

    @property
    def scattered(self):
        """Whether columns meet by their stored values, so that inner products are not worth it."""
        columns = self.columns
        if columns.dense:
            return False
        return costs.responses.SCATTERED_COST * columns.matrix.nnz < columns.size**2

    def rows(self):
        """What a DenseModel takes: (rows, whether they are inner products)."""
        size, first = self.columns.size, self._packed
        if not self.wide:
            return self.gram, True
        if first < size:
            self._rows = _with_room(self._rows, size, first)
            self._rows[first:size] = self.columns.rows[first:] * np.sqrt(self.h)
            self._packed = size
        return self._rows[:size], False


def _with_room(table, size, used, wide=None):
    """The table, or a larger one that begins with its rows `used`; `wide`: and is square."""
    if size <= len(table):
        return table
    larger = np.empty((2 * size, 2 * size if wide else table.shape[1]), dtype=table.dtype)
    columns = used if wide else table.shape[1]
    larger[:used, :columns] = table[:used, :columns]
    return larger

"""Working columns are held as dense or as sparse, by the share of values that are stored."""

import numpy as np
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.working.columns import DensePackedColumns, SparsePackedColumns, pack


def test_few_stored_values_are_held_as_sparse():
    """Zeros may be stored; a dense design is held as dense whatever its values."""
    root = np.full(20, 20**-0.5)
    for stored in (0, 14, 15, 100):
        places = np.arange(stored)
        matrix = sparse.csc_array((np.zeros(stored), (places % 20, places // 20)), (20, 5))
        kind = SparsePackedColumns if stored < 15 else DensePackedColumns
        assert type(pack(Design(matrix), root)) is kind, stored
        assert type(pack(Design(matrix), root, dense=True)) is DensePackedColumns
    assert type(pack(Design(np.zeros((20, 5), order="F")), root)) is DensePackedColumns

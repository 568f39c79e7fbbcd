"""Working columns are held as dense or as sparse, by the share of values that are stored."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.working.dense import DensePackedColumns
from sparsesolve.linalg.working.sparse import SparsePackedColumns

from sparsesolve.linalg.working.pack import DENSE_FROM, pack

ROOT = np.full(20, 20**-0.5)


def design(stored):
    """A design (20, 5) of so many stored values, zeros among them."""
    places = np.arange(stored)
    return Design(sparse.csc_array((np.zeros(stored), (places % 20, places // 20)), (20, 5)))


@pytest.mark.parametrize("stored, kind", [
    (0, SparsePackedColumns), (14, SparsePackedColumns),
    (15, DensePackedColumns), (100, DensePackedColumns),
])  # fmt: skip
def test_few_stored_values_are_held_as_sparse(stored, kind):
    assert DENSE_FROM == 0.15  # of 100
    assert type(pack(design(stored), ROOT)) is kind
    assert type(pack(design(stored), ROOT, True)) is kind
    assert type(pack(design(stored), ROOT, dense=True)) is DensePackedColumns


def test_a_dense_design_is_held_as_dense_whatever_its_values():
    assert type(pack(Design(np.zeros((20, 5), order="F")), ROOT)) is DensePackedColumns

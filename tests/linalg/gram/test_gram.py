"""Inner products of all columns of a tall design, by blocks of rows, and of working columns."""

import numpy as np
import pytest
from cases import every
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.gram.gram import Gram, tall_gram
from sparsesolve.linalg.working.columns import DensePackedColumns, SparsePackedColumns

from sparsesolve.linalg.working import columns as working

STORAGES = {
    "dense": np.asfortranarray,
    "single": lambda X: np.asfortranarray(X, dtype=np.float32),
    "sparse": sparse.csc_array,
    "few values": sparse.csc_array,
}


def problem(n, p, storage, seed=0):
    """A standardised design, the same columns as an array, square roots of weights, a response."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, p)) + 3.0).astype(np.float32).astype(float)
    X[rng.random((n, p)) < (0.9 if storage == "few values" else 0.3)] = 0.0
    if storage == "few values":  # but for one column, which leaves out every seventh row
        X[:, p // 2] = np.where(np.arange(n) % 7 == 3, 0.0, 50.0 + rng.standard_normal(n))
    w = rng.random(n)
    w /= w.sum()
    design = Design(STORAGES[storage](X))
    design.moments(w)
    spread = np.asarray(design.spread)
    factor = np.divide(1.0, spread, out=np.zeros(p), where=spread > 0)
    design.standardise(True, factor)
    return design, (X - w @ X) * factor, np.sqrt(w), rng.standard_normal(n)


@every("storage", sorted(STORAGES))
@every("n, p", [(1, 1), (5, 3), (511, 6), (512, 1), (513, 4), (2049, 5), (40_000, 3), (700, 620)])
def test_products_are_those_of_the_columns(n, p, storage):
    design, Z, root_w, y = problem(n, p, storage)
    gram, cross = tall_gram(design, root_w, y)
    A = root_w[:, None] * Z
    assert np.abs(gram - A.T @ A).max() <= 1e-12
    assert np.abs(cross - A.T @ (root_w * y)).max() <= 1e-12 * np.linalg.norm(root_w * y)
    assert np.array_equal(gram, gram.T)
    assert np.diag(gram) == pytest.approx(design.norms(root_w**2) ** 2, abs=1e-12)


@every("storage", sorted(STORAGES))
@every("n, p", [(5, 3), (3000, 40), (20_000, 11), (900, 610)])
def test_threads_do_not_change_a_bit(n, p, storage):
    design, _, root_w, y = problem(n, p, storage)
    gram, cross = tall_gram(design, root_w, y, 1)
    for threads in (2, 3, 8):
        other, across = tall_gram(design, root_w, y, threads)
        assert np.array_equal(gram, other) and np.array_equal(cross, across)


PORTIONS = {
    "one by one": [[k] for k in range(12)],
    "few, then many": [[3, 0], range(4, 24), [1], [2, 25, 24], range(26, 40)],
    "all at once": [range(39, -1, -1)],
    "many columns": [range(100), range(300, 100, -1)],
}


@every("kind", [DensePackedColumns, SparsePackedColumns])
@every("portions", sorted(PORTIONS))
@every("storage", ["dense", "sparse"])
@every("n", [7, 600])
def test_working_columns_meet_those_before_them(kind, portions, storage, n):
    portions = PORTIONS[portions]
    which = np.concatenate([np.array(portion) for portion in portions])
    design, Z, root_w, _ = problem(n, max(40, which.max() + 1), storage)
    gram = Gram().inner_products(kind(root_w), design, portions)
    A = root_w[:, None] * Z[:, which]
    assert np.abs(gram - A.T @ A).max() <= 1e-12
    assert np.array_equal(gram, gram.T)


def test_sparse_working_columns_of_very_many_rows(monkeypatch):
    """So many that some of them side by side would take too much memory."""
    monkeypatch.setattr(working, "MOST_FILLED_ROWS", 100_000)
    design, Z, root_w, _ = problem(140_000, 5, "sparse")
    gram = Gram().inner_products(SparsePackedColumns(root_w), design, [[3, 0], [1, 2, 4]])
    A = root_w[:, None] * Z[:, [3, 0, 1, 2, 4]]
    assert np.abs(gram - A.T @ A).max() <= 1e-12

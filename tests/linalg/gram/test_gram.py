"""Inner products: of all columns, of working ones, outer products summed, and their kernels.

Against numpy, at sizes around their blocks, and to the same bits on any number of threads.
"""

import numpy as np
import pytest
from cases import every
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.gram.gram import Gram, tall_gram
from sparsesolve.linalg.gram.outer import wide_gram
from sparsesolve.linalg.gram.products import products_and_sums, row_products, row_sums
from sparsesolve.linalg.gram.sparse_gram import sparse_gram
from sparsesolve.linalg.working.columns import DensePackedColumns, SparsePackedColumns

from sparsesolve.linalg.working import columns as working

STORAGES = {
    "dense": np.asfortranarray,
    "single": lambda X: np.asfortranarray(X, dtype=np.float32),
    "sparse": sparse.csc_array,
    "sparse single": lambda X: sparse.csc_array(X.astype(np.float32)),
    "few values": sparse.csc_array,
}


def problem(n, p, storage, centred=True):
    """A standardised design of columns from full to all but empty, the same as an array, square
    roots of weights, a response."""
    rng = np.random.default_rng(n + p)
    X = (rng.standard_normal((n, p)) + 3.0).astype(np.float32).astype(float)
    share = 0.1 if storage == "few values" else rng.choice([1.0, 0.6, 0.2, 0.05], p)
    X[rng.random((n, p)) > share] = 0.0
    if storage == "few values":  # but for one column, which leaves out every seventh row
        X[:, p // 2] = np.where(np.arange(n) % 7 == 3, 0.0, 50.0 + rng.standard_normal(n))
    w = rng.random(n)
    w /= w.sum()
    design = Design(STORAGES[storage](X))
    design.moments(w)
    spread = np.asarray(design.spread)
    factor = np.divide(1.0, spread, out=np.zeros(p), where=spread > 0)
    design.standardise(centred, factor)
    return design, (X - centred * (w @ X)) * factor, np.sqrt(w), rng.standard_normal(n)


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
    if sparse.issparse(STORAGES[storage](np.eye(1))):
        gram = np.asarray(sparse_gram(design, root_w, 1))
        np.testing.assert_allclose(gram, A.T @ A, atol=1e-12)
        np.testing.assert_array_equal(gram, gram.T)


@every("storage", sorted(STORAGES))
@every("centred", [True, False])
@every("n, p", [(1, 1), (3, 50), (191, 20), (193, 300), (500, 700)])
def test_outer_products_are_summed_over_the_chosen_columns(n, p, storage, centred):
    design, Z, root_w, _ = problem(n, p, storage, centred)
    A, rng = root_w[:, None] * Z, np.random.default_rng(3)
    which = np.flatnonzero(rng.random(p) < 0.8).astype(np.intc)
    scale = rng.random(len(which)) + 0.1
    gram = wide_gram(design, which, scale, root_w)
    expected = (A[:, which] * scale) @ A[:, which].T
    assert np.abs(gram - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())
    assert np.array_equal(gram, gram.T)
    assert not wide_gram(design, np.empty(0, np.intc), np.empty(0), root_w).any()


@every("storage", sorted(STORAGES))
@every("n, p", [(5, 3), (3000, 40), (20_000, 11), (900, 610)])
def test_threads_do_not_change_a_bit(n, p, storage):
    design, _, root_w, y = problem(n, p, storage)
    which, scale = np.arange(p, dtype=np.intc), np.linspace(1, 2, p)

    def made(threads):
        found = [*tall_gram(design, root_w, y, threads)]
        found += [wide_gram(design, which, scale, root_w, threads)] if n < 1000 else []
        return found + ([sparse_gram(design, root_w, threads)] if "dense" not in storage
                        and storage != "single" else [])  # fmt: skip

    one = made(1)
    for threads in (2, 3, 8):
        assert all(map(np.array_equal, one, made(threads))), threads


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


def test_sparse_columns_whose_mean_is_far_above_their_spread_keep_their_digits():
    rng, n = np.random.default_rng(0), 500
    X = 1e6 + rng.normal(size=(n, 3))
    X[:, 1] = rng.normal(size=n) * (rng.random(n) < 0.1)
    design = Design(sparse.csc_array(X))
    design.moments(np.full(n, 1.0 / n))
    design.standardise(True, np.ones(3))
    Z = X - X.mean(axis=0)
    found = np.asarray(sparse_gram(design, np.full(n, n**-0.5), 1))
    np.testing.assert_allclose(found, Z.T @ Z / n, rtol=1e-8, atol=1e-9)


# Kernels

ROWS = [1, 7, 64, 511, 512, 513, 1023, 1300, 2100]


@every("kernel", ["blas", "few", "many", "chosen"])
@every("n", ROWS)
@every(
    "m, k",
    [(1, 1), (2, 9), (3, 4), (4, 3), (5, 8), (24, 3), (25, 5), (127, 2), (128, 6), (130, 33)],
)
def test_products_of_two_sets_of_columns(n, m, k, kernel):
    rng = np.random.default_rng(n + m)
    A, B = (np.asfortranarray(rng.standard_normal((n, size))) for size in (m, k))
    np.testing.assert_allclose(products_and_sums(A, B, kernel), 1 + A.T @ B, atol=1e-13 * n)


@every("kernel", ["blas", "few", "many", "chosen"])
@every("n", ROWS)
@every("m", [1, 2, 3, 4, 5, 24, 25, 63, 128, 129, 261])
def test_products_of_one_set_of_columns(n, m, kernel):
    A = np.asfortranarray(np.random.default_rng(n + m).standard_normal((n, m)))
    expected = np.triu(1 + A.T @ A)
    np.testing.assert_allclose(products_and_sums(A, None, kernel), expected, atol=1e-13 * n)


@every("m, k", [(130, 20), (20, 130), (200, 64), (300, None)])
def test_threads_change_no_bit_of_a_kernel(m, k):
    rng = np.random.default_rng(m)
    A = np.asfortranarray(rng.standard_normal((2100, m)))
    B = None if k is None else np.asfortranarray(rng.standard_normal((2100, k)))
    one, two, three = (products_and_sums(A, B, "chosen", count) for count in (1, 2, 3))
    assert np.array_equal(one, two) and np.array_equal(one, three)


@every("K, m, n", [(1, 1, 1), (3, 9, 70), (5, 40, 5000), (0, 4, 3), (4, 0, 3), (2, 3, 0)])
def test_products_and_sums_of_rows(K, m, n):
    rng = np.random.default_rng(K + m)
    u, B, rows = (rng.standard_normal(shape) for shape in ((K, n), (K, m), (m, n)))
    np.testing.assert_allclose(row_products(u, rows), u @ rows.T, atol=1e-11)
    np.testing.assert_allclose(row_sums(B, rows), B @ rows, atol=1e-11)
    np.testing.assert_allclose(row_sums(B[:, ::-1], rows[::-1]), B @ rows, atol=1e-11)

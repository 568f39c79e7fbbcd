"""Classes of rows against a dictionary of the rows, and a design of distributed rows."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.equal_rows import class_means, of_rows, row_classes

from sparsesolve.data.design import read_block
from sparsesolve.data.row_blocks import tree
from sparsesolve.linalg.design.distributed import DistributedDesign, rows_of

RNG = np.random.default_rng(11)
TABLE = RNG.integers(-1, 2, size=(300, 4)) * [1.0, 2.0, -0.5, 1.0]
TABLE[:, 2] += 3.0  # no zeros
NO_OFFSETS = np.zeros((1, 300))


def by_dictionary(table, offset_rows):
    seen, label, first = {}, [], []
    for i, row in enumerate(np.column_stack([table, offset_rows]) + 0.0):
        if row.tobytes() not in seen:
            seen[row.tobytes()] = len(first)
            first.append(i)
        label.append(seen[row.tobytes()])
    return label, first


def kinds(table):
    """The same table as solvers may be given it."""
    with_zeros = sparse.csc_array(np.where(table == 0.0, 5.0, table))
    with_zeros.data[with_zeros.data == 5.0] = -0.0  # stored
    return {
        "dense": np.asfortranarray(table),
        "single": np.asfortranarray(table, dtype=np.float32),
        "sparse": sparse.csc_array(table),
        "stored zeros": with_zeros,
        "negative zeros": np.asfortranarray(np.where(table == 0.0, -0.0, table)),
    }


@pytest.mark.parametrize("kind", kinds(TABLE))
@pytest.mark.parametrize("offsets", [1, 2])
def test_rows_that_are_alike_and_no_others_share_a_class(kind, offsets):
    offset_rows = np.arange(300) % offsets * 0.25
    label, first = row_classes(Design(kinds(TABLE)[kind]), offset_rows[None], 300)
    expected = by_dictionary(TABLE, offset_rows)
    assert label.tolist() == expected[0] and first.tolist() == expected[1]


def test_two_rows_of_offsets_with_the_table():
    offset_rows = np.array([np.arange(300) % 2, np.arange(300) % 3]) - 1.0
    label, _ = row_classes(Design(np.zeros((300, 1), order="F")), offset_rows, 300)
    assert label.tolist() == (np.arange(300) % 6).tolist()


def test_the_look_ends_where_there_are_too_many_classes():
    classes = len(by_dictionary(TABLE, NO_OFFSETS[0])[1])
    design = Design(np.asfortranarray(TABLE))
    assert len(row_classes(design, NO_OFFSETS, classes)[1]) == classes
    assert row_classes(design, NO_OFFSETS, classes - 1) is None
    assert row_classes(Design(RNG.normal(size=(300, 4)).T.copy().T), NO_OFFSETS, 270) is None


def test_rows_that_differ_in_one_value_alone():
    for X in (np.eye(40), 1.0 - np.eye(40), np.tril(np.ones((40, 40)))):
        for matrix in (np.asfortranarray(X), sparse.csc_array(X)):
            label, first = row_classes(Design(matrix), np.zeros((1, 40)), 40)
            assert len(first) == 40 and label.tolist() == list(range(40))


@pytest.mark.parametrize("kind", kinds(TABLE))
@pytest.mark.parametrize("centred", [True, False])
def test_the_rows_of_a_design_are_standardised_like_it(kind, centred):
    w = RNG.uniform(size=300)
    w /= w.sum()
    matrix = np.asfortranarray(TABLE * [1e200, 1.0, 1e-200, 1.0])
    design = Design(matrix if kind == "dense" else kinds(TABLE + [0.0, 0.0, 1e7, 0.0])[kind])
    design.moments(w)
    design.standardise(centred, np.array([1.0, 0.0, 2.0, -1.0]))
    label, first = row_classes(design, NO_OFFSETS, 300)
    few, every = of_rows(design, first, np.bincount(label, w)), np.arange(4, dtype=np.intc)
    assert few.n == len(first) and (few.unpacked(every)[label] == design.unpacked(every)).all()
    assert few.norms(np.bincount(label, w)) == pytest.approx(design.norms(w), rel=1e-12)
    assert (np.asarray(few.mean) == design.mean).all()


def test_a_sparse_column_may_become_a_full_one():
    X = sparse.csc_array(np.array([[1.0, 0], [0, 0], [1, 0], [1, 2]]))
    design = Design(X)
    few = of_rows(design, np.array([0, 3], dtype=np.intc), np.full(2, 0.5))
    assert few.stored == 3
    assert few.unpacked(np.arange(2, dtype=np.intc)).tolist() == [[1, 0], [1, 2]]


def test_means_of_classes():
    label, first = np.array([0, 1, 0, 2, 0], dtype=np.intc), np.array([0, 1, 3], dtype=np.intc)
    y, w = np.array([[1.0, 4], [2, 5], [3, 4], [7, 8], [9, 4]]), np.array([0.25, 0.5, 0.25, 0, 0])
    mean, weight = class_means(label, first, y, w)
    assert mean.tolist() == [[2, 4], [2, 5], [7, 8]] and weight.tolist() == [0.5, 0.5, 0]
    assert class_means(label, first, y[:, 0], w)[0].tolist() == [2, 2, 7]


def test_equal_terms_are_not_all_rounded_the_same_way():
    n = 1_000_000
    one = np.zeros(n, dtype=np.intc)
    mean, weight = class_means(one, one[:1], (np.arange(n) % 10 < 3) * 1.0, np.full(n, 1 / n))
    assert abs(weight[0] - 1.0) <= 2e-13 and abs(mean[0] - 0.3) <= 1e-13  # one by one: 8e-12


# DistributedDesign answers what a Design of the whole matrix does, however rows are cut

RNG_BLOCKS = np.random.default_rng(8)
N, P = 90, 7
X = RNG_BLOCKS.standard_normal((N, P)) * [1, 2, 0, 1e3, 1, 1, 1e-3]
X += [0, 5, 3, -1e3, 1e7, 0, 0]
X[:, 5] *= RNG_BLOCKS.random(N) < 0.3
STORAGE = {
    "columns": np.asfortranarray,
    "rows": np.ascontiguousarray,
    "single": lambda A: np.ascontiguousarray(A, dtype=np.float32),
    "csc": sparse.csc_array,
    "csr": sparse.csr_array,
}


def in_blocks(X, ends=(0, 1, 40, 80, N), store=np.asarray):
    blocks = [store(X[i:j]) for i, j in zip(ends[:-1], ends[1:], strict=True)]

    def gather(function, arguments, merge):
        parts = [function(block, *rest) for block, rest in zip(blocks, arguments, strict=True)]
        return parts if merge is None else tree(merge, parts)

    return DistributedDesign([block.shape[0] for block in blocks], X.shape[1], gather, read_block)


def both(X, w, store, centred):
    whole, blocks = Design(read_block(store(X))), in_blocks(X, store=store)
    assert whole.moments(w) and blocks.moments(w)
    with np.errstate(divide="ignore"):
        factor = np.where(np.asarray(whole.spread) > 0, 1 / np.asarray(whole.spread), 0.0)
    whole.standardise(centred, factor)
    blocks.standardise(centred, factor)
    return whole, blocks


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("store", STORAGE.values(), ids=STORAGE)
def test_products_and_moments_are_those_of_the_whole(store, centred):
    w = RNG_BLOCKS.uniform(size=N)
    w[:45] = 0.0  # the first blocks
    whole, blocks = both(X, w / w.sum(), store, centred)
    # A sum rounds by the size of its terms; one that cancels has no digits relative to itself.
    apart = np.abs(np.subtract(blocks.mean, whole.mean))
    assert (apart <= 1e-14 * np.abs(X).max(axis=0)).all()
    np.testing.assert_allclose(blocks.spread, whole.spread, rtol=1e-9)
    assert blocks.spread[2] == 0.0
    u, which = RNG_BLOCKS.standard_normal((2, N)), np.array([6, 3, 4], dtype=np.intc)
    size = 1e-8 * np.abs(X * blocks.frame.factor).max(initial=1)
    for cut in (which, np.arange(P, dtype=np.intc)):
        b = RNG_BLOCKS.standard_normal(len(cut))
        np.testing.assert_allclose(
            blocks.combination(cut, b), whole.combination(cut, b), atol=size
        )
        np.testing.assert_allclose(blocks.unpacked(cut), whole.unpacked(cut), atol=size)
        h, Z = RNG_BLOCKS.uniform(size=N), whole.unpacked(cut)
        for made in (rows_of(whole, None, None), rows_of(store(X), read_block, blocks.frame)):
            found = made.gram(cut, h)
            np.testing.assert_allclose(found, Z.T @ (h[:, None] * Z), atol=size * N, rtol=1e-9)
    np.testing.assert_allclose(blocks.products(u[0]), whole.products(u[0]), atol=size * N)
    np.testing.assert_allclose(
        blocks.response_products(u), whole.response_products(u), atol=size * N
    )
    assert blocks.combination(which[:0], np.zeros(0)).tolist() == [0.0] * N
    assert blocks.unpacked(which[:0]).shape == (N, 0)


def test_inner_products_of_one_pass_are_about_the_means_and_lose_no_digits():
    """Rows sorted by a column far from 0: the blocks' means lie many spreads apart."""
    far = np.sort(RNG_BLOCKS.standard_normal((N, 3)), axis=0) + 1e6
    w, y = np.full(N, 1 / N), RNG_BLOCKS.standard_normal(N) + 100
    blocks = in_blocks(far)
    assert blocks.moments(w, y)
    A, c = far - far.mean(axis=0), y - y.mean()
    np.testing.assert_allclose(blocks.gram, A.T @ A / N, rtol=1e-9)
    np.testing.assert_allclose(np.ldexp(blocks.cross, blocks.response_power), A.T @ c / N, 1e-7)
    assert np.ldexp(blocks.response_mean, blocks.response_power) == pytest.approx(y.mean())


@pytest.mark.parametrize("sizes", [
    (1e200, 1e200), (1e-200, 1.0), (0.0, 1e-200), (1e200, 0.0), (1e-200, 0.0), (1e200, 1e180),
])  # fmt: skip
def test_blocks_of_any_size_are_merged(sizes):
    A = RNG_BLOCKS.standard_normal((N, 2)) * np.where(np.arange(N) < 40, *sizes)[:, None]
    blocks = in_blocks(A)
    assert blocks.moments(np.full(N, 1 / N), A[:, 0])
    scale = max(sizes)
    expected = np.cov((A / scale).T, bias=True)
    unit = np.ldexp(1 / scale, blocks.exponent)  # 2**exponent over the size
    np.testing.assert_allclose(blocks.gram * np.outer(unit, unit), expected, rtol=1e-10)
    np.testing.assert_allclose(blocks.spread * unit, np.sqrt(np.diagonal(expected)), rtol=1e-10)


def test_values_that_are_not_finite_are_found_where_weights_are_0():
    A = X.copy()
    A[45, 3] = np.inf
    assert not in_blocks(A).moments(np.eye(1, N)[0])

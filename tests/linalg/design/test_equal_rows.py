"""Classes of rows against a dictionary of the rows, and the design of their first ones."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.equal_rows import class_means, of_rows, row_classes

RNG = np.random.default_rng(11)
TABLE = RNG.integers(-1, 2, size=(300, 4)) * [1.0, 2.0, -0.5, 1.0]
TABLE[:, 2] += 3.0  # no zeros
BESIDE = np.zeros((1, 300))


def by_dictionary(table, beside):
    seen, label, first = {}, [], []
    for i, row in enumerate(np.column_stack([table, beside]) + 0.0):
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
    beside = np.arange(300) % offsets * 0.25
    label, first = row_classes(Design(kinds(TABLE)[kind]), beside[None], 300)
    expected = by_dictionary(TABLE, beside)
    assert label.tolist() == expected[0] and first.tolist() == expected[1]


def test_two_rows_beside_the_table():
    beside = np.array([np.arange(300) % 2, np.arange(300) % 3]) - 1.0
    label, _ = row_classes(Design(np.zeros((300, 1), order="F")), beside, 300)
    assert label.tolist() == (np.arange(300) % 6).tolist()


def test_the_look_ends_where_there_are_too_many_classes():
    classes = len(by_dictionary(TABLE, BESIDE[0])[1])
    design = Design(np.asfortranarray(TABLE))
    assert len(row_classes(design, BESIDE, classes)[1]) == classes
    assert row_classes(design, BESIDE, classes - 1) is None
    assert row_classes(Design(RNG.normal(size=(300, 4)).T.copy().T), BESIDE, 270) is None


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
    label, first = row_classes(design, BESIDE, 300)
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

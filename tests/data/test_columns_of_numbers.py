"""Columns of a table as numbers: what is learnt of the first table holds for all."""

import numpy as np
import pytest

from sparsesolve.data.columns_of_numbers import encoded, learnt

NAN = np.nan


def category(*labels, order=None):
    return np.array(labels, dtype=object), order


def test_a_gap_stands_for_the_mean_of_the_first_table():
    source = learnt("age", np.array([1.0, NAN, 5.0]), "mean")
    assert source.levels is None and source.fill.tolist() == [3.0]
    later = encoded({"age": np.array([NAN, 100.0])}, [source], "error", "mean", False)
    assert later.ravel().tolist() == [3.0, 100.0]


def test_categories_are_columns_of_their_own_and_two_levels_are_one():
    three = learnt("c", category("b", "a", "c", "b"), "error")
    block = encoded({"c": category("c", "b")}, [three], "error", "mean", False)
    assert three.levels == ["a", "b", "c"] and block.tolist() == [[0, 0, 1], [0, 1, 0]]
    two = learnt("d", category("no", "yes", "no"), "error")
    block = encoded({"d": category("yes", "no")}, [two], "error", "mean", False)
    assert block.tolist() == [[1], [0]]


def test_a_gap_in_a_category_is_the_share_of_each_level():
    source = learnt("c", category("a", "b", "b", "c", None), "mean")
    for as_sparse in (False, True):
        block = encoded({"c": category(None, "a")}, [source], "error", "mean", as_sparse)
        block = block.toarray() if as_sparse else block
        assert block.tolist() == [[0.25, 0.5, 0.25], [1, 0, 0]]


def test_the_order_of_levels_is_the_one_given():
    source = learnt("size", category("l", "s", "l", order=["s", "m", "l"]), "error")
    assert source.levels == ["s", "l"]


def test_unknown_levels_are_refused_or_zero():
    source = learnt("c", category("a", "b", "c"), "error")
    with pytest.raises(ValueError, match="column 'c' holds 'z' at row 1"):
        encoded({"c": category("a", "z")}, [source], "error", "mean", False)
    block = encoded({"c": category("a", "z")}, [source], "zero", "mean", False)
    assert block.tolist() == [[1, 0, 0], [0, 0, 0]]


def test_gaps_are_refused_unless_they_may_be_filled():
    with pytest.raises(ValueError, match="missing in row 1 .*fill it"):
        learnt("age", np.array([1.0, NAN]), "error")
    with pytest.raises(ValueError, match="missing in every row; drop it"):
        learnt("age", np.array([NAN, NAN]), "mean")


def test_a_number_does_not_become_a_category_later():
    source = learnt("age", np.array([1.0, 2.0]), "error")
    with pytest.raises(ValueError, match="holds categories, where it first held numbers"):
        encoded({"age": category("a", "b")}, [source], "error", "mean", False)


def test_labels_that_look_like_an_identifier_warn():
    many = category(*[f"id{k}" for k in range(60)])
    with pytest.warns(UserWarning, match="60 different labels in 60 rows.*an identifier"):
        learnt("id", many, "error")

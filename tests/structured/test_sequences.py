"""How sequences are read: lists and tables alike, each fault told in one sentence."""

import numpy as np
import pytest
from scipy import sparse

from sparsesolve.structured.sequences import (
    known_tags,
    read_allowed,
    read_lengths,
    read_rows,
    read_tags,
)


def test_lists_and_tables_are_read_alike():
    parts = [np.eye(3)[:2], np.ones((4, 3))]
    one = read_rows(parts, None)
    two = read_rows(np.concatenate(parts), [2, 4])
    three = read_rows([sparse.csr_array(part) for part in parts], None)
    for other in (two, three):
        np.testing.assert_array_equal(one.rows.toarray(), other.rows.toarray())
        np.testing.assert_array_equal(one.ptr, other.ptr)
    np.testing.assert_array_equal(one.columns.toarray(), one.rows.toarray().T)


def test_tags_are_numbered_in_sorted_order():
    codes, labels = read_tags(["b", "a", "b"], np.array([0, 1, 3]))
    assert codes.tolist() == [1, 0, 1] and labels.tolist() == ["a", "b"]
    assert known_tags(["a", "a", "b"], np.array([0, 3]), labels).tolist() == [0, 0, 1]


def test_allowed_transitions_are_a_square_mask():
    assert read_allowed(None, 2) is None
    mask = [[True, False], [True, True]]
    assert read_allowed(mask, 2).tolist() == mask


@pytest.mark.parametrize("call, sentence", [
    (lambda: read_lengths([2, 2], 5), "5"),
    (lambda: read_lengths([5, 0], 5), "empty|length"),
    (lambda: read_rows([np.eye(2), np.eye(3)], None), "columns"),
    (lambda: read_rows(np.array([[np.nan]]), None), "nan"),
    (lambda: known_tags(["z"], np.array([0, 1]), np.array(["a"])), "z"),
    (lambda: read_allowed([[True]], 2), "allowed"),
])  # fmt: skip
def test_faults_are_told(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()

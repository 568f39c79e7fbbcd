"""Shares of weights, responses less offsets, and classes that nobody counts for."""

import numpy as np
import pytest

from sparsesolve.data import less_offset, read_shares, refuse_missing_class


def test_shares_sum_to_one_and_tell_what_they_came_from():
    share, (total, largest) = read_shares([1.0, 3.0, 0.0], 3, np.array([2.0, 2.0, 5.0]))
    np.testing.assert_allclose(share, [0.25, 0.75, 0.0])
    assert total * largest == pytest.approx(8.0)
    share, (total, largest) = read_shares(None, 4)
    assert share.tolist() == [0.25] * 4 and total * largest == 4.0


def test_shares_of_weights_whose_sum_is_beyond_floats():
    share, _ = read_shares([1e308, 1e308, 1e308], 3)
    np.testing.assert_allclose(share, 1 / 3)


def test_rows_that_count_nothing():
    with pytest.raises(ValueError, match="rows of positive weight count nothing in y"):
        read_shares([1.0, 0.0], 2, np.array([0.0, 3.0]))


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_a_response_less_its_offset(shape):
    y, offset = np.ones(shape), np.full(shape, 0.25)
    np.testing.assert_array_equal(less_offset(y, offset), np.full(shape, 0.75))
    y[1], offset[1] = 1.7e308, -1.7e308
    with pytest.raises(ValueError, match="beyond the largest float at position 1; rescale y"):
        less_offset(y, offset)


def test_a_class_without_weight():
    indicators = np.eye(3)[[0, 1, 2, 2]]
    refuse_missing_class(indicators, np.full(4, 0.25), None)
    for names, name in ((None, "1"), (np.array(["a", "b", "c"]), "'b'")):
        with pytest.raises(ValueError, match=f"no row of class {name} with a positive weight"):
            refuse_missing_class(indicators, np.array([0.5, 0.0, 0.25, 0.25]), names)

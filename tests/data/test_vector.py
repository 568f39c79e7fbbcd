"""Responses, weights and their shares, offsets, factors, limits and λs: kept, or faults named."""

import numpy as np
import pytest

from sparsesolve.data import (
    less_offset,
    read_lambdas,
    read_limits,
    read_offset,
    read_penalty_factor,
    read_response,
    read_shares,
    read_weights,
    refuse_missing_class,
)

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    "y",
    [
        [1, 2, 3],
        np.array([[1.0], [2], [3]]),
        np.array([3.0, 2, 1])[::-1],
        np.array([1, 2, 3], np.longdouble),
    ],
)
def test_a_response_comes_back_fresh(y):
    response = read_response(y, 3)
    assert response.tolist() == [1, 2, 3] and response.dtype == np.float64
    assert type(response) is np.ndarray and response.flags.c_contiguous
    assert response.flags.writeable
    assert not np.shares_memory(response, y) if isinstance(y, np.ndarray) else True


@pytest.mark.parametrize(
    "y, error, match",
    [
        ([1, 2], ValueError, "y has 2 values but X has 3 rows; give one value per row"),
        ([], ValueError, "y has 0 values but X has 3 rows"),
        (1.0, ValueError, "y is a single number; give one value per row"),
        (["a", "b", "c"], TypeError, "y .*holds text"),
        ([[1, 2, 3]], ValueError, r"y has shape \(1, 3\).*family='multigaussian'"),
        (np.zeros((3, 1, 1)), ValueError, r"y has shape \(3, 1, 1\)"),
        ([1, NAN, INF], ValueError, "y holds nan at position 1"),
        ([1, 2, -INF], ValueError, "y holds -inf at position 2"),
        (np.array(["1e400", "1", "1"]).astype(np.longdouble), ValueError, "too large"),
    ],
)
def test_responses_refused(y, error, match):
    with pytest.raises(error, match=match) as caught:
        read_response(y, 3)
    assert "\n" not in str(caught.value)


def test_none_stays_none():
    assert read_weights(None, 3) is None
    assert read_offset(None, 3) is None
    assert read_penalty_factor(None, 3) is None
    assert read_lambdas(None) is None
    assert read_limits(None, None, 3) is None
    assert read_limits(-INF, [INF] * 3, 3) is None


def test_vectors_accepted():
    assert read_weights([0, 1, 1e308], 3).tolist() == [0, 1, 1e308]
    assert read_weights(np.array([True, False]), 2).tolist() == [1, 0]
    assert read_offset([-1, 0, 2], 3).tolist() == [-1, 0, 2]
    assert read_penalty_factor([0, 1, INF], 3).tolist() == [0, 1, INF]
    assert read_penalty_factor([INF, INF], 2).tolist() == [INF, INF]
    assert read_penalty_factor([0, 0], 2).tolist() == [0, 0]
    low, high = read_limits(0, [1, 2, INF], 3)
    assert low.tolist() == [0, 0, 0] and high.tolist() == [1, 2, INF]
    low, high = read_limits(-1.5, None, 2)
    assert low.tolist() == [-1.5, -1.5] and high.tolist() == [INF, INF]


@pytest.mark.parametrize(
    "call, match",
    [
        (lambda: read_weights([1, -2, 1], 3), "holds -2.0 at position 1.*at least 0"),
        (lambda: read_weights([1, NAN], 2), "weights holds nan at position 1"),
        (lambda: read_weights([INF, 1], 2), "weights holds inf at position 0"),
        (lambda: read_weights([0, 0], 2), "weights are all zero; at least one row"),
        (lambda: read_weights(1.0, 2), "weights is a single number"),
        (lambda: read_offset([INF, 1], 2), "offset holds inf at position 0"),
        (lambda: read_offset(np.ones((2, 2)), 2), r"offset has shape \(2, 2\)"),
        (lambda: read_penalty_factor([1, NAN], 2), "penalty_factor holds nan at"),
        (lambda: read_penalty_factor([-1, 0], 2), "penalty_factor holds -1.0.*0 for no"),
        (lambda: read_penalty_factor([1], 2), "1 values but X has 2 columns"),
        (lambda: read_limits(0.5, None, 2), "lower holds 0.5 at position 0.*at most 0"),
        (lambda: read_limits(None, [1, -1], 2), "upper holds -1.0 at position 1"),
        (lambda: read_lambdas([]), "lambdas is empty; give at least one"),
        (lambda: read_lambdas([1, -0.1]), "lambdas holds -0.1 at position 1.*at least 0"),
        (lambda: read_lambdas([NAN]), "lambdas holds nan at position 0"),
        (lambda: read_lambdas(INF), "lambdas holds inf"),
        (lambda: read_lambdas([[1, 2]]), r"lambdas has shape \(1, 2\); give a one-dim"),
    ],
)
def test_vectors_refused(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_lambdas_are_sorted_without_duplicates():
    given_lambdas = np.array([0.1, 3, 0.1, -0.0, 1])
    read = read_lambdas(given_lambdas)
    assert read.tolist() == [3, 1, 0.1, 0] and not np.signbit(read).any()
    assert given_lambdas.tolist() == [0.1, 3, 0.1, 0, 1]
    assert read.flags.c_contiguous and read.flags.writeable
    assert read_lambdas(0.5).tolist() == [0.5]


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

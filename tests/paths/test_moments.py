"""X'X and X'y in units of size 1, by powers of two, and the way back."""

import numpy as np
import pytest

from sparsesolve.paths.lars import read_moments

X = np.array([[1.0, 2], [3, 4], [5, 7]])
Y = np.array([1.0, 2, 4])
GRAM, XTY = X.T @ X, X.T @ Y


@pytest.mark.parametrize("power", [0, 7, -150])
def test_columns_and_response_have_size_one(power):
    data, problem, *_ = read_moments(np.ldexp(GRAM, power), XTY, 3, None, None, False)
    assert 0.25 <= data.squares.max() < 1.0 and 0.25 <= data.response_square < 1.0
    _, [b, *_], _ = problem.to_user(np.arange(2), np.ones(2), 0.0)
    # lam and b in the user's units make the same |b'X'y| and lam |b|
    assert b * XTY[0] / 3 == pytest.approx(data.cross[0] * 2.0 ** (2 * problem.exponent))
    assert problem.inner_lambda(1.0) * 2.0**problem.unit == pytest.approx(1.0)


def test_without_the_square_of_y_one_column_bounds_it():
    known = read_moments(GRAM, XTY, 3, Y @ Y, None, False)[1]
    bound = read_moments(GRAM, XTY, 3, None, None, False)[1]
    size = [q.null_value * 4.0**q.exponent for q in (known, bound)]
    assert size[0] == pytest.approx(Y @ Y / 6) and size[1] <= size[0]


def test_excluded_columns_and_signs_become_limits():
    penalty = read_moments(GRAM, XTY, 3, None, [1.0, np.inf], True)[1].penalty
    assert np.asarray(penalty.lower).tolist() == [0.0, 0.0]
    assert np.asarray(penalty.upper).tolist() == [np.inf, 0.0]


def test_sizes_beyond_floats_are_refused():
    with pytest.raises(ValueError, match="rescale"):
        read_moments(np.array([[1e-300]]), np.array([1e-300]), 1, 1e300, None, False)

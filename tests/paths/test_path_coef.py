"""Coefficients at any lambda, on lassos whose solution is known in closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from soft_paths import TRUE, X, fit, soft, soft_path, y


def test_coef_between_lambdas_is_linear_and_held_at_the_ends():
    assert_allclose(fit.coef(2.5), [0.5, 0, 0])
    assert_allclose(fit.coef(1.25), soft(1.25))
    assert_array_equal(fit.coef(50.0), 0.0)
    assert_array_equal(fit.coef(0.0), fit.coef(1.0))


def test_coef_at_a_lambda_of_the_path_is_the_solution_itself():
    odd = soft_path(X, y, lambdas=[2.9, 1.7, 0.3, 0.1])
    for k, lam in enumerate(odd.lambdas):
        assert_array_equal(odd.coef(lam), odd.coefs.toarray()[:, k])
    assert_array_equal(odd.coef(odd.lambdas), odd.coefs.toarray())


def test_shapes_of_coef_and_intercept():
    assert fit.coef(1.5).shape == (3,)
    assert fit.coef([1.5]).shape == (3, 1)
    assert fit.coef([1.0, 2.5, 2.5, 9.0]).shape == (3, 4)
    assert fit.coef(np.array([])).shape == (3, 0)
    assert fit.coef() is fit.coefs
    assert fit.intercept() is fit.intercepts
    assert isinstance(fit.intercept(1.5), float)
    assert_allclose(fit.intercept([1.5, 9.0]), 10.0)


def test_s_of_one_lambda_is_held_everywhere():
    one = soft_path(X, y, lambdas=[1.0])
    assert_array_equal(one.coef([0.0, 1.0, 5.0]), soft(1.0)[:, None].repeat(3, axis=1))


def test_lambda_zero_is_a_lambda_like_others():
    path = soft_path(X, y, lambdas=[1.0, 0.0])
    assert_allclose(path.coef([0.0, 0.5]), np.stack([TRUE, (TRUE + soft(1.0)) / 2], axis=1))


def test_nonzero_interpolates_too():
    assert_array_equal(fit.nonzero(2.5), [0])
    assert_array_equal(fit.nonzero(1.5), [0, 1])
    assert_array_equal(fit.nonzero(3.0), [])
    assert [found.tolist() for found in fit.nonzero()] == [[], [0], [0, 1]]
    assert [found.tolist() for found in fit.nonzero([1.0, 3.5])] == [[0, 1], []]


@pytest.mark.parametrize(
    "s, error, words",
    [
        (-1.0, ValueError, "at least 0"),
        (np.nan, ValueError, "nan at position 0"),
        ([1.0, np.nan], ValueError, "position 1"),
        ("lambda_1se", TypeError, "as numbers"),
        ([[1.0]], ValueError, "shape"),
        ([1.0, [2.0]], TypeError, "as numbers"),
    ],
)
@pytest.mark.parametrize("ask", [fit.coef, fit.intercept, fit.nonzero])
def test_a_bad_s_is_refused(ask, s, error, words):
    with pytest.raises(error, match=words):
        ask(s)

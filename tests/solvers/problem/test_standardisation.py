"""Standardisation: the way into units where arithmetic is safe."""

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design

from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.problem.standardisation import assemble, scaled_response

N, P = 30, 4
W = np.arange(1.0, N + 1) / (N * (N + 1) / 2)


def columns(seed=0):
    return np.asfortranarray(np.random.default_rng(seed).standard_normal((N, P)) + 2.0)


def problem(X, y, *, intercept=True, standardize=True):
    design = Design(np.asfortranarray(X))
    assert design.moments(W)
    return assemble(design, W, lambda *units: ElasticNet(P), y=y, intercept=intercept,
                    standardize=standardize)


def test_standardised_columns_and_response():
    X = columns()
    y = X[:, 0] * 7e4 + 1e6
    inner = problem(X, y)
    Z = inner.design.unpacked(np.arange(P, dtype=np.intc))
    assert W @ Z == pytest.approx(np.zeros(P), abs=1e-14)
    assert W @ Z**2 == pytest.approx(np.ones(P))
    assert inner.norms == pytest.approx(np.ones(P))
    assert W @ inner.response == pytest.approx(0.0, abs=1e-15)
    assert 0.5 <= np.sqrt(W @ inner.response**2) < 1.0
    assert inner.null_value == pytest.approx(0.5 * W @ inner.response**2)
    assert np.ldexp(inner.response + inner.mean, inner.exponent) == pytest.approx(y)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("standardize", [True, False])
def test_a_constant_column_takes_part_where_nothing_is_taken_off_it(intercept, standardize):
    X = columns()
    X[:, 1], X[:, 2] = 3.0, 0.0
    inner = problem(X, X[:, 0], intercept=intercept, standardize=standardize)
    alive = np.asarray(inner.design.spread) > 0
    whole = not (intercept or standardize)
    assert alive.tolist() == [True, whole, False, True]
    assert (inner.factor > 0).tolist() == alive.tolist()
    assert not whole or inner.norms[1] * 2.0**inner.unit == 3.0 * 2.0**inner.exponent


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_columns_that_are_not_standardised_are_all_divided_by_one_power_of_two(size):
    X = columns() * [1.0, 30.0, 0.2, 5.0] * size
    inner = problem(X, X[:, 0], standardize=False)
    Z = inner.design.unpacked(np.arange(P, dtype=np.intc))
    power = inner.exponent - inner.unit
    assert np.ldexp(X - W @ X, power) == pytest.approx(Z, abs=1e-12)
    assert 0.5 <= inner.norms.max() <= 1.0


@pytest.mark.parametrize("value", [0.0, 0.1, -1e300, 5e-324])
def test_a_constant_response_is_nothing_to_explain(value):
    response, mean, exponent = scaled_response(np.full(N, value), W, True)
    assert not response.any() and np.ldexp(mean, exponent) == pytest.approx(value, rel=1e-15)


def test_a_response_of_any_size_is_brought_to_one():
    y = np.sin(np.arange(N))
    for power in (-1070, -300, 0, 300, 1020):
        response, mean, exponent = scaled_response(np.ldexp(np.round(y * 8), power), W, True)
        same, mean0, exponent0 = scaled_response(np.round(y * 8), W, True)
        assert np.array_equal(response, same) and mean == mean0
        assert exponent - exponent0 == power

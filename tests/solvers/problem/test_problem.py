"""Problem: the way into units where arithmetic is safe, and back."""

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design

from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.problem.standardisation import assemble, scaled_response

N, P = 30, 4
W = np.arange(1.0, N + 1) / (N * (N + 1) / 2)


def columns(seed=0):
    return np.asfortranarray(np.random.default_rng(seed).standard_normal((N, P)) + 2.0)


def problem(X, y, *, intercept=True, standardize=True, limits=None):
    design = Design(np.asfortranarray(X))
    assert design.moments(W)
    return assemble(design, W, lambda *units: ElasticNet(P), y=y, intercept=intercept,
                    standardize=standardize, limits=limits)


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


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("size", [1.0, 1e300, 1e-300])
@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-250])
def test_inner_and_user_coefficients_make_the_same_fit(intercept, standardize, size, scale):
    X = columns()
    y = X @ [1.0, -2, 0, 0.5] + 3
    inner = problem(X * scale, y * size, intercept=intercept, standardize=standardize)
    b = np.array([0.5, -0.25, 1.0, 0.125])
    try:
        which, coefs, b0 = inner.to_user(np.arange(P, dtype=np.intc), b, 0.0)
    except ValueError:
        assert not 1e-300 < size / scale < 1e300  # and no float could have held them
        return
    Z = inner.design.unpacked(np.arange(P, dtype=np.intc))
    fit = (X * scale) @ (coefs / size) + b0 / size
    inside = np.ldexp(Z @ b + inner.mean, inner.exponent) / size
    assert fit == pytest.approx(inside, rel=1e-12)
    assert intercept or b0 == 0.0


def test_levels_go_back_and_forth_exactly():
    X = columns()
    inner = problem(X * 1e100, X[:, 0] * 1e-50, standardize=False)
    levels = np.geomspace(3.0, 1e-6, 20)
    lambdas = inner.user_lambdas(levels)
    assert [inner.inner_lambda(lam) for lam in lambdas] == levels.tolist()
    assert inner.inner_lambda(0.0) == 0.0
    assert np.isfinite(inner.inner_lambda(np.finfo(float).max))


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_levels_beyond_floats_are_refused(size):
    X = columns()
    inner = problem(X * size, X[:, 0] * size, standardize=False)
    with pytest.raises(ValueError, match=r"start at about 1e-?(599|600|601).* rescale X or y"):
        inner.user_lambdas(np.geomspace(1.0, 0.1, 5))


@pytest.mark.parametrize("size, power", [(1e300, "1e600"), (1e-300, "1e-600")])
def test_coefficients_beyond_floats_are_refused(size, power):
    X = columns()
    inner = problem(X / size, X[:, 0] * size)
    which = np.arange(P, dtype=np.intc)
    with pytest.raises(ValueError, match=f"column 2 would be about {power}, .*rescale X or y"):
        inner.to_user(which, np.array([0.0, 0.0, 1.0, 0.0]), 0.0)
    which, coefs, _ = inner.to_user(which, np.zeros(P), 0.0)
    assert len(which) == len(coefs) == 0


def test_what_rounds_to_zero_and_matters_to_nobody_is_left_out():
    X = columns()
    inner = problem(X, X[:, 0] * 1e-305)
    b = np.array([1.0, 1e-30, 0, 0.5])
    which, coefs, _ = inner.to_user(np.arange(P, dtype=np.intc), b, 0.0)
    assert which.tolist() == [0, 3] and (coefs != 0).all()


def test_limits_hold_to_the_last_bit():
    X = columns() * 7.3
    limits = np.full(P, -0.7 / 7.3), np.full(P, 0.1)
    inner = problem(X, X[:, 0], limits=limits)
    _, coefs, _ = inner.to_user(np.arange(P, dtype=np.intc), np.array([1e3, -1e3, 1e3, -1e3]), 0.0)
    assert coefs.tolist() == [0.1, -0.7 / 7.3, 0.1, -0.7 / 7.3]


def test_a_null_deviance_beyond_floats_is_infinite_in_silence():
    X = columns()
    inner = problem(X, X[:, 0] * 1e300)
    assert inner.null_deviance(20.0, 1.0) == np.inf
    assert problem(X, np.zeros(N)).null_deviance(20.0, 1e308) == 0.0
    assert problem(X, X[:, 0] * 1e-300).null_deviance(20.0, 1e308) < 1e-280


@pytest.mark.parametrize("standardize", [True, False])
def test_many_solutions_go_back_as_one_by_one(standardize):
    inner = problem(columns(), columns()[:, 0] + 3, standardize=standardize)
    which = np.array([1, 0, 3, 2], dtype=np.int32)
    B = np.array([[0.0, 0.5, 0.0, -1.0], [0.0, 0.0, 0.0, 0.0], [2.0, 0.0, -3.0, 1.0]])
    unit, intercepts = inner.many_to_user(which, B)
    for k in range(3):
        kept = B[k] != 0.0
        _, b, b0 = inner.to_user(which[kept], B[k, kept], 0.0)
        assert (B[k] * unit)[kept] == pytest.approx(b) and intercepts[k] == pytest.approx(b0)
    limits = np.full(P, -np.inf), np.full(P, 1.0)
    limited = problem(columns(), columns()[:, 0], limits=limits)
    assert limited.many_to_user(which, B) is None

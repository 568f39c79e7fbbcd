"""Sums and products with what their rounding leaves, and threads that come back late."""

from fractions import Fraction

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.kernels.pass_threads import members

import sparsesolve as ss
from sparsesolve.linalg.kernels import error_free

RNG = np.random.default_rng(0)


def exact(values):
    return [Fraction(v) for v in np.asarray(values, dtype=float).tolist()]


def test_rests_are_exact():
    x, y = RNG.standard_normal((2, 50)) * 10.0 ** RNG.integers(-8, 9, size=(2, 50))
    product, total = x * y, x + y
    rests = error_free.rest_of_product(x, y, product), error_free.rest_of_sum(x, y, total)
    parts = map(exact, (x, y, product, total, *rests))
    for a, b, p, t, p_rest, t_rest in zip(*parts, strict=True):
        assert a * b == p + p_rest and a + b == t + t_rest


def test_inner_products_are_rounded_once():
    x = RNG.standard_normal(20) * 1e9
    y = np.append(RNG.standard_normal(10), 0)
    y = np.concatenate([y[:10], -y[:10] + 1e-9])
    x[10:] = x[:10]
    whole = sum(a * b for a, b in zip(exact(x), exact(y), strict=True)) + Fraction(0.1)
    assert error_free.dot(x, y, 0.1) == float(whole)


def test_numbers_whose_halves_overflow_or_vanish():
    x, y = np.array([-3.8e-149, -3.5e-315, 0.0, 3.3]), np.array([-6.9e151, -6.9e301, 1e308, 0.0])
    with np.errstate(over="raise", invalid="raise"):
        found = error_free.dot(x, y, 0.1)
    whole = sum(a * b for a, b in zip(exact(x), exact(y), strict=True)) + Fraction(0.1)
    assert found == float(whole)


@pytest.mark.parametrize("mean", [1e4, 1e6, 1e10])
def test_a_design_knows_what_its_means_lack(mean):
    X = np.asfortranarray(RNG.standard_normal((20, 3)) + [mean, 0.0, -mean])
    design, which = Design(X), np.arange(3, dtype=np.intc)
    assert design.moments(np.full(20, 1 / 20))
    for column, centre, rest in zip(X.T, design.mean, design.rest_of_mean(which), strict=True):
        off = sum(exact(column)) / 20 - Fraction(float(centre)) - Fraction(float(rest))
        assert abs(off) < 1e-11


@pytest.mark.parametrize("options", [{}, {"lower": -10.0}, {"family": "multigaussian"}])
def test_intercepts_of_columns_far_from_0_are_rounded_once(options):
    """Columns that differ by 1e-7 are at 1e8: of the residual no mean is left but that."""
    X = RNG.standard_normal((30, 4)) + 1e8
    X[:, 1] = X[:, 0] + np.round(RNG.standard_normal(30), 1) * 1e-6
    y = RNG.standard_normal((30, 2)) if "family" in options else RNG.standard_normal(30)
    factors = [0.0, 0.0, 1.0, 1.0] if "lower" not in options else np.ones(4)
    fit = ss.path(X, y, lambdas=[0.1], penalty_factor=factors, **options)
    coefs = fit.coefs if "family" in options else [fit.coefs]
    for b, b0, values in zip(coefs, np.ravel(fit.intercepts), np.atleast_2d(y.T), strict=True):
        b = exact(b.toarray()[:, 0])
        rest = [v - Fraction(float(b0)) - sum(c * x for c, x in zip(b, exact(row), strict=True))
                for v, row in zip(exact(values), X, strict=True)]  # fmt: skip
        assert abs(sum(rest)) / 30 <= 2.0**-52 * abs(b0) + 1e-8


# Threads that come back late are let alone for a while, and called again

QUICK, LATE = 1e-4, 5e-3  # seconds of a pass


def test_punctual_threads_share_every_pass():
    assert members(4, [QUICK] * 1000) == [4] * 1000


def test_one_thread_is_never_waited_for():
    assert members(1, [LATE] * 100) == [1] * 100


def test_after_late_threads_passes_are_made_alone_twice_as_many_each_time():
    found = members(3, [LATE] * 2000)
    shared = np.flatnonzero(np.equal(found, 3))
    assert list(np.diff(shared)) == [65, 129, 257, 513, 1025]
    assert set(found) == {1, 3}


def test_a_late_pass_among_many_costs_as_much_as_the_first():
    seconds = [QUICK] * 4000
    for late in (0, 1000, 2000):
        seconds[late] = LATE
    found = np.array(members(2, seconds))
    assert np.count_nonzero(found == 1) == 3 * 64


def test_passes_over_more_values_may_take_longer():
    assert members(2, [LATE] * 100, values=1e7) == [2] * 100
    assert members(2, [40 * LATE] * 3, values=1e7) == [2, 1, 1]


def test_some_passes_are_shared_again_however_late_the_threads_have_been():
    seconds = [LATE] * 100_000 + [QUICK] * 100_000
    found = np.array(members(2, seconds))
    assert np.count_nonzero(found[:100_000] == 2) <= 12
    assert np.count_nonzero(found[100_000:] == 2) >= 30_000

"""Penalty factors of the adaptive lasso."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.selection import adaptive_factors

RNG = np.random.default_rng(71)
X = RNG.standard_normal((90, 7)) * np.resize([1.0, 5.0], 7)
Y = X[:, 0] - 0.5 * X[:, 1] + RNG.standard_normal(90)
W = RNG.uniform(0.2, 2.0, 90)
START = np.array([2.0, -0.5, 0.1, 0.0, 0.05, 0.01, 0.02])


def proportional(found, expected):
    finite = np.isfinite(expected)
    assert np.array_equal(np.isfinite(found), finite)
    ratio = found[finite] / expected[finite]
    assert ratio == pytest.approx(ratio[0])


def test_factors_are_powers_of_a_first_fit():
    spread = np.sqrt(np.average((X - np.average(X, axis=0, weights=W)) ** 2, axis=0, weights=W))
    with np.errstate(divide="ignore"):
        expected = 1 / abs(START * spread) ** 0.5
        proportional(adaptive_factors(X, Y, coefs=START, power=0.5, weights=W), expected)
        plain = adaptive_factors(X, Y, coefs=START, standardize=False)
        proportional(plain, 1 / abs(START))
        several = adaptive_factors(X, Y, coefs=[START, 2 * START], standardize=False)
        proportional(several, 1 / abs(START))


def test_the_first_fit_is_ridge_by_cross_validation():
    ids = np.resize([0, 1, 2], 90)
    far = {"alpha": 0.0, "lambda_min_ratio": 1e-6}  # to a thousandth of the lasso's first lambda
    ridge = ss.cv_path(X, Y, folds=ids, **far).coef("lambda_min")
    found = adaptive_factors(X, Y, folds=ids)
    proportional(found, 1 / abs(ridge * X.std(axis=0)))
    yes = Y + RNG.logistic(size=90) > 0
    assert adaptive_factors(X, yes, family="binomial", folds=ids).argmin() in (0, 1)


def test_scales_of_columns_do_not_matter():
    scale = np.array([1e-3, 1.0, 50.0, 1.0, 1.0, 2.0, 1.0])
    first = adaptive_factors(X, Y, seed=0)
    assert adaptive_factors(X * scale, Y, seed=0) == pytest.approx(first, rel=1e-4)


def test_noise_is_left_out_sooner():
    factors = adaptive_factors(X, Y, seed=0)
    plain, adaptive = ss.path(X, Y), ss.path(X, Y, penalty_factor=factors)
    assert set(adaptive.nonzero(0.1)) == {0, 1} < set(plain.nonzero(0.1)) or (
        len(adaptive.nonzero(0.02)) < len(plain.nonzero(0.02)))  # fmt: skip
    assert abs(adaptive.coef(0.1)[0]) > abs(plain.coef(0.1)[0])  # and signal shrinks less


@pytest.mark.parametrize("given, words", [
    ({"power": 0.0}, "power must be greater than 0"),
    ({"coefs": START[:3]}, "coefs must hold 7 finite numbers"),
    ({"coefs": np.zeros(7)}, "no feature would be left"),
    ({"alpha": 0.5}, "alpha is not for the first fit"),
    ({"coefs": START, "seed": 0}, "seed is for a first fit, which coefs stand for; leave one out"),
])  # fmt: skip
def test_bad_input_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        adaptive_factors(X, Y, **given)


@pytest.mark.parametrize("standardize", [True, False])
def test_given_coefficients_do_not_hide_other_faults(standardize):
    options = {"coefs": START, "standardize": standardize}
    hole = X.copy()
    hole[3, 2] = np.nan
    with pytest.raises(ValueError, match="X holds nan at row 3, column 2"):
        adaptive_factors(hole, Y, **options)
    with pytest.raises(TypeError, match="adaptive_factors.. has no argument 'foo'"):
        adaptive_factors(X, Y, foo=1, **options)
    with pytest.raises(TypeError, match="standardize must be True or False"):
        adaptive_factors(X, Y, coefs=START, standardize="no")


def test_coefficients_that_are_no_numbers_are_refused():
    with pytest.raises(TypeError, match="^coefs .* holds text"):
        adaptive_factors(X, Y, coefs=["large"] * 7)


def test_trials_count_as_rows_do():
    rng = np.random.default_rng(3)
    X, counts = rng.normal(size=(30, 4)), rng.integers(1, 9, size=(30, 2))
    rows = np.repeat(np.arange(30), counts.sum(axis=1))
    y = np.concatenate([np.repeat([0, 1], pair) for pair in counts])
    one = adaptive_factors(X, counts, family="binomial", coefs=np.ones(4))
    each = adaptive_factors(X[rows], y, family="binomial", coefs=np.ones(4))
    np.testing.assert_allclose(one, each, rtol=1e-12)


def test_the_first_fit_may_be_a_ridge_of_little_weight():
    """Of strong signals the best ridge lies below where a path of ridge ends by itself."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((60, 100))
    y = x[:, :5] @ np.full(5, 3.0) + 0.1 * rng.standard_normal(60)
    ids = np.arange(60) % 5
    end = 10 * ss.path(x, y, n_lambdas=2).lambdas[0]
    grid = np.geomspace(end * 100, end * 1e-4, 100)
    best = ss.cv_path(x, y, alpha=0.0, lambdas=grid, folds=ids)
    assert best.lambda_min < end / 10
    near, far = (adaptive_factors(x, y, folds=ids, **options)
                 for options in ({}, {"lambda_min_ratio": 1e-2}))  # fmt: skip
    wanted = np.log(adaptive_factors(x, y, coefs=best.coef("lambda_min")))
    alike = [np.corrcoef(np.log(factors), wanted)[0, 1] for factors in (near, far)]
    assert alike[0] > alike[1]

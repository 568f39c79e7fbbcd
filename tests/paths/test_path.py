"""path(): what is kept, where it ends, and what is said of numbers that floats cannot hold."""

import pickle
import warnings

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(6)
X = RNG.standard_normal((40, 8))
Y = X @ [2.0, -1, 0, 0, 1, 0, 0, 0] + RNG.standard_normal(40)


def test_a_path_keeps_the_options_as_they_were():
    weights, factors, limits = np.ones(40), list(range(8)), np.full(8, 3.0)
    fit = ss.path(X, Y, weights=weights, penalty_factor=factors, upper=limits, dfmax=5, tol=1e-9)
    weights[:], limits[:], factors[3] = 0.0, -1.0, -5
    kept = fit.options
    assert kept["weights"].tolist() == [1.0] * 40 and kept["upper"].tolist() == [3.0] * 8
    assert list(kept["penalty_factor"]) == list(range(8))
    assert kept["dfmax"] == 5 and kept["tol"] == 1e-9 and kept["lambdas"] is None
    assert {"X", "y"}.isdisjoint(kept)
    again = ss.path(X, Y, **kept)
    assert np.array_equal(fit.coefs.toarray(), again.coefs.toarray())
    exact = fit.coef(0.3, exact=True, X=X, y=Y)
    assert exact == pytest.approx(fit.coef(0.3), abs=0.05)


def test_a_path_with_a_callable_can_be_pickled():
    fit = ss.path(X, Y, stop=lambda point: point.df > 3)
    assert fit.df[-1] > 3 and fit.options["stop"] is None
    assert np.array_equal(pickle.loads(pickle.dumps(fit)).coefs.toarray(), fit.coefs.toarray())


def test_a_callable_sees_the_users_units():
    seen = []
    fit = ss.path(100 * X, 1e-3 * Y, stop=seen.append)
    last = seen[-1]
    assert last.values == pytest.approx(fit.coefs.data[fit.coefs.indptr[-2]:], rel=0)
    assert last.intercept == fit.intercepts[-1] and last.lam == fit.lambdas[-1]


@pytest.mark.parametrize("given, words", [
    (dict(X=X * 1e-300, y=Y * 1e300), "coefficient of column . would be about 1e(599|600)"),
    (dict(X=X * 1e300, y=Y * 1e-300), "coefficient of column . would be about 1e-60"),
    (dict(X=X * 1e300, y=Y * 1e300, standardize=False), "start at about 1e600"),
    (dict(X=X * 1e-300, y=Y * 1e-300, standardize=False), "start at about 1e-600"),
    (dict(X=X * 1e-300, y=Y * 1e300, standardize=False, alpha=0.5), "differ too much in size"),
    (dict(X=X, y=np.sign(Y) * 1e308, offset=-np.sign(Y) * 1e308), "y less offset is beyond"),
])  # fmt: skip
def test_numbers_beyond_floats_are_refused_in_a_sentence(given, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=words) as caught:
            ss.path(**given)
    assert str(caught.value).endswith(("rescale X or y", "rescale y"))


@pytest.mark.parametrize("given", [
    dict(y=Y * 1e300), dict(y=Y * 1e-300), dict(weights=np.full(40, 1e308)),
    dict(y=Y * 1e300, weights=np.full(40, 1e308)), dict(offset=Y * 1e300),
    dict(y=np.round(Y * 1e9) * 5e-324), dict(upper=1e300), dict(lambdas=[1e308, 1.0]),
])  # fmt: skip
def test_what_overflows_on_the_way_does_so_in_silence(given):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ss.path(**{"X": X, "y": Y, "n_lambdas": 5, **given})
    assert fit.null_deviance >= 0 and not np.any(fit.status)


def test_a_null_model_that_fits_is_the_whole_path():
    fit = ss.path(X, X[:, 0] - X[:, 3], penalty_factor=[0, 1, 1, 0, 1, 1, 1, 1])
    assert len(fit.lambdas) == 1 and fit.df.tolist() == [2]
    assert fit.dev_ratio == pytest.approx([1.0]) and fit.gaps[0] <= 1e-7


def test_limits_are_kept_to_the_last_bit():
    lower, upper = -0.3 / 7.3, 0.1
    fit = ss.path(X * 7.3, Y, lower=lower, upper=upper, stop=None)
    values = fit.coefs.data
    assert values.min() == lower and values.max() == upper


def test_more_features_than_pmax_at_the_first_lambda_leave_an_empty_path():
    fit = ss.path(X, Y, lambdas=[0.01], pmax=2)
    assert len(fit.lambdas) == 0 and "pmax = 2" in fit.stop_reason
    assert fit.coefs.shape == (8, 0) and fit.intercepts.shape == (0,)
    assert isinstance(str(fit), str)


def test_the_warning_points_at_the_caller():
    with pytest.warns(ss.ConvergenceWarning, match="1 of 1 lambdas miss tol") as caught:
        ss.path(X, Y, lambdas=[0.1], max_iter=0)
    assert [w.filename for w in caught] == [__file__]

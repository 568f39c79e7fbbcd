"""lars_path where columns without a penalty all but depend on one another: no certificate lies."""

import warnings

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.paths import lars_path_gram

METHODS = ("lasso", "lar")


def explained(X, y, coef, intercept):
    r = y.astype(np.longdouble) - intercept - X.astype(np.longdouble) @ coef
    return float(1.0 - (r @ r) / ((y - y.mean()) @ (y - y.mean())))


def centred_products(X, y):
    X, y = X - X.mean(axis=0), y - y.mean()
    return X.T @ X, X.T @ y


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("apart", [1e-5, 1e-6, 1e-7, 1e-8])
def test_what_a_small_difference_explains_is_explained(apart, method):
    a, z = np.random.default_rng(1).normal(size=(2, 60))
    X = np.c_[a, a + apart * z]
    fit = ss.lars_path(X, z, penalty_factor=[0, 0], method=method)
    assert fit.gaps.max() <= 1e-7
    assert explained(X, z, fit.coefs.toarray()[:, -1], fit.intercepts[-1]) > 1 - 1e-6


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("apart", [1e-7, 1e-8, 1e-9])
def test_inner_products_that_do_not_tell_columns_apart_give_no_certificate(apart, method):
    a, z = np.random.default_rng(1).normal(size=(2, 60))
    gram, cross = centred_products(np.c_[a, a + apart * z], z)
    with pytest.warns(ss.ConvergenceWarning, match="do not tell column 1"):
        fit = lars_path_gram(gram, cross, 60, penalty_factor=[0, 0], method=method)
    assert fit.gaps[-1] == np.inf and fit.status[-1] != 0


@pytest.mark.parametrize("copies", [2, 3])
def test_columns_that_are_the_same_are_no_matter(copies):
    X = np.random.default_rng(2).normal(size=(40, 4))
    y = X[:, 0] + np.random.default_rng(3).normal(size=40)
    wide = np.c_[X, np.repeat(X[:, :1], copies - 1, axis=1)]
    factors = np.r_[0.0, np.ones(3), np.zeros(copies - 1)]
    fit = ss.lars_path(wide, y, penalty_factor=factors)
    products = lars_path_gram(*centred_products(wide, y), 40, penalty_factor=factors)
    assert fit.gaps.max() <= 1e-12 and products.gaps.max() <= 1e-12


def test_times_in_seconds_and_their_squares():
    """Unix times of one hour: the lasso beside them is that beside a basis of the same span."""
    rng = np.random.default_rng(1)
    t = 1.7e9 + np.linspace(0, 3600, 120)
    u = (t - t.mean()) / t.std()
    rest = rng.normal(size=(120, 3))
    y = u - 1.5 * u**2 + 0.5 * rest[:, 0] + 0.2 * rng.normal(size=120)
    factors, last = [0, 0, 1, 1, 1], 0.02
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ss.lars_path(np.c_[t, t**2, rest], y, penalty_factor=factors, lambda_min=last)
    scaled = ss.lars_path(np.c_[u, u**2, rest], y, penalty_factor=factors, lambda_min=last)
    assert fit.dev_ratio[-1] == pytest.approx(scaled.dev_ratio[-1], abs=1e-6)
    assert fit.coef(last)[2:] == pytest.approx(scaled.coef(last)[2:], abs=1e-5)


@pytest.mark.parametrize("fit", [ss.lars_path, ss.path])
def test_hundreds_of_columns_without_a_penalty(fit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 260))
    X[:, 200] = X[:, 3] + 1e-7 * rng.normal(size=400)
    apart = 1e7 * (X[:, 200] - X[:, 3])
    y = apart + rng.normal(size=400)
    factors = np.r_[np.zeros(258), 1.0, 1.0]
    end = {"lambda_min": 10.0} if fit is ss.lars_path else {"lambdas": [10.0]}
    found = fit(X, y, penalty_factor=factors, **end)
    design = np.c_[np.ones(400), X[:, :200], apart, X[:, 201:258]]
    r = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    least = 1.0 - (r @ r) / ((y - y.mean()) @ (y - y.mean()))
    assert found.gaps.max() <= 1e-7 and found.dev_ratio[0] == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("solve", [
    lambda X, y: ss.path(X, y, lambdas=[1e-5]),
    lambda X, y: ss.lars_path(X, y, lambda_min=1e-6),
    lambda X, y: ss.omp_path(X, y, n_nonzero=1),
    lambda X, y: ss.paths.hard_threshold_path(X, y, n_nonzero=1),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
def test_the_last_digit_of_an_intercept_counts(solve):
    """y near 1.7e9 of spread 1e-4: no gap is below what the float of the intercept costs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = 1.7e9 + 1e-4 * (X[:, 0] + rng.normal(size=200))
    fit = solve(X, y)
    far = y.astype(np.longdouble) - np.longdouble(1.7e9)
    null = ((far - far.mean()) ** 2).mean()
    for k, b in enumerate(fit.coefs.toarray().T):
        left = (far - X.astype(np.longdouble) @ b).mean()
        off = left - (np.longdouble(fit.intercepts[k]) - np.longdouble(1.7e9))
        assert fit.gaps[k] >= float(off * off / null)
    assert fit.gaps[-1] > 1e-6


@pytest.mark.parametrize("apart", [1e-6, 1e-8, 1e-9, 1e-10, 1e-11])
@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
def test_at_lambda_0_a_penalised_column_that_was_refused_counts(apart):
    """Least squares on both columns, which their inner products do not tell apart."""
    rng = np.random.default_rng(152)
    a, z, e = rng.normal(size=(3, 30))
    for part in (1e-3, 1.0):
        y, pair = 2.0 * a + part * z + 0.3 * e, np.c_[a, a + apart * z]
        fit = ss.lars_path(pair, y)
        design = np.c_[np.ones(30), a, (pair[:, 1] - a) / apart]
        best = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        r = y - fit.intercepts[-1] - pair @ fit.coefs.toarray()[:, -1]
        excess = (r @ r - best @ best) / ((y - y.mean()) @ (y - y.mean()))
        assert fit.gaps[-1] >= 0.999 * excess - 1e-9


def test_a_loaded_path_of_knots_is_one(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 5))
    fit = ss.lars_path(X, X[:, 0] + np.random.default_rng(1).normal(size=30), lambda_min=0.3)
    ss.save(fit, tmp_path / "knots.npz")
    again = ss.load(tmp_path / "knots.npz")
    assert isinstance(again, ss.KnotPath) and again.exact_between
    assert np.array_equal(again.coef(0.5), fit.coef(0.5))
    with pytest.raises(ValueError, match="lacks the options of a new fit"):
        again.extend(X, X[:, 0])


@pytest.mark.parametrize("apart, said", [(0.0, 0), (1e-9, 1), (1e-6, 0)])
@pytest.mark.parametrize("far", [0.0, 1e3])
def test_orthonormal_groups_say_what_they_leave_out(apart, said, far):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)) + far
    X[:, 1] = 1.8 * X[:, 0] + 32 + apart * rng.normal(size=50)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ss.path(X, X[:, 2] + rng.normal(size=50), penalty=ss.penalties.GroupL2([0, 0, 1, 1]),
                standardize="group", n_lambdas=4)  # fmt: skip
    assert len(seen) == said and all("columns 0, 1)" in str(one.message) for one in seen)


@pytest.mark.parametrize("apart", [3e-10, 1.5e-11])
def test_a_column_left_out_is_told_at_every_knot(apart):
    """What correlates with it at one knot does not depend on the others at any."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(24, 5))
    X[:, 1] = X[:, 0] + apart * rng.normal(size=24)
    y = X[:, 4] + 0.5 * X[:, 2] + rng.normal(size=24)
    X, y = X - X.mean(axis=0), y - y.mean()
    with pytest.warns(ss.ConvergenceWarning, match="do not tell column 1"):
        fit = lars_path_gram(X.T @ X, X.T @ y, 24, yty=y @ y, penalty_factor=[0, 0, 1, 1, 1])
    assert np.isinf(fit.gaps).all()


def test_equal_columns_without_a_penalty_keep_their_certificate():
    rng = np.random.default_rng(8)
    X = 100.0 * rng.normal(size=(60, 5))
    X[:, 1] = X[:, 0] + X[:, 2]
    y = X[:, 4] + rng.normal(size=60)
    X, y = X - X.mean(axis=0), y - y.mean()
    factors = [0, 0, 0, 1, 1]
    fit = lars_path_gram(X.T @ X, X.T @ y, 60, yty=y @ y, penalty_factor=factors)
    assert (fit.gaps <= 1e-7).all()
    whole = ss.lars_path(X, y, penalty_factor=factors, intercept=False, standardize=False)
    at = 0.5 * fit.lambdas[:1]
    np.testing.assert_allclose(X @ fit.coef(at), X @ whole.coef(at), atol=1e-6)

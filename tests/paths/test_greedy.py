"""Greedy paths: naive pursuits, scikit-learn's, exact recovery, and their own certificates."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import sparsesolve as ss

PURSUITS = ("omp", "forward", "mp")
THRESHOLDING = ("niht", "iht", "cosamp")


def fit(method, X, y, **options):
    """The path of any of the six methods."""
    function = ss.omp_path if method in PURSUITS else ss.paths.hard_threshold_path
    return function(X, y, method=method, **options)


def data(n=40, p=60, k=4, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    b = np.zeros(p)
    b[rng.choice(p, k, replace=False)] = rng.choice([-1, 1], k) * rng.uniform(1, 3, k)
    return X, X @ b + noise * rng.standard_normal(n), b


def naive(X, y, k, method):
    """Features in order of entry and coefficients after k steps, everything computed anew."""
    chosen, b = [], np.zeros(X.shape[1])
    for _ in range(k):
        c = X.T @ (y - X @ b)
        if method == "forward":
            rest = [j for j in range(X.shape[1]) if j not in chosen]
            loss = [np.linalg.lstsq(X[:, [*chosen, j]], y, rcond=None)[1] for j in rest]
            chosen.append(rest[int(np.ravel(loss).argmin())])
        else:
            chosen.append(int(np.abs(c).argmax()))
        if method == "mp":
            b[chosen[-1]] += c[chosen[-1]] / (X[:, chosen[-1]] ** 2).sum()
        else:
            b[chosen] = np.linalg.lstsq(X[:, chosen], y, rcond=None)[0]
    return b


@pytest.mark.parametrize("method", PURSUITS)
def test_every_step_is_that_of_a_naive_pursuit(method):
    X, y, _ = data(noise=1.0)
    path = fit(method, X, y, n_nonzero=8, intercept=False, standardize=False)
    for k in (1, 2, 5, len(path.lambdas) - 1):
        b = naive(X, y, k, method)
        np.testing.assert_allclose(path.coefs[:, [k]].toarray().ravel(), b, atol=1e-12)
        np.testing.assert_allclose(path.lambdas[k], np.sqrt(np.mean((y - X @ b) ** 2)))
    assert path.df[0] == 0 and path.df[-1] == 8 and path.stop_reason == "8 features are in"
    assert path.gaps.max() < 1e-14


@pytest.mark.parametrize("method", PURSUITS)
def test_a_tall_design_is_pursued_on_its_gram_matrix(method):
    X, y, _ = data(n=300, p=40, noise=1.0)
    rng = np.random.default_rng(1)
    w = rng.uniform(0.5, 2.0, 300)
    for form in (X, sparse.csc_array(np.where(np.abs(X) > 1.0, X, 0.0))):
        tall = fit(method, form, y, weights=w, n_nonzero=20)
        few = fit(method, form, y, weights=w, n_nonzero=4)  # too few for the Gram matrix to pay
        k = len(few.lambdas)
        np.testing.assert_allclose(tall.coefs[:, :k].toarray(), few.coefs.toarray(), atol=1e-12)
        assert tall.gaps.max() < 1e-14 and tall.df[-1] == 20


@pytest.mark.parametrize("method", PURSUITS + THRESHOLDING)
def test_weights_offset_intercept_and_standardisation(method):
    """The same path from rows, columns and response transformed by hand."""
    X, y, _ = data(noise=1.0)
    X = 10.0 * X + 50.0 * np.arange(60)
    rng = np.random.default_rng(1)
    w, offset = rng.uniform(0.5, 2.0, 40), rng.standard_normal(40)
    path = fit(method, X, y + 7.0, n_nonzero=5, weights=w, offset=offset)
    w = w / w.sum()
    spread = np.sqrt(w @ (X - w @ X) ** 2)
    t = y + 7.0 - offset
    A = np.sqrt(w)[:, None] * (X - w @ X) / spread
    plain = fit(method, A, np.sqrt(w) * (t - w @ t), n_nonzero=5, intercept=False,
                standardize=False)  # fmt: skip
    np.testing.assert_allclose(path.coefs.toarray() * spread[:, None], plain.coefs.toarray(),
                               atol=1e-8)  # fmt: skip
    np.testing.assert_allclose(path.lambdas, plain.lambdas * np.sqrt(40), rtol=1e-8)
    r = t[:, None] - path.intercepts - X @ path.coefs.toarray()
    np.testing.assert_allclose(np.sqrt(w @ r**2), path.lambdas)
    np.testing.assert_allclose(w @ r, 0.0, atol=1e-12)
    np.testing.assert_allclose(path.dev_ratio, 1 - (path.lambdas / path.lambdas[0]) ** 2,
                               atol=1e-14)  # fmt: skip


@pytest.mark.parametrize("method", PURSUITS + THRESHOLDING)
def test_sparse_coefficients_are_recovered_without_noise(method):
    X, y, b = data(n=100, p=200, k=5, noise=0.0, seed=2)
    tol = 1e-4 if method == "mp" else 1e-12
    path = fit(method, X, y + 3.0, tol=tol)
    if method != "mp":
        np.testing.assert_allclose(path.coefs[:, [-1]].toarray().ravel(), b, atol=1e-3 * tol**0.2)
    assert set(np.flatnonzero(b)) <= set(path.nonzero()[-1]) and path.dev_ratio[-1] >= 1 - tol
    assert path.stop_reason == f"at most {tol:g} of the deviance is left"


@pytest.mark.parametrize("method", PURSUITS + THRESHOLDING)
def test_orthogonal_columns_enter_by_their_size(method):
    rng = np.random.default_rng(4)
    Q = np.linalg.qr(rng.standard_normal((30, 12)))[0]
    y = rng.standard_normal(30)
    path = fit(method, Q, y, n_nonzero=12, intercept=False, standardize=False)
    c = Q.T @ y
    for k in range(1, 13):
        kept = np.where(np.abs(c) >= np.sort(np.abs(c))[-k], c, 0.0)
        np.testing.assert_allclose(path.coefs[:, [k]].toarray().ravel(), kept, atol=1e-3)


@given(st.integers(0, 10**6), st.sampled_from(["omp", "forward"]), st.booleans())
def test_ties_and_collinear_columns(seed, method, intercept):
    """On integers: every step is least squares on independent columns, down to the last."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (7, 10)).astype(float)
    X[:, 4], X[:, 5], X[:, 6] = X[:, 0], 1.0, X[:, 1] - X[:, 2]
    y = rng.integers(-2, 3, 7).astype(float)
    path = fit(method, X, y, intercept=intercept, standardize=False)
    assert not any(path.status) and (np.diff(path.lambdas) < 0).all()
    ones = np.ones((7, int(intercept)))
    for k, which in enumerate(path.nonzero()):
        A = np.hstack([ones, X[:, which]])
        assert not A.size or np.linalg.matrix_rank(A) == A.shape[1]
        b = np.linalg.lstsq(A, y, rcond=None)[0]
        rms = np.sqrt(np.mean((y - A @ b) ** 2))
        np.testing.assert_allclose(path.lambdas[k], rms, atol=1e-12)
    full = np.hstack([ones, X])
    best = y - full @ np.linalg.lstsq(full, y, rcond=None)[0]
    np.testing.assert_allclose(path.lambdas[-1], np.sqrt(np.mean(best**2)), atol=1e-7)


@pytest.mark.parametrize("method", PURSUITS + THRESHOLDING)
def test_duplicated_columns(method):
    X, y, _ = data(p=10)
    path = fit(method, np.hstack([X, X]), y, n_nonzero=6)
    single = fit(method, X, y, n_nonzero=6)
    if method not in THRESHOLDING:
        np.testing.assert_allclose(path.lambdas, single.lambdas)
        for which in path.nonzero():
            assert len(set(which % 10)) == len(which)
    assert (np.diff(path.lambdas) < 0).all()


@pytest.mark.parametrize("method", PURSUITS + THRESHOLDING)
@pytest.mark.parametrize("y", [np.zeros(40), np.full(40, 3.5)])
def test_nothing_to_explain_is_the_empty_model(method, y):
    X, _, _ = data()
    path = fit(method, X, y)
    assert path.df.tolist() == path.lambdas.tolist() == path.dev_ratio.tolist() == [0.0]
    np.testing.assert_allclose(path.intercepts, y[0])
    assert not path.gaps.any()


@pytest.mark.parametrize("method", PURSUITS + THRESHOLDING)
@pytest.mark.parametrize("power", [-300, 300])
def test_units_do_not_matter(method, power):
    X, y, _ = data()
    path = fit(method, np.ldexp(X, power // 2), np.ldexp(y, power), n_nonzero=4)
    plain = fit(method, X, y, n_nonzero=4)
    np.testing.assert_array_equal(np.ldexp(path.lambdas, -power), plain.lambdas)
    b = np.ldexp(path.coefs.toarray(), power // 2 - power)
    np.testing.assert_array_equal(b, plain.coefs.toarray())


def test_between_steps_the_residual_is_at_most_what_was_asked():
    X, y, _ = data(noise=1.0)
    path = ss.omp_path(X, y, n_nonzero=10)
    for s in np.linspace(path.lambdas[-1], path.lambdas[0], 17):
        r = y - path.predict(X, s=s)
        assert np.sqrt(np.mean(r**2)) <= s * (1 + 1e-12)


def test_what_a_path_of_steps_can_and_cannot_do():
    X, y, _ = data()
    path = ss.omp_path(X, y, n_nonzero=3)
    copy = pickle.loads(pickle.dumps(path))
    assert repr(copy) == repr(path) and "Lambda" in str(path) and path.plot() is not None
    for ask in (lambda: path.coef(path.lambdas[1] * 0.99, exact=True, X=X, y=y),
                lambda: path.extend(X, y, n_lambdas=3)):  # fmt: skip
        with pytest.raises(ValueError, match="A greedy path has its steps alone"):
            ask()


@pytest.mark.parametrize("method", THRESHOLDING)
def test_sizes_are_kept_and_certificates_are_those_of_least_squares(method):
    X, y, _ = data(noise=1.0)
    path = fit(method, X, y, n_nonzero=12)
    assert (np.diff(path.df) >= 0).all() and path.df[-1] <= 12
    for k, which in enumerate(path.nonzero()):
        A = np.hstack([np.ones((40, 1)), X[:, which]])
        r = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
        excess = (path.lambdas[k] ** 2 - np.mean(r**2)) / path.lambdas[0] ** 2
        assert path.gaps[k] <= 1e-7
        np.testing.assert_allclose(path.gaps[k], excess, atol=1e-13)


def test_hard_thresholding_that_is_cut_short_says_so():
    X, y, _ = data(noise=1.0)
    with pytest.warns(ss.ConvergenceWarning, match="lambdas miss tol = 1e-07") as caught:
        path = ss.paths.hard_threshold_path(X, y, method="iht", n_nonzero=5, max_iter=2)
    assert len(caught) == 1 and path.gaps.max() > 1e-7
    assert {status.name for status in path.status} == {"CONVERGED", "MAX_ITER"}


def test_matching_pursuit_goes_on_beyond_as_many_features_as_there_are_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 60)), rng.normal(size=12)
    fit = ss.omp_path(X, y, method="mp", tol=1e-6)
    assert fit.df[-1] > 12 and 1 - fit.dev_ratio[-1] <= 1e-6
    assert ss.omp_path(X, y, method="mp", n_nonzero=4).df[-1] == 4


def test_matching_pursuit_ends_by_its_steps():
    X, y, _ = data()
    path = ss.omp_path(X, y, method="mp", max_iter=7)
    assert len(path.lambdas) == 8 and path.stop_reason == "max_iter = 7 steps were taken"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"method": "lars"}, "method"),
        ({"n_nonzero": 0}, "n_nonzero must be at least 1"),
        ({"tol": 1.5}, "tol must be"),
        ({"weights": [1.0]}, "weights has 1 values"),
        ({"n_threads": 0}, "n_threads must be"),
    ],
)
@pytest.mark.parametrize("function", [ss.omp_path, ss.paths.hard_threshold_path])
def test_bad_options_are_refused(function, options, message):
    X, y, _ = data()
    with pytest.raises(ValueError, match=message):
        function(X, y, **options)
    with pytest.raises(ValueError, match="X holds nan at row 0, column 0"):
        function(np.where(X == X[0, 0], np.nan, X), y)


@pytest.mark.parametrize("find", [ss.omp_path, ss.paths.hard_threshold_path])
def test_a_tolerance_of_1_is_met_at_once(find):
    X = np.random.default_rng(0).normal(size=(20, 5))
    fit = find(X, X[:, 0], tol=1.0)
    assert fit.df.tolist() == [0] and "at most 1" in fit.stop_reason

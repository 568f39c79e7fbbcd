"""Symmetries of ss.path: transformations of the data whose effect on the solution is known."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss

GRID = np.array([1.0, 0.5, 0.2, 0.05, 0.01])
TOL = 1e-13
NEAR = 2e-6  # what a gap of 1e-13 leaves of a coefficient of these problems
SHAPES = {"tall": (60, 14), "wide": (25, 50)}
OPTIONS = {
    "lasso": {},
    "origin": {"intercept": False},
    "raw": {"standardize": False},
    "net": {"alpha": 0.6},
    "factors": {"penalty_factor": lambda p: np.resize([1.0, 0.5, 3.0, 1.0, 0.0, np.inf], p)},
    "limits": {"lower": lambda p: np.resize([-0.3, -np.inf, 0.0], p),
               "upper": lambda p: np.resize([np.inf, 0.4], p)},
}


@pytest.fixture(params=sorted(SHAPES))
def shape(request):
    return SHAPES[request.param]


@pytest.fixture(params=sorted(OPTIONS))
def options(request, shape):
    made = OPTIONS[request.param]
    return {k: v(shape[1]) if callable(v) else v for k, v in made.items()}


@pytest.fixture
def data(shape):
    n, p = shape
    rng = np.random.default_rng(n + p)
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.5 * X[:, :-1]
    X[rng.random((n, p)) < 0.3] = 0.0
    X = X.astype(np.float32).astype(float)
    return X, X[:, :3] @ [1, -2, 1.5] + 0.5 + rng.standard_normal(n)


def solve(X, y, **options):
    return ss.path(X, y, **{"lambdas": GRID, "tol": TOL, **options})


def close(fit, other):
    """Equal up to what the tolerance leaves open."""
    assert fit.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=NEAR)
    assert fit.intercepts == pytest.approx(other.intercepts, abs=NEAR)
    assert fit.dev_ratio == pytest.approx(other.dev_ratio, abs=NEAR)


def identical(fit, other):
    """Equal bit for bit."""
    for name in ("lambdas", "intercepts", "gaps", "df", "dev_ratio", "n_iters"):
        assert np.array_equal(getattr(fit, name), getattr(other, name)), name
    assert np.array_equal(fit.coefs.toarray(), other.coefs.toarray())


def test_permuted_columns_permute_coefficients(data, options, store):
    X, y = data
    order = np.random.default_rng(2).permutation(X.shape[1])
    moved = {k: v[order] if isinstance(v, np.ndarray) else v for k, v in options.items()}
    fit, other = solve(store(X), y, **options), solve(store(X[:, order]), y, **moved)
    assert fit.coefs.toarray()[order] == pytest.approx(other.coefs.toarray(), abs=NEAR)


def test_permuted_rows_change_nothing(data, options, store):
    X, y = data
    order = np.random.default_rng(2).permutation(len(y))
    w, o = np.linspace(1, 2, len(y)), np.cos(np.arange(len(y)))
    close(solve(store(X), y, weights=w, offset=o, **options),
          solve(store(X[order]), y[order], weights=w[order], offset=o[order], **options))


def test_weights_repeat_rows(data, options, store):
    X, y = data
    w = np.random.default_rng(3).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), w)
    fit = solve(store(X), y, weights=w, **options)
    other = solve(store(X[rows]), y[rows], **options)
    close(fit, other)
    assert fit.null_deviance == pytest.approx(other.null_deviance, rel=1e-12)


def test_the_size_of_weights_changes_only_the_null_deviance(data, options, store):
    X, y = data
    w = np.linspace(0, 1, len(y))
    fit, other = (solve(store(X), y, weights=c * w, **options) for c in (1.0, 64.0))
    close(fit, other)
    assert other.null_deviance == pytest.approx(64 * fit.null_deviance, rel=1e-14)


def test_offset_is_taken_from_the_response(data, options, store):
    X, y = data
    o = np.sin(np.arange(len(y)))
    close(solve(store(X), y, offset=o, **options), solve(store(X), y - o, **options))


def test_shifted_columns_and_response_move_only_the_intercept(data, store):
    X, y = data
    shift = np.resize([0.0, 2.0, -0.5], X.shape[1])
    fit, other = solve(store(X), y), solve(store(X + shift), y + 3)
    assert fit.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=NEAR)
    expected = fit.intercepts + 3 - shift @ fit.coefs.toarray()
    assert other.intercepts == pytest.approx(expected, abs=10 * NEAR)


def test_negated_response_negates_coefficients(data, options, store):
    X, y = data
    turned = {**options, "lower": -np.asarray(options.get("upper", np.inf)),
              "upper": -np.asarray(options.get("lower", -np.inf))}
    fit, other = solve(store(X), y, **options), solve(store(X), -y, **turned)
    assert fit.coefs.toarray() == pytest.approx(-other.coefs.toarray(), abs=NEAR)


def test_columns_scaled_by_powers_of_two(data, options, store):
    """Standardisation divides the scale out again, and powers of two are exact."""
    if options.get("standardize") is False:
        pytest.skip("the scale means something there")
    X, y = data
    two = 2.0 ** np.resize([0, 3, -5, 11], X.shape[1])
    scaled = {k: v / two if k in ("lower", "upper") else v for k, v in options.items()}
    fit, other = solve(store(X), y, **options), solve(store(X * two), y, **scaled)
    assert np.array_equal(fit.coefs.toarray(), other.coefs.toarray() * two[:, None])
    assert np.array_equal(fit.intercepts, other.intercepts)


def test_response_scaled_by_powers_of_two(data, options, store):
    if "alpha" in options:
        pytest.skip("the ridge part is not of the same degree")
    X, y = data
    fit = solve(store(X), y, **options)
    for power in (9, -40, 400, -400):
        two = 2.0 ** power
        scaled = {k: v * two if k in ("lower", "upper") else v for k, v in options.items()}
        other = solve(store(X), y * two, **{**scaled, "lambdas": GRID * two})
        assert np.array_equal(fit.coefs.toarray() * two, other.coefs.toarray()), power
        assert np.array_equal(fit.gaps, other.gaps), power


@pytest.mark.parametrize("power", [450, -450])
def test_designs_of_extreme_size(data, store, power):
    X, y = data
    fit, other = solve(store(X), y), solve(store(X * 2.0 ** power), y)
    assert other.coefs.toarray() * 2.0 ** power == pytest.approx(fit.coefs.toarray(), abs=NEAR)


def test_warm_path_is_cold_fits(data, options, store):
    X, y = data
    fit = solve(store(X), y, **options)
    for k, lam in enumerate(GRID):
        cold = solve(store(X), y, **{**options, "lambdas": lam})
        assert cold.coefs.toarray().ravel() == pytest.approx(
            fit.coefs[:, [k]].toarray().ravel(), abs=NEAR)
        assert cold.intercepts[0] == pytest.approx(fit.intercepts[k], abs=NEAR)


def test_storage_does_not_matter(data, options):
    X, y = data
    fit = solve(np.asfortranarray(X), y, **options)
    rows = sparse.csr_array(X)
    for other in (np.ascontiguousarray(X), X[::1].copy("K"), np.repeat(X, 2, axis=0)[::2]):
        identical(fit, solve(other, y, **options))
    for other in (np.asfortranarray(X, dtype=np.float32), sparse.csc_array(X), rows, rows.tocoo(),
                  sparse.csc_matrix(X.astype(np.float32))):
        close(fit, solve(other, y, **options))


@pytest.mark.parametrize("n, p", [(400, 30), (50, 700), (130, 130)])
def test_threads_do_not_change_a_bit(store, n, p):
    rng = np.random.default_rng(9)
    X = rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.4)
    y = X[:, :10].sum(axis=1) + rng.standard_normal(n)
    w = rng.random(n)
    for options in ({}, {"alpha": 0.5, "weights": w}, {"standardize": False, "lower": -0.2}):
        fit = ss.path(store(X), y, n_lambdas=15, n_threads=1, **options)
        identical(fit, ss.path(store(X), y, n_lambdas=15, n_threads=2, **options))


def test_one_call_after_another_is_the_same_bit_for_bit(data, options, store):
    X, y = data
    identical(solve(store(X), y, **options), solve(store(X), y, **options))

"""Ridge in closed form: certified by the data alone, for any shape."""

import warnings

import numpy as np
import oracle
import pytest
from scipy import sparse

import sparsesolve as ss

STORAGES = {
    "dense": np.asfortranarray,
    "single": lambda X: np.asfortranarray(X, dtype=np.float32),
    "sparse": sparse.csc_array,
}
SHAPES = {"tall": (60, 12), "square": (30, 30), "wide": (25, 70)}
GRID = np.geomspace(10, 1e-3, 6)
OPTIONS = {
    "plain": lambda n, p: {},
    "weights": lambda n, p: {"weights": np.resize([1.0, 0.0, 3.0, 0.2], n)},
    "offset": lambda n, p: {"offset": np.cos(np.arange(n))},
    "origin": lambda n, p: {"intercept": False},
    "raw": lambda n, p: {"standardize": False},
    "factors": lambda n, p: {"penalty_factor": np.resize([1.0, 0.01, 30.0], p)},
    "bare": lambda n, p: {"penalty_factor": np.resize([1.0, 2.0, 0.0, 1.0, 1.0, np.inf, 1.0], p)},
}


def data(shape, seed=0):
    """Correlated columns of unlike sizes, some entries zero; float32 holds them exactly."""
    n, p = SHAPES[shape]
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.5 * X[:, :-1]
    X *= np.resize([1.0, 20.0, 0.1], p)
    X[rng.random((n, p)) < 0.3] = 0.0
    X = X.astype(np.float32).astype(float)
    return X, X[:, :5].sum(axis=1) + 1 + rng.standard_normal(n)


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize("storage", sorted(STORAGES))
@pytest.mark.parametrize("options", sorted(OPTIONS))
def test_every_point_is_certified_by_the_data_alone(shape, storage, options):
    X, y = data(shape)
    options = OPTIONS[options](*X.shape)
    tol = 1e-13
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ss.path(STORAGES[storage](X), y, alpha=0.0, lambdas=GRID, tol=tol, solver="ridge",
                      **options)
    assert (fit.gaps <= tol).all()
    for k, lam in enumerate(fit.lambdas):
        b0, b = fit.intercepts[k], fit.coefs[:, [k]].toarray().ravel()
        assert oracle.certificate(X, y, b0, b, lam, alpha=0.0, **options) <= 1.01 * tol + 1e-14
        found = oracle.dev_ratio(X, y, b, alpha=0.0, **options)
        assert fit.dev_ratio[k] == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_collinear_and_constant_columns(shape):
    X, y = data(shape)
    X[:, 3], X[:, 4], X[:, 5] = X[:, 0], -2 * X[:, 0], 7.0
    for penalty_factor in (None, np.arange(X.shape[1]) >= 6):
        options = {"alpha": 0.0, "penalty_factor": penalty_factor}
        fit = ss.path(X, y, lambdas=GRID, tol=1e-11, solver="ridge", **options)
        assert not np.any(fit.status) and not fit.coefs.toarray()[5].any()
        for k, lam in enumerate(GRID):
            b = fit.coefs[:, [k]].toarray().ravel()
            assert oracle.certificate(X, y, fit.intercepts[k], b, lam, **options) <= 1.1e-11
        if penalty_factor is None:
            b = fit.coefs.toarray()
            assert b[3] == pytest.approx(b[0], rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("lam", [1e-12, 1e-8, 1e12, 1e100, 1e300])
@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_lambdas_of_extreme_size(shape, lam):
    X, y = data(shape)
    fit = ss.path(X, y, alpha=0.0, lambdas=lam, solver="ridge")
    assert fit.gaps[0] <= 1e-7
    if lam > 1:
        assert np.abs(fit.coefs.toarray()).max() < 1e-9
    else:
        assert fit.dev_ratio[0] > 0.6


def test_a_budget_of_nothing_leaves_an_honest_gap():
    X, y = data("wide")
    with pytest.warns(ss.ConvergenceWarning, match="max_iter"):
        fit = ss.path(X, y, alpha=0.0, lambdas=[1.0], solver="ridge", max_iter=0)
    b0, b = fit.intercepts[0], fit.coefs.toarray()[:, 0]
    exact = ss.path(X, y, alpha=0.0, lambdas=[1.0], solver="ridge")
    least = oracle.objective(X, y, exact.intercepts[0], exact.coefs.toarray()[:, 0], 1.0, alpha=0)
    lost = oracle.objective(X, y, b0, b, 1.0, alpha=0) - least
    assert lost / oracle.null_objective(X, y) <= fit.gaps[0]


def test_nothing_to_explain():
    X, _ = data("wide")
    fit = ss.path(X, np.full(25, 3.0), alpha=0.0)
    assert fit.coefs.nnz == 0 and fit.intercepts == pytest.approx(3.0) and not fit.gaps.any()
    bare = ss.path(X, X[:, 0] - X[:, 1], alpha=0.0, penalty_factor=np.arange(70) >= 2)
    assert bare.dev_ratio == pytest.approx(1.0) and not np.any(bare.status)


@pytest.mark.parametrize("scale", [2.0**300, 2.0**-300])
@pytest.mark.parametrize("family, solver", [
    ("gaussian", "auto"), ("gaussian", "fista"), ("binomial", "auto"),
    ("binomial", "dual_descent"), ("hinge", "auto"),
    (ss.families.quantile(0.3), "multipliers"), ("grouped", "auto"),
])  # fmt: skip
def test_columns_of_extreme_size_scale_the_coefficients_of_a_ridge(family, solver, scale):
    X, y = data("wide")
    kept = {"family": family, "alpha": 0.0, "standardize": False, "solver": solver, "tol": 1e-6}
    if family == "grouped":
        kept |= {"family": "gaussian", "penalty": ss.penalties.GroupL2(np.arange(70) // 2)}
    y = y > 0 if family in ("binomial", "hinge") else y
    fit = ss.path(X, y, lambdas=[0.1], **kept)
    far = ss.path(scale * X, y, lambdas=[0.1 * scale**2], **kept)
    assert (fit.coefs.toarray() == scale * far.coefs.toarray()).all() and fit.coefs.nnz
    assert far.gaps == fit.gaps

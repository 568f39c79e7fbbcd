"""Directions that neither the penalty nor the data see: constants on an identity, for example."""

import warnings

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(0)
HALF = RNG.normal(size=(20, 3))
NEGATED = np.column_stack([HALF, -HALF])  # constant coefficients give 0
RESPONSE = RNG.normal(size=20)
CHAIN = [(j, j + 1) for j in range(5)]
PENALTIES = [
    ss.penalties.TotalVariation(), ss.penalties.GraphTV(CHAIN), ss.penalties.TrendFilter(1),
    ss.penalties.TotalVariation2D((2, 3)),
]  # fmt: skip
FAMILIES = {
    "gaussian": ("gaussian", RESPONSE),
    "binomial": ("binomial", RESPONSE > 0.0),
    "huber": (ss.families.huber(1.0), RESPONSE),
    "hinge": (ss.families.hinge(), RESPONSE > 0.0),
    "quantile": (ss.families.quantile(0.3), RESPONSE),
}


@pytest.mark.parametrize("solver", ["auto", "tangent_newton", "fista", "panoc"])
def test_signal_approximation_with_an_intercept_is_the_prox(solver):
    """On an identity, intercept and mean of the coefficients are one: b0 + b = prox_{n lam}(y)."""
    n = 12
    y = np.repeat([0.0, 2.0, -1.0], 4) + 0.3 * RNG.normal(size=n)
    penalty = ss.penalties.TotalVariation()
    fit = ss.path(np.eye(n), y, penalty=penalty, standardize=False, lambdas=[0.1, 0.03, 0.01],
                  solver=solver, tol=1e-12)  # fmt: skip
    assert not fit.status.any()
    for k, lam in enumerate(fit.lambdas):
        fitted = fit.intercepts[k] + fit.coefs.toarray()[:, k]
        assert np.abs(fitted - penalty.prox(y, n * lam)).max() < 1e-5
        assert np.abs(fit.coefs[:, [k]]).max() < 10.0


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: type(penalty).__name__)
def test_constants_that_the_data_do_not_see_stay_finite(penalty, family):
    family, y = FAMILIES[family]
    fit = ss.path(NEGATED, y, family=family, penalty=penalty, n_lambdas=4, lambda_min_ratio=0.05,
                  stop=None)  # fmt: skip
    assert not fit.status.any() and fit.gaps.max() <= 1e-7
    assert np.abs(fit.coefs).max() < 100.0


@pytest.mark.parametrize("family", FAMILIES)
def test_rounding_is_no_first_lambda(family):
    """An unpenalised line explains all that columns of rank one can."""
    family, y = FAMILIES[family]
    X = np.outer(RESPONSE + RNG.normal(size=20), np.arange(1.0, 9.0))
    fit = ss.path(X, y, family=family, penalty=ss.penalties.TrendFilter(1), n_lambdas=5, stop=None)
    assert len(fit.lambdas) == 1 and not fit.status.any()


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson"])
@pytest.mark.parametrize("penalty", [ss.penalties.MCP(), ss.penalties.SCAD()], ids=["MCP", "SCAD"])
def test_concave_penalties_on_constant_columns(penalty, family):
    y = RESPONSE if family == "gaussian" else (RESPONSE > 0.0) * 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ss.path(np.ones((20, 3)), y, family=family, penalty=penalty, n_lambdas=5)
    assert fit.coefs.nnz == 0 and not fit.status.any() and fit.gaps.max() <= 1e-12


@pytest.mark.parametrize(
    "penalty", [ss.penalties.GraphTV([(0, 1)]), ss.penalties.TotalVariation()],
    ids=["directly", "by a map"],
)  # fmt: skip
def test_a_direction_is_seen_however_little_the_data_move_along_it(penalty):
    """X (2^40, 2^40) is v: it costs no penalty, so the gap tells what it would gain."""
    rng = np.random.default_rng(1)
    u, v = rng.integers(-1, 2, (2, 10_000)).astype(float)
    X, y = np.column_stack([u, -u + 2.0**-40 * v]), v + 0.1 * rng.standard_normal(10_000)
    fit = ss.path(X, y, penalty=penalty, lambdas=[1.0, 0.1], tol=1e-5, stop=None, max_iter=200)
    fitted = fit.predict(X)
    null = np.mean((y - y.mean()) ** 2)
    far = X @ [2.0**40, 2.0**40]
    least = np.mean((y - far - (y - far).mean()) ** 2)
    for k, gap in enumerate(fit.gaps):
        assert gap >= (np.mean((y - fitted[:, k]) ** 2) - least) / null - 1e-9


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("edges", [[(0, 1), (2, 3), (4, 5)], [(0, 1), (1, 2)]], ids=len)
def test_equal_norms_of_an_edge_do_not_hide_the_first_lambda(edges, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((50, 6))
    y = X[:, 0] + rng.standard_normal(50)
    fit = ss.path(X, y, penalty=ss.penalties.GraphTV(edges), standardize=True, n_lambdas=3)
    assert fit.lambdas[0] > 0.0 and not fit.status.any()


@pytest.mark.parametrize("penalty", [
    ss.penalties.TreeL2([range(6), [1, 2]]), ss.penalties.TreeLinf([range(6), [1, 2]]),
    ss.penalties.OverlapL2([[0, 1, 2], [2, 3, 4, 5]]), ss.penalties.Slope(),
    ss.penalties.OverlapLinf([[0, 1, 2], [2, 3, 4, 5]]), *PENALTIES,
], ids=lambda penalty: type(penalty).__name__)  # fmt: skip
def test_the_first_lambda_is_the_last_of_the_null_model(penalty):
    """Whose coefficients are those that nothing penalises."""
    X = np.random.default_rng(7).standard_normal((50, 6))
    y = X @ [2.0, 1.0, 0.0, -1.0, 0.0, 0.0] + RNG.standard_normal(50)
    first = ss.path(X, y, penalty=penalty, n_lambdas=1).lambdas[0]
    near = first * np.array([1 + 1e-8, 1 - 1e-6])
    fit = ss.path(X, y, penalty=penalty, lambdas=near, tol=1e-14)
    values = [penalty.value(fit.coef(lam)) for lam in near]
    assert values[0] < 1e-12 < values[1]


def test_groups_of_weight_0_are_fitted_freely():
    X = np.random.default_rng(0).standard_normal((30, 4))
    y = X[:, 0] + X[:, 2]
    fit = ss.path(X, y, penalty=ss.penalties.GroupLq([0, 0, 1, 1], 1.5, [0.0, 1.0]), n_lambdas=3)
    assert fit.gaps.max() <= 1e-7
    least = np.linalg.lstsq(np.c_[np.ones(30), X[:, :2]], y, rcond=None)[0]
    assert fit.coefs.toarray()[:, 0] == pytest.approx([*least[1:], 0.0, 0.0], abs=1e-6)

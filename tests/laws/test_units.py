"""Paths are equivariant in the units of X and of y, wherever y has a unit."""

import numpy as np
import pytest

import sparsesolve as ss

# a family in a unit d of y, and the power of d in which its loss is measured
UNITS = {
    "gaussian": (lambda d: "gaussian", 2),
    "multigaussian": (lambda d: "multigaussian", 2),
    "huber": (lambda d: ss.families.huber(0.5 * d), 2),
    "quantile": (lambda d: ss.families.quantile(0.3), 1),
    "epsilon_insensitive": (lambda d: ss.families.epsilon_insensitive(0.2 * d), 1),
}
OPTIONS = {
    "lasso": {}, "as they are": {"standardize": False}, "no intercept": {"intercept": False},
    "groups": {"penalty": ss.penalties.GroupL2([0, 0, 1, 1, 2])},
    "graph": {"penalty": ss.penalties.GraphTV([(0, 1), (1, 2), (3, 4)])},
    "ridge": {"alpha": 0.0},
}  # fmt: skip


@pytest.mark.parametrize("c, d", [(1.0, 1e-8), (1e12, 1e12), (1e-8, 1e100)])
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", UNITS)
def test_a_path_in_other_units_is_the_path_in_these_units(name, options, c, d):
    family, degree = UNITS[name]
    kept, rng = OPTIONS[options], np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    y = 1e3 + X @ [2.0, -1.0, 1.0, 0.0, 0.0] + 0.5 * rng.normal(size=40)
    y = y - 1e3 if options == "no intercept" else y
    y = np.column_stack([y, y[::-1]]) if name == "multigaussian" else y
    tail = {"tol": 1e-9, "stop": None}
    fit = ss.path(X, y, family=family(1.0), n_lambdas=4, lambda_min_ratio=0.05, **tail, **kept)
    # lam |b| is measured as the loss is, and lam |b|^2 / 2 too
    columns = 1.0 if options in ("lasso", "no intercept", "groups", "ridge") else c
    lambdas = fit.lambdas[1:] * d ** (degree - (2 if options == "ridge" else 1)) * columns
    other = ss.path(c * X, d * y, family=family(d), lambdas=lambdas, **tail, **kept)
    assert not other.status.any()
    for lam, there in zip(fit.lambdas[1:], lambdas, strict=True):
        b, found = fit.coef(lam), other.coef(there)
        assert np.abs(found / d * c - b).max() <= 1e-3 * np.abs(b).max()
    assert np.isclose(other.null_deviance / d**degree, fit.null_deviance)


# a family with the log link, and the power of the unit of y in which its loss is measured
AMOUNTS = {"poisson": 1.0, "gamma": 0.0, "tweedie(1.1)": 0.9, "tweedie(1.5)": 0.5,
           "tweedie(1.9)": 0.1}  # fmt: skip


@pytest.mark.parametrize("d", [1e-12, 1e6, 1e12])
@pytest.mark.parametrize("options", ["lasso", "groups", "graph", "ridge"])
@pytest.mark.parametrize("family", AMOUNTS)
def test_an_amount_in_other_units_moves_the_intercept_alone(family, options, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = rng.gamma(2.0, np.exp(X @ [1.0, -0.5, 0.3, 0.0, 0.0]))
    y = y if family == "gamma" else y * (rng.random(60) < 0.8)
    kept = {"family": family, "tol": 1e-9, "stop": None, **OPTIONS[options]}
    fit = ss.path(X, y, n_lambdas=4, lambda_min_ratio=0.05, **kept)
    lambdas = fit.lambdas[1:] * d ** AMOUNTS[family]
    other = ss.path(X, d * y, lambdas=lambdas, **kept)
    assert not other.status.any()
    for lam, there in zip(fit.lambdas[1:], lambdas, strict=True):
        b, found = fit.coef(lam), other.coef(there)
        assert np.abs(found - b).max() <= 1e-3 * np.abs(b).max()
        assert other.intercept(there) - np.log(d) == pytest.approx(fit.intercept(lam), abs=1e-4)

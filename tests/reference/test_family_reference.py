"""Families given as objects against R's glmnet 4.1 (reference/families.R made the numbers)."""

from functools import lru_cache

import numpy as np
import pytest
from glmnet_tables import rows_of

import sparsesolve as ss
from sparsesolve import families

P = 20
FAMILIES = {
    "probit": families.probit(),
    "cloglog": families.cloglog(),
    "gamma": families.gamma(),
    "negative_binomial": families.negative_binomial(2.0),
    "tweedie": families.tweedie(1.4),
}
CASES = [(name, setting) for name in FAMILIES for setting in ("plain", "combined")]


def _columns(name):
    return {key: [row[key] for row in rows_of(name)] for key in rows_of(name)[0]}


@lru_cache
def problem(name, setting):
    """X, y and options of ss.path; the same settings as in families.R."""
    x, data = _columns("gaussian_data.csv"), _columns("families_data.csv")
    X = np.array([x[f"x{j + 1}"] for j in range(P)], dtype=float).T
    y, trials, w, o = (np.array(data[k], float) for k in (name, "trials", "weight", "offset"))
    if name in ("probit", "cloglog"):
        y = np.column_stack([trials - y, y])
    combined = {"weights": w, "offset": o, "alpha": 0.6, "standardize": False}
    return X, y, combined if setting == "combined" else {}


@lru_cache
def reference(name, setting):
    """What R returned, arrays over its lambdas."""
    columns = _columns("families_paths.csv")
    rows = (np.array(columns["family"]) == name) & (np.array(columns["setting"]) == setting)
    numbers = {k: np.array(v)[rows] for k, v in columns.items() if k not in ("family", "setting")}
    return {k: v.astype(float) for k, v in numbers.items()}


# Without a conjugate the residual of the optimality conditions ends a little above this tol.
@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
@pytest.mark.parametrize("name, setting", CASES)
def test_coefficients_agree_with_glmnet(name, setting):
    X, y, options = problem(name, setting)
    path = reference(name, setting)
    fit = ss.path(X, y, family=FAMILIES[name], lambdas=path["lambda"], tol=1e-14, **options)
    expected = np.array([path[f"b{j + 1}"] for j in range(P)])
    assert fit.coefs.toarray() == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert fit.intercepts == pytest.approx(path["intercept"], rel=1e-6, abs=1e-6)
    assert fit.dev_ratio == pytest.approx(path["dev_ratio"], abs=1e-6)
    assert fit.null_deviance == pytest.approx(path["null_deviance"][0], rel=1e-9)


@pytest.mark.parametrize("name, setting", CASES)
def test_the_grid_starts_where_glmnets_does(name, setting):
    X, y, options = problem(name, setting)
    fit = ss.path(X, y, family=FAMILIES[name], n_lambdas=12, lambda_min_ratio=0.01,
                  tol=1e-5, **options)  # fmt: skip
    path = reference(name, setting)
    assert len(fit.lambdas) == len(path["lambda"])
    assert fit.lambdas == pytest.approx(path["lambda"], rel=2e-6)  # R fits null models to 1e-8
    assert fit.df[0] == 0 and fit.df[1] > 0

"""The gaussian path against numbers of R's glmnet 4.1 (tests/reference/gaussian.R made them)."""

import csv
from functools import lru_cache
from pathlib import Path

import numpy as np
import oracle
import pytest
from scipy import sparse

import sparsesolve as ss

HERE = Path(__file__).parent
P = 20


def _rows(name):
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file))


def _unit(y, w=None, centre=True):
    """Scale y to the unit variance that glmnet's gaussian family would give it."""
    w = np.full(len(y), 1 / len(y)) if w is None else w / w.sum()
    mean = w @ y if centre else 0.0
    return y / np.sqrt(w @ (y - mean) ** 2)


@lru_cache
def settings():
    """Name -> (X, y, options of ss.path); the same table as in gaussian.R."""
    rows = _rows("gaussian_data.csv")
    X = np.array([[float(row[f"x{j + 1}"]) for j in range(P)] for row in rows])
    y, w, o = (np.array([float(row[k]) for row in rows]) for k in ("y", "weight", "offset"))
    v = np.resize([1, 0.5, 2, 1.5], P)
    v[[1, 6]], v[8] = 0, np.inf
    limits = {"lower": np.resize([-0.05, -np.inf, -0.2], P),
              "upper": np.resize([0.1, 0.3, np.inf, 0.02], P)}
    constant = X.copy()
    constant[:, 2] = 2.5
    i, j = np.arange(1, len(y) + 1)[:, None], np.arange(1, P + 1)
    S = sparse.csc_array(np.where((i ** 2 + 3 * i * j + 7 * j ** 2) % 11 < 7, 0, X))
    every = {"weights": w, "offset": o, "penalty_factor": v, **limits, "alpha": 0.5}
    return {
        "plain": (X, y, {}),
        "weights": (X, y, {"weights": w}),
        "offset": (X, y, {"offset": o}),
        "factors": (X, y, {"penalty_factor": v}),
        "limits": (X, y, limits),
        "nonnegative": (X, y, {"lower": 0.0}),
        "elastic": (X, _unit(y), {"alpha": 0.5}),
        "ridge": (X, _unit(y), {"alpha": 0.0}),
        "no_intercept": (X, y, {"intercept": False}),
        "no_standardize": (X, y, {"standardize": False}),
        "constant": (constant, y, {"penalty_factor": v}),
        "sparse": (S, y, {}),
        "sparse_weights": (S, y, {"weights": w, "intercept": False}),
        "wide": (X[:15], y[:15], {}),
        "dfmax": (X, y, {"dfmax": 6}),
        "pmax": (X, y, {"pmax": 7}),
        "combined": (X, _unit(y - o, w) + o, every),
        "combined_sparse": (S, _unit(y - o, w) + o, {**every, "standardize": False}),
        "combined_origin": (X, _unit(y - o, w, False) + o, {**every, "intercept": False}),
    }


@lru_cache
def reference(name):
    """What R returned: arrays over the path, and {k: coefficients} at a few of its points."""
    rows = [row for row in _rows("gaussian_paths.csv") if row["setting"] == name]
    path = {key: np.array([float(row[key]) for row in rows])
            for key in ("lambda", "intercept", "df", "dev_ratio", "null_deviance")}
    coefs = {int(row["k"]): np.array([float(row[f"b{j + 1}"]) for j in range(P)])
             for row in _rows("gaussian_coefs.csv") if row["setting"] == name}
    return path, coefs


def _solving(options):
    """The options that belong to the problem, not to the path's length."""
    return {key: value for key, value in options.items() if key not in ("dfmax", "pmax")}


@pytest.mark.parametrize("name", sorted(settings()))
def test_oracle_agrees_with_glmnet(name):
    """The slow solver and the certificate know glmnet's conventions."""
    X, y, options = settings()[name]
    options = _solving(options)
    path, coefs = reference(name)
    assert oracle.lambda_max(X, y, **options) == pytest.approx(path["lambda"][0], rel=1e-10)
    for k, b in coefs.items():
        b0, mine = oracle.solve(X, y, path["lambda"][k], **options)
        assert mine == pytest.approx(b, rel=1e-6, abs=1e-8), k
        assert b0 == pytest.approx(path["intercept"][k], rel=1e-6, abs=1e-8)
        ratio = oracle.dev_ratio(X, y, b, **options)
        assert ratio == pytest.approx(path["dev_ratio"][k], abs=1e-9)
        gap = oracle.certificate(X, y, path["intercept"][k], b, path["lambda"][k], **options)
        assert gap < 1e-9


@pytest.mark.parametrize("name", sorted(settings()))
def test_coefficients_agree_with_glmnet(name):
    """The same lambdas, solved tightly, give R's coefficients to 1e-6.

    A gap of g leaves sqrt(2 g) of the fit open, so 1e-13 is what 1e-6 asks for.
    """
    X, y, options = settings()[name]
    path, coefs = reference(name)
    fit = ss.path(X, y, lambdas=path["lambda"], tol=1e-13, **_solving(options))
    assert fit.lambdas == pytest.approx(path["lambda"], rel=1e-12)
    for k, b in coefs.items():
        assert fit.coefs[:, [k]].toarray().ravel() == pytest.approx(b, rel=1e-6, abs=1e-6), k
    later = slice(1 if options.get("alpha") == 0.0 else 0, None)  # R's first ridge is b = 0
    assert fit.intercepts[later] == pytest.approx(path["intercept"][later], rel=1e-6, abs=1e-6)
    assert fit.dev_ratio[later] == pytest.approx(path["dev_ratio"][later], abs=1e-6)
    assert fit.df[later].tolist() == path["df"][later].tolist()


@pytest.mark.parametrize("name", sorted(settings()))
def test_default_path_agrees_with_glmnet(name):
    """lambda_max, the default ratio, the spacing, the deviances and where the path stops."""
    X, y, options = settings()[name]
    path = reference(name)[0]
    fit = ss.path(X, y, n_lambdas=60, tol=1e-12, **options)
    many = len(path["lambda"])
    if name == "nonnegative":  # a limit of 0 turns R's stopping rule off, and not ours
        many = len(fit.lambdas)
        assert many < len(path["lambda"])
    assert len(fit.lambdas) == many
    assert fit.lambdas == pytest.approx(path["lambda"][:many], rel=1e-9)
    assert fit.null_deviance == pytest.approx(path["null_deviance"][0], rel=1e-9)
    later = slice(1 if options.get("alpha") == 0.0 else 0, many)
    assert fit.dev_ratio[later] == pytest.approx(path["dev_ratio"][later], abs=3e-6)

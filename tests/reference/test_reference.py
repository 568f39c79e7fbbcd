"""The gaussian path against numbers of R's glmnet 4.1 (tests/reference/gaussian.R made them)."""

from functools import lru_cache
from pathlib import Path

import numpy as np
import oracle
import pytest
from glmnet_tables import glmnet_settings, rows_of, solving

import sparsesolve as ss

HERE = Path(__file__).parent
P = 20


def _unit(y, w=None, centre=True):
    """Scale y to the unit variance that glmnet's gaussian family would give it."""
    w = np.full(len(y), 1 / len(y)) if w is None else w / w.sum()
    mean = w @ y if centre else 0.0
    return y / np.sqrt(w @ (y - mean) ** 2)


@lru_cache
def settings():
    """Name -> (X, y, options of ss.path); the same table as in gaussian.R."""
    rows = rows_of("gaussian_data.csv")
    X = np.array([[float(row[f"x{j + 1}"]) for j in range(P)] for row in rows])
    y, w, o = (np.array([float(row[k]) for row in rows]) for k in ("y", "weight", "offset"))
    limits = {"lower": np.resize([-0.05, -np.inf, -0.2], P),
              "upper": np.resize([0.1, 0.3, np.inf, 0.02], P)}
    found = glmnet_settings(X, y, w, o, limits, 15, 6)
    scaled = {"elastic": _unit(y), "ridge": _unit(y)}
    scaled["combined"] = scaled["combined_sparse"] = _unit(y - o, w) + o
    scaled["combined_origin"] = _unit(y - o, w, False) + o
    return found | {name: (found[name][0], y, found[name][2]) for name, y in scaled.items()}


@lru_cache
def reference(name):
    """What R returned: arrays over the path, and {k: coefficients} at a few of its points."""
    rows = [row for row in rows_of("gaussian_paths.csv") if row["setting"] == name]
    path = {key: np.array([float(row[key]) for row in rows])
            for key in ("lambda", "intercept", "df", "dev_ratio", "null_deviance")}
    coefs = {int(row["k"]): np.array([float(row[f"b{j + 1}"]) for j in range(P)])
             for row in rows_of("gaussian_coefs.csv") if row["setting"] == name}
    return path, coefs


@pytest.mark.parametrize("name", sorted(settings()))
def test_oracle_agrees_with_glmnet(name):
    """The slow solver and the certificate know glmnet's conventions."""
    X, y, options = settings()[name]
    options = solving(options)
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
    fit = ss.path(X, y, lambdas=path["lambda"], tol=1e-13, **solving(options))
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

"""Paths of K responses against numbers of R's glmnet 4.1 (tests/reference/multi.R made them)."""

from functools import lru_cache

import numpy as np
import pytest
from glmnet_tables import glmnet_settings, rows_of

import sparsesolve as ss

P, K = 10, 3


@lru_cache
def settings():
    """(family, name) -> (X, y, options of ss.path); the same table as in multi.R."""
    rows = rows_of("multi_data.csv")

    def columns(stem, count):
        return np.array([[float(row[f"{stem}{j + 1}"]) for j in range(count)] for row in rows])

    X, reals = columns("x", P), columns("y", K)
    counts, o = columns("count", K), columns("offset", K)
    labels = np.array([int(row["label"]) for row in rows])
    w = np.array([float(row["weight"]) for row in rows])
    limits = {"lower": np.resize([-0.5, -np.inf, -0.1], P),
              "upper": np.resize([0.8, 0.25, np.inf, 0.5], P)}  # fmt: skip

    def shared(y, few):
        table = glmnet_settings(X, y, w, o, {}, 8, 5) | {"wide": (X[:8], few, {})}
        names = ("plain", "weights", "offset", "factors", "elastic", "no_intercept",
                 "no_standardize", "sparse", "sparse_weights", "wide", "combined")  # fmt: skip
        return {name: table[name] for name in names}

    classes = shared(labels, np.array([1, 2, 3, 1, 2, 3, 1, 2])) | {"counts": (X, counts, {})}
    limited = {
        "limits": (X, labels, limits),
        "limits_elastic": (X, labels, {**limits, "alpha": 0.5}),
    }
    tables = {
        "multinomial": classes | limited,
        "grouped": classes,
        "multigaussian": shared(reals, reals[:8]),
    }
    return {(family, name): table[name] for family, table in tables.items() for name in table}


@lru_cache
def reference(family, name):
    """What R returned: arrays over the path, and {k: (intercepts, coefficients)} at a few k."""
    rows = [r for r in rows_of("multi_paths.csv") if (r["family"], r["setting"]) == (family, name)]
    path = {key: np.array([float(row[key]) for row in rows])
            for key in ("lambda", "df", "dev_ratio", "null_deviance")}  # fmt: skip
    coefs = {}
    for row in rows_of("multi_coefs.csv"):
        if (row["family"], row["setting"]) == (family, name):
            b0, B = coefs.setdefault(int(row["k"]), (np.zeros(K), np.zeros((K, P))))
            b0[int(row["response"])] = float(row["intercept"])
            B[int(row["response"])] = [float(row[f"b{j + 1}"]) for j in range(P)]
    return path, coefs


def fitted(family, name, **more):
    X, y, options = settings()[family, name]
    grouped = family == "grouped"
    kind = {"family": "multinomial" if grouped else family, "grouped": grouped}
    return ss.path(X, y, **kind, **options, **more)


CASES = [pytest.param(*key, id=" ".join(key)) for key in sorted(settings())]


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
@pytest.mark.parametrize("family, name", CASES)
def test_coefficients_agree_with_glmnet(family, name):
    """A gap of g leaves sqrt(2 g) of the fit open: 1e-13 is asked, and where columns differ in
    size rounding leaves a little more."""
    path, coefs = reference(family, name)
    fit = fitted(family, name, lambdas=path["lambda"], tol=1e-13)
    assert fit.lambdas == pytest.approx(path["lambda"], rel=1e-12)
    assert fit.gaps.max() < 3e-12
    for k, (b0, B) in coefs.items():
        mine = np.array([matrix[:, [k]].toarray().ravel() for matrix in fit.coefs])
        assert mine == pytest.approx(B, rel=2e-5, abs=5e-6), k
        assert fit.intercepts[:, k] == pytest.approx(b0, rel=1e-5, abs=5e-6)
    assert fit.dev_ratio == pytest.approx(path["dev_ratio"], abs=1e-6)
    assert fit.df.tolist() == path["df"].tolist()


@pytest.mark.parametrize("family, name", CASES)
def test_default_path_agrees_with_glmnet(family, name):
    """lambda_max, the spacing, the deviances and where the path stops."""
    path, _ = reference(family, name)
    fit = fitted(family, name, n_lambdas=30, tol=1e-11)
    assert fit.lambdas == pytest.approx(path["lambda"], rel=1e-9)
    # R centres the responses of its null model even where the fit may not
    if family != "multigaussian" or "intercept" not in settings()[family, name][2]:
        assert fit.null_deviance == pytest.approx(path["null_deviance"][0], rel=1e-9)
    assert fit.dev_ratio == pytest.approx(path["dev_ratio"], abs=3e-6)

"""Paths of one response against numbers of R's glmnet 4.1 (gaussian.R and glm.R made them)."""

from functools import lru_cache

import glm_oracle
import numpy as np
import numpy_losses
import oracle
import pytest
from glmnet_tables import glmnet_settings, rows_of, solving
from scipy import sparse

import sparsesolve as ss

LOSSES = {"binomial": numpy_losses.BINOMIAL, "poisson": numpy_losses.POISSON}


def _data(name):
    """The columns of a file as arrays, the design as "X"."""
    rows = rows_of(name)
    data = {k: np.array([float(row[k]) for row in rows]) for k in rows[0]}
    return data | {"X": np.stack([v for k, v in data.items() if k[0] == "x"], axis=1)}


def _unit(y, w=None, centre=True):
    """Scale y to the unit variance that glmnet's gaussian family would give it."""
    w = np.full(len(y), 1 / len(y)) if w is None else w / w.sum()
    mean = w @ y if centre else 0.0
    return y / np.sqrt(w @ (y - mean) ** 2)


def _gaussian():
    d = _data("gaussian_data.csv")
    X, y, w, o = d["X"], d["y"], d["weight"], d["offset"]
    limits = {"lower": np.resize([-0.05, -np.inf, -0.2], 20),
              "upper": np.resize([0.1, 0.3, np.inf, 0.02], 20)}  # fmt: skip
    found = glmnet_settings(X, y, w, o, limits, 15, 6)
    scaled = {"elastic": _unit(y), "ridge": _unit(y)}
    scaled["combined"] = scaled["combined_sparse"] = _unit(y - o, w) + o
    scaled["combined_origin"] = _unit(y - o, w, False) + o
    return found | {name: (found[name][0], y, found[name][2]) for name, y in scaled.items()}


@lru_cache
def settings():
    """(family, name) -> (X, y, options of ss.path); the same table as in R's files."""
    d = _data("glm_data.csv")
    X, w, o = d["X"], d["weight"], d["offset"]
    limits = {"lower": np.resize([-0.5, -np.inf, -0.1], 12),
              "upper": np.resize([0.8, 0.25, np.inf, 0.5], 12)}  # fmt: skip
    counts = np.stack([d["trials"] - d["successes"], d["successes"]], axis=1)
    share = d["successes"] / d["trials"]
    binomial = glmnet_settings(X, d["yes"], w, o, limits, 10, 5) | {
        "counts": (X, counts, {}),
        "counts_weights": (X, counts, {"weights": w, "offset": o}),
        "proportions": (X, share, {}),
        "proportions_weights": (X, share, {"weights": w}),
        "unbalanced": (X, d["rare"], {}),
    }
    poisson = glmnet_settings(X, d["events"], w, o, limits, 10, 5) | {
        "exposure": (X, d["events"], {"offset": np.log(d["exposure"])}),
        "rare": (X, d["rare"], {}),
        "real": (X, d["events"] + 0.25, {"weights": w}),
    }
    tables = {"gaussian": _gaussian(), "binomial": binomial, "poisson": poisson}
    return {(family, name): table[name] for family, table in tables.items() for name in table}


CASES = sorted(settings())


@lru_cache
def reference(family, name):
    """What R returned: arrays over the path, {k: coefficients} at some points, the default end."""
    own = {"setting": name} if family == "gaussian" else {"setting": name, "family": family}

    def numbers(file):
        stem = "gaussian" if family == "gaussian" else "glm"
        rows = [row for row in rows_of(f"{stem}_{file}.csv") if own.items() <= row.items()]
        return {key: np.array([float(row[key]) for row in rows]) for key in rows[0].keys() - own}

    path, coefs = numbers("paths"), numbers("coefs")
    b = np.stack([coefs[f"b{j + 1}"] for j in range(20 if family == "gaussian" else 12)], axis=1)
    if family == "gaussian":
        lambdas = path["lambda"]
        end = {"first": lambdas[0], "last": lambdas[-1], "n_lambdas": len(lambdas),
               "dev_ratio": path["dev_ratio"][-1]}  # fmt: skip
    else:
        end = {key: values[0] for key, values in numbers("ends").items()}
    return path, dict(zip(coefs["k"].astype(int), b, strict=True)), end


def _expanded(y, options):
    """Counts as shares with weights, which is what they mean."""
    if np.ndim(y) == 1:
        return y, options
    trials = y.sum(axis=1)
    return y[:, 1] / trials, {**options, "weights": trials * options.get("weights", 1.0)}


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_oracle_agrees_with_glmnet(case):
    """The slow solvers know glmnet's conventions; R's numbers are optimal by what they certify."""
    X, y, options = settings()[case]
    path, coefs, _ = reference(*case)
    y, options = _expanded(y, solving(options))
    slow = oracle if case[0] == "gaussian" else glm_oracle
    options |= {} if slow is oracle else {"loss": LOSSES[case[0]]}
    near = 1e-10 if slow is oracle else 1e-9
    assert slow.lambda_max(X, y, **options) == pytest.approx(path["lambda"][0], rel=near)
    null = 2 * np.sum(np.ones(len(y)) * options.get("weights", 1.0))
    null *= slow.null_objective(X, y, **options)
    assert null == pytest.approx(path["null_deviance"][0], rel=1e-9)
    for k, b in coefs.items():
        b0, mine = slow.solve(X, y, path["lambda"][k], **options)
        assert mine == pytest.approx(b, rel=1e-7, abs=1e-8), k
        assert b0 == pytest.approx(path["intercept"][k], rel=1e-7, abs=1e-8)
        point = (b,) if slow is oracle else (path["intercept"][k], b)
        ratio = slow.dev_ratio(X, y, *point, **options)
        assert ratio == pytest.approx(path["dev_ratio"][k], abs=1e-9)
        stored = X, y, path["intercept"][k], b, path["lambda"][k]
        assert slow.certificate(*stored, **options) < 1e-9
        assert slow is oracle or glm_oracle.kkt_residual(*stored, **options) < 1e-8


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_coefficients_agree_with_glmnet(case):
    """The same lambdas, solved tightly, give R's solutions to 1e-6, on the standardised scale
    where the loss bends. A gap of g leaves sqrt(2 g) of the fit open: 1e-13 is what 1e-6 asks for.
    """
    X, y, options = settings()[case]
    path, coefs, _ = reference(*case)
    fit = ss.path(X, y, family=case[0], lambdas=path["lambda"], tol=1e-13, **solving(options))
    assert fit.lambdas == pytest.approx(path["lambda"], rel=1e-12)
    D = X.toarray() if sparse.issparse(X) else X
    straight = case[0] == "gaussian"
    scale, centre, near = (1.0, 0 * D[0], 1e-6) if straight else (D.std(axis=0), D.mean(axis=0),
                                                                  1e-5)  # fmt: skip
    for k, b in coefs.items():
        own, own0 = fit.coefs[:, [k]].toarray().ravel(), fit.intercepts[k]
        assert own * scale == pytest.approx(b * scale, rel=1e-6, abs=1e-6), k
        assert own0 + centre @ own == pytest.approx(path["intercept"][k] + centre @ b, abs=1e-6)
    later = slice(1 if options.get("alpha") == 0.0 else 0, None)  # R's first ridge is b = 0
    assert fit.intercepts[later] == pytest.approx(path["intercept"][later], rel=near, abs=near)
    assert fit.dev_ratio[later] == pytest.approx(path["dev_ratio"][later], abs=1e-6)
    assert fit.df[later].tolist() == path["df"][later].tolist()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_default_path_agrees_with_glmnet(case):
    """lambda_max, the default ratio, the spacing, the deviances and where the path stops."""
    X, y, options = settings()[case]
    path, _, end = reference(*case)
    gaussian = case[0] == "gaussian"
    fit = ss.path(X, y, family=case[0], tol=1e-12, n_lambdas=60 if gaussian else 100, **options)
    many = len(fit.lambdas)
    assert fit.lambdas[0] == pytest.approx(end["first"], rel=1e-9)
    assert fit.null_deviance == pytest.approx(path["null_deviance"][0], rel=1e-9)
    if gaussian:
        assert fit.lambdas == pytest.approx(path["lambda"][:many], rel=1e-9)
        later = slice(1 if options.get("alpha") == 0.0 else 0, many)
        assert fit.dev_ratio[later] == pytest.approx(path["dev_ratio"][later], abs=3e-6)
    if case[1] == "nonnegative":  # a limit of 0 turns R's stopping rule off, and not ours
        assert many < end["n_lambdas"]
        return
    assert many == end["n_lambdas"]
    assert fit.lambdas[-1] == pytest.approx(end["last"], rel=1e-9)
    assert fit.dev_ratio[-1] == pytest.approx(end["dev_ratio"], abs=3e-6)

"""The binomial and poisson paths against numbers of R's glmnet 4.1 (reference/glm.R made them)."""

from functools import lru_cache
from pathlib import Path

import glm_oracle
import numpy as np
import numpy_losses
import pytest
from glmnet_tables import glmnet_settings, rows_of, solving
from scipy import sparse

import sparsesolve as ss

HERE = Path(__file__).parent
P = 12
LOSSES = {"binomial": numpy_losses.BINOMIAL, "poisson": numpy_losses.POISSON}


def _data():
    """The columns of glm_data.csv as arrays, the design as "X"."""
    rows = rows_of("glm_data.csv")
    data = {k: np.array([float(row[k]) for row in rows]) for k in rows[0]}
    return data | {"X": np.stack([data[f"x{j + 1}"] for j in range(P)], axis=1)}


@lru_cache
def settings():
    """(family, name) -> (X, y, options of ss.path)."""
    d = _data()
    X, w, o = d["X"], d["weight"], d["offset"]
    limits = {"lower": np.resize([-0.5, -np.inf, -0.1], P),
              "upper": np.resize([0.8, 0.25, np.inf, 0.5], P)}
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
    return {("binomial", k): v for k, v in binomial.items()} | {
        ("poisson", k): v for k, v in poisson.items()}


CASES = sorted(settings())


@lru_cache
def reference(family, name):
    """What R returned: arrays over the path, {k: coefficients} at some points, the default end."""
    def own(file):
        return [r for r in rows_of(file) if (r["family"], r["setting"]) == (family, name)]

    rows = own("glm_paths.csv")
    path = {key: np.array([float(row[key]) for row in rows])
            for key in ("lambda", "intercept", "df", "dev_ratio", "null_deviance")}
    coefs = {int(row["k"]): np.array([float(row[f"b{j + 1}"]) for j in range(P)])
             for row in own("glm_coefs.csv")}
    return path, coefs, own("glm_ends.csv")[0]


def _expanded(y, options):
    """Counts as shares with weights, which is what they mean."""
    if np.ndim(y) == 1:
        return y, options
    trials = y.sum(axis=1)
    return y[:, 1] / trials, {**options, "weights": trials * options.get("weights", 1.0)}


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_oracle_agrees_with_glmnet(case):
    """The slow solver knows glmnet's conventions; R's numbers are optimal by its certificate."""
    X, y, options = settings()[case]
    path, coefs, _ = reference(*case)
    y, options = _expanded(y, {**solving(options), "loss": LOSSES[case[0]]})
    assert glm_oracle.lambda_max(X, y, **options) == pytest.approx(path["lambda"][0], rel=1e-9)
    null = 2 * np.sum(np.ones(len(y)) * options.get("weights", 1.0))
    null *= glm_oracle.null_objective(X, y, **options)
    assert null == pytest.approx(path["null_deviance"][0], rel=1e-9)
    for k, b in coefs.items():
        b0, mine = glm_oracle.solve(X, y, path["lambda"][k], **options)
        assert mine == pytest.approx(b, rel=1e-7, abs=1e-8), k
        assert b0 == pytest.approx(path["intercept"][k], rel=1e-7, abs=1e-8)
        ratio = glm_oracle.dev_ratio(X, y, path["intercept"][k], b, **options)
        assert ratio == pytest.approx(path["dev_ratio"][k], abs=1e-9)
        stored = X, y, path["intercept"][k], b, path["lambda"][k]
        assert glm_oracle.certificate(*stored, **options) < 1e-9
        assert glm_oracle.kkt_residual(*stored, **options) < 1e-8


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_coefficients_agree_with_glmnet(case):
    """The same lambdas, solved tightly, give R's solutions to 1e-6 on the standardised scale.

    A gap of g leaves sqrt(2 g) of the fit open, so 1e-13 is what 1e-6 asks for.
    """
    X, y, options = settings()[case]
    path, coefs, _ = reference(*case)
    fit = ss.path(X, y, family=case[0], lambdas=path["lambda"], tol=1e-13, **solving(options))
    assert fit.lambdas == pytest.approx(path["lambda"], rel=1e-12)
    D = X.toarray() if sparse.issparse(X) else X
    scale, centre = D.std(axis=0), D.mean(axis=0)
    for k, b in coefs.items():
        own, own0 = fit.coefs[:, [k]].toarray().ravel(), fit.intercepts[k]
        assert own * scale == pytest.approx(b * scale, rel=1e-6, abs=1e-6), k
        assert own0 + centre @ own == pytest.approx(path["intercept"][k] + centre @ b, abs=1e-6)
    later = slice(1 if options.get("alpha") == 0.0 else 0, None)  # R's first ridge is b = 0
    assert fit.intercepts[later] == pytest.approx(path["intercept"][later], rel=1e-5, abs=1e-5)
    assert fit.dev_ratio[later] == pytest.approx(path["dev_ratio"][later], abs=1e-6)
    assert fit.df[later].tolist() == path["df"][later].tolist()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_default_path_agrees_with_glmnet(case):
    """lambda_max, the default ratio, the spacing, the deviances and where the path stops."""
    X, y, options = settings()[case]
    path, _, end = reference(*case)
    fit = ss.path(X, y, family=case[0], tol=1e-12, **options)
    assert fit.lambdas[0] == pytest.approx(float(end["first"]), rel=1e-9)
    assert fit.null_deviance == pytest.approx(path["null_deviance"][0], rel=1e-9)
    if case[1] == "nonnegative":  # a limit of 0 turns R's stopping rule off, and not ours
        assert len(fit.lambdas) < int(end["n_lambdas"])
        return
    assert len(fit.lambdas) == int(end["n_lambdas"])
    assert fit.lambdas[-1] == pytest.approx(float(end["last"]), rel=1e-9)
    assert fit.dev_ratio[-1] == pytest.approx(float(end["dev_ratio"]), abs=3e-6)

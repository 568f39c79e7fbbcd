"""Cross-validation against numbers of R's cv.glmnet 4.1 (reference/cv.R made them)."""

from functools import lru_cache

import numpy as np
import pytest
from glmnet_tables import rows_of, thinned

import sparsesolve as ss

P = 8
TIED = ("multinomial_grouped", "multigaussian_plain", "multigaussian_weights")


@lru_cache
def settings():
    """name -> (X, y, options of ss.cv_path); the same table as in cv.R."""
    rows = rows_of("cv_data.csv")
    d = {k: np.array([float(row[k]) for row in rows]) for k in rows[0]}
    X = np.stack([d[f"x{j + 1}"] for j in range(P)], axis=1)
    S = thinned(X)
    w, o = {"weights": d["weight"]}, {"offset": d["offset"]}
    counts = np.stack([d["trials"] - d["successes"], d["successes"]], axis=1)
    pair, death = np.stack([d["real"], d["second"]], axis=1), (d["time"], d["status"])
    table = {
        "gaussian_plain": (d["real"], {}),
        "gaussian_mae": (d["real"], {"measure": "mae"}),
        "gaussian_weights": (d["real"], {"measure": "mse", **w, **o}),
        "gaussian_sparse": (d["real"], w),
        "gaussian_given": (d["real"], {"lambdas": [0.01, 0.05, 0.02, 0.1, 0.2, 0.3]}),
        "gaussian_origin": (d["real"], {"intercept": False, "standardize": False}),
        "binomial_plain": (d["yes"], {}),
        "binomial_class": (d["yes"], {"measure": "class"}),
        "binomial_auc": (d["yes"], {"measure": "auc"}),
        "binomial_mse": (d["yes"], {"measure": "mse", "alpha": 0.5}),
        "binomial_mae": (d["yes"], {"measure": "mae"}),
        "binomial_weights": (d["yes"], {**w, **o}),
        "binomial_auc_weights": (d["yes"], {"measure": "auc", **w}),
        "binomial_counts": (counts, w),
        "poisson_plain": (d["events"], {}),
        "poisson_mse": (d["events"], {"measure": "mse", "alpha": 0.3}),
        "poisson_mae": (d["events"], {"measure": "mae", **w}),
        "poisson_weights": (d["events"], {**w, **o}),
        "multinomial_plain": (d["label"], {}),
        "multinomial_class": (d["label"], {"measure": "class"}),
        "multinomial_weights": (d["label"], {"measure": "mse", **w}),
        "multinomial_grouped": (d["label"], {"measure": "mae", "grouped": True}),
        "multigaussian_plain": (pair, {}),
        "multigaussian_weights": (pair, {"measure": "mae", **w}),
        "cox_plain": (death, {}),
        "cox_offset": (death, o),
        "cox_C": (death, {"measure": "C", "alpha": 0.5}),
        "cox_C_weights": (death, {"measure": "C", **w}),
        "cox_weights": (death, w),
    }
    return {
        name: (S if name.endswith("sparse") else X, y,
               {"family": name.split("_")[0], "folds": d["fold"], **options})
        for name, (y, options) in table.items()
    }  # fmt: skip


def reference(name):
    """What R returned: its curve, and the two lambdas it chose."""
    rows = [row for row in rows_of("cv_curves.csv") if row["setting"] == name]
    keys = ("lambda", "mean", "std", "n_nonzero")
    curve = {key: np.array([float(row[key]) for row in rows]) for key in keys}
    chosen = next(row for row in rows_of("cv_chosen.csv") if row["setting"] == name)
    return curve, {key: float(chosen[key]) for key in ("lambda_min", "lambda_1se")}


def test_every_setting_of_r_is_looked_at():
    assert {row["setting"] for row in rows_of("cv_chosen.csv")} == set(settings())


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
@pytest.mark.parametrize("name", sorted(settings()))
def test_cross_validation_agrees_with_glmnet(name):
    """Mean, standard error, counts and both lambdas, on the folds that R was given.

    A gap of g leaves sqrt(2 g) of a prediction open. Shares of rows misclassified move by whole
    rows, where a prediction lies at one half; none does here.
    """
    X, y, options = settings()[name]
    curve, chosen = reference(name)
    cv = ss.cv_path(X, y, **{"n_lambdas": 30, "tol": 1e-12, **options})
    assert cv.lambdas == pytest.approx(curve["lambda"], rel=1e-7)  # R rounds those of cox
    assert cv.mean == pytest.approx(curve["mean"], rel=1e-5)
    assert cv.std == pytest.approx(curve["std"], rel=1e-4)
    assert (cv.lambda_min, cv.lambda_1se) == pytest.approx(tuple(chosen.values()), rel=1e-7)
    if name in TIED:  # R's count has the intercept in it
        assert cv.n_nonzero.tolist() == [count - 1 for count in curve["n_nonzero"]]
    elif name.startswith("multinomial"):  # R's is the median over the classes, ours that of any
        assert (cv.n_nonzero >= curve["n_nonzero"]).all()
    else:
        assert cv.n_nonzero.tolist() == curve["n_nonzero"].tolist()
    assert cv.fold_scores.shape == (5, len(cv.lambdas))
    assert np.array_equal([cv.lower, cv.upper], [cv.mean - cv.std, cv.mean + cv.std])


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson", "cox"])
def test_relaxed_fits_agree_with_glmnet(family):
    """R takes gamma = 0 for 1e-5."""
    X, y, options = settings()[f"{family}_weights" if family == "gaussian" else f"{family}_plain"]
    options = {**options, "offset": None}
    cv = ss.cv_path(X, y, gammas=[0.0, 0.5, 1.0], n_lambdas=12, tol=1e-12, **options)
    assert [one.gamma for one in cv.candidates] == [1.0, 0.5, 0.0]
    for one in cv.candidates:
        rows = [row for row in rows_of("cv_relaxed.csv")
                if row["family"] == family and float(row["gamma"]) == one.gamma]  # fmt: skip
        curve = {key: np.array([float(row[key]) for row in rows])
                 for key in ("lambda", "mean", "std")}  # fmt: skip
        assert one.lambdas == pytest.approx(curve["lambda"], rel=1e-6)
        assert one.mean == pytest.approx(curve["mean"], rel=1e-4)
        assert one.std == pytest.approx(curve["std"], rel=1e-3)
    chosen = float(rows[0]["lambda_min"]), float(rows[0]["gamma_min"])
    assert (cv.lambda_min, cv.gamma) == pytest.approx(chosen, rel=1e-6)

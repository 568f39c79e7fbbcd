"""Estimators of dask arrays and DataFrames: those of the same data in memory."""

import numpy as np
import pytest

import sparsesolve as ss

estimators = pytest.importorskip("sparsesolve.estimators")
da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(8)
N = 120
X = RNG.normal(size=(N, 6)) + 3.0
ETA = X[:, 0] - X[:, 1] / 2
BLOCKS = da.from_array(X, chunks=(50, 4))
NOISY = ETA + RNG.normal(size=N)
KIND = np.where(NOISY > np.median(NOISY), "b", "a")
COUNTS = RNG.poisson(np.exp(ETA / 2))
GRID = {"alphas": 6, "eps": 0.05}
GROUPS = {"groups": [0, 0, 1, 1, 2, 2]}
MADE = {
    "Lasso": (NOISY, {"alpha": 0.1}),
    "LassoCV": (NOISY, GRID),
    "ElasticNet": (np.column_stack([NOISY, -NOISY]), {"alpha": 0.1}),
    "ElasticNetCV": (NOISY, {**GRID, "l1_ratio": [0.5, 1.0], "positive": True}),
    "MultiTaskLasso": (np.column_stack([NOISY, ETA]), {"alpha": 0.1}),
    "GroupLassoCV": (NOISY, {**GRID, **GROUPS}),
    "RelaxedLassoCV": (NOISY, GRID),
    "SparseLogisticRegression": (KIND, {"class_weight": "balanced"}),
    "SparseLogisticRegressionCV": (np.digitize(NOISY, [1.0, 2.0]), {**GRID, "cv": 3}),
    "ProbitNet": (KIND, {}),
    "PoissonNetCV": (COUNTS, GRID),
    "GammaNet": (np.exp(ETA), {}),
    "HuberNet": (NOISY, {"alpha": 0.1}),
}


@pytest.mark.parametrize("name", MADE)
def test_estimators_fit_blocks_as_arrays(name):
    y, options = MADE[name]
    make = getattr(estimators, name)
    fit, whole = make(**options).fit(BLOCKS, y), make(**options).fit(X, y)
    np.testing.assert_allclose(fit.coef_, whole.coef_, atol=1e-5)
    np.testing.assert_allclose(fit.intercept_, whole.intercept_, atol=1e-5)
    assert np.max(fit.gap_) <= 1e-9 and fit.n_features_in_ == 6
    found = fit.predict(BLOCKS)
    assert found.chunks[0] == (50, 50, 20) and (found.compute() == fit.predict(X)).all()
    assert fit.score(BLOCKS, y) == pytest.approx(whole.score(X, y), abs=1e-5)
    if hasattr(fit, "predict_proba"):
        np.testing.assert_array_equal(fit.predict_proba(BLOCKS), fit.predict_proba(X))


def test_rows_of_y_and_weights_may_be_blocks_too():
    weights = RNG.uniform(size=N)
    lazy = [da.from_array(rows, chunks=40) for rows in (NOISY, weights)]
    fit = estimators.Lasso(0.1).fit(BLOCKS, lazy[0], sample_weight=lazy[1])
    whole = estimators.Lasso(0.1).fit(X, NOISY, sample_weight=weights)
    np.testing.assert_allclose(fit.coef_, whole.coef_, atol=1e-9)
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[120, 119\]"):
        estimators.Lasso(0.1).fit(BLOCKS, NOISY[1:])


def test_frames_are_encoded_and_found_by_name():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    table = pd.DataFrame(X[:, :3], columns=list("uvw"))
    frame = dd.from_pandas(table, npartitions=3)
    fit = estimators.Lasso(0.1).fit(frame, NOISY)
    assert fit.feature_names_in_.tolist() == ["u", "v", "w"]
    np.testing.assert_array_equal(fit.predict(frame), fit.predict(table))
    table["k"] = np.where(NOISY > 2.0, "high", "low")
    frame = dd.from_pandas(table, npartitions=3)
    fit = estimators.Lasso(0.1).fit(ss.make_design(frame), NOISY)
    whole = estimators.Lasso(0.1).fit(ss.make_design(table), NOISY)
    np.testing.assert_allclose(fit.coef_, whole.coef_, atol=1e-9)
    np.testing.assert_allclose(fit.predict(frame), whole.predict(table), atol=1e-8)


@pytest.mark.parametrize("name", [
    "Lars", "LassoLarsIC", "OrthogonalMatchingPursuit", "AdaptiveLasso", "MCPRegressor",
    "QuantileRegressor", "LinearSVC", "CoxNet", "OnlineRegressor", "MKLRegressor",
    "KnockoffSelector", "DesignEncoder",
])  # fmt: skip
def test_others_say_that_they_need_memory(name):
    with pytest.raises(TypeError, match=f"^{name} takes X in memory, not a dask Array; pass "):
        getattr(estimators, name)().fit(BLOCKS, NOISY)


def test_what_reads_x_itself_is_refused():
    with pytest.raises(TypeError, match="precompute is an array, and X is in blocks"):
        estimators.Lasso(precompute=X.T @ X).fit(BLOCKS, NOISY)
    with pytest.raises(TypeError, match="LinearSVC takes X in memory"):
        estimators.LinearSVC().fit(X, KIND).predict(BLOCKS)

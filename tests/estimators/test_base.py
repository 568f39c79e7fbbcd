"""What estimators share: arrays, words of errors, groups by names, and dask arrays."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import KFold

import sparsesolve as ss
from sparsesolve import estimators as ours
from sparsesolve import path
from sparsesolve.estimators.base import TYPES, validate_data, validated
from sparsesolve.penalties import GroupL2

RNG = np.random.default_rng(23)
X = RNG.standard_normal((30, 4))
Y = X[:, 0] - X[:, 1] + RNG.standard_normal(30)


class Subclass(np.ndarray):
    """What a matrix of another package may be."""


ODD = X.copy()
ODD[3, 2] = np.inf
WAYS = {
    "plain": (X, Y), "fortran": (np.asfortranarray(X), Y), "every other": (X[::2], Y[::2]),
    "single": (X.astype(np.float32), Y), "whole": (X.round().astype(int), Y),
    "classes": (X, Y > 0), "words": (X, np.where(Y > 0, "a", "b")), "list": (X.tolist(), Y),
    "other bytes": (X.astype(">f8"), Y), "subclass": (X.view(Subclass), Y),
    "sparse": (sparse.csc_array(X), Y), "infinite": (ODD, Y), "y infinite": (X, ODD[:, 2]),
    "y has nan": (X, np.where(Y > 0, np.nan, Y)), "short": (X, Y[:-1]), "column": (X, Y[:, None]),
    "flat": (Y, Y), "empty": (X[:0], Y[:0]), "no columns": (X[:, :0], Y), "no y": (X, None),
    "complex": (X + 1j, Y), "huge": (np.full((30, 4), 1e308), Y),
    "y strided": (X, np.repeat(Y, 2)[::2]),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("order", [None, "F"])
def test_arrays_are_validated_as_scikit_learn_does(way, order):
    """Results, errors and what the estimator remembers are those of scikit-learn."""
    from sklearn.linear_model import Ridge

    found = []
    for check in (validated, validate_data):
        for at in (WAYS[way], WAYS[way][:1]):
            model = Ridge()
            try:
                out = check(model, *at, dtype=TYPES, order=order, accept_sparse="csc")
            except (ValueError, TypeError) as error:
                found.append((type(error), str(error)))
                continue
            parts = out if isinstance(out, tuple) else (out,)
            parts = [part.toarray() if sparse.issparse(part) else part for part in parts]
            found.append([(type(part), part.dtype, part.flags.f_contiguous, part.tolist())
                          for part in parts] + [model.n_features_in_])  # fmt: skip
    half = len(found) // 2
    assert found[:half] == found[half:]


def test_new_rows_are_validated_against_the_fit():
    model = ss.estimators.Lasso(0.1).fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features, but Lasso is expecting 4"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(ODD)
    pd = pytest.importorskip("pandas")
    named = ss.estimators.Lasso(0.1).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X)
    named.fit(X, Y)
    assert not hasattr(named, "feature_names_in_")
    assert named.predict(X) == pytest.approx(model.predict(X))


RNG_OWN_NAMES = np.random.default_rng(0)
X_OWN_NAMES = RNG_OWN_NAMES.normal(size=(80, 6))
Y_OWN_NAMES = X_OWN_NAMES[:, 0] - X_OWN_NAMES[:, 1] + 0.5 * RNG_OWN_NAMES.normal(size=80)


@pytest.mark.parametrize("model, words", [
    (ours.Lasso(-0.1), "alpha must be at least 0, not -0.1"),
    (ours.Lasso(np.nan), "alpha must be"), (ours.Lasso(np.inf), "alpha must be"),
    (ours.ElasticNet(l1_ratio=2), r"l1_ratio must be in \[0, 1\]"),
    (ours.ElasticNet(l1_ratio=None), "l1_ratio must be a number"),
    (ours.ElasticNetCV(l1_ratio=[0.1, 2]), "l1_ratio must be in"),
    (ours.ElasticNetCV(l1_ratio=[]), "l1_ratio is empty"),
    (ours.ElasticNetCV(l1_ratio="a"), "l1_ratio must be a number"),
    (ours.Lasso(fit_intercept="no"), "fit_intercept must be True or False"),
    (ours.Lasso(positive="yes"), "positive must be True or False"),
    (ours.LassoCV(alphas=[]), "alphas is empty"),
    (ours.LassoCV(alphas=0.1), "alphas must be a count or a list"),
    (ours.LassoCV(alphas=None), "alphas must be a count or a list"),
    (ours.LassoCV(n_jobs=0), "n_jobs must be"),
    (ours.MKLRegressorCV(alphas=0.1), "alphas must be a count or a list"),
    (ours.OrthogonalMatchingPursuit(n_nonzero_coefs=0), "n_nonzero_coefs must be at least 1"),
    (ours.DictionaryLearning(5, alpha=0), "alpha must be greater than 0"),
    (ours.DictionaryLearning(5, l1_ratio=2), "l1_ratio must be"),
])  # fmt: skip
def test_parameters_by_their_names(model, words):
    with pytest.raises((ValueError, TypeError), match=words):
        model.fit(X_OWN_NAMES, Y_OWN_NAMES)


@pytest.mark.parametrize("model", [
    ours.LassoCV(cv=2), ours.LassoLarsCV(cv=2), ours.OrthogonalMatchingPursuitCV(cv=2),
    ours.MKLRegressorCV(cv=2, alphas=3),
])  # fmt: skip
def test_a_fold_without_weight_is_named(model):
    with pytest.raises(ValueError, match="fold 1 leaves no row of positive weight"):
        model.fit(X_OWN_NAMES, Y_OWN_NAMES, sample_weight=np.r_[np.zeros(40), np.ones(40)])


@pytest.mark.parametrize("model", [
    ours.SparseLogisticRegressionCV(cv=KFold(5)), ours.MKLClassifierCV(cv=KFold(5), alphas=3),
])  # fmt: skip
def test_a_fold_without_a_class_names_it(model):
    labels = np.array(list("uvwz"))[np.r_[np.repeat([0, 1, 2], 26), 3, 3]]
    with pytest.raises(ValueError, match="fold 4 leaves no row of class 'z'"):
        model.fit(X_OWN_NAMES, labels)


def test_codes_have_one_column_for_each_atom():
    model = ours.DictionaryLearning(5, alpha=0.1, random_state=0).fit(X_OWN_NAMES)
    with pytest.raises(ValueError, match="X has 4 columns; codes have one for each of the 5"):
        model.inverse_transform(np.ones((2, 4)))


@pytest.mark.parametrize("groups", [{"a": ["c0", "c1"], "b": ["c4"]}, [["c0", "c1"], ["c4"]]])
def test_groups_by_the_names_of_columns(groups):
    frame = pd.DataFrame(X_OWN_NAMES, columns=[f"c{j}" for j in range(6)])
    expected = path(frame, Y_OWN_NAMES, penalty=GroupL2(groups), standardize=False, lambdas=[0.2],
                    tol=1e-10)
    model = ours.GroupLasso(0.2, groups=groups).fit(frame, Y_OWN_NAMES)
    np.testing.assert_allclose(model.coef_, expected.coefs.toarray()[:, 0], atol=1e-9)
    assert ours.GroupLassoCV(groups=groups, alphas=4).fit(frame, Y_OWN_NAMES).coef_.shape == (6,)
    with pytest.raises(ValueError, match="group 0 names 'other', which is not a column of X"):
        ours.GroupLasso(0.2, groups=[["other"]]).fit(frame, Y_OWN_NAMES)


estimators = pytest.importorskip("sparsesolve.estimators")
da = pytest.importorskip("dask.array")

RNG_BLOCKS = np.random.default_rng(8)
N = 120
X_BLOCKS = RNG_BLOCKS.normal(size=(N, 6)) + 3.0
ETA = X_BLOCKS[:, 0] - X_BLOCKS[:, 1] / 2
BLOCKS = da.from_array(X_BLOCKS, chunks=(50, 4))
NOISY = ETA + RNG_BLOCKS.normal(size=N)
KIND = np.where(NOISY > np.median(NOISY), "b", "a")
COUNTS = RNG_BLOCKS.poisson(np.exp(ETA / 2))
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
    fit, whole = make(**options).fit(BLOCKS, y), make(**options).fit(X_BLOCKS, y)
    np.testing.assert_allclose(fit.coef_, whole.coef_, atol=1e-5)
    np.testing.assert_allclose(fit.intercept_, whole.intercept_, atol=1e-5)
    assert np.max(fit.gap_) <= 1e-9 and fit.n_features_in_ == 6
    found = fit.predict(BLOCKS)
    assert found.chunks[0] == (50, 50, 20) and (found.compute() == fit.predict(X_BLOCKS)).all()
    assert fit.score(BLOCKS, y) == pytest.approx(whole.score(X_BLOCKS, y), abs=1e-5)
    if hasattr(fit, "predict_proba"):
        np.testing.assert_array_equal(fit.predict_proba(BLOCKS), fit.predict_proba(X_BLOCKS))


def test_rows_of_y_and_weights_may_be_blocks_too():
    weights = RNG_BLOCKS.uniform(size=N)
    lazy = [da.from_array(rows, chunks=40) for rows in (NOISY, weights)]
    fit = estimators.Lasso(0.1).fit(BLOCKS, lazy[0], sample_weight=lazy[1])
    whole = estimators.Lasso(0.1).fit(X_BLOCKS, NOISY, sample_weight=weights)
    np.testing.assert_allclose(fit.coef_, whole.coef_, atol=1e-9)
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[120, 119\]"):
        estimators.Lasso(0.1).fit(BLOCKS, NOISY[1:])


def test_frames_are_encoded_and_found_by_name():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    table = pd.DataFrame(X_BLOCKS[:, :3], columns=list("uvw"))
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
        estimators.Lasso(precompute=X_BLOCKS.T @ X_BLOCKS).fit(BLOCKS, NOISY)
    with pytest.raises(TypeError, match="LinearSVC takes X in memory"):
        estimators.LinearSVC().fit(X_BLOCKS, KIND).predict(BLOCKS)

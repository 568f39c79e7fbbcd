"""MKLClassifier, MKLRegressor and their CV forms: tables and stacks, labels, parameters."""

import pickle

import mkl_oracle
import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.metrics import log_loss  # noqa: E402
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve import mkl  # noqa: E402
from sparsesolve.estimators import (  # noqa: E402
    MKLClassifier,
    MKLClassifierCV,
    MKLRegressor,
    MKLRegressorCV,
)

X, K, Y = mkl_oracle.problem(8, n=90, M=4, noise=0.1)
TRAIN, TEST = slice(0, 60), slice(60, 90)


def test_regression_on_a_table_finds_the_columns():
    model = MKLRegressor().fit(X[TRAIN], Y[TRAIN])
    assert model.score(X[TEST], Y[TEST]) > 0.8
    assert 0 < len(model.active_) < 20 and model.kernel_weights_.sum() == pytest.approx(1)
    assert model.path_.gaps.max() <= 1e-10 and model.gap_ == model.path_.gaps[-1]


def test_regression_on_a_stack_at_a_given_lambda():
    model = MKLRegressor("precomputed", alpha=0.01).fit(K[:, TRAIN, TRAIN], Y[TRAIN])
    assert model.alpha_ == 0.01 and model.score(K[:, TEST, TRAIN], Y[TEST]) > 0.7


@pytest.mark.parametrize("cuts", [[0.5], [0.0, 1.5]])
def test_classes_by_their_labels(cuts):
    labels = np.array(["low", "mid", "top"])[np.digitize(Y, cuts)]
    pairs = [(mkl.gaussian(0.7), m) for m in range(4)]
    model = MKLClassifier(pairs, norm="lp", alpha_ratio=1e-3).fit(X[TRAIN], labels[TRAIN])
    assert model.classes_.tolist() == sorted(set(labels))
    p = model.predict_proba(X[TEST])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(X[TEST])).all()
    assert model.score(X[TEST], labels[TEST]) > 0.7
    assert len(model.decision_function(X[TEST])) == 30


@pytest.mark.parametrize("centre, scale", [(False, "trace"), (True, "trace"), (True, "diagonal")])
def test_weights_count_rows_in_the_scales_too(centre, scale):
    counts = np.random.default_rng(0).integers(0, 3, size=60)
    pairs = [(mkl.polynomial(2), m) for m in range(4)] + [(mkl.linear(), None)]
    made = {"kernels": pairs, "centre": centre, "scale": scale, "alpha": 0.02}
    many = np.repeat(X[TRAIN], counts, axis=0), np.repeat(Y[TRAIN], counts)
    one = MKLRegressor(**made).fit(*many)
    two = MKLRegressor(**made).fit(X[TRAIN], Y[TRAIN], sample_weight=counts)
    np.testing.assert_allclose(one.predict(X[TEST]), two.predict(X[TEST]), rtol=1e-7, atol=1e-8)
    assert one.kernel_weights_ == pytest.approx(two.kernel_weights_, abs=1e-7)


def test_balanced_weights_count_rows():
    labels = np.where(Y[TRAIN] > 0.5, "high", "low")
    counts = np.random.default_rng(0).integers(0, 3, size=60) + (labels == "high")
    made = MKLClassifier(
        [(mkl.polynomial(2), m) for m in range(4)], alpha=0.02, class_weight="balanced"
    )
    one = clone(made).fit(np.repeat(X[TRAIN], counts, axis=0), np.repeat(labels, counts))
    two = clone(made).fit(X[TRAIN], labels, sample_weight=counts)
    assert two.predict_proba(X[TEST]) == pytest.approx(one.predict_proba(X[TEST]), abs=1e-5)
    assert one.kernel_weights_ == pytest.approx(two.kernel_weights_, abs=1e-5)


def test_columns_by_their_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    named = MKLRegressor([(mkl.gaussian(1.0), "a"), (mkl.linear(), ["b", "d"])], alpha=0.1)
    plain = clone(named).set_params(kernels=[(mkl.gaussian(1.0), 0), (mkl.linear(), [1, 3])])
    assert np.array_equal(named.fit(frame, Y).predict(frame), plain.fit(X, Y).predict(X))
    folds = {"cv": 3, "alphas": 4, "eps": 0.2}
    one = MKLRegressorCV(named.kernels, **folds).fit(frame, Y)
    two = MKLRegressorCV(plain.kernels, **folds).fit(X, Y)
    assert np.array_equal(one.score_path_, two.score_path_)


def test_sparse_tables():
    rare = np.where(np.abs(X) > 0.7, X, 0.0)
    pairs = [(mkl.gaussian(1.0), None), (mkl.linear(), [0, 2])]
    models = [MKLRegressor(pairs, alpha=0.05).fit(kind(rare), Y)
              for kind in (np.array, sparse.csr_array)]  # fmt: skip
    assert models[0].predict(rare) == pytest.approx(models[1].predict(sparse.csc_array(rare)))


@pytest.mark.parametrize("function", [
    mkl.linear(), mkl.nystroem(mkl.gaussian(1.0), 20), mkl.random_features(mkl.gaussian(1.0), 20),
])  # fmt: skip
def test_a_pickle_predicts_and_holds_no_kernel(function):
    model = MKLRegressor([(function, None), (mkl.gaussian(2.0), 0)], alpha=0.05).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert model.path_.grams.nbytes == 0


def test_alpha_by_cross_validation_is_that_of_paths_of_the_folds():
    pairs = [(mkl.gaussian(1.0), m) for m in range(4)]
    folds = list(KFold(3).split(X))
    model = MKLRegressorCV(pairs, cv=folds, alphas=8, eps=0.05, scale=None).fit(X, Y)
    whole = ss.mkl_path(mkl.build_grams(X, pairs), Y, n_lambdas=8, lambda_min_ratio=0.05,
                        stop=None)  # fmt: skip
    assert model.alphas_ == pytest.approx(whole.lambdas)
    for k, (train, test) in enumerate(folds):
        fit = ss.mkl_path(mkl.build_grams(X[train], pairs), Y[train], lambdas=whole.lambdas,
                          tol=1e-10)  # fmt: skip
        errors = ((Y[test, None] - fit.predict(X[test])) ** 2).mean(axis=0)
        assert model.score_path_[:, k] == pytest.approx(errors, rel=1e-6)
    best = model.score_path_.mean(axis=1).argmin()
    assert model.alpha_ == model.alphas_[best] and 0 < best
    assert clone(model).set_params(rule="1se").fit(X, Y).alpha_ > model.alpha_


@pytest.mark.parametrize("cuts", [[0.5], [0.0, 1.5]])
def test_stacks_are_divided_along_both_axes(cuts):
    labels = np.array(["low", "mid", "top"])[np.digitize(Y, cuts)]
    folds = list(StratifiedKFold(3).split(X, labels))
    options = {"alphas": 5, "eps": 0.05, "cv": folds}
    model = MKLClassifierCV("precomputed", **options).fit(K, labels)
    lambdas = ss.mkl_path(list(K), labels, n_lambdas=5, lambda_min_ratio=0.05, stop=None,
                          family="binomial" if len(cuts) == 1 else "multinomial").lambdas
    assert model.alphas_ == pytest.approx(lambdas)
    train, test = folds[1]
    for k in (1, 4):
        alone = MKLClassifier("precomputed", alpha=lambdas[k]).fit(K[:, train][:, :, train],
                                                                   labels[train])  # fmt: skip
        p = alone.predict_proba(K[:, test][:, :, train])
        assert model.score_path_[k, 1] == pytest.approx(2 * log_loss(labels[test], p), rel=1e-5)
    assert set(model.predict(K)) <= set(labels)
    shares = MKLClassifierCV("precomputed", measure="class", **options).fit(K, labels)
    assert shares.score_path_.max() <= 1 and shares.score_path_.min() >= 0


def test_grid_search_over_parameters():
    pairs = [(mkl.gaussian(1.0), m) for m in range(4)]
    search = GridSearchCV(MKLRegressor(pairs), {"alpha_ratio": [0.9, 0.05]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"alpha_ratio": 0.05} and search.best_score_ > 0.6


def test_what_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="kernels is 'rbf'"):
        MKLRegressor("rbf").fit(X, Y)
    with pytest.raises(ValueError, match=r"stack of kernels, \(M, n, n\)"):
        MKLRegressor("precomputed").fit(X, Y)
    with pytest.raises(ValueError, match=r"stack of kernels, \(M, n_new, n\)"):
        MKLRegressor("precomputed", alpha=0.1).fit(K, Y).predict(X)
    labels = np.r_[np.zeros(45), np.ones(44), 2]
    with pytest.raises(ValueError, match="fold 1 leaves no row of class 2.0 of positive weight"):
        MKLClassifierCV(cv=[(range(90), [0]), (range(89), [89])], alphas=2).fit(X, labels)
    with pytest.raises(ValueError, match="not fitted yet"):
        MKLRegressor().predict(X)

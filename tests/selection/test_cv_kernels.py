"""cv_mkl_path: each fold as a fit of one's own, from its samples alone."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import mkl

RNG = np.random.default_rng(0)
N = 48
X = RNG.normal(size=(N, 3)) * [1.0, 3.0, 0.3] + 1.0
Y = X[:, 0] + np.sin(X[:, 1]) + 0.3 * RNG.normal(size=N)
FOLDS = np.arange(N) % 4
RAW = np.stack([np.outer(x, x) + 0.5 * np.exp(-np.subtract.outer(x, x) ** 2) for x in X.T])
FACTORS = [np.column_stack([x, x**2]) for x in X.T]
PAIRS = {"wide": (mkl.gaussian(2.0), None), "rest": (mkl.polynomial(2), [0, 2])}
GRID = {"n_lambdas": 6, "lambda_min_ratio": 0.05, "stop": None}


def given(train, test, **scaled):
    K = RAW[:, train][:, :, train]
    new = RAW[:, test][:, :, train]
    return (mkl.precomputed(K, **scaled) if scaled else K), new


def on_the_diagonal(train, test):
    K, new = given(train, test, centre=True, scale="diagonal")
    return K, (new, np.array([np.diagonal(k)[test] for k in RAW]))


def of_a_table(train, test, **scaled):
    return mkl.build_grams(X[train], PAIRS, **scaled), X[test]


FORMS = {
    "raw": (lambda: RAW, {}, given),
    "sparse": (lambda: [sparse.csr_array(K) for K in RAW], {}, given),
    "trace": (lambda: RAW, {"scale": "trace"}, lambda a, b: given(a, b, scale="trace")),
    "both": (lambda: dict(zip("uvw", RAW, strict=True)), {"centre": True, "scale": "trace"},
             lambda a, b: given(a, b, centre=True, scale="trace")),
    "diagonal": (lambda: RAW, {"centre": True, "scale": "diagonal"}, on_the_diagonal),
    "precomputed": (lambda: mkl.precomputed(RAW, centre=True, scale="trace"), {},
                    lambda a, b: given(a, b, centre=True, scale="trace")),
    "factors": (lambda: [mkl.LowRank(Z) for Z in FACTORS], {},
                lambda a, b: ([mkl.LowRank(Z[a]) for Z in FACTORS],
                              [Z[b] @ Z[a].T for Z in FACTORS])),
    "table": (lambda: mkl.build_grams(X, PAIRS, centre=True, scale="trace"), {},
              lambda a, b: of_a_table(a, b, centre=True, scale="trace")),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_scores_are_those_of_fits_without_the_fold(form):
    kernels, scaled, parts = FORMS[form]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of sizes of kernels that will be scaled, say
        cv = ss.cv_mkl_path(kernels(), Y, folds=FOLDS, keep=True, **scaled, **GRID)
    for fold in range(4):
        train, test = np.flatnonzero(fold != FOLDS), np.flatnonzero(fold == FOLDS)
        K, new = parts(train, test)
        slow = ss.mkl_path(dict(zip("uvw", K, strict=True)) if form == "both" and
                           isinstance(K, np.ndarray) else K, Y[train], **GRID)  # fmt: skip
        eta = slow.predict(new, s=cv.lambdas)
        np.testing.assert_allclose(cv.prevalidated[test], eta, atol=1e-4)
        wrong = np.mean((Y[test][:, None] - eta) ** 2, axis=0)
        np.testing.assert_allclose(cv.fold_scores[fold], wrong, rtol=1e-3, atol=1e-5)
    assert cv.lambda_min == cv.lambdas[cv.mean.argmin()] <= cv.lambda_1se
    np.testing.assert_array_equal(cv.active(), cv.path.active(cv.lambda_1se))


def test_classes_weights_and_offsets():
    kind = np.where(Y > np.median(Y), "b", "a")
    w, offset = RNG.integers(1, 3, N).astype(float), 0.3 * X[:, 2]
    cv = ss.cv_mkl_path(RAW, kind, family="binomial", weights=w, offset=offset, folds=FOLDS,
                        measure="class", **GRID)  # fmt: skip
    train, test = FOLDS != 1, FOLDS == 1
    K, new = given(np.flatnonzero(train), np.flatnonzero(test))
    slow = ss.mkl_path(K, kind[train], family="binomial", weights=w[train],
                       offset=offset[train], **GRID)  # fmt: skip
    found = slow.predict(new, cv.lambdas, "class", offset=offset[test])
    wrong = np.average(found != kind[test][:, None], axis=0, weights=w[test])
    np.testing.assert_allclose(cv.fold_scores[1], wrong)
    frame = pd.Series(kind, index=[f"r{i}" for i in range(N)])
    again = ss.cv_mkl_path([pd.DataFrame(K, frame.index, frame.index) for K in RAW], frame[::-1],
                           family="binomial", folds=FOLDS, n_lambdas=3)  # fmt: skip
    plain = ss.cv_mkl_path(RAW, kind, family="binomial", folds=FOLDS, n_lambdas=3)
    np.testing.assert_allclose(again.mean, plain.mean)


@pytest.mark.parametrize("ask, words", [
    (lambda: ss.cv_mkl_path(mkl.build_grams(X, PAIRS), Y, scale="trace"), "leave centre and"),
    (lambda: ss.cv_mkl_path(mkl.precomputed(RAW, centre=True, scale="diagonal"), Y),
     "no fold can undo"),
    (lambda: ss.cv_mkl_path(RAW, np.where(np.arange(N) == 0, "a", "b"), family="binomial",
                            n_folds=3), "in one row alone"),
    (lambda: ss.cv_mkl_path(RAW, Y, folds=FOLDS[:-1]), "folds has 47"),
    (lambda: ss.cv_mkl_path(RAW, Y, scale="root"), "scale must be one of"),
])  # fmt: skip
def test_what_does_not_suit_is_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


def test_fits_at_the_same_time_give_the_same_bits():
    one, two = (ss.cv_mkl_path(RAW, Y, folds=FOLDS, n_jobs=jobs, **GRID) for jobs in (1, 2))
    np.testing.assert_array_equal(one.fold_scores, two.fold_scores)
    np.testing.assert_array_equal(one.path.dual_coefs, two.path.dual_coefs)
    with pytest.raises(ValueError, match="n_jobs must be a positive whole number"):
        ss.cv_mkl_path(RAW, Y, folds=FOLDS, n_jobs=0, **GRID)


@pytest.mark.parametrize("family", ["gaussian", "multinomial"])
def test_it_is_saved_and_loaded_whole(family, tmp_path):
    y = Y if family == "gaussian" else np.digitize(Y, np.quantile(Y, [0.3, 0.6]))
    cv = ss.cv_mkl_path(dict(zip("uvw", RAW, strict=True)), y, folds=FOLDS, family=family, **GRID)
    ss.save(cv, tmp_path / "cv.npz")
    back = ss.load(tmp_path / "cv.npz")
    assert type(back) is type(cv) and repr(back) == repr(cv) and str(back) == str(cv)
    for name in ("mean", "std", "upper", "fold_scores", "folds", "lambda_min", "lambda_1se"):
        np.testing.assert_array_equal(getattr(back, name), getattr(cv, name))
    new = {name: K[:5] for name, K in zip("uvw", RAW, strict=True)}
    np.testing.assert_array_equal(back.predict(new), cv.predict(new))
    assert back.active().tolist() == cv.active().tolist()


def test_with_its_rows_it_predicts_tables(tmp_path):
    cv = ss.cv_mkl_path(mkl.build_grams(X, PAIRS), Y, folds=FOLDS, **GRID)
    ss.save(cv, tmp_path / "cv.npz", rows=True)
    np.testing.assert_allclose(ss.load(tmp_path / "cv.npz").predict(X[:4]), cv.predict(X[:4]))

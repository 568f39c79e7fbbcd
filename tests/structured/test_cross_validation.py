"""Cross-validation over sequences: each fold as a fit of one's own."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import structured

LENGTHS = np.resize([3, 5, 2], 18)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(LENGTHS.sum(), 4))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=len(X)) > 0, "u", "d")
FOLDS = np.resize([0, 1, 2], 18)


@pytest.mark.parametrize("measure", ["accuracy", "loss"])
def test_scores_are_those_of_fits_without_the_fold(measure):
    cv = structured.cv_crf_path(X, Y, lengths=LENGTHS, folds=FOLDS, measure=measure, n_lambdas=4)
    for fold in range(3):
        out = np.repeat(fold == FOLDS, LENGTHS)
        fit = ss.crf_path(X[~out], Y[~out], lengths=LENGTHS[fold != FOLDS], lambdas=cv.lambdas)
        held = X[out], Y[out], LENGTHS[fold == FOLDS]
        for k, lam in enumerate(cv.lambdas):
            slow = fit.score(*held, s=lam) if measure == "accuracy" else -np.mean(
                fit.log_likelihood(*held, s=lam))  # fmt: skip
            assert cv.fold_scores[fold, k] == pytest.approx(slow, rel=1e-12)
    sign = 1 if measure == "accuracy" else -1
    best = np.argmax(sign * cv.mean)
    assert cv.lambda_min == cv.lambdas[best] <= cv.lambda_1se
    near = cv.lambdas == cv.lambda_1se
    assert (sign * cv.mean[near] >= sign * cv.mean[best] - cv.std[best]).all()


def test_lists_and_weights_and_drawn_folds():
    cuts = np.cumsum(LENGTHS)[:-1]
    options = {"n_folds": 3, "n_lambdas": 3, "seed": 4}
    table = structured.cv_crf_path(X, Y, lengths=LENGTHS, weights=np.ones(18), **options)
    parts = structured.cv_crf_path(np.split(X, cuts), np.split(Y, cuts), **options)
    np.testing.assert_array_equal(table.fold_scores, parts.fold_scores)
    assert np.bincount(table.folds).tolist() == [6, 6, 6] and "3 folds" in repr(table)


def test_bad_folds_are_told():
    with pytest.raises(ValueError, match="folds must be 18 whole numbers"):
        structured.cv_crf_path(X, Y, lengths=LENGTHS, folds=[0, 1], n_lambdas=2)
    with pytest.raises(ValueError, match="n_folds"):
        structured.cv_crf_path(X, Y, lengths=LENGTHS, n_folds=1, n_lambdas=2)


@pytest.mark.parametrize("kind", ["table", "kernels", "mixed"])
def test_c_of_a_spom_by_folds_is_each_fit_by_hand(kind):
    rng = np.random.default_rng(5)
    X, lengths = rng.normal(size=(60, 4)), np.full(12, 5)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, "up", "down")
    folds, cut = np.arange(12) % 3, np.repeat(np.arange(12) % 3, 5)
    K = X @ X.T
    given = {"table": X, "kernels": {"a": K, "b": sparse.csr_array(K**2)},
             "mixed": [K, ss.mkl.LowRank(X[:, :2])]}[kind]  # fmt: skip
    options = {"epochs": 3, "eta0": 0.3}
    cv = structured.cv_spom(given, y, lengths=lengths, Cs=[0.1, 10.0], folds=folds, **options)

    def part(rows, train):
        return {"table": X[rows], "kernels": {"a": K[rows][:, train], "b": K[rows][:, train] ** 2},
                "mixed": {0: K[rows][:, train], 1: ss.mkl.LowRank(X[rows, :2])}}[kind]  # fmt: skip

    for f in range(3):
        train, test = cut != f, cut == f
        for c, C in enumerate((0.1, 10.0)):
            fit = ss.spom(part(train, train), y[train], lengths=np.full(8, 5), C=C, seed=0,
                          **options)  # fmt: skip
            right = np.mean(fit.predict(part(test, train), [5] * 4) == y[test])
            assert cv.fold_scores[f, c] == right
    assert cv.C_best == (0.1, 10.0)[int(np.argmax(cv.mean))] and "C = " in repr(cv)
    whole = ss.spom(given, y, lengths=lengths, C=cv.C_best, seed=0, **options)
    np.testing.assert_array_equal(cv.predict(given, lengths), whole.predict(given, lengths))
    with pytest.raises(ValueError, match="lam is an option of spom alone"):
        structured.cv_spom(given, y, lengths=lengths, lam=0.1)

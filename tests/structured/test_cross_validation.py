"""Cross-validation over sequences: each fold as a fit of one's own."""

import numpy as np
import pytest

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

"""A fit whose certificate misses is not scored, chosen or saved without that being said."""

import warnings

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.selection import adaptive_factors
from sparsesolve.selection.cv import n_missed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 8))
Y = X[:, 0] + RNG.normal(size=60)


def said(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = call()
    return found, [str(one.message) for one in seen if one.category is ss.ConvergenceWarning]


def test_cross_validation_says_that_its_choice_rests_on_them():
    cv, words = said(lambda: ss.cv_path(X, Y > 0, family="binomial", n_folds=4, seed=0,
                                        n_lambdas=6, max_iter=1))  # fmt: skip
    assert cv.n_missed[cv.index_min] > 0
    assert any("lambda_min" in one and f"{cv.n_missed[cv.index_min]} of 5" in one for one in words)


def test_nothing_is_said_where_all_fits_are_certified():
    cv, words = said(lambda: ss.cv_path(X, Y, n_folds=4, seed=0, n_lambdas=6))
    assert not words and not cv.n_missed.any()


def test_counts_are_of_the_lambdas_around_each_score():
    fit, _ = said(lambda: ss.path(X, Y > 0, family="binomial", n_lambdas=5, max_iter=1))
    bad = np.array([status != 0 for status in fit.status])
    assert n_missed(fit.lambdas, [fit, fit]).tolist() == (2 * bad).tolist()
    between = np.sqrt(fit.lambdas[1:] * fit.lambdas[:-1])
    assert n_missed(between, [fit]).tolist() == (1 * (bad[1:] | bad[:-1])).tolist()
    assert n_missed(fit.lambdas[-1:] / 2, [fit]).tolist() == [bad[-1]]


@pytest.mark.parametrize("fit", [
    lambda: ss.stability_path(X, Y > 0, family="binomial", n_pairs=2, seed=0, max_iter=1),
    lambda: adaptive_factors(X, Y > 0, family="binomial", n_folds=3, seed=0, max_iter=1),
    lambda: __import__("sparsesolve.estimators", fromlist=["x"]).SparseLogisticRegression(
        alpha=0.01, max_iter=1).fit(X, Y > 0),
], ids=["stability", "adaptive", "estimator"])  # fmt: skip
def test_others_say_it(fit):
    with pytest.warns(UserWarning, match="miss"):
        fit()


def test_saving_says_it(tmp_path):
    fit, _ = said(lambda: ss.path(X, Y > 0, family="binomial", n_lambdas=5, max_iter=1))
    missed = np.count_nonzero([status != 0 for status in fit.status])
    _, words = said(lambda: ss.save(fit, tmp_path / "m.npz"))
    assert words == [f"{missed} of {len(fit.lambdas)} lambdas of the fit that is saved miss its "
                     "tolerance; the file holds their gaps and status"]  # fmt: skip
    assert (ss.load(tmp_path / "m.npz").gaps == fit.gaps).all()
    good, _ = said(lambda: ss.path(X, Y, n_lambdas=5))
    assert not said(lambda: ss.save(good, tmp_path / "g.npz"))[1]

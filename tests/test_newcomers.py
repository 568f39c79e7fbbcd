"""What people try first: it works, or one sentence says what to do."""

import re

import numpy as np
import pytest

import sparsesolve as ss

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 6))
Y = X[:, 0] + rng.normal(size=60)
LABELS = np.where(Y > 0, "sick", "well")


def test_what_takes_a_path_takes_that_of_a_cross_validation():
    cv = ss.cv_path(X, Y, n_folds=3, seed=0)
    np.testing.assert_array_equal(
        ss.criteria(cv, X, Y)["bic"], ss.criteria(cv.path, X, Y)["bic"]
    )
    np.testing.assert_array_equal(
        ss.relax(cv, X, Y).coefs.toarray(), ss.relax(cv.path, X, Y).coefs.toarray()
    )


def test_results_show_themselves_in_a_line():
    fit = ss.path(X, LABELS, family="binomial")
    shown = [
        (ss.roc(fit, X, LABELS, s=0.1), r"<Roc: \d+ thresholds, area 0\.\d+>"),
        (ss.confusion(fit, X, LABELS, s=0.1), r"<Confusion: 2 classes, \d\d\.\d% correct>"),
        (ss.calibration(fit, X, LABELS, s=0.1, n_bins=3), r"<Calibration: 3 bins, off by 0\.\d+ "),
        (ss.refit(ss.path(X, Y), X, Y, s=0.5), r"<Refit: estimates of \(Intercept\), x0; "),
    ]
    for result, words in shown:
        assert re.match(words, repr(result))


@pytest.mark.parametrize("ask, words", [
    (lambda: ss.path(X, LABELS), r"holds text; for classes use path\(..., family='binomial'\)"),
    (lambda: ss.path(X, LABELS.tolist()), "text.*; for classes use"),
    (lambda: ss.path(X.astype(str), Y), "holds text; encode it .* as sparsesolve.make_design"),
    (lambda: ss.save(ss.mkl_path([X @ X.T], Y, n_lambdas=3), "model.npz"), "fit is a MKLPath"),
    (lambda: ss.assess(ss.mkl_path([X @ X.T], Y, n_lambdas=3), X, Y), "fit is a MKLPath"),
])  # fmt: skip
def test_what_cannot_be_is_refused(ask, words):
    with pytest.raises(TypeError, match=words):
        ask()

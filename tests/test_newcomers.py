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
        (ss.refit(ss.path(X, Y), X, Y, s=0.5), r"<Refit: 2 estimates \(\(Intercept\), x0\); "),
    ]
    for result, words in shown:
        assert re.match(words, repr(result))


@pytest.mark.parametrize("ask, words", [
    (lambda: ss.path(X, LABELS), r"holds text; for classes use path\(..., family='binomial'\)"),
    (lambda: ss.path(X, LABELS.tolist()), "text.*; for classes use"),
    (lambda: ss.path(X.astype(str), Y), "holds text; encode it .* as sparsesolve.make_design"),
    (lambda: ss.save(ss.omp_path, "model.npz"), "fit is a function; a Path, a CVPath, an MKL"),
    (lambda: ss.assess(ss.omp_path, X, Y), "fit is a function"),
])  # fmt: skip
def test_what_cannot_be_is_refused(ask, words):
    with pytest.raises(TypeError, match=words):
        ask()


MASK = np.arange(60) == 3


@pytest.mark.parametrize("name, ask", [
    ("groups", lambda: ss.cv_path(X, Y, groups=np.ma.array(np.arange(60) // 6, mask=MASK))),
    ("folds", lambda: ss.cv_path(X, Y, folds=np.ma.array(np.arange(60) % 3, mask=MASK))),
    ("strata", lambda: ss.path(X, (np.exp(Y), np.ones(60)), family=ss.families.cox(
        strata=np.ma.array(np.arange(60) % 3, mask=MASK)))),
    ("groups", lambda: ss.path(X, Y, penalty=ss.penalties.GroupL2(
        np.ma.array(np.arange(6) // 2, mask=MASK[:6])))),
    ("s", lambda: ss.path(X, Y).coef(np.ma.array([0.1, 0.2, 0.3, 0.4], mask=MASK[:4]))),
])  # fmt: skip
def test_masked_entries_are_refused_wherever_they_are(name, ask):
    with pytest.raises(ValueError, match=f"{name} is a masked array with "):
        ask()


def test_a_file_is_known_by_its_name():
    fit = ss.path(X, Y, n_lambdas=3)
    for ask in (lambda: ss.save(fit, 1), lambda: ss.load(1)):
        with pytest.raises(TypeError, match="file is 1; give the name of a file, or its path"):
            ask()

"""Measures, ROC, confusion and calibration of fits on rows with known responses."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import families

RNG = np.random.default_rng(23)
X = RNG.standard_normal((150, 6))
ETA = X[:, 0] - X[:, 1]
SICK = np.where(ETA + RNG.logistic(size=150) > 0.3, "sick", "healthy")
KIND = np.array(["a", "b", "c"])[(X[:, :3] + RNG.gumbel(size=(150, 3))).argmax(axis=1)]
DEATHS = np.column_stack([RNG.exponential(np.exp(-ETA)), RNG.random(150) < 0.7])
W = RNG.uniform(0.2, 2.0, 60)
OLD, NEW = slice(0, 90), slice(90, 150)
LAMBDAS = [0.2, 0.05, 0.01]
BINOMIAL = ss.path(X[OLD], SICK[OLD], family="binomial", lambdas=LAMBDAS)
MULTINOMIAL = ss.path(X[OLD], KIND[OLD], family="multinomial", lambdas=LAMBDAS)


def test_scores_of_folds_are_assessments_of_their_paths():
    """What cv_path computes on the rows held out, but for cox, is what assess does."""
    for family, y in (("gaussian", ETA), ("binomial", SICK), ("multinomial", KIND)):
        ids = np.resize([0, 1, 2], 150)
        cv = ss.cv_path(X, y, family=family, folds=ids, lambdas=LAMBDAS, keep=True)
        for k, fold in enumerate(cv.fold_paths):
            found = ss.assess(fold, X[ids == k], y[ids == k])
            assert found["deviance"] == pytest.approx(cv.fold_scores[k], rel=1e-9)


def test_assess_gives_all_measures():
    found = ss.assess(BINOMIAL, X[NEW], SICK[NEW], weights=W)
    assert list(found) == ["deviance", "class", "mse", "mae", "auc"]
    assert all(values.shape == (3,) for values in found.values())
    predicted = BINOMIAL.predict(X[NEW], kind="class")
    wrong = np.average(predicted != SICK[NEW][:, None], axis=0, weights=W)
    assert found["class"] == pytest.approx(wrong)
    one = ss.assess(BINOMIAL, X[NEW], SICK[NEW], s=0.05, weights=W)
    assert one == {name: pytest.approx(values[1]) for name, values in found.items()}
    cox = ss.path(X[OLD], DEATHS[OLD], family=families.cox(strata=np.resize([0, 1], 90)))
    found = ss.assess(cox, X[NEW], DEATHS[NEW], s=0.05)
    assert found["C"] == cox.concordance(X[NEW], DEATHS[NEW], 0.05)
    assert list(found) == ["deviance", "C"]


def test_a_cross_validated_fit_is_assessed_where_it_chose():
    cv = ss.cv_path(X[OLD], ETA[OLD], n_folds=5, seed=0)
    for s in ("lambda_1se", "lambda_min"):
        found = ss.assess(cv, X[NEW], ETA[NEW], s=s)
        residual = ETA[NEW] - cv.predict(X[NEW], s)
        assert found["mse"] == pytest.approx((residual**2).mean())
    assert ss.assess(cv, X[NEW], ETA[NEW]) == ss.assess(cv, X[NEW], ETA[NEW], "lambda_1se")


def test_new_rows_need_not_have_all_classes():
    some = KIND[NEW] != "b"
    found = ss.assess(MULTINOMIAL, X[NEW][some], KIND[NEW][some], s=0.05)
    predicted = MULTINOMIAL.predict(X[NEW][some], s=0.05, kind="class")
    assert found["class"] == pytest.approx((predicted != KIND[NEW][some]).mean())
    sick = SICK[NEW] == "sick"
    only = ss.assess(BINOMIAL, X[NEW][sick], SICK[NEW][sick], s=0.05)
    predicted = BINOMIAL.predict(X[NEW][sick], s=0.05, kind="class")
    assert only["class"] == pytest.approx((predicted == "healthy").mean())
    assert np.isnan(only["auc"])
    with pytest.raises(ValueError, match="the class 'dead', which the fit has not"):
        ss.assess(BINOMIAL, X[NEW], np.where(sick, "dead", "healthy"))


def test_roc_against_every_threshold():
    curve = ss.roc(BINOMIAL, X[NEW], SICK[NEW], s=0.05, weights=W)
    sick = SICK[NEW] == "sick"
    eta = BINOMIAL.predict(X[NEW], s=0.05)
    assert curve.thresholds[0] == np.inf and (np.diff(curve.thresholds) < 0).all()
    for t, fpr, tpr in zip(curve.thresholds, curve.fpr, curve.tpr, strict=True):
        above = eta >= t
        assert fpr == pytest.approx(W[above & ~sick].sum() / W[~sick].sum())
        assert tpr == pytest.approx(W[above & sick].sum() / W[sick].sum())
    assert (curve.fpr[-1], curve.tpr[-1]) == (1.0, 1.0)
    aucs = ss.assess(BINOMIAL, X[NEW], SICK[NEW], weights=W)["auc"]
    curves = ss.roc(BINOMIAL, X[NEW], SICK[NEW], weights=W)
    assert [one.auc for one in curves] == pytest.approx(aucs)
    flat = ss.roc(BINOMIAL, np.zeros((60, 6)), SICK[NEW], s=0.05)
    assert flat.auc == pytest.approx(0.5) and flat.fpr.tolist() == [0.0, 1.0]  # all are tied


def test_confusion_counts():
    table = ss.confusion(MULTINOMIAL, X[NEW], KIND[NEW], s=0.05)
    predicted = MULTINOMIAL.predict(X[NEW], s=0.05, kind="class")
    expected = [[((KIND[NEW] == t) & (predicted == p)).sum() for p in "abc"] for t in "abc"]
    assert table.counts.tolist() == expected
    assert table.accuracy == pytest.approx((KIND[NEW] == predicted).mean())
    lines = str(table).splitlines()
    assert lines[0].split()[-4:] == ["a", "b", "c", "total"] and lines[-1].endswith("% correct")
    assert lines[2].split() == ["b", *map(str, expected[1]), str(sum(expected[1]))]
    weighted = ss.confusion(BINOMIAL, X[NEW], SICK[NEW], weights=W)
    assert len(weighted) == 3 and weighted[0].counts.sum() == pytest.approx(W.sum())


def test_calibration_bins():
    found = ss.calibration(BINOMIAL, X[NEW], SICK[NEW], s=0.05, n_bins=4, weights=W)
    p = BINOMIAL.predict(X[NEW], s=0.05, kind="response")
    order = np.argsort(p)
    for k, rows in enumerate(np.array_split(order, 4)):
        assert found.weights[k] == pytest.approx(W[rows].sum())
        assert found.predicted[k] == pytest.approx(np.average(p[rows], weights=W[rows]))
        sick = SICK[NEW][rows] == "sick"
        assert found.observed[k] == pytest.approx(np.average(sick, weights=W[rows]))
    other = ss.calibration(BINOMIAL, X[NEW], SICK[NEW], s=0.05, n_bins=4, target="healthy")
    both = ss.calibration(BINOMIAL, X[NEW], SICK[NEW], s=0.05, n_bins=4)
    assert other.observed == pytest.approx(1 - both.observed[::-1])
    third = ss.calibration(MULTINOMIAL, X[NEW], KIND[NEW], s=0.05, n_bins=1, target="c")
    assert third.observed == pytest.approx([(KIND[NEW] == "c").mean()])


@pytest.mark.parametrize("ask, words", [
    (lambda: ss.roc(MULTINOMIAL, X[NEW], KIND[NEW]), "has not two classes"),
    (lambda: ss.roc(BINOMIAL, X[:1], SICK[:1]), "one class only"),
    (lambda: ss.confusion(ss.path(X, ETA), X, ETA), "A gaussian fit has no classes"),
    (lambda: ss.calibration(BINOMIAL, X[NEW], SICK[NEW]), "at one lambda; give s"),
    (lambda: ss.calibration(MULTINOMIAL, X[NEW], KIND[NEW], 0.1), "target is missing"),
    (lambda: ss.calibration(BINOMIAL, X[NEW], SICK[NEW], 0.1, target="x"), "is none of"),
    (lambda: ss.calibration(ss.path(X, SICK, family=families.squared_hinge()), X, SICK, 0.1),
     "no probabilities"),
    (lambda: ss.assess(BINOMIAL, X[:, :3], SICK), "X has 3 columns"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


@pytest.mark.parametrize("ask", [ss.assess, ss.criteria, ss.refit, ss.relax])
def test_only_paths_are_asked(ask):
    with pytest.raises(TypeError, match="fit is a ndarray; give a Path or a CVPath"):
        ask(BINOMIAL.coef(0.1), X, SICK)


def test_offsets_are_those_of_the_rows():
    fit = ss.path(X[OLD], SICK[OLD], family="binomial", offset=ETA[OLD], lambdas=[0.1])
    with pytest.raises(ValueError, match="give that of the new rows"):
        ss.assess(fit, X[NEW], SICK[NEW])
    found = ss.assess(fit, X[NEW], SICK[NEW], 0.1, offset=ETA[NEW])
    p = fit.predict(X[NEW], 0.1, kind="response", offset=ETA[NEW])
    likelihood = np.where(SICK[NEW] == "sick", p, 1 - p)
    assert found["deviance"] == pytest.approx(-2 * np.log(likelihood).mean())

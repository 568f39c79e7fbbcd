"""Measures, tables of confusion, ROC curves and calibration against their definitions."""

import numpy as np
import pytest
from assessed_fits import BINOMIAL, DEATHS, ETA, KIND, LAMBDAS, MULTINOMIAL, NEW, OLD, SICK, W, X

import sparsesolve as ss
from sparsesolve import families


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
    cox = ss.path(X[OLD], DEATHS[OLD], family="cox")
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


def test_deaths_of_weight_0_alone_are_not_measured():
    fit = ss.path(X, DEATHS, family="cox", lambdas=[0.1, 0.05])
    found = ss.assess(fit, X, DEATHS, weights=1.0 - DEATHS[:, 1])
    assert all(np.isnan(values).all() and values.shape == (2,) for values in found.values())


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_strata_are_those_of_the_rows(ties):
    """On the data of the fit its own deviance comes out, and the C that it tells itself."""
    strata, w = np.resize(["b", "a", "c"], 150), np.resize([0.0, 1.0, 2.0, 0.7], 150)
    deaths = np.column_stack([np.ceil(4 * DEATHS[:, 0]), DEATHS[:, 1]])
    family = families.cox(ties, strata)
    cv = ss.cv_path(X, deaths, family=family, weights=w, lambdas=LAMBDAS, n_folds=3, seed=0)
    fit, left = cv.path, (1 - cv.path.dev_ratio) * cv.path.null_deviance
    found = ss.assess(fit, X, deaths, weights=w, strata=strata)
    assert found["deviance"] == pytest.approx(left / (w @ deaths[:, 1]))
    assert found["C"] == pytest.approx(fit.concordance(X, deaths, weights=w, strata=strata))
    chosen = ss.assess(cv, X, deaths, "lambda_min", weights=w, strata=strata)
    assert chosen["deviance"] == pytest.approx(found["deviance"][cv.index_min])
    plain = ss.path(X, deaths, family=families.cox(ties), weights=w, lambdas=LAMBDAS)
    other = ss.assess(plain, X, deaths, weights=w)
    assert (abs(other["deviance"] / found["deviance"] - 1) > 0.1).all()


def test_new_rows_may_be_of_other_strata():
    fit = ss.path(X[OLD], DEATHS[OLD], family=families.cox(strata=np.resize([0, 1], 90)))
    strata = np.resize(["x", "y"], 60)
    found = ss.assess(fit, X[NEW], DEATHS[NEW], 0.05, strata=strata)
    assert found["C"] == fit.concordance(X[NEW], DEATHS[NEW], 0.05, strata=strata)
    assert found["C"] != fit.concordance(X[NEW], DEATHS[NEW], 0.05)


def test_strata_are_given_where_the_fit_had_some(tmp_path):
    halves = np.resize([0, 1], 150)
    stratified = ss.path(X, DEATHS, family=families.cox(strata=halves), lambdas=LAMBDAS)
    with pytest.raises(ValueError, match="fitted with 2 strata.* give those of the new rows as"):
        ss.assess(stratified, X, DEATHS)
    plain = ss.path(X, DEATHS, family="cox", lambdas=LAMBDAS)
    with pytest.raises(ValueError, match="holds 1 at position 1, where the path was fitted with"):
        ss.assess(plain, X, DEATHS, strata=halves)
    one = ss.assess(plain, X, DEATHS, 0.05, strata=np.zeros((150, 1)))
    assert one == ss.assess(plain, X, DEATHS, 0.05)
    alone = ss.path(X, DEATHS, family=families.cox(strata=np.ones(150)), lambdas=LAMBDAS)
    assert ss.assess(alone, X, DEATHS, 0.05) == pytest.approx(one)
    with pytest.raises(ValueError, match="A binomial fit has no strata"):
        ss.assess(BINOMIAL, X[NEW], SICK[NEW], strata=halves[NEW])
    ss.save(stratified, tmp_path / "m.npz")  # which keeps no strata
    found = ss.assess(ss.load(tmp_path / "m.npz"), X, DEATHS, 0.05, strata=halves)
    assert found == pytest.approx(ss.assess(stratified, X, DEATHS, 0.05, strata=halves))


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


@pytest.mark.parametrize("ask, words", [
    (lambda: ss.roc(MULTINOMIAL, X[NEW], KIND[NEW]), "does not have two classes"),
    (lambda: ss.roc(BINOMIAL, X[:1], SICK[:1]), "one class only"),
    (lambda: ss.calibration(BINOMIAL, X[NEW], SICK[NEW]), "at one lambda; give s"),
    (lambda: ss.calibration(MULTINOMIAL, X[NEW], KIND[NEW], 0.1), "target is missing"),
    (lambda: ss.calibration(BINOMIAL, X[NEW], SICK[NEW], 0.1, target="x"), "is none of"),
    (lambda: ss.calibration(ss.path(X, SICK, family=families.squared_hinge()), X, SICK, 0.1),
     "no probabilities"),
    (lambda: ss.confusion(ss.path(X, ETA), X, ETA), "A gaussian fit has no classes"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


def test_the_unit_of_weights_does_not_matter():
    plain = ss.assess(BINOMIAL, X[NEW], SICK[NEW], 0.05)
    curve = ss.roc(BINOMIAL, X[NEW], SICK[NEW], 0.05)
    for unit in (1e-300, 1e307, 1.7e308):
        weights = np.full(len(X[NEW]), unit)
        found = ss.assess(BINOMIAL, X[NEW], SICK[NEW], 0.05, weights=weights)
        assert found == pytest.approx(plain)
        assert ss.roc(BINOMIAL, X[NEW], SICK[NEW], 0.05, weights=weights).auc == (
            pytest.approx(curve.auc))  # fmt: skip


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

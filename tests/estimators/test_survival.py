"""CoxNet: survival curves of paths, forms of y, and folds that share out the deaths."""

import pickle

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.estimators import CoxNet, CoxNetCV

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
TIME = RNG.exponential(np.exp(-X[:, 0])).round(1) + 0.1
DIED = RNG.random(80) < 0.7
Y = {"time": TIME, "status": DIED}
SITES = RNG.choice(["east", "west"], 80)
W = RNG.uniform(0.5, 2.0, 80)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("strata", [None, SITES])
def test_curves_are_those_of_a_path(ties, strata):
    model = CoxNet(0.05, ties=ties).fit(X, Y, sample_weight=W, strata=strata)
    family = ss.families.cox(ties=ties, strata=strata)
    fit = ss.path(X, Y, family=family, lambdas=[0.05], weights=W, standardize=False, tol=1e-9)
    np.testing.assert_allclose(model.coef_, fit.coef(0.05))
    sites = None if strata is None else SITES[:9]
    asked = {"times": [0.5, 1.0, 2.0], "strata": sites}
    expected = fit.predict(X[:9], 0.05, kind="survival", data=(X, Y), **asked)
    found = model.predict_survival_function(X[:9], **asked)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    hazard = model.predict_cumulative_hazard_function(X[:9], **asked)
    np.testing.assert_allclose(np.exp(-hazard), found)
    whole = model.predict_survival_function(X[:9], strata=sites)
    assert whole.shape == (9, len(model.event_times_)) and (np.diff(whole) <= 0.0).all()
    assert set(model.event_times_) == set(TIME[DIED])
    again = pickle.loads(pickle.dumps(model)).predict_survival_function(X[:9], **asked)
    np.testing.assert_array_equal(again, found)


def test_what_is_missing_is_said():
    model = CoxNet(0.05).fit(X, Y, strata=SITES)
    with pytest.raises(ValueError, match="fitted with 2 strata, .* give those of the rows"):
        model.predict_survival_function(X[:2])
    with pytest.raises(ValueError, match="strata holds 'north', which the fit did not know"):
        model.predict_survival_function(X[:2], strata=["west", "north"])
    with pytest.raises(ValueError, match="times must be one number or a flat list"):
        model.predict_survival_function(X[:2], [np.nan], "west")
    with pytest.raises(ValueError, match="not fitted"):
        CoxNet().predict_survival_function(X)


def test_forms_of_y():
    expected = CoxNet().fit(X, Y).coef_
    rows = list(zip(DIED, TIME, strict=True))
    record = np.array(rows, dtype=[("event", bool), ("time", float)])
    for y in (record, (TIME, DIED), np.column_stack([TIME, DIED])):
        assert np.array_equal(CoxNet().fit(X, y).coef_, expected)
    late = (np.maximum(TIME - 0.5, 0), TIME, DIED)
    assert CoxNet().fit(X, late).coef_ == pytest.approx(
        ss.path(X, late, family="cox", standardize=False, lambdas=[0.01], tol=1e-9).coef(0.01)
    )
    all_died = CoxNet().fit(X, TIME)
    said = CoxNet().fit(X, (TIME, np.ones(80, bool)))
    assert np.array_equal(all_died.coef_, said.coef_)
    assert all_died.score(X, TIME) > 0.6
    with pytest.raises(ValueError, match="requires y to be passed"):
        CoxNet().fit(X, None)


def test_cross_validation_shares_out_the_deaths():
    model = CoxNetCV(alphas=10, cv=4, measure="C").fit(X, Y)
    assert model.score_path_.shape == (10, 4) and 0.5 < model.score_path_.mean(axis=1).max() < 1
    place = model.score_path_.mean(axis=1).argmax()
    assert model.alpha_ == model.alphas_[place]
    folds = model.cv_path_.folds[0]
    assert np.ptp([DIED[folds == k].sum() for k in range(4)]) <= 1

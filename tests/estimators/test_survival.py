"""CoxNet: forms of y, and folds that share out the deaths."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators import CoxNet, CoxNetCV  # noqa: E402

RNG = np.random.default_rng(10)
X = RNG.standard_normal((70, 5))
TIME = np.ceil(6 * RNG.exponential(np.exp(-X[:, 0])))
DIED = RNG.random(70) < 0.7
Y = {"time": TIME, "status": DIED}
W = RNG.uniform(0.2, 2.0, 70)



def test_forms_of_y():
    expected = CoxNet().fit(X, Y).coef_
    record = np.array(list(zip(DIED, TIME, strict=True)), dtype=[("event", bool), ("time", float)])
    for y in (record, (TIME, DIED), np.column_stack([TIME, DIED])):
        assert np.array_equal(CoxNet().fit(X, y).coef_, expected)
    late = (np.maximum(TIME - 3, 0), TIME, DIED)
    assert CoxNet().fit(X, late).coef_ == pytest.approx(
        ss.path(X, late, family="cox", standardize=False, lambdas=[0.01], tol=1e-9).coef(0.01)
    )
    all_died = CoxNet().fit(X, TIME)
    assert np.array_equal(all_died.coef_, CoxNet().fit(X, (TIME, np.ones(70, bool))).coef_)
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

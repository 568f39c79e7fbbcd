"""All measures of a fit, against predictions and cross-validation."""

import numpy as np
import pytest
from assessed_fits import BINOMIAL, DEATHS, ETA, KIND, LAMBDAS, NEW, OLD, SICK, W, X

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

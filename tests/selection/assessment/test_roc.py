"""ROC against every threshold, one by one."""

import numpy as np
import pytest
from assessed_fits import BINOMIAL, KIND, MULTINOMIAL, NEW, SICK, W, X

import sparsesolve as ss


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

"""Rows with known responses: their classes, offsets, and what is no fit of theirs."""

import numpy as np
import pytest
from assessed_fits import BINOMIAL, ETA, KIND, MULTINOMIAL, NEW, OLD, SICK, X

import sparsesolve as ss


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


def test_rows_have_the_columns_of_the_fit():
    with pytest.raises(ValueError, match="X has 3 columns"):
        ss.assess(BINOMIAL, X[:, :3], SICK)

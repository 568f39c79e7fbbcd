"""GroupLasso and SparseGroupLasso against paths of their penalties."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators import (  # noqa: E402
    GroupLasso,
    GroupLassoCV,
    Lasso,
    SparseGroupLasso,
    SparseGroupLassoCV,
)

RNG = np.random.default_rng(12)
X = RNG.standard_normal((60, 8))
Y = X[:, 0] - X[:, 1] + 0.5 * RNG.standard_normal(60)
GROUPS = ["a", "a", "b", "b", "b", None, "c", "c"]


@pytest.mark.parametrize("weights", [None, {"a": 0.3, "c": 2.0}])
def test_coefficients_are_those_of_a_path(weights):
    model = SparseGroupLasso(0.1, groups=GROUPS, tau=0.3, group_weights=weights).fit(X, Y)
    penalty = ss.penalties.SparseGroup(GROUPS, 0.3, weights)
    fit = ss.path(X, Y, penalty=penalty, lambdas=[0.1], standardize=False, tol=1e-10)
    assert np.array_equal(model.coef_, fit.coef(0.1)) and 0 < model.dual_gap_ + 1e-300 < 1e-9
    model = GroupLasso(0.1, groups=GROUPS, standardize=True).fit(X, Y)
    fit = ss.path(X, Y, penalty=ss.penalties.GroupL2(GROUPS), lambdas=[0.1], tol=1e-10)
    assert model.coef_ == pytest.approx(fit.coef(0.1), abs=1e-9)
    assert model.coef_[:2].all() and not model.coef_[2:5].all()


def test_groups_of_one_are_the_lasso():
    for model in (GroupLasso(0.1), SparseGroupLasso(0.1, groups=GROUPS, tau=1.0)):
        assert model.fit(X, Y).coef_ == pytest.approx(Lasso(0.1).fit(X, Y).coef_, abs=1e-6)


def test_alpha_by_cross_validation():
    model = GroupLassoCV(groups=GROUPS, alphas=12, cv=4).fit(X, Y)
    assert model.coef_ == pytest.approx(GroupLasso(model.alpha_, groups=GROUPS).fit(X, Y).coef_,
                                        abs=1e-5)  # fmt: skip
    assert model.alpha_ == model.alphas_[model.score_path_.mean(axis=1).argmin()]
    sparser = SparseGroupLassoCV(groups=GROUPS, alphas=12, cv=4, rule="1se").fit(X, Y)
    assert sparser.alpha_ > model.alpha_ and sparser.coef_[:2].all()

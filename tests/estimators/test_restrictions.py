"""Factors and limits of single features in estimators: those of path, also by name."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import sparsesolve as ss

E = ss.estimators
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(80, 5)), columns=list("abcde"))
ETA = X.to_numpy() @ [1.0, -0.8, 0.3, 0.0, 0.2]
Y = ETA + 0.3 * RNG.normal(size=80)
TIMES = np.column_stack([RNG.exponential(np.exp(-ETA)), RNG.random(80) < 0.8])
# Of elastic nets: the response and the family.
NETS = {
    "ElasticNet": (Y, "gaussian"), "PoissonNet": (RNG.poisson(np.exp(ETA)), "poisson"),
    "SparseLogisticRegression": (np.where(Y > 0.0, "b", "a"), "binomial"),
    "ProbitNet": (Y > 0.0, "probit()"), "GammaNet": (np.exp(Y), "gamma()"),
    "HuberNet": (Y, "huber(1.0)"), "CoxNet": (TIMES, "cox"),
    "TweedieNet": (np.exp(Y), "tweedie(1.5)"),
    "NegativeBinomialNet": (RNG.poisson(np.exp(ETA)), "negative_binomial(1.0)"),
}  # fmt: skip
GROUPS = ["u", "u", "v", "v", "v"]
SIDE, TWO = np.where(Y > 0.0, 1, -1), np.column_stack([Y, RNG.normal(size=80)])
SQUARED = ss.families.squared_hinge()
# name: (parameters, response, what path calls the same problem, at which lambda)
PROBLEMS = {
    **{name: ({"l1_ratio": 0.9}, y, {"family": family, "alpha": 0.9}, 0.05)
       for name, (y, family) in NETS.items()},
    "Lasso": ({}, Y, {}, 0.05),
    "GroupLasso": ({"groups": GROUPS}, Y, {"penalty": ss.penalties.GroupL2(GROUPS)}, 0.05),
    "SparseGroupLasso": (
        {"groups": GROUPS}, Y, {"penalty": ss.penalties.SparseGroup(GROUPS, 0.5)}, 0.05),
    "PenalizedRegressor": ({}, Y, {}, 0.05),
    "PenalizedClassifier": (
        {"penalty": ss.penalties.GroupL2(GROUPS), "tol": 1e-11}, SIDE,
        {"family": "binomial", "penalty": ss.penalties.GroupL2(GROUPS)}, 0.05),
    "MultiTaskLasso": ({}, TWO, {"family": "multigaussian"}, 0.05),
    "MultiTaskElasticNet": ({}, TWO, {"family": "multigaussian", "alpha": 0.5}, 0.05),
    "QuantileRegressor": ({"quantile": 0.3}, Y, {"family": ss.families.quantile(0.3)}, 0.05),
    "LinearSVC": ({"C": 0.1}, SIDE, {"family": SQUARED, "alpha": 0.0}, 1 / (0.1 * 80 * 2)),
    "LinearSVR": ({"C": 0.1, "epsilon": 0.1}, Y, {
        "family": ss.families.epsilon_insensitive(0.1), "alpha": 0.0}, 1 / (0.1 * 80)),
    "RelaxedLasso": ({"gamma": 1.0}, Y, {}, 0.05),
    "LassoLars": ({}, Y, {}, 0.05),
}  # fmt: skip
GIVEN = [
    {"penalty_factor": {"a": 0, "b": 3.0}}, {"penalty_factor": [1, 2, 3, 4, 5.0]},
    {"lower": {"b": -0.1}, "upper": 0.25}, {"exclude": ["a", 3]},
    {"upper": pd.Series(0.1, index=list("edcba")), "penalty_factor": {0: np.inf}},
]  # fmt: skip
KEPT = [{"penalty_factor": {"b": 0, "c": 3.0}}, {"exclude": ["b", 2]}, {"lower": {"b": -0.1}},
        {"upper": pd.Series([0.1, 0.2, 0.3, 0.4, 0.5], index=list("edcba"))}]  # fmt: skip
PLAIN = {*NETS, "Lasso"}  # take all of them
GROUPED = [{"penalty_factor": {"v": 0}}, *KEPT[1:]]


def problems():
    for name, (parameters, *_) in PROBLEMS.items():
        parameters = {**parameters, **({} if "C" in parameters else {"alpha": 0.05})}
        by_group = "groups" in parameters or "penalty" in parameters
        for given in GIVEN if name in PLAIN else GROUPED if by_group else KEPT:
            if name in PLAIN or set(given) <= set(getattr(E, name)().get_params()):
                yield name, parameters, given


@pytest.mark.parametrize("name, parameters, given", [*problems()], ids=str)
def test_they_are_those_of_path(name, parameters, given):
    _, y, options, lam = PROBLEMS[name]
    make = getattr(E, name)
    found = np.ravel(clone(make(**parameters, **given)).fit(X, y).coef_)
    close, tol = (1e-6, 1e-10) if name in PLAIN else (2e-5, 1e-11)
    fit = ss.path(X, y, lambdas=[lam], standardize=False, tol=tol, **options, **given)
    np.testing.assert_allclose(found, np.ravel(fit.coef(lam)), atol=close)
    assert np.abs(np.ravel(make(**parameters).fit(X, y).coef_) - found).max() > 1e-3


@pytest.mark.parametrize("name", ["ElasticNetCV", "SparseLogisticRegressionCV", "CoxNetCV"])
def test_cross_validation_keeps_them(name):
    y, _ = NETS[name.removesuffix("CV")]
    given = {"penalty_factor": {"a": 0}, "upper": {"c": 0.05}, "exclude": ["e"]}
    model = getattr(E, name)(alphas=6, cv=3, **given).fit(X, y)
    assert np.ravel(model.coef_)[4] == 0.0 and np.ravel(model.coef_)[2] <= 0.05
    assert (model.cv_path_.path.coefs.toarray()[0] != 0.0).all()  # never penalised


def test_single_precision_keeps_limits():
    model = E.Lasso(0.01, upper=0.1).fit(X.to_numpy(dtype=np.float32), Y.astype(np.float32))
    assert model.coef_.max() <= 0.1 and model.dual_gap_ < 1e-8


def test_two_stages_keep_them():
    for given in ({"lower": {"b": -0.1}}, {"upper": 0.2}, {"exclude": ["a", 3]}):
        low, high = given.get("lower", {}).get("b", -np.inf), given.get("upper", np.inf)
        for make in (E.RelaxedLasso, E.AdaptiveLasso, E.RelaxedLassoCV, E.AdaptiveLassoCV):
            kinds = {} if make.__name__.endswith("CV") else {"alpha": 0.05}
            coef = make(**kinds, **given).fit(X, Y).coef_
            assert coef[1] >= low and coef.max() <= high and coef.any()
            assert "exclude" not in given or not coef[[0, 3]].any()
    model = E.AdaptiveLasso(1e4, penalty_factor={"c": 0}).fit(X, Y)
    assert np.flatnonzero(model.coef_).tolist() == [2]
    v = model.penalty_factor_ * [1, 1, 3, 1, 1]
    known = ss.path(X, Y, penalty_factor=v, lambdas=[0.05], standardize=False, tol=1e-11)
    found = E.AdaptiveLasso(0.05, penalty_factor={"c": 3.0}).fit(X, Y).coef_
    np.testing.assert_allclose(found, known.coef(0.05), atol=1e-6)


def test_machines_with_limits_have_no_dual_coefficients():
    model = E.LinearSVC(loss="hinge", lower=-0.1).fit(X, SIDE)
    assert not hasattr(model, "dual_coef_") and model.coef_.min() == -0.1
    below = np.flatnonzero(SIDE * model.decision_function(X) < 1.0)
    assert np.array_equal(model.support_, below)
    assert not hasattr(E.LinearSVR(exclude=["a"]).fit(X, Y), "dual_coef_")
    with pytest.raises(ValueError, match="'crammer_singer' takes no factors and limits"):
        E.LinearSVC(multi_class="crammer_singer", upper=1.0).fit(X, SIDE)


@pytest.mark.parametrize("make", [E.OnlineRegressor, E.OnlineClassifier])
def test_factors_of_online_estimators_have_names_before_a_fit(make):
    y, kinds = (Y, {}) if make is E.OnlineRegressor else (SIDE, {"classes": {1, -1}})
    for factors in ({"a": 0, "b": 3.0}, pd.Series([3, 0, 1, 1, 1.0], index=list("bacde"))):
        model = make(0.1, penalty_factor=factors).partial_fit(X, y, **kinds)
        known = make(0.1, penalty_factor=[0, 3, 1, 1, 1]).partial_fit(X, y, **kinds)
        assert np.array_equal(model.coef_, known.coef_) and model.coef_.any()
        assert np.array_equal(make(0.1, penalty_factor=factors, shuffle=False, max_iter=1).fit(
            X, y).coef_, known.coef_)  # fmt: skip
    with pytest.raises(ValueError, match="penalty_factor names 'z', which is no column of X"):
        make(0.1, penalty_factor={"z": 0}).partial_fit(X, y, **kinds)
    with pytest.raises(ValueError, match="columns of X have no names; give numbers, or X as"):
        make(0.1, penalty_factor={"a": 0}).partial_fit(X.to_numpy(), y, **kinds)


def test_penalties_without_factors_say_so_and_what_to_do():
    for penalty, advice in (
        (ss.penalties.L1(), "leave penalty out, which is the lasso"),
        (ss.penalties.MCP(), "give its weights"),
        (ss.penalties.Slope(), "use penalties.Separate"),
        (ss.penalties.Berhu(), "leave penalty_factor out"),
    ):
        with pytest.raises(ValueError, match=f"not for penalty=.*; .*{advice}"):
            E.PenalizedRegressor(penalty=penalty, penalty_factor={"a": 0}).fit(X, Y)
    for given in ({"lower": {"a": 0}}, {"exclude": ["a"]}):
        with pytest.raises(ValueError, match="norms of disjoint groups, not for penalty=MCP"):
            E.PenalizedRegressor(penalty=ss.penalties.MCP(), **given).fit(X, Y)


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="positive=True is lower=0; leave one of them out"):
        E.Lasso(0.1, positive=True, lower=-1.0).fit(X, Y)
    with pytest.raises(ValueError, match="'z'"):
        E.Lasso(0.1, penalty_factor={"z": 0.0}).fit(X, Y)
    with pytest.raises(TypeError, match="in other estimators glmnet's lower_limits is lower;"):
        E.MultiTaskLasso(lower_limits=0)
    with pytest.raises(TypeError, match="scikit-learn's positive is lower=0 here"):
        E.CoxNet(positive=True)

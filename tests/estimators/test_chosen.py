"""Alpha by cross-validation: the grid, the scores of folds and the choice, by a plain loop."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.linear_model import ElasticNet  # noqa: E402
from sklearn.model_selection import KFold, LeaveOneGroupOut  # noqa: E402

from sparsesolve import estimators as ours  # noqa: E402

RNG = np.random.default_rng(17)
X = RNG.standard_normal((60, 6))
Y = X @ [2.0, -1, 0.5, 0, 0, 0] + RNG.standard_normal(60)
FOLDS = list(KFold(4, shuffle=True, random_state=0).split(X))


def scores(alphas, ratio):
    """Mean squared errors (L, K) by scikit-learn's own elastic net."""
    found = np.empty((len(alphas), len(FOLDS)))
    for i, alpha in enumerate(alphas):
        for k, (train, test) in enumerate(FOLDS):
            net = ElasticNet(alpha=alpha, l1_ratio=ratio, tol=1e-10, max_iter=10**6)
            net.fit(X[train], Y[train])
            found[i, k] = np.mean((Y[test] - net.predict(X[test])) ** 2)
    return found


def test_the_grid_starts_where_something_is_selected():
    for ratio in (1.0, 0.5):
        model = ours.ElasticNetCV(l1_ratio=ratio, alphas=5, eps=0.1, cv=FOLDS).fit(X, Y)
        centred = np.abs((X - X.mean(axis=0)).T @ (Y - Y.mean())) / 60
        assert model.alphas_ == pytest.approx(np.geomspace(1, 0.1, 5) * centred.max() / ratio)
    assert ours.ElasticNetCV(alphas=1, cv=FOLDS).fit(X, Y).alphas_.shape == (1,)


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_the_choice_is_that_of_a_plain_loop(rule):
    ratios, alphas = [1.0, 0.3], [0.5, 0.01, 0.1]
    model = ours.ElasticNetCV(l1_ratio=ratios, alphas=alphas, cv=FOLDS, rule=rule).fit(X, Y)
    falling = np.array([0.5, 0.1, 0.01])
    wanted = np.array([scores(falling, ratio) for ratio in ratios])
    assert model.alphas_.tolist() == falling.tolist()  # as they were given, for both
    assert model.score_path_ == pytest.approx(wanted, rel=1e-5)
    means = wanted.mean(axis=2)
    ratio = int(means.min(axis=1).argmin())
    place = best = int(means[ratio].argmin())
    if rule == "1se":
        error = wanted[ratio].std(axis=1, ddof=1)[best] / 2  # of 4 folds
        place = int(np.flatnonzero(means[ratio] <= means[ratio][best] + error)[0])
        assert place != best
    assert (model.l1_ratio_, model.alpha_) == (ratios[ratio], falling[place])
    net = ElasticNet(alpha=falling[place], l1_ratio=ratios[ratio], tol=1e-10).fit(X, Y)
    assert model.coef_ == pytest.approx(net.coef_, abs=1e-5)
    assert model.intercept_ == pytest.approx(net.intercept_, abs=1e-5)


def test_one_ratio_has_no_axis_of_its_own():
    model = ours.LassoCV(alphas=[0.1, 0.01], cv=FOLDS).fit(X, Y)
    assert model.alphas_.shape == (2,) and model.score_path_.shape == (2, 4)
    assert model.cv_path_.lambdas.tolist() == [0.1, 0.01] and model.l1_ratio_ == 1.0


@pytest.mark.parametrize("options, words", [
    ({"rule": "best"}, "rule"),
    ({"eps": 0.0}, r"eps must be in \(0, 1\], not 0.0"),
    ({"eps": 1.5}, r"eps must be in \(0, 1\], not 1.5"),
    ({"alphas": 0}, "alphas must be at least 1, not 0"),
    ({"alphas": [0.1, -1.0]}, "alphas"),
])  # fmt: skip
def test_options_that_are_none(options, words):
    with pytest.raises(ValueError, match=words):
        ours.LassoCV(cv=FOLDS, **options).fit(X, Y)


def test_groups_need_metadata_routing():
    """Otherwise a splitter would never see them, and folds would be others."""
    groups = np.repeat(np.arange(4), 15)
    model = ours.LassoCV(cv=LeaveOneGroupOut())
    with pytest.raises(ValueError) as caught:
        model.fit(X, Y, groups=groups)
    assert str(caught.value) == (
        "[groups] is only supported if enable_metadata_routing=True; call "
        "sklearn.set_config(enable_metadata_routing=True)"
    )


def test_of_a_measure_the_larger_the_better_the_largest_is_chosen():
    labels, ratios = Y > 0, [1.0, 0.6, 0.2]
    model = ours.SparseLogisticRegressionCV(l1_ratio=ratios, alphas=[0.3, 0.1, 0.03], cv=FOLDS,
                                            measure="auc").fit(X, labels)  # fmt: skip
    means = model.score_path_.mean(axis=2)
    assert len(set(means.max(axis=1))) > 1
    ratio = int(means.max(axis=1).argmax())
    assert model.l1_ratio_ == ratios[ratio]
    assert model.alpha_ == model.alphas_[means[ratio].argmax()]


def test_the_grid_of_ridge_ends_where_that_of_the_lasso_does():
    ridge = ours.ElasticNetCV(l1_ratio=0.0, alphas=30, cv=FOLDS).fit(X, Y)
    lasso = ours.LassoCV(alphas=3, cv=FOLDS).fit(X, Y)
    assert ridge.alphas_[0] == pytest.approx(1e3 * lasso.alphas_[0])
    assert ridge.alphas_[-1] == pytest.approx(lasso.alphas_[-1])
    assert ridge.alphas_[-1] < ridge.alpha_ < ridge.alphas_[0]


def test_repeats_add_no_data():
    for model in (ours.LassoCV, ours.MKLRegressorCV):
        chosen = [model(cv=FOLDS * n, rule="1se").fit(X, Y).alpha_ for n in (1, 3)]
        assert chosen[0] == pytest.approx(chosen[1])


def test_folds_may_be_masks():
    masks = [tuple(np.isin(np.arange(60), rows) for rows in pair) for pair in FOLDS]
    for model in (ours.LassoCV, ours.MKLRegressorCV):
        one, two = (model(cv=cv, rule="1se").fit(X, Y).alpha_ for cv in (FOLDS, masks))
        assert one == two
        with pytest.raises(ValueError, match=r"mask has shape \(30,\); .* each row, 60"):
            model(cv=[(~masks[0][1][:30], masks[0][1][:30])] * 2).fit(X, Y)

"""Rows held out: labels that folds share out, what refuses folds, options of each, and scores."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.families import read_family
from sparsesolve.selection.folds import Fold
from sparsesolve.selection.held_out import Rows
from sparsesolve.selection.measures import read_measure

RNG = np.random.default_rng(13)
N, P = 24, 4
X = RNG.normal(size=(N, P))
ETA = X[:, 0] - 0.5 * X[:, 1]
W = RNG.uniform(0.5, 2.0, N)
LAMBDAS = np.array([0.3, 0.1, 0.02])
RESPONSES = {
    "gaussian": ETA + RNG.normal(size=N),
    "poisson": RNG.poisson(np.exp(ETA)),
    "binomial": np.where(ETA + RNG.logistic(size=N) > 0, "yes", "no"),
    "squared_hinge": ETA + RNG.normal(size=N) > 0,
    "multinomial": np.arange(N) % 3,
    "multigaussian": np.column_stack([ETA, RNG.normal(size=N)]),
    "cox": np.column_stack([RNG.exponential(size=N), np.arange(N) % 4 > 0]),
}


def rows(family="gaussian", y=None, **options):
    family = read_family(families.squared_hinge() if family == "squared_hinge" else family)
    response = family.read(RESPONSES[family.name] if y is None else y, N)
    known = {"weights": None, "offset": None, "lambdas": None, "lambda_min_ratio": None,
             "progress": True, **options}  # fmt: skip
    return Rows(family, X, response, known), known


def fold_of(test, train=None):
    test = np.array(test)
    return Fold(~np.isin(np.arange(N), test) if train is None else train, test)


@pytest.mark.parametrize("family, wanted", [
    ("gaussian", None),
    ("multigaussian", None),
    ("poisson", None),
    ("binomial", (RESPONSES["binomial"] == "yes").astype(int)),
    ("squared_hinge", RESPONSES["squared_hinge"].astype(int)),
    ("multinomial", RESPONSES["multinomial"]),
    ("cox", RESPONSES["cox"][:, 1].astype(int)),
])  # fmt: skip
def test_what_folds_share_out(family, wanted):
    found = rows(family)[0].labels()
    assert found is wanted is None or found.tolist() == wanted.tolist()


def test_shares_and_counts_are_no_classes():
    shares = np.linspace(0.1, 0.9, N)
    assert rows("binomial", shares)[0].labels() is None
    counts = np.column_stack([np.full(N, 2), 1 + np.arange(N) % 2])
    of_counts = rows("binomial", counts, weights=W)[0]
    assert of_counts.labels() is None
    assert of_counts.scored == pytest.approx(W * counts.sum(axis=1))
    assert of_counts.weights == pytest.approx(W)
    assert rows()[0].scored.tolist() == [1.0] * N


@pytest.mark.parametrize("family, weights, test, words", [
    ("gaussian", None, range(N), "no row"),
    ("gaussian", np.arange(N) < 3, range(3), "no row"),
    ("poisson", None, range(N), "no row"),
    ("binomial", None, np.flatnonzero(RESPONSES["binomial"] == "no"), "no row of class 'no'"),
    ("binomial", np.where(RESPONSES["binomial"] == "yes", 0.0, 1.0), [0], "no row of class 'yes'"),
    ("multinomial", None, range(1, N, 3), "no row of class 1"),
    ("cox", None, np.flatnonzero(RESPONSES["cox"][:, 1]), "no death"),
])  # fmt: skip
def test_folds_that_leave_nothing_to_train_on(family, weights, test, words):
    some = rows(family, weights=weights)[0]
    good = fold_of([1]) if weights is None else None
    folds = [fold_of(list(test))] if good is None else [good, fold_of(list(test))]
    with pytest.raises(ValueError) as caught:
        some.refuse_untrainable(folds)
    assert str(caught.value) == (
        f"fold {len(folds) - 1} leaves {words} of positive weight to train on; give fewer folds, "
        "or folds that share them out"
    )
    some.refuse_untrainable(folds[:-1])


def test_a_class_of_one_row_gets_advice_that_can_be_followed():
    y = np.where(np.arange(N) == 3, "rare", "usual")
    X = np.random.default_rng(0).normal(size=(N, 2))
    with pytest.raises(ValueError, match="in one row alone.* pairs .train, test. that never hold"):
        ss.cv_path(X, y, family="binomial", n_folds=2, seed=0)
    rest = np.arange(N) != 3
    pairs = [(~rest | (np.arange(N) % 2 == k), np.flatnonzero(rest & (np.arange(N) % 2 != k)))
             for k in range(2)]  # fmt: skip
    assert ss.cv_path(X, y, family="binomial", folds=pairs, n_lambdas=3).lambdas.size


def test_options_of_each_fold():
    some, options = rows(weights=W)
    folds = [fold_of([0, 1]), fold_of(range(N - 3))]
    (all_rows, name), (first, without), (last, _) = some.jobs(options, folds)
    assert name is None and without == "without fold 0"
    assert all_rows == {**options, "progress": False} and options["progress"]
    assert first["weights"].tolist() == [0.0, 0.0, *W[2:]]
    assert first["lambda_min_ratio"] == 1e-4
    assert last["lambda_min_ratio"] == 1e-2  # fewer rows than features
    square = list(some.jobs(options, [fold_of(range(N - P))]))[1][0]
    assert square["lambda_min_ratio"] == 1e-4
    for own in ({"lambdas": LAMBDAS}, {"lambda_min_ratio": 0.5}):
        some, options = rows(**own)
        fold = list(some.jobs(options, folds))[2][0]
        assert fold["lambda_min_ratio"] == own.get("lambda_min_ratio")


@pytest.mark.parametrize("family", ["gaussian", "multinomial"])
def test_linear_predictors_of_some_rows(family):
    offset = RNG.normal(size=(N, 3) if family == "multinomial" else N)
    some = rows(family, offset=offset)[0]
    fit = ss.path(X, RESPONSES[family], family=family, offset=offset, lambdas=LAMBDAS)
    which = np.array([3, 0, 17])
    wanted = fit.predict(X[which], LAMBDAS, offset=offset[which])
    assert some.link(fit, LAMBDAS, which) == pytest.approx(wanted, abs=1e-12)


def test_the_score_is_the_weighted_mean_of_the_rows_held_out():
    some = rows(weights=W)[0]
    fit, test = ss.path(X, RESPONSES["gaussian"], lambdas=LAMBDAS), [2, 5, 6]
    score, weight = some.score(fit, fold_of(test), read_measure("mse", some.family), LAMBDAS)
    errors = (RESPONSES["gaussian"][test, None] - fit.predict(X[test])) ** 2
    assert weight == pytest.approx(W[test].sum())
    assert score == pytest.approx(W[test] @ errors / W[test].sum())
    nothing = rows(weights=np.where(np.isin(np.arange(N), test), 0.0, W))[0]
    score, weight = nothing.score(fit, fold_of(test), read_measure("mse", some.family), LAMBDAS)
    assert weight == 0.0 and np.isnan(score).all() and score.shape == (3,)


def partial_deviance(which, eta):
    """Twice the negative Breslow partial log-likelihood of some rows, one linear predictor."""
    time, status = RESPONSES["cox"][which].T
    total = 0.0
    for i in np.flatnonzero(status):
        total -= 2 * W[which][i] * (
            eta[i] - np.log(W[which] @ (np.exp(eta) * (time >= time[i])))
        )  # fmt: skip
    return total


def test_deaths_held_out_count_by_what_they_add():
    some = rows("cox", weights=W)[0]
    fit = ss.path(X, RESPONSES["cox"], family="cox", weights=W, lambdas=LAMBDAS)
    train = ~np.isin(np.arange(N), [2, 5, 6, 9, 10])  # 9 and 10 are not held out either
    test = np.array([2, 5, 6])
    measure = read_measure("deviance", some.family)
    score, weight = some.score(fit, fold_of(test, train), measure, LAMBDAS)
    assert weight == pytest.approx(W[test] @ RESPONSES["cox"][test, 1])
    kept = np.flatnonzero(train)
    both = np.sort(np.r_[kept, test])
    eta = fit.predict(X, LAMBDAS)
    added = [partial_deviance(both, eta[both, k]) - partial_deviance(kept, eta[kept, k])
             for k in range(3)]  # fmt: skip
    # the deviance is from the saturated model, whose terms are those of untied deaths: 0 here
    assert np.diff(score * weight) == pytest.approx(np.diff(added), rel=1e-9)

"""Folds: dealt evenly, or read from ids, splitters and pairs; and rows held out."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.families import read_family
from sparsesolve.selection.folds import Fold, Rows, passes, read_folds
from sparsesolve.selection.measures import read_measure

N = 53
LABELS = np.resize([0, 0, 1, 0, 2], N)


def ids_of(folds):
    """The fold that holds each row out; -1 where none does."""
    ids = np.full(N, -1)
    for k, fold in enumerate(folds):
        ids[fold.test] = k
    return ids


def test_rows_are_dealt_evenly_and_each_is_held_out_once():
    folds, ids = read_folds(None, N, n_folds=5, seed=1)
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(N))
    assert sorted(len(fold.test) for fold in folds) == [10, 10, 11, 11, 11]
    for k, fold in enumerate(folds):
        assert fold.train.sum() + len(fold.test) == N and not fold.train[fold.test].any()
        assert (ids[0, fold.test] == k).all()
    again = read_folds(None, N, n_folds=5, seed=1)[1]
    assert (again == ids).all() and (read_folds(None, N, n_folds=5, seed=2)[1] != ids).any()


def test_each_label_is_dealt_evenly():
    for seed in range(5):
        folds, _ = read_folds(None, N, n_folds=4, labels=LABELS, seed=seed)
        assert np.ptp([len(fold.test) for fold in folds]) <= 1
        for label in range(3):
            assert np.ptp([(LABELS[fold.test] == label).sum() for fold in folds]) <= 1


def test_repeats_are_dealt_anew():
    folds, ids = read_folds(None, N, n_folds=5, repeats=3, seed=0)
    assert ids.shape == (3, N) and len(folds) == 15
    assert (ids[0] != ids[1]).any() and passes([fold.test for fold in folds]) == 3.0


def test_groups_stay_together_and_sizes_are_near():
    groups = np.array([f"clinic {k}" for k in np.random.default_rng(0).integers(0, 17, N)])
    folds, ids = read_folds(None, N, n_folds=4, groups=groups, labels=LABELS, seed=3)
    for name in np.unique(groups):
        assert len(set(ids[0, groups == name])) == 1
    assert np.ptp([len(fold.test) for fold in folds]) <= 3


@pytest.mark.parametrize("kind", [np.array, list, lambda ids: np.array([f"f{k}" for k in ids])])
def test_ids_of_any_kind(kind):
    folds, ids = read_folds(kind(LABELS), N)
    assert (ids_of(folds) == LABELS).all() and (ids[0] == LABELS).all()


def test_splitters_and_pairs():
    model_selection = pytest.importorskip("sklearn.model_selection")
    splitter = model_selection.StratifiedKFold(4)
    X = np.zeros((N, 1))
    folds, ids = read_folds(splitter, N, data=(X, LABELS))
    pairs = list(splitter.split(X, LABELS))
    assert (ids_of(folds) == ids[0]).all()
    for given in (pairs, iter(pairs), [Fold(*pair) for pair in pairs]):
        for fold, (train, test) in zip(read_folds(given, N)[0], pairs, strict=True):
            assert (np.flatnonzero(fold.train) == train).all() and (fold.test == test).all()
    grouped, _ = read_folds(model_selection.GroupKFold(3), N, groups=LABELS, data=(X, None))
    assert all(len(set(LABELS[fold.test])) == 1 for fold in grouped)
    split = model_selection.ShuffleSplit(8, test_size=0.25, random_state=0)
    folds, ids = read_folds(split, N, data=(X, None))
    assert ids is None and 1 < passes([fold.test for fold in folds]) < 8


def masks(k):
    mask = np.zeros(N, dtype=bool)
    mask[:k] = True
    return mask


def test_pairs_of_booleans():
    (fold,), ids = read_folds([(masks(20), ~masks(20))], N)
    assert fold.train.sum() == 20 and len(fold.test) == N - 20 and ids is None


@pytest.mark.parametrize("folds, words", [
    (LABELS[:-1], "folds has 52 labels but X has 53 rows"),
    (np.zeros(N), "one id only"),
    (np.where(LABELS, np.nan, 1.0), "folds has a missing label"),
    ([(masks(20), ~masks(10))], "fold 0 holds out row 10, on which it trains as well"),
    ([([0, 1], [60])], "fold 0 names row 60"),
    ([([0, 1], [])], "fold 0 has no row to test on"),
    ([([], [1])], "fold 0 has no row to train on"),
    ([([0.5], [1])], "fold 0 is not a pair"),
    ([([0, 1, 1], [2])], "fold 0 names row 1 more than once; .* repeat rows of X and y"),
    ([([0, 1], [2]), ([0], [4, 3, 4])], "fold 1 names row 4 more than once"),
])  # fmt: skip
def test_bad_folds_are_refused(folds, words):
    with pytest.raises(ValueError, match=words):
        read_folds(folds, N)


@pytest.mark.parametrize("folds", [5, "kfold"])
def test_what_is_no_fold_is_refused(folds):
    with pytest.raises(TypeError, match="how many there are to be as n_folds="):
        read_folds(folds, N)


@pytest.mark.parametrize("options, words", [
    ({"n_folds": 1}, "at least 2"),
    ({"n_folds": 54}, "there are 53 rows"),
    ({"groups": LABELS, "n_folds": 4}, "there are 3 groups"),
    ({"repeats": 0}, "at least 1"),
    ({"folds": LABELS, "repeats": 2}, "leave it at 1"),
    ({"folds": LABELS, "groups": LABELS}, "leave groups out"),
    ({"folds": [([0], [1]), ([1], [0])], "groups": LABELS}, "leave groups out"),
    ({"groups": LABELS[1:]}, "groups has 52 labels"),
])  # fmt: skip
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        read_folds(**{"folds": None, "n": N, **options})


@pytest.mark.parametrize("folds", [[], np.zeros((0, 5))])
def test_no_folds_are_refused(folds):
    with pytest.raises(ValueError, match="folds is empty"):
        read_folds(folds, 5)


RNG = np.random.default_rng(13)
N_HELD, P = 24, 4
X = RNG.normal(size=(N_HELD, P))
ETA = X[:, 0] - 0.5 * X[:, 1]
W = RNG.uniform(0.5, 2.0, N_HELD)
LAMBDAS = np.array([0.3, 0.1, 0.02])
DEATHS = np.column_stack([RNG.exponential(size=N_HELD), np.arange(N_HELD) % 4 > 0])


def rows(family, y, weights=None):
    family = read_family(family)
    return Rows(family, X, family.read(y, N_HELD), {"weights": weights, "offset": None})


def test_shares_and_counts_are_no_classes():
    shares = np.linspace(0.1, 0.9, N_HELD)
    assert rows("binomial", shares).labels() is None
    counts = np.column_stack([np.full(N_HELD, 2), 1 + np.arange(N_HELD) % 2])
    of_counts = rows("binomial", counts, W)
    assert of_counts.labels() is None
    assert of_counts.scored == pytest.approx(W * counts.sum(axis=1))
    assert of_counts.weights == pytest.approx(W)
    assert rows("gaussian", ETA).scored.tolist() == [1.0] * N_HELD


def test_a_class_of_one_row_gets_advice_that_can_be_followed():
    y = np.where(np.arange(N_HELD) == 3, "rare", "usual")
    X = np.random.default_rng(0).normal(size=(N_HELD, 2))
    with pytest.raises(ValueError, match="in one row alone.* pairs .train, test. that never hold"):
        ss.cv_path(X, y, family="binomial", n_folds=2, seed=0)
    rest = np.arange(N_HELD) != 3
    pairs = [(~rest | (np.arange(N_HELD) % 2 == k),
              np.flatnonzero(rest & (np.arange(N_HELD) % 2 != k)))
             for k in range(2)]  # fmt: skip
    assert ss.cv_path(X, y, family="binomial", folds=pairs, n_lambdas=3).lambdas.size


def partial_deviance(which, eta):
    """Twice the negative Breslow partial log-likelihood of some rows, one linear predictor."""
    time, status = DEATHS[which].T
    total = 0.0
    for i in np.flatnonzero(status):
        total -= 2 * W[which][i] * (
            eta[i] - np.log(W[which] @ (np.exp(eta) * (time >= time[i])))
        )  # fmt: skip
    return total


def test_deaths_held_out_count_by_what_they_add():
    some = rows("cox", DEATHS, W)
    fit = ss.path(X, DEATHS, family="cox", weights=W, lambdas=LAMBDAS)
    train = ~np.isin(np.arange(N_HELD), [2, 5, 6, 9, 10])  # 9 and 10 are not held out either
    test = np.array([2, 5, 6])
    measure = read_measure("deviance", some.family)
    score, weight = some.score(fit, Fold(train, test), measure, LAMBDAS)
    assert weight == pytest.approx(W[test] @ DEATHS[test, 1])
    kept = np.flatnonzero(train)
    both = np.sort(np.r_[kept, test])
    eta = fit.predict(X, LAMBDAS)
    added = [partial_deviance(both, eta[both, k]) - partial_deviance(kept, eta[kept, k])
             for k in range(3)]  # fmt: skip
    # the deviance is from the saturated model, whose terms are those of untied deaths: 0 here
    assert np.diff(score * weight) == pytest.approx(np.diff(added), rel=1e-9)

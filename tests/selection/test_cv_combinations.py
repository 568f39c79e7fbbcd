"""Cross-validation with all splitters, all penalties of groups, any number of jobs."""

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(31)
N = 90
X = RNG.normal(size=(N, 9))
ETA = X[:, :3] @ [1.0, -1.0, 0.5]
RESPONSES = {
    "gaussian": ETA + RNG.normal(size=N),
    "binomial": (ETA + RNG.logistic(size=N) > 0).astype(int),
    "multinomial": np.array(list("abc"))[(X[:, :3] + RNG.gumbel(size=(N, 3))).argmax(axis=1)],
    "poisson": RNG.poisson(np.exp(0.3 * ETA)),
    "cox": np.column_stack([RNG.exponential(np.exp(-ETA)), RNG.random(N) < 0.8]),
    "multigaussian": np.column_stack([ETA, X[:, 5]]) + RNG.normal(size=(N, 2)),
}
Y = RESPONSES["gaussian"]
GROUPS = RNG.integers(0, 8, size=N)
FEATURES = [0, 0, 1, 1, 1, 2, 0, 3, 2]


@pytest.mark.parametrize("name, arguments, options", [
    ("KFold", (3,), {}), ("ShuffleSplit", (3,), {}), ("TimeSeriesSplit", (3,), {}),
    ("LeaveOneOut", (), {}), ("PredefinedSplit", (np.arange(N) % 4 - 1,), {}),
    ("StratifiedKFold", (3,), {"family": "binomial"}), ("GroupKFold", (3,), {"groups": GROUPS}),
    ("StratifiedGroupKFold", (3,), {"groups": GROUPS, "family": "binomial"}),
    ("LeavePGroupsOut", (1,), {"groups": GROUPS}),
])  # fmt: skip
def test_splitters_of_scikit_learn(name, arguments, options):
    selection = pytest.importorskip("sklearn.model_selection")
    if name == "ShuffleSplit":
        splitter = selection.ShuffleSplit(*arguments, random_state=0)
    else:
        splitter = getattr(selection, name)(*arguments)
    y = RESPONSES[options.get("family", "gaussian")]
    pairs = list(splitter.split(X, y, options.get("groups")))
    cv = ss.cv_path(X, y, folds=splitter, n_lambdas=6, keep=True, **options)
    assert len(cv.fold_scores) == len(pairs)
    held = np.unique(np.concatenate([test for _, test in pairs]))
    assert np.flatnonzero(~np.isnan(cv.prevalidated[:, 0])).tolist() == held.tolist()
    train, test = pairs[-1]
    given = {key: value for key, value in options.items() if key != "groups"}
    alone = ss.path(X[train], y[train], n_lambdas=6, lambda_min_ratio=1e-4, **given)
    assert cv.fold_paths[-1].lambdas == pytest.approx(alone.lambdas)
    if len(np.concatenate([test for _, test in pairs])) == len(held):
        links = alone.predict(X[test], cv.lambdas)
        assert cv.prevalidated[test] == pytest.approx(links, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson", "cox"])
@pytest.mark.parametrize("penalty", [
    ss.penalties.GroupL2(FEATURES), ss.penalties.GroupLinf(FEATURES),
    ss.penalties.SparseGroup(FEATURES, 0.4),
], ids=["GroupL2", "GroupLinf", "SparseGroup"])  # fmt: skip
def test_the_grid_of_every_fold_starts_where_its_first_group_enters(family, penalty):
    y, folds = RESPONSES[family], np.arange(N) % 3
    cv = ss.cv_path(X, y, family=family, penalty=penalty, folds=folds, n_lambdas=8, keep=True)
    for k, path in enumerate(cv.fold_paths):
        rows = folds != k
        assert path.df[0] == 0 < path.df[1]
        for share, entered in ((1.001, False), (0.97, True)):
            fit = ss.path(X[rows], y[rows], family=family, penalty=penalty,
                          lambdas=[share * path.lambdas[0]])  # fmt: skip
            assert bool(fit.df[0]) is entered
    assert cv.path.df_groups[-1] <= 4 and cv.path.gaps.max() <= 1e-7


@pytest.mark.parametrize("family", RESPONSES)
def test_no_bit_depends_on_the_number_of_jobs_or_their_backend(family):
    joblib = pytest.importorskip("joblib")
    options = {"family": family, "folds": np.arange(N) % 3, "n_lambdas": 6, "keep": True,
               "lambda_min_ratio": 0.1, "weights": np.arange(N) % 5 + 0.5}  # fmt: skip
    one = ss.cv_path(X, RESPONSES[family], **options)
    several = [ss.cv_path(X, RESPONSES[family], n_jobs=jobs, **options) for jobs in (2, 5)]
    with joblib.parallel_config(backend="loky"):
        several.append(ss.cv_path(X, RESPONSES[family], n_jobs=2, **options))
    for cv in several:
        for name in ("lambdas", "mean", "std", "fold_scores", "prevalidated"):
            assert np.array_equal(getattr(cv, name), getattr(one, name))


@pytest.mark.parametrize("options, words", [
    ({"measure": lambda y, prediction: 0.0}, r"measure takes \(y, prediction\); it must take"),
    ({"seed": -1}, "seed must be a whole number of at least 0, a numpy Generator or None, not -1"),
    ({"seed": "x"}, "seed must be a whole number"),
])  # fmt: skip
def test_what_is_wrong_is_said_before_any_work(monkeypatch, options, words):
    monkeypatch.setattr("sparsesolve.selection.cv.run_jobs", None)
    with pytest.raises((TypeError, ValueError), match=words):
        ss.cv_path(X, Y, **options)

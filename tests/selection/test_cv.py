"""cv_path: folds are fits of the rows left, scores are what their predictions are worth."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families

N, P = 90, 12
RNG = np.random.default_rng(17)
X = RNG.standard_normal((N, P)) * np.resize([1.0, 3.0, 0.2], P) + np.resize([0.0, 2.0], P)
ETA = X[:, 0] - 0.4 * (X[:, 1] - 2) + X[:, 2]
Y = ETA + RNG.standard_normal(N)
YES = np.where(ETA + RNG.logistic(size=N) > 0, "yes", "no")
TIME = np.ceil(8 * RNG.exponential(np.exp(-ETA)))
DEATHS = np.column_stack([TIME, RNG.random(N) < 0.7])
KIND = (X[:, :3] / [1, 3, 0.2] + RNG.gumbel(size=(N, 3))).argmax(axis=1)
RESPONSES = {
    "gaussian": Y,
    "binomial": YES,
    "poisson": RNG.poisson(np.exp(0.4 * ETA)),
    "multinomial": KIND,
    "multigaussian": np.column_stack([Y, ETA]),
    "cox": DEATHS,
}
IDS = np.resize(np.arange(4), N)
SHORT = {"n_lambdas": 15, "folds": IDS}


@pytest.mark.parametrize("family", RESPONSES)
def test_each_fold_is_the_path_of_the_rows_left(family):
    y = RESPONSES[family]
    cv = ss.cv_path(X, y, family=family, tol=1e-10, keep=True, **SHORT)
    for k, fold in enumerate(cv.fold_paths):
        kept = IDS != k
        alone = ss.path(X[kept], y[kept], family=family, tol=1e-10, n_lambdas=15)
        assert fold.lambdas == pytest.approx(alone.lambdas, rel=1e-7)
        ours, theirs = fold.predict(X, s=cv.lambdas), alone.predict(X, s=cv.lambdas)
        assert ours == pytest.approx(theirs, abs=1e-3 * np.ptp(theirs))
        assert cv.prevalidated[~kept] == pytest.approx(ours[~kept], abs=1e-12)
    assert np.array_equal(cv.path.lambdas, cv.lambdas)
    assert np.array_equal(cv.path.df, cv.n_nonzero)


def test_the_length_of_a_folds_grid_depends_on_the_rows_left():
    """lambda_min_ratio is 1e-2 with fewer rows than columns, also where all rows are more."""
    wide = RNG.standard_normal((24, 20))
    y = wide[:, 0] + RNG.standard_normal(24)
    for n_folds, options, ratio in (
        (4, {}, 1e-2), (6, {}, 1e-4), (4, {"lambda_min_ratio": 0.5}, 0.5),
    ):  # fmt: skip
        cv = ss.cv_path(wide, y, n_folds=n_folds, seed=0, keep=True, n_lambdas=9, stop=None,
                        **options)  # fmt: skip
        whole = options.get("lambda_min_ratio", 1e-4)
        assert cv.lambdas[-1] / cv.lambdas[0] == pytest.approx(whole)
        for fold in cv.fold_paths:
            assert fold.lambdas[-1] / fold.lambdas[0] == pytest.approx(ratio)


def test_scores_their_mean_and_standard_error():
    w = RNG.uniform(0.2, 2.0, N)
    cv = ss.cv_path(X, Y, weights=w, keep=True, **SHORT)
    W = np.array([w[k == IDS].sum() for k in range(4)])
    squares = (Y[:, None] - cv.prevalidated) ** 2
    scores = [np.average(squares[k == IDS], axis=0, weights=w[k == IDS]) for k in range(4)]
    assert cv.fold_scores == pytest.approx(np.array(scores))
    assert cv.fold_weights == pytest.approx(W)
    mean = np.average(scores, axis=0, weights=W)
    assert cv.mean == pytest.approx(mean)
    variance = np.average((np.array(scores) - mean) ** 2, axis=0, weights=W) / 3
    assert cv.std == pytest.approx(np.sqrt(variance))
    best = mean.argmin()
    within = np.flatnonzero(mean <= mean[best] + cv.std[best])
    assert (cv.index_min, cv.index_1se) == (best, within[0]) and within[0] < best
    assert (cv.lambda_min, cv.lambda_1se) == (cv.lambdas[best], cv.lambdas[within[0]])
    scaled = ss.cv_path(X, Y, weights=7 * w, **SHORT)
    assert scaled.mean == pytest.approx(mean) and scaled.std == pytest.approx(cv.std)


def test_where_larger_is_better():
    cv = ss.cv_path(X, YES, family="binomial", measure="auc", **SHORT)
    best = cv.mean.argmax()
    within = np.flatnonzero(cv.mean >= cv.mean[best] - cv.std[best])
    assert (cv.index_min, cv.index_1se) == (best, within[0]) and cv.larger_is_better
    assert cv.mean[best] > 0.7 and "larger is better" in str(cv)


def test_given_lambdas_are_the_same_everywhere():
    cv = ss.cv_path(X, Y, lambdas=[0.01, 1.0, 0.1], folds=IDS, keep=True)
    assert cv.lambdas.tolist() == [1.0, 0.1, 0.01]
    assert all(fold.lambdas.tolist() == [1.0, 0.1, 0.01] for fold in cv.fold_paths)


def test_folds_of_a_fit_serve_another():
    cv = ss.cv_path(X, Y, n_lambdas=15, n_folds=5, repeats=2, seed=0)
    assert cv.folds.shape == (2, N) and cv.fold_scores.shape == (10, len(cv.lambdas))
    again = ss.cv_path(X, Y, n_lambdas=15, folds=cv.folds)
    assert np.array_equal(cv.fold_scores, again.fold_scores)
    assert np.array_equal(cv.std, again.std)


def test_repeats_do_not_pretend_to_be_data():
    once = [ss.cv_path(X, Y, n_lambdas=15, seed=k).std for k in range(4)]
    cv = ss.cv_path(X, Y, n_lambdas=15, repeats=8, seed=0)
    assert 0.6 < np.median(cv.std / np.mean(once, axis=0)) < 1.6  # as data, 0.35


def test_rows_never_held_out_are_not_predicted():
    rows = np.arange(N)
    cv = ss.cv_path(X, Y, folds=[(rows[:60], rows[60:70]), (rows[:70], rows[65:80][5:])],
                    n_lambdas=15, keep=True)  # fmt: skip
    assert cv.folds is None
    assert np.isnan(cv.prevalidated[:60]).all() and np.isnan(cv.prevalidated[80:]).all()
    assert np.isfinite(cv.prevalidated[60:80]).all() and np.isfinite(cv.mean).all()


def test_one_fold_has_no_standard_error():
    rows = np.arange(N)
    cv = ss.cv_path(X, Y, folds=[(rows[:60], rows[60:])], n_lambdas=15)
    assert np.isnan(cv.std).all() and cv.index_1se == cv.index_min


def test_classes_and_deaths_are_shared_out():
    y = np.where(np.arange(N) < 10, "rare", "often")
    for family in ("binomial", "multinomial", families.squared_hinge()):
        cv = ss.cv_path(X, y, family=family, n_folds=5, seed=3, n_lambdas=5)
        assert [(cv.folds[0][:10] == k).sum() for k in range(5)] == [2] * 5
    cv = ss.cv_path(X, DEATHS, family="cox", n_folds=5, seed=3, n_lambdas=5)
    assert np.ptp([DEATHS[cv.folds[0] == k, 1].sum() for k in range(5)]) <= 1


def test_of_alphas_alike_but_for_rounding_the_largest_is_taken():
    """Refits of the same features, to which each alpha came in its own way."""
    signal = np.array([5.0, -4.0, 3.0])
    y = X[:, :3] @ signal + 0.1 * RNG.standard_normal(len(X))
    for alphas in ([0.9, 1.0], [0.95, 1.0], [0.97, 0.98]):
        cv = ss.cv_path(X[:, :4], y, alphas=alphas, gammas=[0.0], n_folds=4, n_lambdas=9, seed=5)
        one, two = (c.mean[c.index_min] for c in cv.candidates)
        assert one == pytest.approx(two, rel=1e-12) and cv.alpha == max(alphas)


def test_alphas_share_folds_and_the_best_mean_decides():
    cv = ss.cv_path(X, Y, alphas=[0.2, 1.0, 0.6], n_lambdas=15, seed=5)
    alone = [ss.cv_path(X, Y, alpha=alpha, n_lambdas=15, folds=cv.folds[0])
             for alpha in (0.2, 0.6, 1.0)]  # fmt: skip
    assert [c.alpha for c in cv.candidates] == [0.2, 0.6, 1.0]
    for candidate, one in zip(cv.candidates, alone, strict=True):
        assert np.array_equal(candidate.fold_scores, one.fold_scores)
    best = min(alone, key=lambda one: one.mean.min())
    assert cv.alpha == best.path.options["alpha"] and np.array_equal(cv.mean, best.mean)
    assert "the best of 3" in str(cv)


def test_a_callable_measure():
    cv = ss.cv_path(X, RESPONSES["poisson"], family="poisson", measure="mse", **SHORT)
    own = ss.cv_path(
        X, RESPONSES["poisson"], family="poisson", **SHORT,
        measure=lambda y, mean, w: np.average((y - mean) ** 2, weights=w),
    )  # fmt: skip
    assert own.mean == pytest.approx(cv.mean) and own.measure == "<lambda>"


def test_families_given_as_objects_and_offsets():
    offset = 0.2 * ETA
    cv = ss.cv_path(X, Y, family=families.huber(1.0), offset=offset, keep=True, **SHORT)
    r = abs(Y[:, None] - cv.prevalidated)
    loss = np.where(r < 1, r**2, 2 * r - 1)
    assert cv.mean == pytest.approx(loss.mean(axis=0), rel=1e-2)  # folds differ in size by one
    fitted = cv.predict(X, offset=offset)
    assert fitted == pytest.approx(cv.path.predict(X, s=cv.lambda_1se, offset=offset))


@pytest.mark.parametrize("family, K", [("multinomial", 3), ("multigaussian", 2)])
def test_offsets_of_several_responses(family, K):
    y, offset = RESPONSES[family], 0.5 * RNG.standard_normal((N, K))
    cv = ss.cv_path(X, y, family=family, offset=offset, keep=True, measure="mse", **SHORT)
    for k, fold in enumerate(cv.fold_paths):
        out = IDS == k
        found = ss.assess(fold, X[out], y[out], cv.lambdas, offset=offset[out])
        assert found["mse"] == pytest.approx(cv.fold_scores[k])
        link = fold.predict(X[out], cv.lambdas, offset=offset[out])
        assert cv.prevalidated[out] == pytest.approx(link)


def test_sparse_and_framed_designs():
    pandas = pytest.importorskip("pandas")
    rare = np.where(RNG.random((N, P)) < 0.6, 0.0, X)
    plain = ss.cv_path(rare, Y, **SHORT)
    stored = ss.cv_path(sparse.csr_array(rare), Y, **SHORT)
    assert stored.mean == pytest.approx(plain.mean, rel=1e-4)
    frame = pandas.DataFrame(rare, columns=[f"gene {j}" for j in range(P)])
    cv = ss.cv_path(frame, pandas.Series(Y), **SHORT)
    assert cv.path.feature_names[3] == "gene 3"
    assert np.array_equal(cv.predict(frame), plain.predict(rare))


def test_jobs_need_joblib(fresh_python):
    script = """
import sys
sys.modules["joblib"] = None
import sparsesolve as ss
try:
    ss.cv_path([[0.0], [1], [2], [3]], [1, 2, 2, 4], n_folds=2, n_jobs=2)
except ImportError as error:
    print(error)
"""
    assert fresh_python(script) == "n_jobs other than 1 needs joblib: pip install joblib"


def test_x_is_not_copied():
    big = np.asfortranarray(RNG.standard_normal((200, 20_000)))  # 32 MB
    tracemalloc.start()
    y = big[:, 0] + RNG.standard_normal(200)
    cv = ss.cv_path(big, y, n_folds=5, n_lambdas=5, lambda_min_ratio=0.5, seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(cv.lambdas) == 5 and peak < 0.5 * big.nbytes


def test_one_warning_for_all_fits():
    with pytest.warns(ss.ConvergenceWarning, match="of 50 lambdas miss tol") as caught:
        ss.cv_path(X, Y, lambdas=np.geomspace(1, 0.01, 10), max_iter=0, folds=IDS)
    assert len(caught) == 1 and caught[0].filename == __file__


def test_what_is_asked_of_the_result():
    cv = ss.cv_path(X, Y, **SHORT)
    assert np.array_equal(cv.coef(), cv.path.coef(cv.lambda_1se))
    assert np.array_equal(cv.coef("lambda_min"), cv.path.coef(cv.lambda_min))
    assert cv.intercept("lambda_min") == cv.path.intercept(cv.lambda_min)
    assert cv.coef([0.1, 0.2]).shape == (P, 2)
    assert np.array_equal(cv.nonzero(), cv.path.nonzero(cv.lambda_1se))
    exact = cv.coef(0.123, exact=True, X=X, y=Y)
    assert exact == pytest.approx(cv.coef(0.123), abs=0.1)
    with pytest.raises(ValueError, match="'lambda_1se' or 'lambda_min'"):
        cv.coef("lambda.min")
    lines = str(cv).splitlines()
    assert lines[0] == "gaussian path, 4 folds; Mean squared error."
    assert lines[2].split() == ["Lambda", "Index", "Measure", "SE", "Nonzero"]
    assert lines[3].split()[:3] == ["min", f"{cv.lambda_min:.4g}", str(cv.index_min)]
    assert "4 folds, Mean squared error" in repr(cv)
    again = pickle.loads(pickle.dumps(cv))
    assert np.array_equal(again.mean, cv.mean) and not again.mean.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        cv.mean[0] = 0.0


@pytest.mark.parametrize("given, words", [
    ({"alpha": 0.5, "alphas": [0.5]}, "leave one out"),
    ({"alphas": [0.5, 1.5]}, "alphas must be in"),
    ({"alphas": []}, "alphas is empty"),
    ({"y": 1e200 * Y}, "beyond the largest float"),
    ({"lambdas": [1e-3], "pmax": 0}, "no solution to score: more than pmax = 0"),
    ({"offset": np.ones(3)}, "offset has 3 values"),
    ({"X": np.where(X > 2, np.nan, X)}, "X holds nan at row"),
    ({"y": np.where(np.arange(N) == 3, np.nan, Y)}, "y holds nan"),
    ({"n_jobs": 0}, "n_jobs must be a positive"),
    ({"measure": "auc"}, "'deviance', 'mse', 'mae'"),
    ({"y": KIND, "family": "multinomial", "folds": KIND}, "fold 0 leaves no row of class 0"),
    ({"y": YES, "family": "binomial", "folds": YES}, "fold 0 leaves no row of class 'no'"),
    ({"y": DEATHS, "family": "cox", "folds": DEATHS[:, 1]}, "fold 1 leaves no death"),
    ({"weights": IDS == 1}, "fold 1 leaves no row of positive weight"),
    ({"y": IDS == 2, "family": "poisson"}, "without fold 2: y holds one extreme value only"),
])  # fmt: skip
def test_bad_input_is_refused(given, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=words):
            ss.cv_path(**{"X": X, "y": Y, "folds": IDS, "n_lambdas": 5, **given})


@pytest.mark.parametrize("measure", ["deviance", "C"])
def test_a_fold_without_deaths_is_not_scored(measure):
    died = np.arange(N) >= N // 3
    followed = np.column_stack([np.exp(X[:, 1]), died])
    folds = np.where(died, np.arange(N) % 2, 2)
    cv = ss.cv_path(X, followed, family="cox", folds=folds, measure=measure, n_lambdas=3)
    assert np.isnan(cv.fold_scores[2]).all() and np.isfinite(cv.fold_scores[:2]).all()
    assert np.isfinite(cv.mean).all()


def test_folds_of_no_weight_count_for_nothing():
    w = (IDS != 2) * 1.0
    cv = ss.cv_path(X, Y, weights=w, **SHORT)
    kept = IDS != 2
    other = ss.cv_path(X[kept], Y[kept], n_lambdas=15, folds=IDS[kept])
    assert cv.mean == pytest.approx(other.mean, rel=1e-3)
    assert cv.std == pytest.approx(other.std, rel=1e-3)
    assert np.isnan(cv.fold_scores[2]).all()

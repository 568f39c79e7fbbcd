"""Relaxed fits: the features of each lambda without penalty, and blends with the path."""

import pickle

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.selection.relaxed import refitted

RNG = np.random.default_rng(41)
N = 80
X = RNG.standard_normal((N, 10)) * np.resize([1.0, 3.0], 10)
ETA = X[:, 0] - 0.3 * X[:, 1]
Y = ETA + RNG.standard_normal(N)
W = RNG.uniform(0.2, 2.0, N)
W[:3] = 0.0
RESPONSES = {
    "gaussian": Y,
    "binomial": ETA + RNG.logistic(size=N) > 0,
    "poisson": RNG.poisson(np.exp(0.5 * ETA)),
    "cox": np.column_stack([RNG.exponential(np.exp(-ETA)), RNG.random(N) < 0.7]),
    "multinomial": (X[:, :3] + RNG.gumbel(size=(N, 3))).argmax(axis=1),
    "multigaussian": np.column_stack([Y, ETA]),
}
SHORT = {"n_lambdas": 12, "lambda_min_ratio": 0.02}


@pytest.mark.parametrize("family", RESPONSES)
def test_a_refit_is_the_fit_without_penalty_of_the_features_selected(family):
    y = RESPONSES[family]
    fit = ss.path(X, y, family=family, weights=W, **SHORT)
    refit = ss.relax(fit, X, y)
    assert np.array_equal(refit.lambdas, fit.lambdas) and refit.gaps.max() < 1e-7
    for k, support in enumerate(fit.nonzero()):
        if not len(support):
            assert refit.df[k] == 0
            continue
        alone = ss.path(X[:, support], y, family=family, weights=W, lambdas=[0.0], tol=1e-13)
        ours = refit.predict(X, kind="response")[..., k]
        theirs = alone.predict(X[:, support], kind="response")[..., 0]
        assert ours == pytest.approx(theirs, abs=2e-4 * np.ptp(theirs))
        assert refit.dev_ratio[k] == pytest.approx(alone.dev_ratio[0], abs=1e-7)
        assert np.array_equal(refit.nonzero(fit.lambdas[k]), support)


@pytest.mark.parametrize("family", ["gaussian", "binomial", "multinomial"])
def test_a_blend_lies_between(family):
    y = RESPONSES[family]
    offset = None if family == "multinomial" else 0.1 * ETA
    fit = ss.path(X, y, family=family, offset=offset, **SHORT)
    refit, half = ss.relax(fit, X, y), ss.relax(fit, X, y, gamma=0.5)
    given = {} if offset is None else {"offset": offset}
    middle = (fit.predict(X, **given) + refit.predict(X, **given)) / 2
    assert half.predict(X, **given) == pytest.approx(middle)
    assert (half.dev_ratio >= fit.dev_ratio - 1e-9).all()
    assert (half.dev_ratio <= refit.dev_ratio + 1e-9).all()
    whole = ss.relax(fit, X, y, gamma=1.0)
    assert whole.dev_ratio == pytest.approx(fit.dev_ratio, abs=1e-9)
    if family == "gaussian":
        residual = Y - half.predict(X, **given).T
        null = Y - offset - (Y - offset).mean()
        assert half.dev_ratio == pytest.approx(1 - (residual**2).sum(axis=1) / (null @ null))


def test_limits_hold_in_refits():
    upper = np.resize([0.2, np.inf], 10)
    fit = ss.path(X, Y, upper=upper, lower=-0.1, **SHORT)
    refit = ss.relax(fit, X, Y)
    values = refit.coefs.toarray()
    assert values.max(axis=1)[0] == pytest.approx(0.2) and values.min() == pytest.approx(-0.1)


def test_features_that_the_rows_cannot_tell_are_left_out():
    wide, y = RNG.standard_normal((20, 60)), RNG.standard_normal(20)
    fit = ss.path(wide, y, stop=None, lambda_min_ratio=1e-3, n_lambdas=30)
    refit = ss.relax(fit, wide, y)
    assert fit.df.max() > 17 >= refit.df.max() and len(refit.lambdas) < 30
    assert np.array_equal(refit.lambdas, fit.lambdas[: len(refit.lambdas)])


def test_a_path_that_begins_with_more_features_than_rows_tell_is_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 40)), rng.normal(size=20)
    with pytest.raises(ValueError, match="first lambda selects 40 features, and X has 20 rows"):
        ss.relax(ss.path(X, y, alpha=0), X, y)


def test_what_a_relaxed_path_is_asked():
    fit = ss.path(X, Y, penalty=ss.penalties.GroupL2(np.resize([0, 1], 10)), **SHORT)
    refit = pickle.loads(pickle.dumps(ss.relax(fit, X, Y, 0.25)))
    assert "gamma = 0.25" in str(refit)
    knots = ss.relax(ss.lars_path(X, Y), X, Y)
    assert not knots.exact_between
    for relaxed in (refit, knots):
        with pytest.raises(ValueError, match="known at its own lambdas"):
            relaxed.coef(0.123, exact=True, X=X, y=Y)
    with pytest.raises(ValueError, match="gamma must be in"):
        ss.relax(fit, X, Y, gamma=2)


def test_cross_validation_chooses_the_blend():
    ids = np.resize(np.arange(4), N)
    cv = ss.cv_path(X, Y, gammas=[0.0, 0.5, 1.0], alphas=[0.5, 1.0], folds=ids, keep=True, **SHORT)
    pairs = [(one.alpha, one.gamma) for one in cv.candidates]
    assert pairs == [(a, g) for a in (0.5, 1.0) for g in (1.0, 0.5, 0.0)]
    plain = ss.cv_path(X, Y, folds=ids, **SHORT)
    assert cv.candidates[3].mean == pytest.approx(plain.mean)
    refits = cv.candidates[5]
    for k, fold in enumerate(refits.fold_paths):
        alone = ss.path(X[ids != k], Y[ids != k], **SHORT)
        expected = ss.relax(alone, X[ids != k], Y[ids != k]).predict(X, s=cv.lambdas[:5])
        assert fold.predict(X, s=cv.lambdas[:5]) == pytest.approx(expected, abs=1e-6)
    assert cv.mean.min() == min(one.mean.min() for one in cv.candidates)
    assert "alpha" in str(cv) and "gamma" in str(cv)


def test_a_relaxed_path_is_not_relaxed_once_more():
    cv = ss.cv_path(X, Y, folds=np.resize(np.arange(4), N), gammas=[0.0, 0.5], **SHORT)
    for relaxed in (cv, cv.path, ss.relax(ss.path(X, Y, **SHORT), X, Y, 0.3)):
        with pytest.raises(ValueError, match="relaxed already, and would be moved twice"):
            ss.relax(relaxed, X, Y, 0.5)
    plain = ss.cv_path(X, Y, folds=np.resize(np.arange(4), N), gammas=[1.0], **SHORT)
    half = ss.relax(plain, X, Y, 0.5), ss.relax(ss.path(X, Y, **SHORT), X, Y, 0.5)
    assert half[0].coefs.toarray() == pytest.approx(half[1].coefs.toarray())


def test_folds_whose_refit_ends_early_are_scored_where_they_have_one():
    rng = np.random.default_rng(3)
    wide, ids = rng.standard_normal((30, 60)), np.arange(30) % 3
    y = wide[:, 0] - wide[:, 1] + 0.7 * wide[:, 2] + rng.standard_normal(30)
    plain = ss.cv_path(wide, y, folds=ids)
    cv = ss.cv_path(wide, y, folds=ids, gammas=[0.0, 0.5, 1.0])
    whole, half, none = cv.candidates
    assert np.array_equal(whole.mean, plain.mean) and whole.lambda_1se == plain.lambda_1se
    rows = [(wide[ids != k], y[ids != k]) for k in range(3)]
    blends = [ss.relax(ss.path(*own), *own, 0.5) for own in rows]
    shortest = max(blend.lambdas[-1] for blend in blends)
    assert np.array_equal(half.lambdas, plain.lambdas[plain.lambdas >= shortest])
    assert len(none.lambdas) == len(half.lambdas) < len(plain.lambdas)
    for k, blend in enumerate(blends):
        error = y[ids == k, None] - blend.predict(wide[ids == k], s=half.lambdas)
        assert half.fold_scores[k] == pytest.approx((error**2).mean(axis=0), rel=1e-4)


@pytest.mark.parametrize("follow", [
    lambda: ss.lars_path(X, Y, weights=W), lambda: ss.omp_path(X, Y, weights=W, n_nonzero=4),
    lambda: ss.cv_path(X, Y, weights=W, n_folds=3, seed=0, n_lambdas=9),
    lambda: ss.lars_path(X, Y, weights=W, intercept=False, positive=True),
])  # fmt: skip
def test_knots_steps_and_cross_validated_paths_are_refitted(follow):
    fit = follow()
    path = getattr(fit, "path", fit)
    relaxed = ss.relax(fit, X, Y)
    k = len(relaxed.lambdas) // 2
    support, root = path.nonzero()[k], np.sqrt(W)
    centred = path.options["intercept"]
    table = np.column_stack([np.ones(N), X[:, support]][not centred :])
    b = np.linalg.lstsq(root[:, None] * table, root * Y, rcond=None)[0]
    if path.options.get("positive"):
        assert relaxed.coefs.min() >= 0.0
    else:
        assert relaxed.coefs.toarray()[support, k] == pytest.approx(b[-len(support) :], rel=1e-6)
    assert np.all(np.diff(relaxed.dev_ratio[: k + 1]) > -1e-9)


def test_a_path_that_does_not_know_its_rows_is_not_refitted():
    with pytest.raises(ValueError, match="does not know the rows it was fitted to"):
        ss.relax(ss.paths.lars_path_gram(X.T @ X, X.T @ Y, N), X, Y)


def test_a_path_from_a_file_is_told_its_rows(tmp_path):
    """relax, refit and criteria of a saved path are those of the path itself."""
    rng = np.random.default_rng(3)
    w, o = rng.integers(1, 4, N).astype(float), 0.1 * rng.normal(size=N)
    for options in ({}, {"weights": w}, {"weights": w, "offset": o}):
        fit = ss.path(X, Y, n_lambdas=8, **options)
        ss.save(fit, tmp_path / "m.npz")
        back, s = ss.load(tmp_path / "m.npz"), fit.lambdas[4]
        again = ss.relax(back, X, Y, 0.3, **options)
        assert again.coefs.toarray() == pytest.approx(ss.relax(fit, X, Y, 0.3).coefs.toarray())
        table, own = ss.refit(back, X, Y, s, **options), ss.refit(fit, X, Y, s)
        assert table.to_frame().equals(own.to_frame())
        found = ss.criteria(back, X, Y, **options)
        assert found["bic"] == pytest.approx(ss.criteria(fit, X, Y)["bic"])
    for ask in (ss.relax, ss.criteria, lambda *given, **rows: ss.refit(*given, s, **rows)):
        with pytest.raises(ValueError, match="lacks the offset of its rows; give it as offset="):
            ask(back, X, Y, weights=w)
        with pytest.raises(ValueError, match="give weights=, or fit the data again"):
            ask(back, X, Y, offset=o)


def test_limits_that_a_file_lacks_are_not_forgotten(tmp_path):
    ss.save(ss.path(X, Y, n_lambdas=5, lower=0.0), tmp_path / "m.npz")
    for ask in (ss.relax, lambda *given: ss.refit(*given, s=0.1)):
        with pytest.raises(ValueError, match="had limits, which its file lacks"):
            ask(ss.load(tmp_path / "m.npz"), X, Y)


def test_other_data_are_refused():
    fit = ss.path(X, Y, n_lambdas=10)
    with pytest.raises(ValueError, match="data is not that of the fit"):
        ss.relax(fit, X[:50], Y[:50])


def test_limits_of_tied_responses_are_kept():
    """They had been refused by the fit without penalty, though the path had taken them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    Y = X[:, :2] + 0.1 * rng.normal(size=(50, 2))
    options = {"family": "multigaussian", "penalty": ss.penalties.GroupL2([0, 0, 1, 1])}
    fit = ss.path(X, Y, **options, upper=0.5, n_lambdas=8)
    relaxed = ss.relax(fit, X, Y)
    coefs = [c.toarray() for c in relaxed.coefs]
    assert max(c.max() for c in coefs) == 0.5 and relaxed.dev_ratio[-1] > fit.dev_ratio[-1] - 1e-9


@pytest.mark.parametrize("call", [
    lambda X, y, **o: ss.relax(ss.path(X, y, **o), X, y),
    lambda X, y, **o: ss.stability_path(X, y, n_pairs=2, **o),
    lambda X, y, **o: ss.cv_path(X, y, gammas=[0.5], **o),
])  # fmt: skip
def test_a_path_of_no_lambda_has_a_sentence(call):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    with pytest.raises(ValueError, match="holds no (solution|lambda) to .*pmax"):
        call(X, X[:, 1], pmax=0, penalty_factor=[0, 1, 1, 1])


def test_refits_tell_of_themselves_and_are_made_where_they_count(monkeypatch):
    told = []
    path = ss.path(X, Y, **SHORT)
    refitted(path, X, Y, lambda *words: told.append(words))
    assert len(told) == len({support.tobytes() for support in path.nonzero() if len(support)})

    def refused(*given):
        raise AssertionError("no refit is needed")

    monkeypatch.setattr("sparsesolve.selection.cv.refitted", refused)
    assert ss.cv_path(X, Y, n_folds=3, seed=0, gammas=[1.0], **SHORT).gamma == 1.0

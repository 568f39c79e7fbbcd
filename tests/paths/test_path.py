"""path(): what is kept, where it starts and ends, second tries, warnings, and longer paths."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.linalg import hilbert

import sparsesolve as ss
from sparsesolve.solvers import greedy

RNG = np.random.default_rng(6)
X = RNG.standard_normal((40, 8))
Y = X @ [2.0, -1, 0, 0, 1, 0, 0, 0] + RNG.standard_normal(40)


def test_a_path_keeps_the_options_as_they_were():
    weights, factors, limits = np.ones(40), list(range(8)), np.full(8, 3.0)
    fit = ss.path(X, Y, weights=weights, penalty_factor=factors, upper=limits, dfmax=5, tol=1e-9)
    weights[:], limits[:], factors[3] = 0.0, -1.0, -5
    kept = fit.options
    assert kept["weights"].tolist() == [1.0] * 40 and kept["upper"].tolist() == [3.0] * 8
    assert list(kept["penalty_factor"]) == list(range(8))
    assert kept["dfmax"] == 5 and kept["tol"] == 1e-9 and kept["lambdas"] is None
    assert {"X", "y"}.isdisjoint(kept)
    again = ss.path(X, Y, **kept)
    assert np.array_equal(fit.coefs.toarray(), again.coefs.toarray())
    exact = fit.coef(0.3, exact=True, X=X, y=Y)
    assert exact == pytest.approx(fit.coef(0.3), abs=0.05)


def test_a_path_with_a_callable_can_be_pickled():
    fit = ss.path(X, Y, stop=lambda point: point.df > 3)
    assert fit.df[-1] > 3 and fit.options["stop"] is None
    assert np.array_equal(pickle.loads(pickle.dumps(fit)).coefs.toarray(), fit.coefs.toarray())


def test_a_callable_sees_the_users_units():
    seen = []
    fit = ss.path(100 * X, 1e-3 * Y, stop=seen.append)
    last = seen[-1]
    assert last.values == pytest.approx(fit.coefs.data[fit.coefs.indptr[-2]:], rel=0)
    assert last.intercept == fit.intercepts[-1] and last.lam == fit.lambdas[-1]


@pytest.mark.parametrize("given, words", [
    (dict(X=X * 1e-300, y=Y * 1e300), "coefficient of column . would be about 1e(599|600)"),
    (dict(X=X * 1e300, y=Y * 1e-300), "coefficient of column . would be about 1e-60"),
    (dict(X=X * 1e300, y=Y * 1e300, standardize=False), "start at about 1e600"),
    (dict(X=X * 1e-300, y=Y * 1e-300, standardize=False), "start at about 1e-600"),
    (dict(X=X * 1e-300, y=Y * 1e300, standardize=False, alpha=0.5), "differ too much in size"),
    (dict(X=X, y=np.sign(Y) * 1e308, offset=-np.sign(Y) * 1e308), "y less offset is beyond"),
])  # fmt: skip
def test_numbers_beyond_floats_are_refused_in_a_sentence(given, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=words) as caught:
            ss.path(**given)
    assert str(caught.value).endswith(("rescale X or y", "rescale y"))


def test_a_null_model_that_fits_is_the_whole_path():
    fit = ss.path(X, X[:, 0] - X[:, 3], penalty_factor=[0, 1, 1, 0, 1, 1, 1, 1])
    assert len(fit.lambdas) == 1 and fit.df.tolist() == [2]
    assert fit.dev_ratio == pytest.approx([1.0]) and fit.gaps[0] <= 1e-7


def test_more_features_than_pmax_at_the_first_lambda_leave_an_empty_path():
    fit = ss.path(X, Y, lambdas=[0.01], pmax=2)
    assert len(fit.lambdas) == 0 and "pmax = 2" in fit.stop_reason
    assert fit.coefs.shape == (8, 0) and fit.intercepts.shape == (0,)
    assert isinstance(str(fit), str)


def data(n=40, p=60, seed=1, noise=1.0):
    """A sparse signal among correlated columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] += X[:, :-1]
    return X, X[:, ::7].sum(axis=1) + noise * rng.standard_normal(n)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_limits_that_hold_every_coefficient_do_not_end_the_path(store, family):
    X, _ = data(60, 5)
    y = -3 * X[:, 0] + X[:, 2] + X[:, 4]
    y = y > 0 if family == "binomial" else y
    options = {"family": family, "n_lambdas": 200}
    # the largest correlation is that of a coefficient which must not be negative
    fit = ss.path(store(X), y, lower=0.0, **options)
    full = ss.path(store(X), y, lower=0.0, **options, stop=None)
    assert (fit.df[:5] == 0).all() and fit.dev_ratio[-1] > 0.99 * full.dev_ratio[-1] > 0.01
    # the first coefficient is at its limit long before the second is to come
    boxed = ss.path(store(X), y, lower=-0.02, upper=0.02, **options)
    assert set(boxed.nonzero()[-1]) >= {0, 2, 4}


def test_max_iter_warns_once_and_names_lambdas(store):
    X, y = data(60, 100, noise=0.1)
    X = store(X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = ss.path(X, y, lambdas=[0.02, 0.01], tol=1e-12, max_iter=1)
    short = np.flatnonzero(fit.gaps > 1e-12)
    assert short.size
    assert [w.category for w in caught] == [ss.ConvergenceWarning]
    text = str(caught[0].message)
    assert f"{fit.lambdas[short[0]]:.3g}" in text and "max_iter" in text
    assert [int(fit.status[k]) for k in short] == [1] * short.size


def test_nothing_is_printed(capfd, store):
    X, y = data()
    ss.path(store(X), y)
    assert capfd.readouterr() == ("", "")
    quiet = ss.path(store(X), y, progress=False)
    shown = ss.path(store(X), y, progress=True)  # standard error is no terminal here
    assert np.array_equal(quiet.coefs.toarray(), shown.coefs.toarray())
    assert capfd.readouterr().out == ""


HILBERT = hilbert(12), np.random.default_rng(0).normal(size=12)


def objective(X, y, fit, k, groups, lam):
    r = y - fit.intercepts[k] - X @ fit.coefs[:, [k]].toarray()[:, 0]
    b = X.std(axis=0) * fit.coefs[:, [k]].toarray()[:, 0]
    norms = [np.sqrt((groups == g).sum()) * np.linalg.norm(b[groups == g]) for g in set(groups)]
    return (r @ r) / (2 * len(y)) + lam * sum(norms)


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
def test_groups_of_a_hilbert_matrix_end_as_well_as_the_best_solver():
    X, y = HILBERT
    groups = np.arange(12) // 3
    penalty = ss.penalties.GroupL2(groups)
    first = ss.path(X, y, penalty=penalty, n_lambdas=2).lambdas[0]
    grid = np.geomspace(1, 1e-6, 12) * first
    fits = {solver: ss.path(X, y, penalty=penalty, lambdas=grid, max_iter=20_000, solver=solver)
            for solver in ("auto", "proximal_newton", "reweighted")}  # fmt: skip
    assert fits["auto"].gaps.max() <= 1e-6 and len(fits["auto"].lambdas) == 12
    for k, lam in enumerate(grid):
        best = min(objective(X, y, fit, k, groups, lam) for fit in fits.values())
        assert objective(X, y, fits["auto"], k, groups, lam) <= best + 1e-6 * y.var() / 2


def test_a_few_iterations_are_all_there_are():
    X, y = HILBERT
    penalty = ss.penalties.GroupL2(np.arange(12) // 3)
    with pytest.warns(ss.ConvergenceWarning, match="standardize='group' solves"):
        fit = ss.path(X, y, penalty=penalty, lambdas=[1e-5], max_iter=50)
    assert fit.n_iters.sum() <= 60 and fit.gaps[0] > 1e-3


def test_a_named_solver_is_told_of_the_choice():
    X, y = HILBERT
    with pytest.warns(ss.ConvergenceWarning, match="solver='auto' tries several"):
        ss.path(X, y, lambdas=[1e-7], solver="sufficient", tol=1e-12)


def test_a_loss_with_kinks_that_misses_is_returned_with_a_warning():
    """The other solvers take smooth losses alone, so that there is no second try."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    y = np.sign(X[:, 0] + rng.normal(size=30))
    with pytest.warns(ss.ConvergenceWarning, match="miss tol"):
        fit = ss.path(X, y, family=ss.families.hinge(), lambdas=[0.05], tol=0.0)
    assert 0.0 < fit.gaps[0] < 1e-9


def extended():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = ss.path(X, Y, tol=0.0, n_lambdas=5, lambda_min_ratio=0.3, stop=None)
    return fit.extend(X, Y, n_lambdas=3)


CALLS = {
    "extend": extended,
    "path": lambda: ss.path(X, Y, tol=0.0, n_lambdas=5),
    "lars_path": lambda: ss.lars_path(X, Y, tol=0.0),
    "cv_path": lambda: ss.cv_path(X, Y, tol=0.0, n_lambdas=5, n_folds=3, seed=0),
    "mkl_path": lambda: ss.mkl_path([X @ X.T], Y, tol=0.0, n_lambdas=5),
    "omp_path": lambda: ss.omp_path(X, Y, n_nonzero=3),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_warning_points_at_the_call(name, recwarn, monkeypatch):
    monkeypatch.setattr(greedy, "CERTAIN", -1.0)  # which no step of a pursuit certifies
    CALLS[name]()
    told = [w for w in recwarn if w.category is ss.ConvergenceWarning]
    assert len(told) == 1 and told[0].filename == __file__
    assert " miss tol" in str(told[0].message)


X_START = RNG.normal(size=(50, 120))
Y_START = X_START[:, :3] @ [2.0, -1.0, 1.0] + RNG.normal(size=50)


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson", "multinomial"])
def test_a_start_changes_no_answer(family):
    y = {"gaussian": Y_START, "binomial": Y_START > 0, "poisson": np.round(np.exp(Y_START / 4)),
         "multinomial": np.digitize(Y_START, [-1, 1])}[family]  # fmt: skip
    first = ss.path(X_START, y, family=family, n_lambdas=1).lambdas[0]
    lambdas = first * np.array([0.5, 0.3])
    cold = ss.path(X_START, y, family=family, lambdas=lambdas, tol=1e-11)
    near = ss.path(X_START, y, family=family, lambdas=lambdas[:1] * 1.05, tol=1e-11)
    for start in (cold, near, (cold.coef(lambdas[0]), cold.intercept(lambdas[0]))):
        warm = ss.path(X_START, y, family=family, lambdas=lambdas, tol=1e-11, start=start)
        assert (warm.gaps <= 1e-11).all()
        np.testing.assert_allclose(warm.coef(lambdas), cold.coef(lambdas), atol=2e-5)
        assert warm.options["start"] is None


def test_where_the_start_is_the_solution_no_step_is_taken():
    lam = [0.3]
    cold = ss.path(X_START, Y_START, lambdas=lam)
    warm = ss.path(X_START, Y_START, lambdas=lam, start=cold)
    assert cold.n_iters[0] > 0 and warm.n_iters[0] == 0
    np.testing.assert_allclose(warm.coef(0.3), cold.coef(0.3), rtol=1e-10)


@pytest.mark.parametrize(
    "start, words",
    [
        ("yes", "a fitted path, an OnlineFit or a pair"),
        ((np.zeros(7), 0.0), r"have shape \(7,\); this problem has \(120,\)"),
        ((np.full(120, np.nan), 0.0), "hold nan or infinity"),
        ((np.zeros(120), np.zeros(2)), r"intercept of start have shape \(2,\)"),
    ],
)
def test_what_is_no_start_is_refused(start, words):
    with pytest.raises((ValueError, TypeError), match=words):
        ss.path(X_START, Y_START, lambdas=[0.3], start=start)


def test_a_grid_of_our_own_has_no_start():
    with pytest.raises(ValueError, match="start is given without lambdas"):
        ss.path(X_START, Y_START, start=(np.zeros(120), 0.0))


def test_a_start_serves_every_fold():
    kept = {"lambdas": [0.5, 0.2], "n_folds": 3, "seed": 0, "tol": 1e-10}
    cold = ss.cv_path(X_START, Y_START, **kept)
    warm = ss.cv_path(X_START, Y_START, start=cold.path, **kept)
    np.testing.assert_allclose(warm.fold_scores, cold.fold_scores, rtol=1e-6)


def test_a_path_from_a_start_can_be_extended_and_saved(tmp_path):
    warm = ss.path(X_START, Y_START, lambdas=[0.5, 0.3], start=ss.path(X_START, Y_START,
                                                                       lambdas=[0.5]))
    ss.save(warm, tmp_path / "fit.npz")
    np.testing.assert_array_equal(ss.load(tmp_path / "fit.npz").intercepts, warm.intercepts)
    assert len(warm.extend(X_START, Y_START, n_lambdas=2).lambdas) == 4

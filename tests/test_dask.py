"""Paths of dask arrays: the solutions of the same data in memory, with their certificates."""

import multiprocessing
import re
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import oracle
import pytest
from scipy import sparse

import sparsesolve as ss

RNG = np.random.default_rng(9)
N, P = 400, 12
X = RNG.standard_normal((N, P)) * RNG.uniform(0.1, 10, P) + RNG.standard_normal(P)
X[:, 3] = 7.0
ETA = X[:, :6] @ [1.0, -1, 0.5, 0, 0.2, 0] / 5
ETA -= ETA.mean()
NOISE = RNG.logistic(size=N)
FACTORS = np.resize([1.0, 0.0, 2.0, 1.0, np.inf], P)
RESPONSES = {
    "gaussian": ETA + NOISE,
    "binomial": ETA + NOISE > 0,
    "poisson": RNG.poisson(np.exp(ETA / 2)),
    "huber": ETA + NOISE,
    "probit": ETA + NOISE > 0,  # without a conjugate
}
CERTIFIED = ["gaussian", "binomial"]  # by statistics, and by passes
OPTIONS = {
    "plain": {},
    "origin": {"intercept": False, "standardize": False},
    "net": {"alpha": 0.3, "weights": RNG.uniform(size=N) * (np.arange(N) > 160)},
    "ridge": {"alpha": 0.0},
    "limits": {"lower": -0.1, "upper": 0.3, "offset": 0.1 * NOISE},
    "bare": {"penalty_factor": FACTORS},
    "bare limits": {"penalty_factor": FACTORS, "lower": -0.01, "upper": 0.01},
    "groups": {"penalty": ss.penalties.GroupL2(np.arange(P) // 3)},
    "grid": {"lambdas": [0.1, 0.05, 0.01]},
}


def family(name):
    made = {"huber": ss.families.huber, "probit": ss.families.probit}
    return made[name]() if name in made else name


def same(fit, other, X=X):
    """Whether two paths have the same lambdas and, as far as their gaps tell, the same fit."""
    np.testing.assert_allclose(fit.lambdas, other.lambdas, rtol=1e-9)
    assert fit.gaps.max() <= 1e-7 and not fit.status.any()
    assert fit.null_deviance == pytest.approx(other.null_deviance)
    np.testing.assert_allclose(fit.predict(X), other.predict(X), atol=2e-3 * np.ptp(ETA))


@pytest.fixture
def da():
    return pytest.importorskip("dask.array")


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("name", RESPONSES)
def test_a_path_in_blocks_is_the_path_in_memory(da, name, options):
    blocks, y = da.from_array(X, chunks=(150, 5)), RESPONSES[name]
    options = {"n_lambdas": 8, "lambda_min_ratio": 0.01, "family": family(name), **options}
    fit, whole = ss.path(blocks, y, **options), ss.path(X, y, **options)
    if "offset" in options:
        options["offset"], fit.options["offset"], whole.options["offset"] = (None,) * 3
    same(fit, whole)


def test_the_gaps_are_those_of_the_data(da):
    y = RESPONSES["gaussian"]
    fit = ss.path(da.from_array(X, chunks=(150, P)), y, tol=1e-10, n_lambdas=10)
    for k, lam in enumerate(fit.lambdas):
        b = fit.coefs[:, [k]].toarray().ravel()
        assert oracle.certificate(X, y, fit.intercepts[k], b, lam) <= 1e-10 + 1e-13


@pytest.mark.parametrize("name", CERTIFIED)
@pytest.mark.parametrize("form", ["csr", "csc", "float32", "int", "rows"])
def test_blocks_may_be_stored_in_any_form(da, name, form):
    A = np.round(X * (RNG.random(X.shape) < 0.4))
    store = {"csr": sparse.csr_array, "csc": sparse.csc_array}.get(form, np.asarray)
    kind = {"float32": np.float32, "int": np.int64}.get(form, np.float64)
    blocks = da.from_array(A.astype(kind), chunks=(150, P)).map_blocks(store)
    options = {"family": name, "n_lambdas": 8, "lambda_min_ratio": 0.01}
    y = RESPONSES[name]
    same(ss.path(blocks, y, **options), ss.path(A, y, **options), A)


@pytest.mark.parametrize("name", CERTIFIED)
def test_more_columns_than_inner_products_are_kept_of(da, name, monkeypatch):
    monkeypatch.setattr("sparsesolve.paths.assembly.MOST_REDUCED_COLUMNS", 5)
    wide = RNG.standard_normal((N, 600))
    y = wide[:, :3].sum(axis=1) + NOISE
    y = y > 0 if name == "binomial" else y
    options = {"family": name, "n_lambdas": 8, "lambda_min_ratio": 0.1}
    same(ss.path(da.from_array(wide, chunks=(130, 100)), y, **options),
         ss.path(wide, y, **options), wide)  # fmt: skip


@pytest.mark.parametrize("penalty", [
    ss.penalties.TotalVariation(), ss.penalties.TrendFilter(1), ss.penalties.Slope(),
])  # fmt: skip
def test_a_penalty_in_other_columns_begins_where_features_enter(da, penalty):
    y, options = RESPONSES["gaussian"], {"n_lambdas": 5, "penalty": penalty}
    fit, whole = ss.path(da.from_array(X, chunks=(150, P)), y, **options), ss.path(X, y, **options)
    same(fit, whole)


def test_schedulers_and_threads_change_no_bit(da):
    dask = pytest.importorskip("dask")
    blocks = da.from_array(X, chunks=(50, P))
    for name in CERTIFIED:
        fits = []
        for scheduler in ("synchronous", "threads"):
            with dask.config.set(scheduler=scheduler):
                fits.append(ss.path(blocks, RESPONSES[name], family=name, n_lambdas=8))
        assert (fits[0].coefs != fits[1].coefs).nnz == 0
        assert (fits[0].gaps == fits[1].gaps).all()


def test_other_processes_do_as_well(da):
    dask = pytest.importorskip("dask")
    blocks, options = da.from_array(X, chunks=(200, P)), {"n_lambdas": 3, "lambda_min_ratio": 0.3}
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with dask.config.set(scheduler="processes", pool=pool):
            fits = [ss.path(blocks, RESPONSES[name], family=name, **options) for name in CERTIFIED]
    for name, fit in zip(CERTIFIED, fits, strict=True):
        same(fit, ss.path(X, RESPONSES[name], family=name, **options))


@pytest.fixture
def passes(monkeypatch):
    """Counts the calls that read all blocks."""
    module, found = sys.modules["sparsesolve.data.row_blocks"], []
    call = module._Dask.__call__

    def counted(self, function, *rest):
        found.append(function.__name__)
        return call(self, function, *rest)

    monkeypatch.setattr(module._Dask, "__call__", counted)
    return found


@pytest.mark.parametrize("name", ["binomial", "poisson"])
def test_a_hundred_lambdas_take_few_passes(da, passes, name):
    tall = np.random.default_rng(2).standard_normal((4000, 20))
    eta = tall[:, :6] @ [1.0, -1, 0.5, 0.3, 0.2, 0.1]
    y = RNG.poisson(np.exp(eta / 2)) if name == "poisson" else eta + RNG.logistic(size=4000) > 0
    fit = ss.path(da.from_array(tall, chunks=(1000, 20)), y, family=name, stop=None)
    assert len(fit.lambdas) == 100 and fit.gaps.max() <= 1e-7
    assert len(passes) <= 40
    assert set(passes) == {"summarise", "pass_over"}  # the moments, and no products apart
    assert passes.count("pass_over") <= fit.n_iters.sum() + 5


@pytest.mark.parametrize("name", ["gaussian", "binomial", "poisson"])
def test_folds_share_the_passes_of_the_path(da, passes, name):
    y, options = RESPONSES[name], {"family": name, "n_lambdas": 20, "lambda_min_ratio": 0.01}
    blocks = da.from_array(X, chunks=(150, 5))
    ss.path(blocks, y, **options)
    alone = len(passes)
    found = ss.cv_path(blocks, y, n_folds=4, seed=1, keep=True, **options)
    shared = len(passes) - alone
    assert shared - 2 <= 3 * alone  # of held-out rows: scores, and the predictions that are kept
    whole = ss.cv_path(X, y, n_folds=4, seed=1, keep=True, **options)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=2e-3)
    np.testing.assert_allclose(found.fold_weights, whole.fold_weights)
    assert found.index_min == whole.index_min and (found.folds == whole.folds).all()
    np.testing.assert_allclose(found.prevalidated, whole.prevalidated, atol=2e-3 * np.ptp(ETA))


@pytest.mark.parametrize("options", [
    {}, {"intercept": False}, {"alpha": 0.5, "standardize": False}, {"penalty_factor": FACTORS},
    {"penalty": ss.penalties.GroupL2(np.arange(P) // 3)}, {"offset": RNG.normal(size=(N, 3))},
    {"weights": np.resize([1.0, 0.0, 2.0], N)},
])  # fmt: skip
def test_several_real_responses_take_one_pass(da, passes, options):
    Y = X[:, :6] @ RNG.standard_normal((6, 3)) + 5 * RNG.standard_normal((N, 3)) + [1, 100, -3]
    options = {"family": "multigaussian", "n_lambdas": 8, "lambda_min_ratio": 0.01, **options}
    fit = ss.path(da.from_array(X, chunks=(150, 5)), Y, **options)
    whole = ss.path(X, Y, **options)
    # where columns are free, some more passes ask whether they explain all
    assert passes[:1] == ["summarise"] and len(passes) <= (5 if "penalty_factor" in options else 1)
    assert fit.gaps.max() <= 1e-7
    np.testing.assert_allclose(fit.lambdas, whole.lambdas)
    np.testing.assert_allclose(fit.intercepts, whole.intercepts, atol=1e-6)
    for one, other in zip(fit.coefs, whole.coefs, strict=True):
        np.testing.assert_allclose(one.toarray(), other.toarray(), atol=1e-6)


@pytest.mark.parametrize("options", [
    {}, {"grouped": True}, {"intercept": False, "standardize": False}, {"alpha": 0.5},
    {"alpha": 0.5, "grouped": True}, {"penalty_factor": FACTORS}, {"alpha": 0.0},
    {"penalty_factor": FACTORS, "grouped": True}, {"lambdas": [0.05, 0.0]},
    {"penalty": ss.penalties.GroupL2(np.arange(P) // 3)},
    {"weights": np.resize([1.0, 0.0, 2.0], N)}, {"lower": -0.1, "upper": 0.3},
    {"upper": 0.2, "alpha": 0.5}, {"lower": 0.0, "alpha": 0.0},
])  # fmt: skip
@pytest.mark.parametrize("few", [False, True])
def test_classes_take_few_passes(da, passes, options, few, monkeypatch):
    if few:  # a model of working columns
        monkeypatch.setattr("sparsesolve.solvers.first_order.pass_newton.MOST_COEFFICIENTS", 5)
        if "penalty" in options:
            pytest.skip("groups have all columns")
    rng = np.random.default_rng(6)
    scores = X[:, :6] @ rng.standard_normal((6, 3)) / 4 + rng.gumbel(size=(N, 3))
    kind = np.array(list("abc"))[scores.argmax(axis=1)]
    options = {"family": "multinomial", "n_lambdas": 12, "lambda_min_ratio": 0.01, **options}
    fit = ss.path(da.from_array(X, chunks=(150, 5)), kind, **options)
    whole = ss.path(X, kind, **options)
    assert fit.gaps.max() <= 1e-7 and not fit.status.any() and len(passes) <= 40
    np.testing.assert_allclose(fit.lambdas, whole.lambdas, rtol=1e-9)
    np.testing.assert_allclose(fit.dev_ratio, whole.dev_ratio, atol=2e-4)
    found, expected = (each.predict(X, kind="response") for each in (fit, whole))
    np.testing.assert_allclose(found, expected, atol=2e-3)


FACES = {
    "relax": lambda X, y: ss.relax(ss.path(X, y, **SHORT), X, y).coef(0.05),
    "criteria": lambda X, y: ss.criteria(ss.path(X, y, **SHORT), X, y)["bic"],
    "assess": lambda X, y: ss.assess(ss.path(X, y, **SHORT), X, y)["auc"],
    "refit": lambda X, y: ss.refit(ss.path(X, y, **SHORT), X, y, s=0.05).errors,
    "blends": lambda X, y: ss.cv_path(X, y, gammas=[0.0, 0.5], n_folds=3, seed=0, **SHORT).mean,
}
SHORT = {"family": "binomial", "n_lambdas": 6, "lambda_min_ratio": 0.05}


@pytest.mark.parametrize("face", FACES)
def test_what_comes_after_a_path_is_that_in_memory(da, passes, face):
    y, ask = RESPONSES["binomial"], FACES[face]
    found = ask(da.from_array(X, chunks=(150, 5)), y)
    np.testing.assert_allclose(found, ask(X, y), rtol=5e-3, atol=1e-4)
    assert len(passes) <= 100  # refits of six supports, of three folds too, share theirs


@pytest.mark.parametrize("options", [
    {}, {"intercept": False, "standardize": False}, {"repeats": 2, "n_folds": 3},
    {"alphas": [0.5, 1]},
    {"weights": np.resize([1.0, 0.0, 2.0], N), "offset": NOISE}, {"family": "multigaussian"},
    {"family": "multigaussian", "intercept": False, "offset": RNG.normal(size=(N, 2))},
])  # fmt: skip
def test_folds_share_the_inner_products_of_one_pass(da, passes, monkeypatch, options):
    rows, module = [], sys.modules["sparsesolve.linalg.design.row_summary"]
    gram = module.tall_gram
    monkeypatch.setattr(module, "tall_gram", lambda design, *y: [rows.append(design.n),
                                                                 gram(design, *y)][1])  # fmt: skip
    Z = X.copy()
    Z[:, 5] = np.arange(N) == 7  # constant in training sets without row 7
    y = 1e6 * np.exp(ETA)
    y = np.column_stack([y, 1e-3 * y**2]) if "family" in options else y
    options = {"n_folds": 5, "seed": 3, "n_lambdas": 8, "keep": True, **options}
    found = ss.cv_path(da.from_array(Z, chunks=(150, 5)), y, **options)
    # of each alpha the scores, and the predictions that are kept
    assert passes == ["summarise_parts"] + ["_of_many"] * 2 * len(options.get("alphas", [1]))
    assert sum(rows) == N * options.get("repeats", 1)
    whole = ss.cv_path(Z, y, **options)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-4)
    for one, other in zip(found.fold_paths, whole.fold_paths, strict=True):
        np.testing.assert_allclose(one.lambdas, other.lambdas, rtol=1e-9)
        np.testing.assert_allclose(one.intercepts, other.intercepts, rtol=1e-4)
        assert one.gaps.max() <= 1e-7


def test_an_error_of_a_fold_ends_all_of_them(da):
    y = np.zeros(N, dtype=bool)
    y[:3] = True
    folds = np.repeat([0, 1], [200, 200])
    with pytest.raises(ValueError, match="no row of class"):
        ss.cv_path(da.from_array(X, chunks=(150, P)), y, family="binomial", folds=folds)
    weights = np.where(np.arange(N) < 200, 1.0, 0.0)
    with pytest.raises(ValueError, match="fold 0"):
        ss.cv_path(da.from_array(X, chunks=(150, P)), ETA, weights=weights, folds=folds)


def test_blocks_on_workers_stay_there(da, cluster):
    y, blocks = RESPONSES["binomial"], da.from_array(X, chunks=(100, P)).persist()
    fit = ss.path(blocks, y, family="binomial", n_lambdas=10)
    assert len(cluster.scheduler.tasks) < 20  # of a pass nothing remains
    cv = ss.cv_path(blocks, y, family="binomial", n_lambdas=10, n_folds=3, seed=0)
    lazy = ss.path(blocks * 1.0, y, family="binomial", n_lambdas=10)
    same(fit, ss.path(X, y, family="binomial", n_lambdas=10))
    same(lazy, fit)
    whole = ss.cv_path(X, y, family="binomial", n_lambdas=10, n_folds=3, seed=0)
    np.testing.assert_allclose(cv.mean, whole.mean, rtol=2e-3)


def test_a_path_goes_on_after_a_worker_has_died(da, cluster):
    blocks, solved = da.from_array(X, chunks=(50, P)).persist(), []

    def stop(point):
        solved.append(point.index)
        if len(solved) == 2:
            cluster.sync(cluster.workers[0].close, executor_wait=False)
        return False

    options = {"family": "binomial", "n_lambdas": 30, "lambda_min_ratio": 0.01}
    fit = ss.path(blocks, RESPONSES["binomial"], stop=stop, **options)
    assert len(solved) == 30
    same(fit, ss.path(X, RESPONSES["binomial"], stop=None, **options))


@pytest.mark.parametrize("error, words", [
    (OSError("part.3 is gone"), "block 2 of X, rows 200 to 299 .* OSError: part.3 is gone"),
    (MemoryError(), r"Memory ran out in a pass .* 100 rows; make them smaller, .*\(\(25, -1\)\)"),
    (ValueError("'colour' holds 'pink'"), "^'colour' holds 'pink'$"),
], ids=["gone", "memory", "said"])  # fmt: skip
@pytest.mark.parametrize("persisted", [False, True])
def test_a_block_that_fails_is_named(da, error, words, persisted, request):
    def spoiled(block, block_info=None):
        if block_info[0]["chunk-location"][0] == 2:
            raise error
        return block

    blocks = da.from_array(X, chunks=(100, P)).map_blocks(spoiled, dtype=float)
    if persisted:
        request.getfixturevalue("cluster")
        blocks = blocks.persist()
    with pytest.raises((RuntimeError, MemoryError, ValueError), match=words):
        ss.path(blocks, RESPONSES["binomial"], family="binomial", n_lambdas=3)


def test_workers_that_died_are_told_of(da, monkeypatch):
    distributed = pytest.importorskip("distributed")
    blocks = da.from_array(X, chunks=(100, P))

    def killed(*parts):
        raise distributed.KilledWorker("task", "worker", 3)

    monkeypatch.setattr(sys.modules["sparsesolve.data.row_blocks"]._Dask, "_by_blocks", killed)
    with pytest.raises(MemoryError, match="^Workers died, as they do when memory runs out, in a "):
        ss.path(blocks, RESPONSES["binomial"], family="binomial", n_lambdas=3)


def test_progress_and_log_count_passes(da, capsys, caplog):
    with caplog.at_level("DEBUG", logger="sparsesolve"):
        fit = ss.path(da.from_array(X, chunks=(150, P)), RESPONSES["binomial"], family="binomial",
                      n_lambdas=5, progress=True)  # fmt: skip
    assert re.search(r"gap \S+, [1-9]\d* passes, \d\S* MB moved", capsys.readouterr().err)
    assert f"{fit.n_iters[0]} passes, converged" in caplog.text


@pytest.mark.parametrize("loss", [
    "huber", "probit", "squared_hinge", "gamma", "negative_binomial", "tweedie", "cloglog",
])  # fmt: skip
def test_losses_are_built_again_elsewhere(da, loss):
    made = getattr(ss.families, loss)
    chosen = {"huber": (0.3,), "tweedie": (1.7,), "negative_binomial": (3.0,)}.get(loss, ())
    y = {"huber": ETA + NOISE, "negative_binomial": RESPONSES["poisson"]}.get(loss, NOISE > 0)
    y = np.exp(ETA / 3) if loss in ("gamma", "tweedie") else y
    options = {"family": made(*chosen), "n_lambdas": 6, "lambda_min_ratio": 0.05}
    same(ss.path(da.from_array(X, chunks=(150, P)), y, **options), ss.path(X, y, **options))


TIME = RNG.exponential(np.exp(-ETA))
EVENT = RNG.uniform(size=N) < 0.7
DIED = np.column_stack([TIME, EVENT])
TIED = np.column_stack([np.ceil(4 * TIME), EVENT])
LATE = np.column_stack([np.where(RNG.uniform(size=N) < 0.5, 0.5 * TIME, 0.0), TIME, EVENT])
COX = {
    **{name: (DIED, options) for name, options in OPTIONS.items() if name != "origin"},
    "breslow": (TIED, {}),
    "efron": (TIED, {"family": ss.families.cox(ties="efron")}),
    "late": (LATE, {}),
    "strata": (DIED, {"family": ss.families.cox(strata=np.arange(N) % 40)}),
    "zero": (DIED, {"lambdas": [0.05, 0.0]}),
}


@pytest.mark.parametrize("case", COX)
def test_cox_takes_two_passes_for_one(da, passes, case):
    y, options = COX[case]
    options = {"n_lambdas": 12, "lambda_min_ratio": 0.01, "family": "cox", **options}
    fit = ss.path(da.from_array(X, chunks=(150, 5)), y, **options)
    assert len(passes) <= 40
    assert 0 <= passes.count("products_over") + passes.count("_combinations") - fit.n_iters.sum()
    whole = ss.path(X, y, **options)
    if "offset" in options:
        fit.options["offset"], whole.options["offset"] = None, None
    same(fit, whole)


def test_folds_of_cox_share_the_passes(da, passes):
    options = {"family": "cox", "n_lambdas": 20, "lambda_min_ratio": 0.01}
    blocks = da.from_array(X, chunks=(150, 5))
    found = ss.cv_path(blocks, DIED, n_folds=4, seed=1, **options)
    assert len(passes) <= 50
    whole = ss.cv_path(X, DIED, n_folds=4, seed=1, **options)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-4)
    assert found.index_min == whole.index_min


def test_times_that_a_column_orders_take_a_closer_bound_of_the_hessian(da, passes):
    # Who is at risk changes steeply from one time to the next: eight parts of them are too few.
    y = np.column_stack([100.0 - X[:, 4], EVENT])
    options = {"family": "cox", "n_lambdas": 20, "lambda_min_ratio": 1e-3}
    fit = ss.path(da.from_array(X, chunks=(150, 5)), y, **options)
    assert fit.gaps.max() <= 1e-7 and len(passes) <= 120
    whole = ss.path(X, y, **options)
    np.testing.assert_allclose(fit.dev_ratio, whole.dev_ratio, atol=2e-4)
    np.testing.assert_allclose(fit.predict(X), whole.predict(X), rtol=2e-3, atol=1e-6)


def test_many_rows_of_cox_have_fewer_lambdas_at_a_time(da, passes, monkeypatch):
    blocks, options = da.from_array(X, chunks=(150, 5)), {"family": "cox", "n_lambdas": 12}
    few = ss.path(blocks, DIED, **options)
    shared = len(passes)
    monkeypatch.setattr("sparsesolve.solvers.first_order.block_pass.MOST_ROW_NUMBERS", 13 * N)
    one = ss.path(blocks, DIED, **options)
    assert len(passes) - shared > shared
    same(one, few)


CONCAVE = {
    "gaussian": ss.penalties.MCP(),
    "binomial": ss.penalties.SCAD(),
    "poisson": ss.penalties.MCP(groups=np.arange(P) // 3),
    "huber": ss.penalties.MCP(),
    "cox": ss.penalties.SCAD(),
}


@pytest.mark.parametrize("name", CONCAVE)
def test_concave_penalties_take_some_passes_a_lambda(da, passes, name):
    y = DIED if name == "cox" else RESPONSES[name]
    options = {"family": family(name), "penalty": CONCAVE[name], "n_lambdas": 20,
               "lambda_min_ratio": 0.02}  # fmt: skip
    fit = ss.path(da.from_array(X, chunks=(150, 5)), y, **options)
    assert len(passes) <= (1 if name == "gaussian" else 80)
    whole = ss.path(X, y, **options)
    assert fit.gaps.max() <= 1e-7 and not fit.status.any() and whole.df[-1] > 3
    np.testing.assert_allclose(fit.coefs.toarray(), whole.coefs.toarray(), rtol=1e-4, atol=1e-6)


def test_folds_of_a_concave_penalty_are_those_in_memory(da):
    y, options = RESPONSES["binomial"], {"family": "binomial", "penalty": ss.penalties.MCP(),
                                         "n_lambdas": 8, "n_folds": 3, "seed": 0}  # fmt: skip
    found = ss.cv_path(da.from_array(X, chunks=(150, 5)), y, **options)
    np.testing.assert_allclose(found.mean, ss.cv_path(X, y, **options).mean, rtol=1e-5)


def test_predictions_are_dask_arrays(da):
    blocks, y = da.from_array(X, chunks=(150, 5)), RESPONSES["binomial"]
    fit = ss.path(blocks, np.where(y, "b", "a"), family="binomial", n_lambdas=5)
    for s, kind in ((0.05, "class"), ([0.1, 0.05], "response"), (None, "link")):
        found = fit.predict(blocks, s, kind)
        assert found.chunks[0] == (150, 150, 100)
        expected = fit.predict(X, s, kind)
        assert found.dtype == expected.dtype and (found.compute() == expected).all()
    fit = ss.path(blocks, ETA, offset=NOISE, n_lambdas=5)
    found = fit.predict(blocks, 0.1, offset=NOISE)
    np.testing.assert_allclose(found.compute(), fit.predict(X, 0.1, offset=NOISE))


def test_a_path_is_extended_and_refitted(da):
    blocks, y = da.from_array(X, chunks=(150, 5)), RESPONSES["binomial"]
    fit = ss.path(blocks, y, family="binomial", lambdas=[0.1, 0.05])
    more = fit.extend(blocks, y, n_lambdas=1)
    same(more, ss.path(X, y, family="binomial", lambdas=more.lambdas))
    found = fit.coef(0.07, exact=True, X=blocks, y=y)
    exact = ss.path(X, y, family="binomial", lambdas=[0.07]).coefs.toarray().ravel()
    np.testing.assert_allclose(found, exact, atol=1e-4)
    with pytest.raises(ValueError, match="not that of the fit"):
        fit.extend(blocks[::-1], y, n_lambdas=1)


@pytest.mark.parametrize("loss", ["hinge", "median", "epsilon in groups"])
def test_losses_with_kinks_by_their_envelopes(da, loss):
    y, penalty = RESPONSES["gaussian"][:80], None
    family = ss.families.quantile(0.5)
    if loss == "hinge":
        family, y = ss.families.hinge(), y > np.median(y)
    elif loss == "epsilon in groups":
        family, penalty = ss.families.epsilon_insensitive(0.1), OPTIONS["groups"]["penalty"]
    blocks = da.from_array(X[:80], chunks=(30, 5))
    options = {"family": family, "penalty": penalty}
    fit = ss.path(blocks, y, n_lambdas=2, lambda_min_ratio=0.3, **options)
    memory = ss.path(X[:80], y, lambdas=fit.lambdas, **options)
    assert fit.df[-1] > 0
    same(fit, memory, X[:80])
    with pytest.raises(ValueError, match="choose solver='multipliers'"):
        ss.path(blocks, y, solver="rows_newton", **options)


def test_what_cannot_be_done_in_blocks_is_refused(da):
    blocks, y = da.from_array(X, chunks=(150, 5)), RESPONSES["gaussian"]
    kind = np.array(list("abc"))[RNG.integers(3, size=N)]
    for given in ({"penalty_factor": FACTORS}, {"lambdas": [0.1, 0.0]}):
        with pytest.raises(ValueError, match="limits on unpenalised .* choose solver='fista'"):
            ss.path(blocks, kind, family="multinomial", upper=0.1, **given)
    with pytest.raises(ValueError, match="MCP of several responses needs X in memory"):
        ss.path(blocks, kind, family="multinomial", penalty=ss.penalties.MCP())
    with pytest.raises(ValueError, match="needs X in memory, not a dask array"):
        ss.path(blocks, y > 0, family="binomial", solver="proximal_newton")
    slow = ss.path(blocks, kind, family="multinomial", solver="fista", lambdas=[0.02])
    fit = ss.path(blocks, kind, family="multinomial", lambdas=[0.02])
    assert max(slow.gaps.max(), fit.gaps.max()) <= 1e-7
    np.testing.assert_allclose(fit.predict(X), slow.predict(X), atol=2e-3)
    for refused in (ss.lars_path, ss.omp_path, ss.stability_path):
        with pytest.raises(TypeError, match="only path, cv_path and what they return take"):
            refused(blocks, y)
    spoiled = X.copy()
    spoiled[301, 2], spoiled[20, 5] = np.nan, np.inf
    with pytest.raises(ValueError, match="nan at row 301, column 2"):
        ss.path(da.from_array(spoiled, chunks=(150, 5)), y)
    with pytest.raises(ValueError, match="unknown sizes"):
        ss.path(blocks[blocks[:, 0] > 0], y)
    with pytest.raises(ValueError, match="two-dimensional"):
        ss.path(blocks[:, 0], y)
    with pytest.raises(TypeError, match="complex"):
        ss.path(blocks * 1j, y)


def test_large_arrays_of_rows_are_not_turned_but_taken_in_slices(monkeypatch):
    blocks = sys.modules["sparsesolve.data.row_blocks"]
    monkeypatch.setattr(blocks, "SLICE_BYTES", 5000)
    assert not blocks.is_large_by_rows(X)
    for name, y in RESPONSES.items():
        options = {"family": family(name), "n_lambdas": 8, "lambda_min_ratio": 0.01}
        whole = ss.path(X, y, **options)
        with monkeypatch.context() as patch:
            patch.setattr(blocks, "LARGE_BYTES", 1)
            assert blocks.is_large_by_rows(X)
            one, two = (ss.path(X, y, n_threads=count, **options) for count in (1, 2))
        same(one, whole)
        assert (one.coefs != two.coefs).nnz == 0

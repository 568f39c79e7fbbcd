"""Paths of the same data through joblib, and fits that miss their tolerance."""

import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.selection import adaptive_factors
from sparsesolve.selection.cv import n_missed
from sparsesolve.selection.jobs import read_options, run_jobs, run_together

RNG = np.random.default_rng(0)
X = np.asfortranarray(RNG.standard_normal((40, 5)))
Y = X[:, 0] + RNG.standard_normal(40)
JOBS = [({**read_options({"n_lambdas": 5}), "alpha": alpha}, None) for alpha in (0.2, 0.6, 1.0)]


def test_options_are_those_of_path():
    assert read_options({})["tol"] == 1e-7 and read_options({"tol": 1e-3})["tol"] == 1e-3
    with pytest.raises(TypeError, match="path.. has no .* glmnet's lambda is lambdas here"):
        read_options({"lambda": 1.0})
    for function, word, meant in ((ss.cv_path, "n_fold", "n_folds"),
                                  (ss.stability_path, "npairs", "n_pairs")):  # fmt: skip
        with pytest.raises(TypeError, match=f"did you mean '{meant}'"):
            function(X, Y, **{word: 5})


def test_no_more_threads_than_cores(monkeypatch):
    pytest.importorskip("joblib")
    monkeypatch.setattr("sparsesolve.selection.jobs.usable_cores", lambda: 4)
    jobs = [({**options, "n_threads": 4}, name) for options, name in JOBS]
    assert [p.options["n_threads"] for p, _ in run_jobs(jobs, (X, Y), 2, False)] == [2] * 3
    assert [p.options["n_threads"] for p, _ in run_jobs(jobs, (X, Y), -1, False)] == [1] * 3
    assert [p.options["n_threads"] for p, _ in run_jobs(jobs, (X, Y), 1, False)] == [4] * 3


def test_errors_say_which_path():
    jobs = [({**JOBS[0][0], "weights": np.zeros(40)}, "without fold 3")]
    with pytest.raises(ValueError, match="without fold 3: weights are all zero"):
        run_jobs(jobs, (X, Y), 1, False)


def test_a_bar_counts_paths(capsys):
    for n_jobs in (1, 2):
        run_jobs(JOBS, (X, Y), n_jobs, True)
        assert "3/3" in capsys.readouterr().err


def test_paths_that_nobody_waits_for_end_at_their_next_lambda():
    pytest.importorskip("joblib")
    begun, solved = threading.Event(), []

    def slowly(point):
        solved.append(point.index)
        begun.set()
        time.sleep(0.005)
        return False

    long, failing = (
        {**read_options({"n_lambdas": 1000, "stop": stop}), "progress": False}
        for stop in (slowly, lambda point: begun.wait() and 1 / 0)
    )
    with pytest.raises(ZeroDivisionError):
        run_jobs([(long, None), (failing, None)], (X, Y), 2, False)
    count = -1
    while count < len(solved):  # until it stands still, at the latest when all are solved
        count = len(solved)
        time.sleep(0.3)
    assert 0 < count < 1000


def test_an_interrupt_before_all_have_begun_ends_those_that_wait_for_them(monkeypatch):
    """They waited for ever for a pass that all were to share."""

    class Rows:
        def __init__(self, gather=None):
            self.gather, self.copy = gather, Rows

    submit, begun = ThreadPoolExecutor.submit, []

    def interrupted(pool, *words):
        if begun:
            raise KeyboardInterrupt
        begun.append(submit(pool, *words))
        return begun[0]

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_together(lambda rows: [lambda *_: rows.gather(None, (), None)] * 2, Rows())
    assert isinstance(begun[0].exception(), KeyboardInterrupt)


RNG_MISSED = np.random.default_rng(0)
X_MISSED = RNG_MISSED.normal(size=(60, 8))
Y_MISSED = X_MISSED[:, 0] + RNG_MISSED.normal(size=60)


def said(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = call()
    return found, [str(one.message) for one in seen if one.category is ss.ConvergenceWarning]


def test_cross_validation_says_that_its_choice_rests_on_them():
    cv, words = said(lambda: ss.cv_path(X_MISSED, Y_MISSED > 0, family="binomial", n_folds=4,
                                        seed=0,
                                        n_lambdas=6, max_iter=1))  # fmt: skip
    assert cv.n_missed[cv.index_min] > 0
    assert any("lambda_min" in one and f"{cv.n_missed[cv.index_min]} of 5" in one for one in words)
    cv, words = said(lambda: ss.cv_path(X_MISSED, Y_MISSED, n_folds=4, seed=0, n_lambdas=6))
    assert not words and not cv.n_missed.any()


def test_counts_are_of_the_lambdas_around_each_score():
    fit, _ = said(lambda: ss.path(X_MISSED, Y_MISSED > 0, family="binomial", n_lambdas=5,
                                  max_iter=1))
    bad = np.array([status != 0 for status in fit.status])
    assert n_missed(fit.lambdas, [fit, fit]).tolist() == (2 * bad).tolist()
    between = np.sqrt(fit.lambdas[1:] * fit.lambdas[:-1])
    assert n_missed(between, [fit]).tolist() == (1 * (bad[1:] | bad[:-1])).tolist()
    assert n_missed(fit.lambdas[-1:] / 2, [fit]).tolist() == [bad[-1]]


@pytest.mark.parametrize("fit", [
    lambda: ss.stability_path(X_MISSED, Y_MISSED > 0, family="binomial", n_pairs=2, seed=0,
                              max_iter=1),
    lambda: adaptive_factors(X_MISSED, Y_MISSED > 0, family="binomial", n_folds=3, seed=0,
                             max_iter=1),
    lambda: __import__("sparsesolve.estimators", fromlist=["x"]).SparseLogisticRegression(
        alpha=0.01, max_iter=1).fit(X_MISSED, Y_MISSED > 0),
], ids=["stability", "adaptive", "estimator"])  # fmt: skip
def test_others_say_it(fit):
    with pytest.warns(UserWarning, match="miss"):
        fit()


def test_saving_says_it(tmp_path):
    fit, _ = said(lambda: ss.path(X_MISSED, Y_MISSED > 0, family="binomial", n_lambdas=5,
                                  max_iter=1))
    missed = np.count_nonzero([status != 0 for status in fit.status])
    _, words = said(lambda: ss.save(fit, tmp_path / "m.npz"))
    assert words == [f"{missed} of {len(fit.lambdas)} lambdas of the fit that is saved miss its "
                     "tolerance; the file holds their gaps and status"]  # fmt: skip
    assert (ss.load(tmp_path / "m.npz").gaps == fit.gaps).all()
    good, _ = said(lambda: ss.path(X_MISSED, Y_MISSED, n_lambdas=5))
    assert not said(lambda: ss.save(good, tmp_path / "g.npz"))[1]

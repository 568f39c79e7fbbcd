"""Paths of the same data, here or through joblib."""

import threading
import time

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.selection.jobs import read_options, run_jobs
from sparsesolve.selection.relaxed import refitted

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


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_backends_that_the_user_chooses(backend):
    joblib = pytest.importorskip("joblib")
    here = run_jobs(JOBS, (X, Y, np.array(list("abcde"))), 1, False, refit=refitted)
    with joblib.parallel_config(backend=backend):
        there = run_jobs(JOBS, (X, Y, np.array(list("abcde"))), 2, False, refit=refitted)
    for (path, refit), (other, other_refit) in zip(here, there, strict=True):
        assert np.array_equal(path.coefs.toarray(), other.coefs.toarray())
        assert np.array_equal(refit.coefs.toarray(), other_refit.coefs.toarray())
        assert other.feature_names.tolist() == list("abcde")
    assert [path.options["alpha"] for path, _ in there] == [0.2, 0.6, 1.0]


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


@pytest.mark.parametrize("n_jobs", [0, -7])
def test_how_many_jobs_is_one_or_more_or_all(n_jobs):
    with pytest.raises(ValueError, match=f"or -1 for all cores, not {n_jobs}"):
        run_jobs(JOBS, (X, Y), n_jobs, False)


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

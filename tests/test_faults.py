"""Memory that runs out, threads, forks: nothing leaks, and the numbers are the same."""

import multiprocessing
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss

RNG = np.random.default_rng(8)
N, P = 60, 80
X = np.asfortranarray(RNG.standard_normal((N, P)))
ETA = X[:, 0] - X[:, 1]
Y = ETA + RNG.standard_normal(N)
PAIRS = ss.penalties.GroupL2(np.arange(P) // 2)
SHORT = {"n_lambdas": 12}
CALLS = {
    "gaussian": lambda **o: ss.path(X, Y, **SHORT, **o),
    "sufficient": lambda **o: ss.path(X[:, :20], Y, solver="sufficient", **SHORT, **o),
    "ridge": lambda **o: ss.path(X, Y, alpha=0.0, **SHORT, **o),
    "sparse": lambda **o: ss.path(sparse.csc_array(X * (X > 0.5)), Y, **SHORT, **o),
    "binomial": lambda **o: ss.path(X, Y > 0, family="binomial", **SHORT, **o),
    "cox": lambda **o: ss.path(X, (np.exp(Y), Y > -1), family="cox", **SHORT, **o),
    "multinomial": lambda **o: ss.path(X, np.digitize(Y, [-0.5, 0.5]), family="multinomial",
                                       **SHORT, **o),
    "multigaussian": lambda **o: ss.path(X, np.c_[Y, ETA], family="multigaussian", **SHORT, **o),
    "groups": lambda **o: ss.path(X, Y, penalty=PAIRS, **SHORT, **o),
    "groups, binomial": lambda **o: ss.path(X, Y > 0, family="binomial", penalty=PAIRS, **SHORT,
                                            **o),
    "bcd": lambda **o: ss.path(X, Y, penalty=PAIRS, solver="bcd", tol=1e-3, **SHORT, **o),
    "fista": lambda **o: ss.path(X, Y, solver="fista", tol=1e-3, **SHORT, **o),
    "sparsa": lambda **o: ss.path(X, Y, solver="sparsa", tol=1e-3, **SHORT, **o),
    "lars": lambda **o: ss.lars_path(X, Y, max_features=15, **o),
    "omp": lambda **o: ss.omp_path(X, Y, n_nonzero=10, **o),
    "niht": lambda **o: ss.paths.hard_threshold_path(X, Y, n_nonzero=5, **o),
    "mkl": lambda **o: ss.mkl_path([np.outer(c, c) for c in X.T[:6]], Y, n_lambdas=5, **o),
    "codes": lambda **o: ss.sparse_code(X, X[:, :30], lam=0.5, **o),
    "dictionary": lambda **o: ss.DictionaryLearning(4, lam=0.5, seed=0, n_epochs=2, **o).fit(X),
}  # fmt: skip
PLAIN = {
    "cv": lambda: ss.cv_path(X, Y, n_folds=3, seed=0, **SHORT),
    "stability": lambda: ss.stability_path(X, Y, n_pairs=3, seed=0, **SHORT),
}


def numbers(result):
    """All numbers of a result, as bytes: the same bit for bit or not."""
    found = {}
    for name, value in vars(result).items():
        if sparse.issparse(value):
            value = value.toarray()
        if isinstance(value, list) and value and sparse.issparse(value[0]):
            value = np.array([part.toarray() for part in value])
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
            found[name] = value.tobytes()
    assert found
    return found


@pytest.mark.parametrize("name", CALLS)
def test_any_number_of_threads_gives_the_same_bits(name):
    first = numbers(CALLS[name](n_threads=1))
    for count in (2, 4):
        assert numbers(CALLS[name](n_threads=count)) == first


def test_large_products_on_threads_give_the_same_bits():
    """Large enough that threads are started at all."""
    rng = np.random.default_rng(0)
    wide = rng.standard_normal((3000, 400)).T
    y = wide[:, :5].sum(axis=1) + rng.standard_normal(400)
    for options in ({}, {"family": "binomial"}, {"solver": "fista", "tol": 1e-2}):
        response = y > 0 if "family" in options else y
        fits = [numbers(ss.path(wide, response, n_lambdas=8, n_threads=k, **options))
                for k in (1, 2, 4)]  # fmt: skip
        assert fits[0] == fits[1] == fits[2]


def test_fits_at_the_same_time_in_threads():
    expected = {name: numbers(call()) for name, call in {**CALLS, **PLAIN}.items()}
    with ThreadPoolExecutor(4) as pool:
        jobs = [(name, pool.submit(call)) for _ in range(2)
                for name, call in {**CALLS, **PLAIN}.items()]  # fmt: skip
        for name, job in jobs:
            assert numbers(job.result()) == expected[name], name


def _in_child(name, pipe):
    pipe.send(numbers({**CALLS, **PLAIN}[name]()))
    pipe.close()


@pytest.mark.skipif(not hasattr(sys, "getwindowsversion") and sys.platform == "darwin",
                    reason="fork is not safe there")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_processes_made_by_fork_after_threads_were_used():
    ss.path(X, Y, n_threads=2, **SHORT)
    context = multiprocessing.get_context("fork")
    for name in ("gaussian", "binomial", "groups", "multinomial", "mkl", "codes", "cv"):
        mine, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_in_child, args=(name, theirs))
        child.start()
        assert mine.poll(60), name
        assert mine.recv() == numbers({**CALLS, **PLAIN}[name]()), name
        child.join()


STARVED = """
import os, resource, sys
import numpy as np
import sparsesolve as ss

rng = np.random.default_rng(0)
X = np.asfortranarray(rng.standard_normal((1000, 600)))
y = X[:, :5].sum(axis=1) + rng.standard_normal(1000)
calls = {
    "gaussian": lambda: ss.path(X, y, n_lambdas=6, solver="working_set"),
    "sufficient": lambda: ss.path(X, y, n_lambdas=6, solver="sufficient"),
}

def pages(which):
    return int(open("/proc/self/statm").read().split()[which]) * resource.getpagesize()

def starve(call, room):
    resource.setrlimit(resource.RLIMIT_AS, (pages(0) + room, resource.RLIM_INFINITY))
    try:
        call()
        return 0
    except MemoryError:
        return 1
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)

for name, call in calls.items():
    first = call()
    failed = sum(starve(call, room << 18) for room in range(1, 25, 2))
    before = pages(1)
    for _ in range(4):
        failed += sum(starve(call, room << 18) for room in range(1, 25, 2))
    grown = pages(1) - before
    second = call()
    same = all(np.array_equal(getattr(first, part), getattr(second, part))
               for part in ("lambdas", "gaps"))
    print(name, failed, grown, same)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="address space is limited there")
@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="its own allocator ends the process then")
def test_memory_that_runs_out_leaks_nothing(fresh_python, monkeypatch):
    """Limits of the address space a little above what is in use, so that arrays fail to be had.

    Memory that was freed goes back at once: arrays that find room in it do not fail.
    """
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "65536")
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "131072")
    for line in fresh_python(STARVED).splitlines():
        name, failed, grown, same = line.split()
        assert int(failed) >= 10 and int(grown) < 8_000_000 and same == "True", line

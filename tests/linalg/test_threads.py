"""threads.py: the number of threads, BLAS held to one, forked children."""

import os
import re
import sysconfig
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg.cython_blas  # noqa: F401  (loads scipy's BLAS)
from threadpoolctl import threadpool_info, threadpool_limits

import sparsesolve
from sparsesolve.linalg.threads import one_blas_thread, thread_count, usable_cores


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture
def two_blas_threads():
    """Two BLAS threads, so that one_blas_thread has something to change on any machine."""
    with threadpool_limits(2, user_api="blas"):
        if set(blas_threads()) != {2}:
            pytest.skip("this BLAS cannot run two threads")
        yield


@pytest.mark.parametrize("given, wanted", [(1, 1), (3, 3), (np.int64(2), 2)])
def test_a_positive_number_is_taken_as_it_is(given, wanted):
    assert thread_count(given) == wanted


def test_a_million_threads_are_not_started():
    assert thread_count(10**6) == 4 * usable_cores()


@pytest.mark.parametrize("given", [-1, None])
def test_minus_one_and_none_mean_all_usable_cores(given):
    assert thread_count(given) == usable_cores() >= 1


@pytest.mark.parametrize(
    "given, error",
    [(0, ValueError), (-2, ValueError), (1.5, TypeError), ("2", TypeError), (True, TypeError)],
)
def test_anything_else_is_refused_by_name(given, error):
    with pytest.raises(error, match="n_threads must be .*, not "):
        thread_count(given)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_usable_cores_heeds_affinity(fresh_python):
    script = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "from sparsesolve.linalg.threads import thread_count; print(thread_count(-1))"
    )
    assert fresh_python(script) == "1"


def test_blas_is_held_to_one_thread_and_restored(two_blas_threads):
    with one_blas_thread():
        assert set(blas_threads()) == {1}
        with one_blas_thread():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert set(blas_threads()) == {2}


def test_blas_is_restored_after_an_error(two_blas_threads):
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError
    assert set(blas_threads()) == {2}


def test_overlapping_blocks_in_two_threads_hold_blas_to_the_last(two_blas_threads):
    """The second block begins inside the first and ends after it."""
    entered, leave, seen = threading.Event(), threading.Event(), []

    def second():
        with one_blas_thread():
            entered.set()
            leave.wait(10)
            seen.extend(blas_threads())

    thread = threading.Thread(target=second)
    with one_blas_thread():
        thread.start()
        assert entered.wait(10)
    assert set(blas_threads()) == {1}
    leave.set()
    thread.join(10)
    assert set(seen) == {1}
    assert set(blas_threads()) == {2}
    with one_blas_thread():
        assert set(blas_threads()) == {1}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_gets_one_thread_and_can_still_hold_blas(fresh_python):
    script = """
import os
from sparsesolve.linalg.threads import one_blas_thread, thread_count
with one_blas_thread():
    child = os.fork()
    if child == 0:
        with one_blas_thread():
            os._exit(10 * thread_count(4) + thread_count(-1))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), thread_count(4))
"""
    assert fresh_python(script) == "11 4"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_every_face_with_threads_ends_in_a_forked_child(fresh_python):
    """Each face is called with two threads, then again in a fork, where threads are gone."""
    script = """
import os, signal, warnings
import numpy as np, sparsesolve as ss
from sparsesolve.paths import bundle
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y, few = rng.normal(size=(300, 400)), rng.integers(0, 2, 300), {"n_threads": 2}
K, S = [X @ X.T, np.eye(300)], rng.normal(size=(300, 4))
big = np.tile(X, (20, 1)), np.tile(y, 20)  # passes that threads share
risk = bundle.hinge_risk(*big, **few)  # made with threads before the fork
faces = [
    lambda: [risk(np.ones(400)) for _ in range(99)],
    lambda: bundle.pragam(X, y, 0.1, 9, **few), lambda: bundle.pegasos(X, y, 0.1, 9, **few),
    lambda: ss.path(X, y, family="binomial", n_lambdas=4, **few),
    lambda: ss.mkl_path(K, y, n_lambdas=3, **few),
    lambda: ss.sparse_code(X, X[:, :9], lam=1.0, **few),
    lambda: ss.structured.viterbi(S, np.eye(4), lengths=[100] * 3, **few),
    lambda: ss.crf_path(X[:, :9], y, lengths=[100] * 3, n_lambdas=2, **few),
    lambda: ss.penalties.TotalVariation2D((300, 400)).prox(X.ravel(), 0.1, **few),
    lambda: ss.spom(X[:, :9], y, lengths=[100] * 3, C=1.0, groups=list("aaabbbccc"), **few),
]
signal.alarm(50)
for face in faces:
    face()
child = os.fork()
if child == 0:
    signal.alarm(30)
    for face in faces:
        face()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert fresh_python(script) == "7"


def test_every_parallel_region_is_told_its_threads():
    """So that the count of a forked process, and of a user, reaches it."""
    for source in Path(sparsesolve.__file__).parent.rglob("*.pyx"):
        for region in re.findall(r"(?:prange|parallel)\((.*?)\):", source.read_text(), re.DOTALL):
            assert "num_threads=" in region, f"{source.name}: {region}"


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has its GIL"
)
def test_every_module_can_be_imported_without_the_gil(fresh_python, monkeypatch):
    """CPython turns the GIL on when it imports a module that does not say it can do without."""
    monkeypatch.delenv("PYTHON_GIL", raising=False)
    script = """
import importlib, pkgutil, sys
import numpy, scipy.linalg.cython_blas, sklearn.base
before = sys._is_gil_enabled()
import sparsesolve
for module in pkgutil.walk_packages(sparsesolve.__path__, "sparsesolve."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        assert sys._is_gil_enabled() == before, module.name
print(before, "sparsesolve.solvers.newton.working_set" in sys.modules)
"""
    assert fresh_python(script) == "False True"

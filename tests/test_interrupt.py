"""Ctrl-C ends a long path, whichever solver is at work, and leaves the process able to go on."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.solvers.certificate import dual_point
from sparsesolve.solvers.quadratic import sufficient_statistics

MOST = 20.0  # seconds from the signal to the answer, where a fraction of one is usual
PROGRAM = """
import signal
import numpy as np
from scipy import sparse
import sparsesolve as ss

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have set it aside
rng = np.random.default_rng(0)
n, p, family = {n}, {p}, {family!r}
if {sparse}:
    places = rng.integers(n, size=20 * p), np.repeat(np.arange(p), 20)
    X = sparse.csc_array((rng.standard_normal(20 * p), places), shape=(n, p))
else:
    X = rng.standard_normal((p, n)).T
signal_of = X[:, :200] @ rng.standard_normal((200, 3)) + rng.standard_normal((n, 3))
y = {{"gaussian": signal_of[:, 0], "binomial": signal_of[:, 0] > 0,
      "multigaussian": signal_of, "cox": np.c_[np.exp(signal_of[:, 0] / 9), np.ones(n)]}}[family]
print("started", flush=True)
try:
    ss.path(X, y, family=family, n_lambdas=200_000, lambda_min_ratio=1e-3, tol=1e-10, stop=None)
    print("ended by itself", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
fit = ss.path(X[:, :20], y, family=family, n_lambdas=5)
print("and again", len(fit.lambdas), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
@pytest.mark.parametrize(
    "family, n, p, sparse",
    [
        ("gaussian", 600, 8000, False),
        ("gaussian", 30_000, 250, False),  # sufficient statistics
        ("gaussian", 2000, 20_000, True),
        ("binomial", 600, 4000, False),
        ("binomial", 2000, 20_000, True),
        ("multigaussian", 500, 2000, False),
        ("multigaussian", 3000, 1200, False),  # sufficient statistics
        ("cox", 400, 1000, False),
    ],
)
def test_a_long_path_is_interrupted(family, n, p, sparse):
    program = PROGRAM.format(family=family, n=n, p=p, sparse=sparse)
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "started\n"
        time.sleep(0.5)  # into the path
        child.send_signal(signal.SIGINT)
        rest, _ = child.communicate(timeout=MOST)
    finally:
        child.kill()
    assert rest.split("\n")[:2] == ["interrupted", "and again 5"]
    assert child.returncode == 0


OTHERS = {  # each would go on for minutes
    "multinomial": "ss.path(X, y3, family='multinomial', **LONG)",
    "groups": "ss.path(X, y, penalty=groups, **LONG)",
    "groups, binomial": "ss.path(X, y > 0, family='binomial', penalty=groups, **LONG)",
    "bcd": "ss.path(X, y, penalty=groups, solver='bcd', **LONG)",
    "fista": "ss.path(X, y, solver='fista', **LONG)",
    "sparsa": "ss.path(X, y > 0, family='binomial', solver='sparsa', **LONG)",
    "lars": "[ss.lars_path(X, y + k) for k in range(10**6)]",
    "omp": "[ss.omp_path(X, y + k) for k in range(10**6)]",
    "niht": "[ss.paths.hard_threshold_path(X, y + k) for k in range(10**6)]",
    "codes": "ss.sparse_code(np.tile(X, 50), X[:, :200] / 20, lam=1e-3)",
    "dictionary": "ss.DictionaryLearning(200, lam=0.1, seed=0, n_epochs=10**6).fit(X)",
    "mkl": "ss.mkl_path([np.outer(c, c) for c in X.T[:20]], y, n_lambdas=10**5, tol=1e-12)",
    "cv": "ss.cv_path(X, y, n_folds=300, seed=0, n_lambdas=1000, stop=None)",
    "stability": "ss.stability_path(X, y, n_pairs=10**5, seed=0)",
    "dask": "import dask.array as da; ss.path(da.from_array(X[:, :60], chunks=(100, 60)), y > 0, "
    "family='binomial', **LONG)",
    "dask, cv": "import dask.array as da; ss.cv_path(da.from_array(X[:, :60], chunks=(100, 60)), "
    "y > 0, family='binomial', seed=0, **LONG)",
}
OTHER_PROGRAM = """
import signal
import numpy as np
import sparsesolve as ss

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X = np.asfortranarray(rng.standard_normal((400, 1000)))
y = X[:, :50].sum(axis=1) + rng.standard_normal(400)
y3, groups = np.digitize(y, [-3, 3]), ss.penalties.GroupL2(np.arange(1000) // 5)
LONG = dict(n_lambdas=200_000, lambda_min_ratio=1e-3, tol=1e-10, stop=None)
print("started", flush=True)
try:
    {call}
    print("ended by itself", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print("and again", len(ss.path(X[:, :20], y, n_lambdas=5).lambdas), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
@pytest.mark.parametrize("name", OTHERS)
def test_every_long_computation_is_interrupted(name):
    if name.startswith("dask"):
        pytest.importorskip("dask.array")
    program = OTHER_PROGRAM.format(call=OTHERS[name])
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "started\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        rest, _ = child.communicate(timeout=MOST)
    finally:
        child.kill()
    assert rest.split("\n")[:2] == ["interrupted", "and again 5"]
    assert child.returncode == 0


@pytest.mark.parametrize("solver", ["sufficient", "working_set"])
@pytest.mark.parametrize("penalty", [None, ss.penalties.GroupL2([0, 0, 1, 1], weights=[0.0, 1.0])])
def test_ctrl_c_within_a_certificate_is_not_lost(penalty, solver, monkeypatch):
    """Nor any other error there: without its slack a certificate would say too much."""
    def pressed(*given):
        raise KeyboardInterrupt

    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4))
    factors = {"penalty_factor": [0, 1, 1, 1]} if penalty is None else {"penalty": penalty}
    if solver == "sufficient":
        monkeypatch.setattr(sufficient_statistics, "projection", pressed)
    else:
        monkeypatch.setattr(dual_point, "clear", pressed)
    with pytest.raises(KeyboardInterrupt):
        ss.path(X, rng.normal(size=20), solver=solver, **factors)

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

MOST = 60.0  # seconds from the signal to the answer, where a fraction of one is usual
LONG_CALLS = {  # each would go on for minutes
    "gaussian": "Z = gauss(600, 8000); ss.path(Z, z, **LONG)",
    "statistics": "Z = gauss(30_000, 250); ss.path(Z, z, **LONG)",
    "sparse": "Z = few(2000, 20_000); ss.path(Z, z, **LONG)",
    "binomial": "Z = gauss(600, 4000); ss.path(Z, z > 0, family='binomial', **LONG)",
    "sparse, binomial": "Z = few(2000, 20_000); ss.path(Z, z > 0, family='binomial', **LONG)",
    "multigaussian": "Z = gauss(500, 2000); ss.path(Z, np.c_[z, z**2, z**3], "
    "family='multigaussian', **LONG)",
    "statistics, several": "Z = gauss(3000, 1200); ss.path(Z, np.c_[z, z**2, z**3], "
    "family='multigaussian', **LONG)",
    "cox": "Z = gauss(400, 1000); ss.path(Z, np.c_[np.exp(z / 9), np.ones(400)], "
    "family='cox', **LONG)",
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
PROGRAM = """
import signal
import numpy as np
from scipy import sparse
import sparsesolve as ss

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have set it aside
rng = np.random.default_rng(0)
X = np.asfortranarray(rng.standard_normal((400, 1000)))
y = X[:, :50].sum(axis=1) + rng.standard_normal(400)
y3, groups = np.digitize(y, [-3, 3]), ss.penalties.GroupL2(np.arange(1000) // 5)
LONG = dict(n_lambdas=200_000, lambda_min_ratio=1e-3, tol=1e-10, stop=None)

def gauss(n, p):
    return rng.standard_normal((p, n)).T

def few(n, p):
    places = rng.integers(n, size=20 * p), np.repeat(np.arange(p), 20)
    return sparse.csc_array((rng.standard_normal(20 * p), places), shape=(n, p))

Z = X
{data}
z = Z[:, :200] @ rng.standard_normal(200) + rng.standard_normal(Z.shape[0])
print("started", flush=True)
try:
    {call}
    print("ended by itself", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print("and again", len(ss.path(X[:, :20], y, n_lambdas=5).lambdas), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
@pytest.mark.parametrize("name", LONG_CALLS)
def test_every_long_computation_is_interrupted(name):
    if name.startswith("dask"):
        pytest.importorskip("dask.array")
    data, _, call = LONG_CALLS[name].rpartition("; ")
    program = PROGRAM.format(data=data, call=call)
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "started\n"
        time.sleep(0.5)  # into the computation
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

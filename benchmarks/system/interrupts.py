"""How long does Ctrl-C take?  interrupts.py [CASE ...]; by default all.

Each long computation runs in a process of its own, is sent SIGINT at several moments, and must go
on to a small path afterwards. Printed: processor seconds from the signal to KeyboardInterrupt, on
one thread, so that a loaded machine does not change them. Linux only: it reads /proc.
"""

import argparse
import os
import signal
import subprocess
import sys
import time

MOMENTS = (0.1, 0.4, 1.0, 2.5)  # processor seconds after the start
PREPARE = """
import signal, time
import numpy as np
from scipy import sparse
import sparsesolve as ss

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)

def dense(n, p):
    X = np.asfortranarray(rng.standard_normal((n, p)))
    return X, X[:, :50].sum(axis=1) + rng.standard_normal(n)

def thin(n, p, each=20):
    places = rng.integers(n, size=each * p), np.repeat(np.arange(p), each)
    X = sparse.csc_array((rng.standard_normal(each * p), places), shape=(n, p))
    return X, X[:, :200].sum(axis=1) + rng.standard_normal(n)

LONG = dict(n_lambdas=20_000, lambda_min_ratio=1e-3, tol=1e-10, stop=None, n_threads=1)
"""
CASES = {  # what is prepared, what is interrupted
    "gaussian": ("X, y = dense(1000, 10_000)", "ss.path(X, y, **LONG)"),
    "gaussian tall": ("X, y = dense(50_000, 500)", "ss.path(X, y, **LONG)"),
    "gaussian sparse": ("X, y = thin(20_000, 200_000)", "ss.path(X, y, **LONG)"),
    "binomial": ("X, y = dense(1000, 10_000)", "ss.path(X, y > 0, family='binomial', **LONG)"),
    "binomial tall": ("X, y = dense(50_000, 300)", "ss.path(X, y > 0, family='binomial', **LONG)"),
    "poisson": ("X, y = dense(1000, 5000)",
                "ss.path(X, np.exp(y / 9).round(), family='poisson', **LONG)"),
    "cox": ("X, y = dense(2000, 5000)",
            "ss.path(X, np.c_[np.exp(y / 9), np.ones(2000)], family='cox', **LONG)"),
    "cox tall": ("X, y = dense(50_000, 100)",
                 "ss.path(X, np.c_[np.exp(y / 9), np.ones(50_000)], family='cox', **LONG)"),
    "multinomial": ("X, y = dense(1000, 3000)",
                    "ss.path(X, np.digitize(y, [-5, 0, 5]), family='multinomial', **LONG)"),
    "multigaussian": ("X, y = dense(1000, 3000)",
                      "ss.path(X, np.c_[y, -y, y ** 2], family='multigaussian', **LONG)"),
    "groups": ("X, y = dense(1000, 10_000)",
               "ss.path(X, y, penalty=ss.penalties.GroupL2(np.arange(10_000) // 100), **LONG)"),
    "groups linf": ("X, y = dense(500, 4000)",
                    "ss.path(X, y, penalty=ss.penalties.GroupLinf(np.arange(4000) // 1000), "
                    "**LONG)"),
    "fista": ("X, y = dense(1000, 10_000)", "ss.path(X, y, solver='fista', **LONG)"),
    "sparsa": ("X, y = dense(1000, 10_000)",
               "ss.path(X, y > 0, family='binomial', solver='sparsa', **LONG)"),
    "bcd": ("X, y = dense(1000, 5000)",
            "ss.path(X, y, penalty=ss.penalties.GroupL2(np.arange(5000) // 10), solver='bcd', "
            "**LONG)"),
    "reweighted": ("X, y = dense(500, 2000)", "ss.path(X, y, solver='reweighted', **LONG)"),
    "ridge": ("X, y = dense(1500, 3000)", "ss.path(X, y > 0, family='binomial', alpha=0, **LONG)"),
    "lars": ("X, y = dense(2000, 20_000)", "ss.lars_path(X, y)"),
    "omp": ("X, y = dense(2000, 20_000)", "ss.omp_path(X, y, n_nonzero=1500)"),
    "niht": ("X, y = dense(2000, 20_000)",
             "[ss.paths.hard_threshold_path(X, y + k, n_nonzero=200) for k in range(99)]"),
    "cv": ("X, y = dense(1000, 5000)",
           "ss.cv_path(X, y, n_folds=10, seed=0, n_lambdas=1000, stop=None, n_threads=1)"),
    "stability": ("X, y = dense(1000, 5000)",
                  "ss.stability_path(X, y, n_pairs=1000, seed=0, n_threads=1)"),
    "codes": ("X, y = dense(256, 100_000)",
              "ss.sparse_code(X, dense(256, 512)[0] / 16, lam=1e-2, n_threads=1)"),
    "dictionary": ("X, y = dense(256, 50_000)",
                   "ss.DictionaryLearning(512, lam=0.1, seed=0, n_epochs=99, n_threads=1)"
                   ".fit(X.T)"),
    "mkl": ("X, y = dense(1500, 30); K = [np.outer(c, c) + np.eye(1500) for c in X.T]",
            "ss.mkl_path(K, y, n_lambdas=1000, tol=1e-12)"),
    "mkl hinge": ("X, y = dense(1500, 30); K = [np.outer(c, c) + np.eye(1500) for c in X.T]",
                  "ss.mkl_path(K, np.sign(y), family=ss.families.hinge(), norm='l1_squared')"),
    "dask": ("import dask.array as da; X, y = dense(50_000, 300); "
             "X = da.from_array(X, chunks=(5000, 300))", "ss.path(X, y > 0, family='binomial', "
             "n_lambdas=1000, stop=None)"),
    "dask gaussian": ("import dask.array as da; X, y = dense(100_000, 300); "
                      "X = da.from_array(X, chunks=(5000, 300))",
                      "ss.path(X, y, n_lambdas=100_000, stop=None)"),
}  # fmt: skip
INTERRUPT = """
print("started", flush=True)
try:
    {call}
    print("ended", time.process_time(), flush=True)
except KeyboardInterrupt:
    print("interrupted", time.process_time(), flush=True)
X, y = dense(50, 20)
print("healthy", len(ss.path(X, y, n_lambdas=5).lambdas), flush=True)
"""


def processor_time(pid):
    with open(f"/proc/{pid}/stat") as file:
        user, system = file.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def delay(prepare, call, moment):
    """Processor seconds from the signal to the exception; None where the call had ended before."""
    program = PREPARE + prepare + INTERRUPT.format(call=call)
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                             env={**os.environ, **one})  # fmt: skip
    try:
        assert child.stdout.readline() == "started\n"
        begun = processor_time(child.pid)
        sent = begun
        while child.poll() is None and sent < begun + moment:
            time.sleep(0.005)
            sent = processor_time(child.pid)
        child.send_signal(signal.SIGINT)  # to nobody where it has ended
        answer, health = child.communicate(timeout=120)[0].splitlines()
    finally:
        child.kill()
    assert health == "healthy 5" and child.returncode == 0
    how, when = answer.split()
    return max(float(when) - sent, 0.0) if how == "interrupted" else None


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("cases", nargs="*", choices=[*CASES, []])
    for name in asked.parse_args().cases or CASES:
        found = [delay(*CASES[name], moment) for moment in MOMENTS]
        print(f"{name:16}", *("ended" if d is None else f"{d:5.2f}" for d in found), flush=True)

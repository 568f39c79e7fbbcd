"""Exchanges problems with the packages and times one of them: peers.py NAME FOLDER.

A runner gets a Problem (dense X in float64, column-major, centred columns; or csc) and returns
solve(tol, lambdas) -> coefficients (p, L). Every package solves the same lambdas, without early
stopping and without standardising, with an unpenalised intercept. What a package must compute once
for a path, such as a Gram matrix or column means, is computed inside solve; the layout that it
likes is made before. The tolerance of the ladder is handed on in the package's own terms; the
certificate decides what it reached.
"""

import json
import os
import sys
import time
import warnings
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

THREADS = "2" if sys.argv[1:] and sys.argv[1].endswith("2 threads") else "1"
for variable in ("OPENBLAS", "OMP", "MKL", "NUMBA", "BLIS"):
    os.environ[f"{variable}_NUM_THREADS"] = THREADS  # before any import of numpy

import numpy as np  # noqa: E402
from packages import RUNNERS as PEERS  # noqa: E402
from scipy import sparse  # noqa: E402


def sparsesolve(q, n_threads=1):
    import sparsesolve as ss

    def solve(tol, lams):
        options = dict(alpha=q.alpha, standardize=False, stop=None, n_threads=n_threads)
        return ss.path(q.X_native, q.y, family=q.loss, lambdas=lams, tol=tol, **options).coefs

    return solve


OURS = {
    "sparsesolve": sparsesolve,
    "sparsesolve ladder": sparsesolve,
    "sparsesolve 2 threads": lambda q: sparsesolve(q, n_threads=2),
}
DISTRIBUTIONS = {"liblinear": "scikit-learn", "saga": "scikit-learn"}  # where the name differs


def names(loss):
    """All entries for a loss."""
    return [*OURS, "glmnet", *PEERS[loss]]


def applies(name, q):
    """Whether the package is meant for such a problem: a Gram by hand only where n > p; celer's
    and liblinear's logistic models with an l1 norm alone.
    """
    if name == "adelie cov":
        return not sparse.issparse(q.X) and q.X.shape[0] > q.X.shape[1]
    return q.alpha == 1 or q.loss == "gaussian" or name not in ("celer", "liblinear")


def write(q, folder):
    """Lay a problem down as raw little files which R and numpy both read."""
    X, facts = q.X, {"n": q.X.shape[0], "p": q.X.shape[1], "alpha": q.alpha, "nnz": 0,
                "loss": q.loss}
    if sparse.issparse(X):
        facts["nnz"] = int(X.nnz)
        X.indices.astype(np.int32).tofile(folder / "rows.bin")
        X.indptr.astype(np.int32).tofile(folder / "starts.bin")
        values = X.data
    else:
        values = X.astype(np.float64)
        values = (values - values.mean(axis=0)).T
        if X.dtype == np.float32:
            np.ascontiguousarray(X.T).tofile(folder / "values32.bin")
    np.ascontiguousarray(values, dtype=np.float64).tofile(folder / "values.bin")
    q.y.tofile(folder / "y.bin")
    q.lambdas.tofile(folder / "lambdas.bin")
    (folder / "facts.json").write_text(json.dumps(facts))
    (folder / "facts.txt").write_text("\n".join(str(facts[k]) 
                                                for k in ("n", "p", "nnz", "alpha", "loss")))


def read(folder):
    """The problem that `write` laid down; X_native is X in the data's own precision."""
    facts = json.loads((folder / "facts.json").read_text())
    shape = facts["n"], facts["p"]
    values = np.fromfile(folder / "values.bin")
    if facts["nnz"]:
        rows, starts = (np.fromfile(folder / f"{k}.bin", np.int32) for k in ("rows", "starts"))
        X = X_native = sparse.csc_matrix((values, rows, starts), shape)
    else:
        X = X_native = values.reshape(shape, order="F")
        if (folder / "values32.bin").exists():
            X_native = np.fromfile(folder / "values32.bin", np.float32).reshape(shape, order="F")
    return SimpleNamespace(X=X, X_native=X_native, y=np.fromfile(folder / "y.bin"),
                           lambdas=np.fromfile(folder / "lambdas.bin"), alpha=facts["alpha"],
                           loss=facts["loss"])


def numbered(package):
    """The version of a package; ours may stand in a tree that is not installed."""
    if package == "sparsesolve":
        from sparsesolve import __version__

        return __version__
    return version(DISTRIBUTIONS.get(package, package))


def work(name, folder):
    """Warm up, say "ready", then for each line "tol count out" solve and answer "wall cpu".

    A line of one word is the folder of the next problem.
    """
    package = name.split()[0]
    for line in chain([str(folder)], sys.stdin):
        tol, *rest = line.rstrip("\n").split("\t")
        if not rest:
            q = read(Path(tol))
            solve = {**OURS, **PEERS[q.loss]}[name](q)
            solve(1e-2, q.lambdas[:2])
            print("ready", numbered(package), flush=True)
            continue
        count, out = rest
        wall, cpu = time.perf_counter(), time.process_time()
        coefs = solve(float(tol), q.lambdas[: int(count)])
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        coefs = sparse.csc_matrix(coefs)
        for part, dtype in (("data", np.float64), ("indices", np.int32), ("indptr", np.int32)):
            getattr(coefs, part).astype(dtype).tofile(f"{out}.{part}")
        print(wall, cpu, flush=True)


if __name__ == "__main__":
    # packages print what they like: only our own answers may reach the pipe
    pipe, sys.stdout = os.dup(1), sys.stderr
    os.dup2(2, 1)
    sys.stdout = os.fdopen(pipe, "w")
    warnings.simplefilter("ignore")  # what an attempt reached, the certificate says
    work(sys.argv[1], Path(sys.argv[2]))

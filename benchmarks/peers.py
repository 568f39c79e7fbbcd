"""One small runner per package, and the worker process that times it: peers.py NAME FOLDER.

A runner gets a Problem (dense X in float64, column-major, centred columns; or csc) and returns
solve(tol, lambdas) -> coefficients (p, L). Every package solves the same lambdas, without early
stopping and without standardising. Where the package has no intercept of its own, y and the dense
columns are centred already (no approximation), and sparse columns are centred implicitly through
the package's own argument for that. What a package must compute once for a path, such as a Gram
matrix or column means, is computed inside solve. The tolerance of the ladder is handed on in the
package's own terms; the certificate decides what it reached.
"""

import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

THREADS = "2" if sys.argv[1:] and sys.argv[1].endswith("2 threads") else "1"
for variable in ("OPENBLAS", "OMP", "MKL", "NUMBA", "BLIS"):
    os.environ[f"{variable}_NUM_THREADS"] = THREADS  # before any import of numpy

import numpy as np  # noqa: E402
from scipy import sparse  # noqa: E402


def sparsesolve(q, n_threads=1):
    import sparsesolve as ss

    def solve(tol, lams):
        options = dict(alpha=q.alpha, standardize=False, stop=None, n_threads=n_threads)
        return ss.path(q.X_native, q.y, lambdas=lams, tol=tol, **options).coefs

    return solve


def adelie(q):
    import adelie as ad

    def solve(tol, lams):
        wrap = ad.matrix.sparse if sparse.issparse(q.X) else ad.matrix.dense
        state = ad.grpnet(wrap(q.X, method="naive", n_threads=1), ad.glm.gaussian(q.y),
                          alpha=q.alpha, lmda_path=lams, tol=tol, early_exit=False,
                          max_iters=10**9, n_threads=1, progress_bar=False)
        return state.betas.T

    return solve


def adelie_cov(q):
    import adelie as ad

    def solve(tol, lams):
        y = q.y - q.y.mean()
        gram, v = np.asfortranarray(q.X.T @ q.X / y.size), q.X.T @ y / y.size
        state = ad.gaussian_cov(ad.matrix.dense(gram, method="cov", n_threads=1), v,
                                alpha=q.alpha, lmda_path=lams, tol=tol, early_exit=False,
                                max_iters=10**9, n_threads=1, progress_bar=False)
        return state.betas.T

    return solve


def celer(q):
    from celer.homotopy import celer_path

    def solve(tol, lams):
        y, centring = q.y - q.y.mean(), {}
        if sparse.issparse(q.X):
            means = np.asarray(q.X.mean(axis=0)).ravel()
            centring = dict(X_offset=means, X_scale=np.ones(means.size))
        # its gap is relative to |y|^2 / n = 2 P(0)
        return celer_path(q.X, y, "lasso", alphas=lams, l1_ratio=q.alpha, tol=tol / 2, prune=True,
                          max_iter=10**5, max_epochs=10**6, **centring)[1]

    return solve


def skglm(q):
    from skglm.datafits import Quadratic
    from skglm.penalties import L1, L1_plus_L2
    from skglm.solvers import AndersonCD

    def solve(tol, lams):
        # its tolerance is a violation of the optimality conditions, in the units of lambda
        centred = not sparse.issparse(q.X)
        solver = AndersonCD(tol=tol * q.lambdas[0], fit_intercept=not centred, max_iter=10**4,
                            max_epochs=10**6)
        penalty = L1(1.0) if q.alpha == 1 else L1_plus_L2(1.0, q.alpha)
        y = q.y - q.y.mean() if centred else q.y
        return solver.path(q.X, y, Quadratic(), penalty, alphas=lams)[1][: q.X.shape[1]]

    return solve


def sklearn(q):
    from sklearn.linear_model import enet_path

    def solve(tol, lams):
        y, options = q.y - q.y.mean(), {"precompute": q.X.shape[0] > q.X.shape[1]}
        if sparse.issparse(q.X):
            means = np.asarray(q.X.mean(axis=0)).ravel()
            options = dict(precompute=False, check_input=False,
                           X_offset=means, X_scale=np.ones(means.size))
        # its gap is relative to |y|^2 = 2 n P(0)
        return enet_path(q.X, y, l1_ratio=q.alpha, alphas=lams, tol=tol / 2, max_iter=10**6,
                         copy_X=False, **options)[1]

    return solve


RUNNERS = {
    "sparsesolve": sparsesolve,
    "sparsesolve ladder": sparsesolve,
    "sparsesolve 2 threads": lambda q: sparsesolve(q, n_threads=2),
    "adelie": adelie,
    "adelie cov": adelie_cov,
    "celer": celer,
    "skglm": skglm,
    "scikit-learn": sklearn,
}
PEERS = ("glmnet", "adelie", "adelie cov", "celer", "skglm", "scikit-learn")
NAMES = ("sparsesolve", "sparsesolve ladder", "sparsesolve 2 threads", *PEERS)


def applies(name, q):
    """Whether the package is meant for such a problem: a Gram by hand only where n > p."""
    return name != "adelie cov" or (not sparse.issparse(q.X) and q.X.shape[0] > q.X.shape[1])


def write(q, folder):
    """Lay a problem down as raw little files which R and numpy both read."""
    X, facts = q.X, {"n": q.X.shape[0], "p": q.X.shape[1], "alpha": q.alpha, "nnz": 0}
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
    (folder / "facts.txt").write_text("\n".join(str(facts[k]) for k in ("n", "p", "nnz", "alpha")))


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
                           lambdas=np.fromfile(folder / "lambdas.bin"), alpha=facts["alpha"])


def work(name, folder):
    """Warm up, say "ready", then for each line "tol count out" solve and answer "wall cpu"."""
    q = read(folder)
    solve = RUNNERS[name](q)
    solve(1e-2, q.lambdas[:2])
    print("ready", version(name.split()[0]), flush=True)
    for line in sys.stdin:
        tol, count, out = line.rstrip("\n").split("\t")
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
    work(sys.argv[1], Path(sys.argv[2]))

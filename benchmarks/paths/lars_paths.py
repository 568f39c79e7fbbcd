"""Times LARS-lasso paths beside scikit-learn and SPAMS: lars_paths.py [--spams PYTHON] [n,p ...].

One thread, one run: the packages in turn, round after round, minima of processor and wall seconds.
Columns are standardised and y centred before anyone sees them; all go to lambda = 0 (scikit-learn
with max_iter raised: its default stops at 500 steps). PYTHON is that of an environment with
spams-bin, which needs numpy < 2; its process loads the problem once and is timed inside.

Printed beside the times: knots, the worst certificate of ours, and the largest KKT residual of
scikit-learn's knots, relative to the first lambda. The bound counts what no path of this kind with
a certificate at every knot can avoid, measured here: the correlations of all knots as one matrix
product, and for every knot one triangular solve of the size of its support.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from scipy.linalg.blas import dtrsv  # noqa: E402
from sklearn.linear_model import lars_path  # noqa: E402

import sparsesolve as ss  # noqa: E402

SPAMS = """
import sys, time, numpy as np, spams
X, y = np.asfortranarray(np.load(sys.argv[1])), np.asfortranarray(np.load(sys.argv[2])[:, None])
print("ready", flush=True)
for _ in sys.stdin:
    wall, cpu = time.perf_counter(), time.process_time()
    spams.lasso(y, X, return_reg_path=True, lambda1=0.0, mode=2, numThreads=1)
    print(time.perf_counter() - wall, time.process_time() - cpu, flush=True)
"""


def problem(n, p, seed=0, k=50):
    """Standardised normal columns, a signal of k of them, noise of a third of its variance."""
    rng = np.random.default_rng(seed)
    X, b = rng.standard_normal((n, p)), np.zeros(p)
    b[rng.choice(p, min(k, p), replace=False)] = rng.standard_normal(min(k, p))
    signal = X @ b
    y = signal + np.std(signal) / np.sqrt(3) * rng.standard_normal(n)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return np.asfortranarray(X), y - y.mean()


class Spams:
    """A process that holds the problem."""

    def __init__(self, python, X, y, folder):
        np.save(folder / "X.npy", X)
        np.save(folder / "y.npy", y)
        command = [python, "-c", SPAMS, folder / "X.npy", folder / "y.npy"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        if self.process.stdout.readline() != "ready\n":
            sys.exit(f"{python} does not run SPAMS")

    def __call__(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return tuple(float(word) for word in self.process.stdout.readline().split())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(function):
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - wall, time.process_time() - cpu


def solve_seconds(M, right, calls=20):
    """Of one triangular solve."""

    def solves():
        for _ in range(calls):
            dtrsv(M, right, lower=1, trans=1)

    return min(timed(solves)[1] for _ in range(5)) / calls


def bound(X, y, fit):
    """Seconds of what cannot be avoided."""
    R = y[:, None] - X @ fit.coefs.toarray()
    sizes = fit.df[fit.df > 0]
    L = np.asfortranarray(np.tri(sizes.max()) + np.eye(sizes.max()))
    part = [np.asfortranarray(L[:s, :s]) for s in np.unique(sizes)[:: max(1, len(L) // 40)]]
    seconds = [solve_seconds(M, np.ones(len(M))) for M in part]
    solves = np.interp(sizes, [len(M) for M in part], seconds).sum()
    return min(timed(lambda: X.T @ R)[1] for _ in range(3)), solves


def measure(n, p, rounds, spams):
    X, y = problem(n, p)
    kept = {}

    def ours():
        kept["fit"] = ss.lars_path(X, y)

    def scikit_learn():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kept["peer"] = lars_path(X, y, method="lasso", max_iter=10**6)

    with tempfile.TemporaryDirectory() as folder:
        runs = {"sparsesolve": lambda: timed(ours), "scikit-learn": lambda: timed(scikit_learn)}
        if spams:
            runs["SPAMS"] = Spams(spams, X, y, Path(folder))
        found = {name: [] for name in runs}
        if n * p < 1e6:
            for run in runs.values():  # warm
                run()
        for _ in range(rounds):
            for name, run in runs.items():
                found[name].append(run())
        if spams:
            runs["SPAMS"].close()
    best = {name: np.min(times, axis=0) for name, times in found.items()}
    fit, (lams, _, coefs) = kept["fit"], kept["peer"]
    C = np.abs(X.T @ (y[:, None] - X @ coefs)) / n
    residual = np.maximum(C.max(axis=0) - lams, 0).max() / lams[0]
    peers = [name for name in best if name != "sparsesolve"]
    fastest = min(peers, key=lambda name: best[name][1])
    parts = bound(X, y, fit)
    return [f"{n} x {p}", str(len(fit.lambdas)),
            *(f"{best[k][1]:.4f} ({best[k][0]:.4f})" if k in best else "–"
              for k in ("sparsesolve", "scikit-learn", "SPAMS")),
            f"{best[fastest][1] / best['sparsesolve'][1]:.2f} ({fastest})",
            f"{fit.gaps.max():.1e}", f"{residual:.1e}",
            f"{sum(parts):.4f} = {parts[0]:.4f} + {parts[1]:.4f}"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["200,500", "1000,5000"])
    parser.add_argument("--spams", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, help="by default 15, or 2 from a million values on")
    options = parser.parse_args()
    heads = ["n x p", "knots", "sparsesolve: cpu (wall)", "scikit-learn", "SPAMS",
             "best peer / ours (cpu)", "worst gap", "scikit-learn's KKT",
             "bound = certificates + solves"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for size in options.sizes:
        n, p = map(int, size.split(","))
        rounds = options.rounds or (15 if n * p < 1e6 else 2)
        print("| " + " | ".join(measure(n, p, rounds, options.spams)) + " |", flush=True)

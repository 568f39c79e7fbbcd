"""Peak memory of paths whose design must not be copied: a 2 GB memmap, a wide sparse matrix.

    python benchmarks/memory.py [memmap] [sparse]

Prints the size of the data and the most anonymous memory (everything but the mapped file) that
the process held while `path` ran beyond what it held before. Linux only: it reads /proc.
"""

import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import sparsesolve as ss

KILO, MEGA = 1024, 1024**2


def anonymous():
    """Anonymous resident memory of this process in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * KILO
    raise OSError("this kernel does not tell RssAnon")


def measured(X, y, **options):
    """Run a path; return (path, seconds, most anonymous bytes beyond those before)."""
    before, most, done = anonymous(), [0], threading.Event()

    def watch():
        while not done.wait(0.01):
            most[0] = max(most[0], anonymous())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    fit = ss.path(X, y, **options)
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    return fit, seconds, most[0] - before


def report(name, size, fit, seconds, extra):
    print(
        f"{name}: data {size / MEGA:,.0f} MB, {len(fit.lambdas)} lambdas in {seconds:.1f} s, "
        f"{fit.df[-1]} of {fit.n_features:,} features at the end, worst gap {fit.gaps.max():.1e}; "
        f"memory beyond the data at most {extra / MEGA:,.0f} MB, {100 * extra / size:.0f} % of it"
    )


def memmap(rows=1_000, columns=500_000):
    rng = np.random.default_rng(0)
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        X = np.memmap(file.name, np.float32, "w+", shape=(rows, columns), order="F")
        for start in range(0, columns, 10_000):
            X[:, start : start + 10_000] = rng.standard_normal((rows, 10_000), dtype=np.float32)
        X.flush()
        X = np.memmap(file.name, np.float32, "r", shape=(rows, columns), order="F")
        y = X[:, :50] @ rng.standard_normal(50) + 4 * rng.standard_normal(rows)
        report("memmap", X.nbytes, *measured(X, y, n_lambdas=50, stop=None))


def text(rows=20_000, columns=500_000, density=1e-3):
    rng = np.random.default_rng(0)
    X = sparse.random_array((rows, columns), density=density, format="csc", rng=rng)
    X = sparse.csc_array(X)
    b = rng.standard_normal(columns) * (rng.random(columns) < 2e-4)
    y = X @ b + 0.3 * rng.standard_normal(rows)
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    found = measured(X, y, n_lambdas=50, lambda_min_ratio=0.05, stop=None)
    report("sparse", size, *found)


if __name__ == "__main__":
    for name, run in {"memmap": memmap, "sparse": text}.items():
        if name in sys.argv[1:] or len(sys.argv) == 1:
            run()

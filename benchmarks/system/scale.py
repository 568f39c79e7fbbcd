"""Scale: time and peak memory of paths on large data, and what each more of n, p and nnz costs.

    python benchmarks/system/scale.py [tall] [wide] [sparse] [growth]

For each path: the size of the data, processor time, and the most anonymous memory (everything but
a mapped file) that the process held beyond what it held before. `growth` fits a power law to time
and memory as n, p and nnz double, and draws both into scale.png. Linux only: it reads /proc.
"""

import argparse
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
    """Run a path; return (path, processor seconds, most anonymous bytes beyond those before)."""
    before, most, done = anonymous(), [0], threading.Event()

    def watch():
        while not done.wait(0.005):
            most[0] = max(most[0], anonymous())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.process_time()
    fit = ss.path(X, y, **options)
    seconds = time.process_time() - start
    done.set()
    watcher.join()
    return fit, seconds, max(most[0] - before, 0)


def report(name, size, fit, seconds, extra):
    print(
        f"{name}: data {size / MEGA:,.0f} MB, {len(fit.lambdas)} lambdas in {seconds:.1f} s, "
        f"{fit.df[-1]} of {fit.n_features:,} features at the end, worst gap {fit.gaps.max():.1e}; "
        f"memory beyond the data at most {extra / MEGA:,.0f} MB, {100 * extra / size:.0f} % of it",
        flush=True,
    )


def mapped(file, shape, order):
    """Standard normal float32 in a file, mapped read-only."""
    rng = np.random.default_rng(0)
    X = np.memmap(file.name, np.float32, "w+", shape=shape, order=order)
    flat = X.reshape(-1, order="A")
    for start in range(0, flat.size, 10_000_000):
        part = flat[start : start + 10_000_000]
        part[:] = rng.standard_normal(part.size, dtype=np.float32)
    X.flush()
    return np.memmap(file.name, np.float32, "r", shape=shape, order=order)


def tall(rows=5_000_000, columns=100):
    for order, layout in (("F", "column-major"), ("C", "row-major")):
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            X = mapped(file, (rows, columns), order)
            eta = X[:, :10] @ np.linspace(-0.5, 0.5, 10, dtype=np.float32)
            noise = np.random.default_rng(1).logistic(size=rows)
            for family, y in (("gaussian", eta + noise), ("binomial", eta + noise > 0)):
                found = measured(X, y, family=family, stop=None)
                report(f"tall {layout} {family}", X.nbytes, *found)


def wide(rows=1_000, columns=500_000):
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        X = mapped(file, (rows, columns), "F")
        rng = np.random.default_rng(1)
        eta = X[:, :50] @ rng.standard_normal(50) + 4 * rng.standard_normal(rows)
        for family, y in (("gaussian", eta), ("binomial", eta > 0)):
            found = measured(X, y, family=family, n_lambdas=50, stop=None)
            report(f"wide {family}", X.nbytes, *found)


def random_sparse(rows, columns, per_column, rng):
    """A matrix with that many standard normal float32 entries in each column, at random rows."""
    indices = np.empty(columns * per_column, dtype=np.int32)
    step = rows // per_column
    for start in range(0, columns, 10_000):  # one row of each stretch of `step`
        count = min(10_000, columns - start)
        part = rng.integers(step, size=(count, per_column), dtype=np.int32)
        part += step * np.arange(per_column, dtype=np.int32)
        indices[start * per_column : (start + count) * per_column] = part.ravel()
    values = rng.standard_normal(indices.size, dtype=np.float32)
    starts = per_column * np.arange(columns + 1, dtype=np.int32)
    return sparse.csc_array((values, indices, starts), shape=(rows, columns))


def sparse_response(X, rng, active=200):
    b = np.zeros(X.shape[1], dtype=np.float32)
    b[rng.choice(X.shape[1], active, replace=False)] = rng.standard_normal(active)
    eta = X @ b
    return eta + 0.3 * eta.std() * rng.standard_normal(len(eta))


def stored(X):
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


def large_sparse(rows=1_000_000, columns=1_000_000, per_column=100):
    rng = np.random.default_rng(0)
    X = random_sparse(rows, columns, per_column, rng)
    eta = sparse_response(X, rng)
    for family, y, ratio in (("gaussian", eta, 0.1), ("binomial", eta > np.median(eta), 0.3)):
        found = measured(X, y, family=family, n_lambdas=50, lambda_min_ratio=ratio, stop=None)
        report(f"sparse {family}", stored(X), *found)


def normal(n, p, rng):
    return np.asfortranarray(rng.standard_normal((n, p), dtype=np.float32))


GROWTH = {  # how X grows with each, from small to large
    "n": (lambda n, rng: normal(n, 60, rng), [10_000 * 2**k for k in range(8)]),
    "p": (lambda p, rng: normal(500, p, rng), [5_000 * 2**k for k in range(7)]),
    "nnz": (lambda nnz, rng: random_sparse(200_000, 100_000, nnz // 100_000, rng),
            [500_000 * 2**k for k in range(7)]),
}  # fmt: skip


def growth(picture="scale.png"):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(GROWTH), figsize=(12, 7), layout="constrained")
    for column, (axis, (design, sizes)) in enumerate(GROWTH.items()):
        for family in ("gaussian", "binomial"):
            costs = []
            for size in sizes:
                X = design(size, np.random.default_rng(0))
                y = sparse_response(X, np.random.default_rng(1), 20)
                y = y > np.median(y) if family == "binomial" else y
                _, seconds, extra = measured(X, y, family=family, n_lambdas=30, stop=None,
                                             lambda_min_ratio=0.3)  # fmt: skip
                costs.append((seconds, extra / MEGA))
            last = slice(len(sizes) // 2, None)  # where sizes tell
            for row, unit in enumerate(UNITS):
                values = [cost[row] for cost in costs]
                slope = np.polyfit(np.log(sizes[last]), np.log(np.add(values[last], 1e-3)), 1)[0]
                label = f"{family} ~ {axis}^{slope:.2f}"
                print(f"{label}, {unit}: {np.round(values, 2)}", flush=True)
                axes[row, column].loglog(sizes, values, "o-", label=label)
                axes[row, column].set(xlabel=axis, ylabel=unit)
    for ax in axes.flat:
        ax.legend()
    figure.savefig(picture, dpi=100)


UNITS = ["processor time in s", "memory beyond X in MB"]
JOBS = {"tall": tall, "wide": wide, "sparse": large_sparse, "growth": growth}

if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("jobs", nargs="*", choices=[*JOBS, []])
    for name in asked.parse_args().jobs or JOBS:
        JOBS[name]()

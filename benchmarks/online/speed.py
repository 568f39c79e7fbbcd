"""Online learning on a sparse stream: time per non-zero and distance from the batch optimum.

    python benchmarks/online/speed.py [--rows 200000] [--features 1000000] [--peers]

The stream: rows of 50 features that occur with frequency 1 / rank, of length 1, labels from a
logistic model with few large weights; lam = lam_max / 500.  Each method makes one pass with its
automatic step size.  The optimum is that of `sparsesolve.path`, certified.  Times are processor
time and the least of three.  Peers (scikit-learn; Vowpal Wabbit and river where installed)
take turns with ours, so that ratios hold on a loaded machine.
"""

import argparse
import importlib.util
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy import sparse

import sparsesolve as ss
from sparsesolve.online.files import Cache, TextFile

ENTRIES = 50


def stream(n, p, seed=0):
    """Rows (n, p) and labels (n,), and the true probabilities."""
    rng = np.random.default_rng(seed)
    ranks = np.exp(rng.random((n, ENTRIES)) * np.log(p)).astype(np.int64) - 1
    ends = np.arange(0, n * ENTRIES + 1, ENTRIES)
    ones, columns = np.ones(n * ENTRIES), ranks.clip(0, p - 1).ravel()
    X = sparse.csr_array((ones, columns, ends), shape=(n, p))
    X.sum_duplicates()
    X.data[:] = np.log1p(X.data)
    X = sparse.csr_array(X.multiply(1.0 / np.sqrt(X.multiply(X).sum(axis=1))[:, None]))
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    draw = np.random.default_rng(1)  # of the same weights whatever the rows
    truth = np.zeros(p)
    used = np.unique(np.exp(draw.random(3000) * np.log(p)).astype(np.int64) - 1)
    truth[used] = draw.normal(size=len(used)) * 12.0
    chance = 1.0 / (1.0 + np.exp(-(X @ truth)))
    return X, rng.random(n) < chance, chance


def objective(X, y, b, b0, lam):
    """The regularised mean loss."""
    eta = X @ b + b0
    return float(np.mean(np.logaddexp(0.0, eta) - y * eta) + lam * np.abs(b).sum())


def error(X, y, b, b0):
    """Share of rows on the wrong side."""
    return float(np.mean((X @ b + b0 > 0) != y))


def lam_max(X, y):
    """The least lam without a coefficient."""
    return float(np.abs(X.T @ (y - y.mean())).max()) / len(y)


def ours(X, y, lam, method, **options):
    """A fit of one pass."""
    return ss.online(X, y, family="binomial", lam=lam, method=method, **options)


def sklearn_pass(X, y, lam, **options):
    """One pass of scikit-learn's SGDClassifier."""
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="log_loss", penalty="l1", alpha=lam, max_iter=1, tol=None,
                          shuffle=False, **options)  # fmt: skip
    return model.fit(X, y)


def timed(run, repeats):
    """The least processor time of some runs, and what the last returned."""
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        found = run()
        times.append(time.process_time() - begun)
    return min(times), found


def main():
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--features", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--step", type=float, default=None)
    args = parser.parse_args()
    X, y, _ = stream(args.rows, args.features)
    Z, z, chance = stream(50_000, args.features, seed=2)
    lam = lam_max(X, y) / 500.0
    bayes = np.minimum(chance, 1 - chance).mean()
    print(f"{X.nnz} non-zeros, lam {lam:.3g}, Bayes error {bayes:.4f}")
    begun = time.process_time()
    grid = lam * 500.0 ** np.linspace(0.9, 0.0, 8)
    best = ss.path(X, y.astype(float), family="binomial", standardize=False, lambdas=grid)
    b, b0 = best.coef(s=lam), float(best.intercepts[-1])
    optimum = objective(X, y, b, b0, lam)
    print(f"batch path: {time.process_time() - begun:.1f} s, objective {optimum:.6f}, "
          f"{np.count_nonzero(b)} non-zeros, test error {error(Z, z, b, b0):.4f}, "
          f"gap {best.gaps[-1]:.1e}")  # fmt: skip
    step = "auto" if args.step is None else args.step
    for method in ("ftrl", "rda", "fobos"):
        fit = ours(X, y, lam, method, step=step)
        fixed = fit.eta0
        seconds, fit = timed(lambda m=method, e=fixed: ours(X, y, lam, m, step=e), args.repeats)
        b, b0 = fit.coef(), fit.intercept
        print(f"{method:6} eta0 {fixed:8.3g}  {1e9 * seconds / X.nnz:6.1f} ns/non-zero  "
              f"{(objective(X, y, b, b0, lam) - optimum) / np.log(2.0):9.2e} above  "
              f"{np.count_nonzero(b):7d} non-zeros  {error(Z, z, b, b0):.4f} error")  # fmt: skip
    if args.peers:
        compare(X, y, Z, z, lam, optimum, args.repeats)


def compare(X, y, Z, z, lam, optimum, repeats):
    """scikit-learn and Vowpal Wabbit, in turns with ours."""
    X32 = sparse.csr_matrix(X)
    times = {"ours": [], "SGDClassifier": []}
    for _ in range(repeats):
        times["ours"].append(timed(lambda: ours(X, y, lam, "fobos", step=64.0), 1)[0])
        seconds, model = timed(lambda: sklearn_pass(X32, y, lam), 1)
        times["SGDClassifier"].append(seconds)
    b, b0 = model.coef_[0], float(model.intercept_[0])
    ratio = min(times["SGDClassifier"]) / min(times["ours"])
    print(f"SGDClassifier    {1e9 * min(times['SGDClassifier']) / X.nnz:6.1f} ns/non-zero  "
          f"{(objective(X, y, b, b0, lam) - optimum) / np.log(2.0):9.2e} above  "
          f"{np.count_nonzero(b):7d} non-zeros  {error(Z, z, b, b0):.4f} error; "
          f"{ratio:.1f} times our FOBOS")  # fmt: skip
    if importlib.util.find_spec("river") is not None:
        for name, seconds in river_passes(X, y, lam, 600):
            print(f"river {name:10} {1e9 * seconds / X[:600].nnz:8.0f} ns/non-zero, 600 rows")
    with tempfile.TemporaryDirectory() as folder:
        compare_files(X, y, lam, folder, repeats)


def river_passes(X, y, lam, n):
    """Yield names and processor times of one pass of river over the first n rows."""
    from river import linear_model, optim

    rows = [dict(zip(X[[i]].indices.tolist(), X[[i]].data.tolist(), strict=True))
            for i in range(n)]  # fmt: skip
    for name, optimizer in (("SGD, l1", optim.SGD(1.0)), ("FTRL", optim.FTRLProximal(l1=lam))):
        penalty = {"l1": lam} if name == "SGD, l1" else {}
        model = linear_model.LogisticRegression(optimizer, **penalty)
        begun = time.process_time()
        for row, label in zip(rows, y[:n], strict=True):
            model.learn_one(row, bool(label))
        yield name, time.process_time() - begun


def compare_files(X, y, lam, folder, repeats):
    """From text to weights, ours and Vowpal Wabbit's, where that is installed."""
    file = f"{folder}/stream.vw"
    with open(file, "w") as stream:
        for i, label in enumerate(y):
            part = slice(X.indptr[i], X.indptr[i + 1])
            cells = [f"{j}:{v:.6f}" for j, v in zip(X.indices[part], X.data[part], strict=True)]
            stream.write(f"{2 * int(label) - 1} | {' '.join(cells)}\n")
    source = TextFile(file, hash_bits=20)
    copy = Cache(source)
    for _ in copy():  # write the binary copy
        pass
    options = {"family": "binomial", "classes": [-1, 1], "lam": lam}
    vw = [sys.executable, "-m", "vowpalwabbit", "-d", file, "-b", "20", "--loss_function",
          "logistic", "--quiet", "--noconstant"]  # fmt: skip

    def run_vw(*method):
        subprocess.run([*vw, *method], check=True)

    runs = {
        "ours, ftrl": lambda: ss.online(source, step=2.0, **options),
        "ours, fobos": lambda: ss.online(source, step=64.0, method="fobos", **options),
        "ours, ftrl, binary copy": lambda: ss.online(copy, step=2.0, **options),
        "ours, fobos, binary copy": lambda: ss.online(copy, step=64.0, method="fobos", **options),
        "vw --ftrl": lambda: run_vw("--ftrl", "--l1", str(lam * len(y))),
        "vw --sgd": lambda: run_vw("--sgd", "--l1", str(lam)),
        "vw --ftrl, cache": lambda: run_vw("--ftrl", "--l1", str(lam * len(y)), *cached),
        "vw --sgd, cache": lambda: run_vw("--sgd", "--l1", str(lam), *cached),
    }
    cached = "--cache_file", f"{file}.cache"
    if importlib.util.find_spec("vowpalwabbit") is not None:
        run_vw("--sgd", "-k", *cached)  # write the cache
    else:
        print("Vowpal Wabbit is not installed")
        runs = {name: run for name, run in runs.items() if name.startswith("ours")}
    times = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            begun = processor_time()
            run()
            times[name].append(processor_time() - begun)
    for name, found in times.items():
        print(f"file to weights, {name:24} {1e9 * min(found) / X.nnz:6.1f} ns/non-zero")


def processor_time():
    """Of this process and of those that it started."""
    mine, theirs = (resource.getrusage(who) for who in (
        resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))  # fmt: skip
    return sum(used.ru_utime + used.ru_stime for used in (mine, theirs))


if __name__ == "__main__":
    main()

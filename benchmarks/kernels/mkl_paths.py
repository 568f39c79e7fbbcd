"""Times multiple kernel learning beside wrappers and EasyMKL, and says how well each predicts.

    python mkl_paths.py real DATA.npz...    accuracy beside EasyMKL and the average kernel
    python mkl_paths.py regression          the same for squared error, on scikit-learn's diabetes
    python mkl_paths.py grid                600 kernels, n = 350: one grid, gap 1e-4, all methods
    python mkl_paths.py threads             n = 2,000, M = 30: one thread against two, GB/s
    python mkl_paths.py memory              n = 4,000, M = 30, float32: peak memory of a path

`--mklpy PYTHON` names an interpreter that has MKLpy; without it EasyMKL is left out. Times are
minima over repeats in one run; ratios matter, seconds do not. See README.md.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from sparsesolve.mkl.symmetric import Symmetric  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve import mkl  # noqa: E402

HERE = Path(__file__).resolve().parent
GRID = 20
EASY = (0.0, 0.1, 0.3, 0.5, 0.8, 1.0)
WIDTHS = (0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 12, 15, 20)


def dense(made):
    return np.array([K if isinstance(K, np.ndarray) else K.Z @ K.Z.T for K in made.items])


def standardised(X, rows):
    spread = X[rows].std(axis=0)
    return (X - X[rows].mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def easy(options, K, y, blocks, grid):
    """Seconds, scores and weights of EasyMKL along its grid, None without MKLpy."""
    if not options.mklpy:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.npz"), Path(folder, "out.npz")
        np.savez(source, K=K, y=y, B=blocks)
        command = [options.mklpy, str(HERE / "mkl_peer.py"), str(source), str(target)]
        subprocess.run([*command, *map(str, grid)], check=True, capture_output=True)
        return dict(np.load(target))


def best(scores, y, choose, test):
    """(accuracy on `test`, index) of the last column that is best on `choose`."""
    right = (scores > 0) == y[:, None]
    k = right.shape[1] - 1 - int(np.argmax(right[choose].mean(axis=0)[::-1]))
    return right[test, k].mean(), k


def real(options):
    """Half of the rows train, a quarter chooses the parameter, a quarter tests."""
    for file in options.files:
        data = np.load(file, allow_pickle=True)
        X, y = np.asarray(data["X"], dtype=float), np.asarray(data["y"])
        y, rows = y == np.unique(y)[-1], []
        for seed in range(options.repeats):
            order = np.random.default_rng(seed).permutation(len(y))
            train, rest = order[: len(y) // 2], order[len(y) // 2 :]
            choose, test = slice(0, len(rest) // 2), slice(len(rest) // 2, None)
            Z = standardised(X, train)
            made = mkl.build_grams(Z[train], mkl.classical(Z), scale="trace")
            K, B = dense(made), np.array(made.between(Z[rest]))
            row = {}
            for norm in ("l1", "lp", "elastic"):
                fit = ss.mkl_path(K, y[train], family="binomial", norm=norm, n_lambdas=30,
                                  tol=1e-4, stop=None)  # fmt: skip
                accuracy, k = best(fit.predict(B), y[rest], choose, test)
                row[norm] = accuracy, fit.df[k]
            fit = ss.mkl_path([K.mean(axis=0)], y[train], family="binomial", norm="l1_squared",
                              n_lambdas=30, tol=1e-4, stop=None)  # fmt: skip
            accuracy, _ = best(fit.predict([B.mean(axis=0)]), y[rest], choose, test)
            row["average kernel"] = accuracy, len(K)
            peer = easy(options, K, y[train].astype(int), B, EASY)
            if peer is not None:
                accuracy, k = best(peer["scores"].T, y[rest], choose, test)
                row["EasyMKL"] = accuracy, np.count_nonzero(peer["weights"][k] > 1e-8)
            rows.append(row)
        print(f"\n{Path(file).stem}: {len(y)} rows, {len(K)} kernels, {len(rows)} splits\n")
        print("| method | accuracy | kernels |\n|---|---|---|")
        for name in rows[0]:
            values = np.array([row[name] for row in rows])
            print(f"| {name} | {values[:, 0].mean():.3f} | {values[:, 1].mean():.0f} |")


def regression(options):
    """R^2 on a quarter of the diabetes data, lambda chosen on another, trained on half."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    rows = []
    for seed in range(options.repeats):
        order = np.random.default_rng(seed).permutation(len(y))
        train, choose, test = np.split(order, [len(y) // 2, 3 * len(y) // 4])
        Z = standardised(X, train)
        made = mkl.build_grams(Z[train], mkl.classical(Z), scale="trace")
        average = [np.mean(dense(made), axis=0)]
        fits = {norm: (ss.mkl_path(made, y[train], norm=norm, n_lambdas=40, tol=1e-5, stop=None),
                       Z[choose], Z[test]) for norm in ("l1", "lp", "elastic")}  # fmt: skip
        fits["average kernel"] = (
            ss.mkl_path(average, y[train], norm="l1_squared", n_lambdas=40, tol=1e-5, stop=None),
            *([np.mean(made.between(Z[part]), axis=0)] for part in (choose, test)),
        )
        fits["lasso on the columns"] = ss.path(Z[train], y[train]), Z[choose], Z[test]
        row = {}
        for name, (fit, first, second) in fits.items():
            k = np.argmin(((fit.predict(first) - y[choose][:, None]) ** 2).mean(axis=0))
            rest = ((fit.predict(second)[:, k] - y[test]) ** 2).mean()
            row[name] = 1.0 - rest / y[test].var(), fit.df[k]
        rows.append(row)
    print(f"diabetes: {len(y)} rows, {len(made)} kernels, {len(rows)} splits\n")
    print("| method | R^2 | kernels |\n|---|---|---|")
    for name in rows[0]:
        values = np.array([row[name] for row in rows])
        print(f"| {name} | {values[:, 0].mean():.3f} | {values[:, 1].mean():.0f} |")


def reweighted_ridge(K, y, lambdas, level, most):
    """The eta trick around scikit-learn's KernelRidge, its gaps, and the steps it took.

    No intercept: y is centred, and so are the kernels.
    """
    from sklearn.kernel_ridge import KernelRidge

    n, eta, gaps, steps = len(y), np.ones(len(K)), [], 0
    null = y @ y / (2 * n)
    for lam in lambdas:
        norms = np.zeros(len(K))
        for _ in range(most):
            steps += 1
            total = np.tensordot(eta, K, axes=1)
            u = KernelRidge(alpha=float(n), kernel="precomputed").fit(total, y).dual_coef_
            s = np.sqrt(np.maximum(np.einsum("i,mij,j->m", u, K, u, optimize=True), 0))
            norms, f = eta * s, total @ u
            primal = ((y - f) ** 2).sum() / (2 * n) + lam * norms.sum()
            v = u * min(1.0, lam / s.max())
            dual = v @ y - n * (v @ v) / 2
            if primal - dual <= level * null:
                break
            eta = np.maximum(norms, 1e-8 * norms.max()) / lam
        gaps.append((primal - dual) / null)
    return np.array(gaps), steps


def grid(options):
    """One problem of about 600 kernels, one grid, gap 1e-4."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(350, 34))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - X[:, 2] * X[:, 3] + 0.5 * rng.normal(size=350)
    pairs = mkl.classical(X, widths=WIDTHS)
    K = dense(mkl.build_grams(X, pairs, scale="trace", centre=True))
    y = (y - y.mean()) / y.std()
    first = ss.mkl_path(K, y, intercept=False, n_lambdas=1).lambdas[0]
    lambdas = first * np.geomspace(1, 0.02, GRID)
    print(f"{len(K)} kernels, n = 350, {GRID} lambdas to 0.02 of the first, gap 1e-4\n")
    say_row("method", "CPU s", "wall s", "worst gap", "steps")
    say_row(*["---"] * 5)
    solvers = ["newton", *([] if options.quick else ["proximal", "block_descent"])]
    for solver in solvers:
        runs = []
        for _ in range(options.repeats):
            start, cpu = time.perf_counter(), time.process_time()
            fit = ss.mkl_path(K, y, intercept=False, lambdas=lambdas, tol=1e-4, solver=solver)
            runs.append((time.process_time() - cpu, time.perf_counter() - start))
        say_row(f"sparsesolve {solver}", *min(runs), fit.gaps.max(), fit.n_iters.sum())
    labels = (y > 0).astype(int)
    start, cpu = time.perf_counter(), time.process_time()
    fit = ss.mkl_path(K, labels, family="binomial", n_lambdas=GRID, tol=1e-4, stop=None)
    say_row("sparsesolve newton, logistic", time.process_time() - cpu,
            time.perf_counter() - start, fit.gaps.max(), fit.n_iters.sum())  # fmt: skip
    peer = easy(options, K, labels, K[:, :1], np.linspace(0, 1, 3 if options.quick else GRID))
    if peer is not None:
        say_row(f"EasyMKL, {GRID} values", peer["seconds"].mean() * GRID, np.nan, np.nan, 0)
    start, cpu = time.perf_counter(), time.process_time()
    gaps, steps = reweighted_ridge(K, y, lambdas, 1e-4, options.steps)
    say_row("eta trick, KernelRidge", time.process_time() - cpu, time.perf_counter() - start,
            gaps.max(), steps)  # fmt: skip
    print(f"\n{np.count_nonzero(gaps > 1e-4)} of {GRID} lambdas missed 1e-4 in {options.steps} "
          "steps of the eta trick")  # fmt: skip


def say_row(name, *cells):
    cells = [f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in cells]
    print("| " + " | ".join([name, *cells]) + " |", flush=True)


def shortest(work, repeats):
    """The least wall time of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def threads(options):
    """The loop over kernels, the factor, and a whole path, by one thread and by two."""
    from sparsesolve.linalg.factors import tiled_cholesky
    from sparsesolve.linalg.threads import one_blas_thread

    n, M, rng = 2000, 30, np.random.default_rng(0)
    X = rng.normal(size=(n, M))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - X[:, 2] + rng.normal(size=n)
    v = rng.normal(size=(1, n))
    print("| work | 1 thread | 2 threads | ratio | |\n|---|---|---|---|---|")
    for dtype in (np.float64, np.float32):
        pairs = [(mkl.gaussian(1.0), m) for m in range(M)]
        K = mkl.build_grams(X, pairs, dtype=np.dtype(dtype).name).items
        stack, name = Symmetric(K), np.dtype(dtype).name
        with one_blas_thread():
            one, two = (
                shortest(lambda t=t, k=stack: k.times(range(M), v, t), options.repeats)
                for t in (1, 2)
            )
            u = v[0].astype(dtype)
            gemv = shortest(lambda: [k @ u for k in K], options.repeats)  # noqa: B023
        read = M * n * (n + 1) / 2 * np.dtype(dtype).itemsize
        rates = f"{read / one / 1e9:.1f} and {read / two / 1e9:.1f} GB/s; "
        rates += f"gemv {2 * read / gemv / 1e9:.1f} GB/s, {gemv / one:.2f} of its time"
        say(f"K_m u, {name}", one, two, rates)
        total = np.empty((n, n))
        one, two = (shortest(lambda t=t: stack.total(range(M), np.ones(M), total, t),  # noqa: B023
                             options.repeats) for t in (1, 2))  # fmt: skip
        say(f"sum of K_m, {name}", one, two)
    matrix = total + n * np.eye(n)
    with one_blas_thread():
        one, two = (shortest(lambda t=t: tiled_cholesky.factorise(matrix.copy(), t),
                             options.repeats) for t in (1, 2))  # fmt: skip
    say("factor", one, two)
    lambdas = ss.mkl_path(K, y, n_lambdas=1).lambdas[0] * np.geomspace(1, 0.1, 10)
    one, two = (shortest(lambda t=t: ss.mkl_path(K, y, lambdas=lambdas, tol=1e-4, n_threads=t),
                         max(1, options.repeats // 10)) for t in (1, 2))  # fmt: skip
    say("path of 10 lambdas, checks included", one, two)


def say(work, one, two, note=""):
    print(f"| {work} | {one * 1e3:.1f} ms | {two * 1e3:.1f} ms | {one / two:.2f} | {note} |")


def memory(options):
    """Peak memory of a path beside the size of the kernels."""
    n, M, rng = 4000, 30, np.random.default_rng(0)
    X = rng.normal(size=(n, M))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - X[:, 2] + rng.normal(size=n)
    made = mkl.build_grams(X, [(mkl.gaussian(1.0), m) for m in range(M)], dtype="float32")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    start = time.perf_counter()
    fit = ss.mkl_path(made, y, n_lambdas=options.lambdas, tol=1e-4)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{fit}\n" if options.quick else f"{fit!r}\n")
    size = made.nbytes / 1e9
    print(f"kernels {size:.2f} GB; peak {before:.2f} GB before the path, {peak:.2f} GB after it: "
          f"{peak / size:.2f} times the kernels; {time.perf_counter() - start:.0f} s")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["real", "regression", "grid", "threads", "memory"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--mklpy")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--lambdas", type=int, default=100)
    parser.add_argument("--steps", type=int, default=400, help="of the eta trick, for a lambda")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    sys.exit(globals()[options.part](options))

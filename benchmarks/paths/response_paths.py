"""Times paths of K responses and of the Cox model beside R's glmnet; see README.md.

    python benchmarks/paths/response_paths.py [--only NAME ...] [--quick] [--out FILE]

Level s of the other scripts: the worst suboptimality over the path is at most 1e-6 of the null
objective, against the best dual bound known for that lambda, from dual points s (Y - mean) / n of
all runs. The Cox model has no such bound here: there it is against the lowest objective that any
run has reached, one of sparsesolve at a tolerance of 1e-9 among them. Both packages have the same
lambdas, an intercept, no standardisation and no early stopping; glmnet is timed inside R.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse  # noqa: E402
import json  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
import problems  # noqa: E402
from response_losses import FAMILIES, TINY, softmax  # noqa: E402
from response_peers import Glmnet  # noqa: E402

LEVEL = 1e-6
OURS = ("sparsesolve", "sparsesolve ladder")


class Problem:
    """Data of one family, the lambdas, and the best bound of every one of them."""

    def __init__(self, family, n, p, K, ratio=1e-2, seed=0):
        rng = np.random.default_rng(seed)
        self.family, self.loss, self.alpha = family, FAMILIES[family], 1.0
        self.name = f"{family} {n} x {p}" + (f" x {K}" if K > 1 else "")
        self.X = problems.autoregressive(n, p, 0.5, rng)
        B = np.zeros((p, K))
        B[rng.choice(p, min(50, p // 2), replace=False)] = rng.standard_normal(
            (min(50, p // 2), K)
        )
        eta = self.X @ B
        eta /= eta.std(axis=0)
        if family == "multigaussian":
            self.y = eta + rng.standard_normal((n, K)) / np.sqrt(3)
            self.Y = self.y = (self.y - self.y.mean(axis=0)) / self.y.std(axis=0)
        elif family == "cox":
            times = rng.exponential(np.exp(-eta[:, 0]))
            self.Y = self.y = np.column_stack([times, rng.random(n) < 0.7]).astype(float)
        else:
            self.y = np.array([rng.choice(K, p=row) for row in softmax(2 * eta)])
            self.Y = np.eye(K)[self.y]
        self.lambdas = self.bounds = None
        self.lambdas = self.solve(1e-3, 100, ratio)[2]
        self.null = self.loss.primal(self.Y, np.zeros((n, K)))[0]
        self.bounds = np.full(100, np.inf if family == "cox" else -np.inf)

    def solve(self, tol, n_lambdas=100, ratio=None):
        """Ours: (wall, cpu, lambdas, coefficients (L, p, K))."""
        import sparsesolve as ss

        family = {"grouped": "multinomial"}.get(self.family, self.family)
        options = (
            {"lambdas": self.lambdas}
            if ratio is None
            else {"n_lambdas": n_lambdas, "lambda_min_ratio": ratio}
        )
        if self.family == "grouped":
            options["grouped"] = True
        wall, cpu = time.perf_counter(), time.process_time()
        fit = ss.path(
            self.X,
            self.y,
            family=family,
            standardize=False,
            tol=tol,
            stop=None,
            n_threads=1,
            **options,
        )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        coefs = [np.transpose(fit.coef(s=lam)) for lam in fit.lambdas] if ratio is None else None
        return wall, cpu, fit.lambdas, coefs

    def measure(self, coefs):
        """Objectives (L,) of coefficients; improves the bounds."""
        n, values = len(self.X), np.empty(len(self.lambdas))
        for k, lam in enumerate(self.lambdas):
            B = np.asarray(coefs[k], dtype=float).reshape(self.X.shape[1], -1)
            loss, R = self.loss.primal(self.Y, self.X @ B)
            sizes = np.sqrt((B**2).sum(axis=1)) if self.loss.tied else np.abs(B)
            values[k] = loss + lam * sizes.sum()
            if R is None:  # the lowest objective, which others may lower
                self.bounds[k] = min(values[k], self.bounds[k])
                continue
            Z = self.X.T @ R / n
            most = np.sqrt((Z**2).sum(axis=1)).max() if self.loss.tied else np.abs(Z).max()
            self.bounds[k] = max(self.bounds[k], self.loss.dual(self.Y, R, lam / max(most, TINY)))
        return values

    def worst(self, values):
        """The certified relative suboptimality of a run."""
        return ((values - self.bounds) / self.null).max()


def climb(q, name, solve, first):
    """Tighten tenfold until the level is met; the last attempt."""
    tol = first
    while tol >= 1e-14:
        wall, cpu, _, coefs = solve(tol)
        run = {"tol": tol, "wall": [wall], "cpu": [cpu], "values": q.measure(coefs)}
        print(f"  {name} at {tol:.0e}: {wall:.3f} s, s {q.worst(run['values']):.1e}", flush=True)
        if q.worst(run["values"]) <= LEVEL:
            return run
        tol = float(f"{tol / 10:.0e}")
    return run


def compare(q, repeats):
    """Both packages on one problem: {name: (median wall, median cpu, tol, s)}."""
    q.measure(q.solve(1e-9)[3])  # for the bounds
    with tempfile.TemporaryDirectory() as folder:
        peer = Glmnet(q, Path(folder), budget=1e4)
        solvers = {
            OURS[0]: (q.solve, 1e-7),
            OURS[1]: (q.solve, 1e-3),
            "glmnet": (peer.solve, 1e-5),
        }
        runs = {name: climb(q, name, *solver) for name, solver in solvers.items()}
        for _ in range(repeats - 1):
            for name, run in runs.items():
                wall, cpu, _, coefs = solvers[name][0](run["tol"])
                run["wall"].append(wall)
                run["cpu"].append(cpu)
                run["values"] = np.maximum(run["values"], q.measure(coefs))
        peer.stop()
    return {
        name: (
            float(np.median(run["wall"])),
            float(np.median(run["cpu"])),
            run["tol"],
            float(q.worst(run["values"])),
        )
        for name, run in runs.items()
    }


PROBLEMS = {
    "multigaussian": ("multigaussian", 1000, 5000, 5),
    "small": ("multigaussian", 150, 50, 3),
    "tall": ("multigaussian", 300, 100, 5),
    "multinomial": ("multinomial", 1500, 2000, 5),
    "grouped": ("grouped", 1500, 2000, 5),
    "cox": ("cox", 1000, 5000, 1, 5e-2),
}
QUICK = {
    name: (family, 150, 200, 1 if family == "cox" else 3, 0.1)
    for name, (family, *_) in PROBLEMS.items()
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small problems, to try the script")
    parser.add_argument("--out", type=Path, help="a JSON file")
    options = parser.parse_args()
    results = {}
    for key in options.only:
        q = Problem(*(QUICK if options.quick else PROBLEMS)[key])
        print(q.name, flush=True)
        results[q.name] = rows = compare(q, options.repeats)
        for name, (wall, cpu, tol, s) in rows.items():
            ratio = rows["glmnet"][0] / wall
            print(
                f"  {name:20} {wall:8.3f} s ({cpu:.3f} cpu) at {tol:.0e}, s {s:.1e}: {ratio:.2f}"
            )
        if options.out:
            options.out.write_text(json.dumps(results, indent=1))

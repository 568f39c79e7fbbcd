"""Paths straight from a .bed file against float32 columns, by process time in one run.

    python benchmarks/genotypes/draw.py FOLDER --samples 5000 --variants 500000
    python benchmarks/genotypes/paths.py FOLDER [--float32] [--families gaussian binomial cox]

Each round solves a path on the mapped file and, with --float32, on the same numbers in memory, in
turn; prints seconds of the process, memory, and sums of coefficients. --cv adds a
cross-validation, --score the scores of all samples by some 200 weights, and --adelie the same
lambdas by adelie on raw columns, with its gap.
"""

import argparse
import resource
import time
from functools import partial
from pathlib import Path

import numpy as np

import sparsesolve as ss


def response(family, y, rng):
    if family == "binomial":
        return (y > np.median(y)).astype(int)
    if family == "cox":
        return np.column_stack([rng.exponential(np.exp(-y)), rng.random(len(y)) < 0.7])
    return y


def timed(function):
    begun = time.process_time()
    result = function()
    return time.process_time() - begun, result


def against_adelie(folder, G, y, options):
    """Print seconds and gaps of a gaussian path of raw columns, by sparsesolve and by adelie."""
    import adelie

    seconds = {}
    for _ in range(2):
        options = {**options, "standardize": False}
        took, fit = timed(partial(ss.path, G, y, **options))
        seconds["sparsesolve"] = min(took, seconds.get("sparsesolve", np.inf))
    file = str(folder / "study.snpdat")
    handler = adelie.io.snp_unphased(file)
    if not Path(file).exists():
        calls = np.empty(G.shape, np.int8, order="F")
        for j in range(0, G.shape[1], 1000):
            block = G[:, np.arange(j, min(j + 1000, G.shape[1]))]
            calls[:, j : j + 1000] = np.where(np.isnan(block), -9, block)
        print(f"adelie's file written in {timed(lambda: handler.write(calls))[0]:.1f} s")
    X = adelie.matrix.snp_unphased(handler, dtype=np.float64)
    glm = adelie.glm.gaussian(y=y)
    for _ in range(2):
        took, state = timed(partial(adelie.grpnet, X=X, glm=glm, lmda_path=fit.lambdas, tol=1e-7,
                                    early_exit=False, progress_bar=False))  # fmt: skip
        seconds["adelie"] = min(took, seconds.get("adelie", np.inf))
    b, lam = state.betas[-1].toarray().ravel(), fit.lambdas[-1]
    used = np.flatnonzero(b)
    r = (y - y.mean()) - (G[:, used] - G[:, used].mean(axis=0)) @ b[used]
    blocks = np.array_split(np.arange(G.shape[1]), 1 + G.shape[1] // 1000)
    most = max(np.abs(G[:, block].T @ (r - r.mean())).max() for block in blocks)
    n, null = len(y), np.mean((y - y.mean()) ** 2) / 2
    dual = r * min(1.0, lam * n / most)
    gap = (r @ r + dual @ dual) / (2 * n) + lam * np.abs(b).sum() - dual @ (y - y.mean()) / n
    words = ", ".join(f"{name} {took:.2f} s" for name, took in seconds.items())
    print(f"raw gaussian, {len(fit.lambdas)} lambdas: {words}; gaps of the last "
          f"{fit.gaps[-1]:.1e} and {gap / null:.1e}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--families", nargs="+", default=["gaussian", "binomial", "cox"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    for name in ("cv", "score", "adelie"):
        parser.add_argument(f"--{name}", action="store_true")
    args = parser.parse_args()
    opened, G = timed(lambda: ss.genotypes(args.folder / "study.bed"))
    print(f"{G}: opened in {opened:.3f} s")
    print(f"counts of all variants {timed(lambda: G.counts)[0]:.3f} s")
    print(f"names {timed(lambda: G.names)[0]:.2f} s")
    y, data = np.load(args.folder / "y.npy"), {"2 bits": G}
    if args.float32:
        loading = time.process_time()
        data["float32"] = np.empty(G.shape, np.float32, order="F")
        for j in range(0, G.shape[1], 1000):
            block = G[:, np.arange(j, min(j + 1000, G.shape[1]))]
            mean = np.nanmean(block, axis=0)
            data["float32"][:, j : j + 1000] = np.where(np.isnan(block), mean, block)
        print(f"float32 loaded in {time.process_time() - loading:.1f} s")
    options = {"dfmax": 205, "lambda_min_ratio": 0.01, "n_threads": args.threads}
    for family in args.families:
        target, seconds, fits = response(family, y, np.random.default_rng(0)), {}, {}
        for _ in range(args.rounds):
            for name, X in data.items():
                took, fits[name] = timed(partial(ss.path, X, target, family=family, **options))
                seconds[name] = min(took, seconds.get(name, np.inf))
        fit = fits["2 bits"]
        words = ", ".join(f"{name} {took:.2f} s" for name, took in seconds.items())
        sums = ", ".join(f"{np.abs(one.coefs[:, [-1]]).sum():.10g}" for one in fits.values())
        print(f"{family}: {words}; {len(fit.lambdas)} lambdas, {fit.df[-1]} active, largest gap "
              f"{fit.gaps.max():.1e}; sums of |b| {sums}")  # fmt: skip
    if args.score:
        weights = fits["2 bits"].coefs[:, [-1]]
        took, _ = timed(lambda: fit.predict(ss.genotypes(args.folder / "study.bed"),
                                            fit.lambdas[-1]))  # fmt: skip
        print(f"scores by {weights.nnz} weights, with names of the file read {took:.2f} s")
    if args.adelie:
        against_adelie(args.folder, G, y, options)
    if args.cv:
        took, _ = timed(lambda: ss.cv_path(G, y, n_folds=5, seed=0, **options))
        print(f"cv_path of 5 folds {took:.2f} s")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    anonymous = next(line for line in open("/proc/self/status") if line.startswith("RssAnon"))
    print(f"peak {usage.ru_maxrss / 1024:.0f} MB; {' '.join(anonymous.split())}")


if __name__ == "__main__":
    main()

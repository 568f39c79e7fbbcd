"""l1 paths of hinge losses, compared with gcdnet and liblinear; quantile paths, with scikit-learn.

    python benchmarks/margin/sparse_peers.py hinge FILE.npz [--gcdnet R_LIBRARY] [--count 30]
    python benchmarks/margin/sparse_peers.py quantile

hinge: FILE.npz holds a CSR matrix (data, indices, indptr, shape) and labels y. Four paths over the
same number of lambdas, down to a hundredth of the first: our hinge and our squared hinge, each
certified; liblinear's squared hinge with an l1 penalty, LinearSVC at each C from cold, of which
the loosest tolerance that comes within 1e-4 of our lower bound counts (its intercept is penalised,
so that both fit none); and gcdnet's hinge with rounded corners (delta 0.01) in R, on dense X, with
its own stop. Losses differ, so that only the squared hinge is compared at equal objectives.
quantile: scikit-learn's QuantileRegressor (a linear programme by HiGHS at each lambda) and our
paths of 20 lambdas, whose objectives are compared with its. Processor time.
"""

import argparse
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from paths import LADDER, read

import sparsesolve as ss

GCDNET = """
library(gcdnet, lib.loc = "{library}")
X <- matrix(readBin("{folder}/x", "double", {n} * {p}), {n}, {p})
y <- readBin("{folder}/y", "double", {n})
lambda <- readBin("{folder}/lambda", "double", {count})
took <- system.time(fit <- gcdnet(X, y, lambda = lambda, method = "hhsvm", delta = 0.01,
                                  standardize = FALSE))
cat(took[1] + took[2], length(fit$lambda), max(fit$df), "\\n")
"""
SHAPES = ((300, 20), (1000, 50), (2000, 100))


def clocked(function):
    """Processor seconds, and what the function returns."""
    began = time.process_time()
    found = function()
    return time.process_time() - began, found


def ours(X, y, family, count, tol):
    """(seconds, path) down to a hundredth of the first lambda, without an intercept."""
    options = {"family": family, "standardize": False, "intercept": False, "tol": tol,
               "n_lambdas": count, "lambda_min_ratio": 0.01, "stop": None}  # fmt: skip
    return clocked(lambda: ss.path(X, y, **options))


def liblinear(X, y, lambdas, bounds, allowed):
    """Seconds of the loosest tolerance within `allowed` of the bound, at each lambda; and misses.

    Its objective is |b|_1 + C sum max(0, 1 - y Xb)^2, ours the mean of half of that square.
    """
    from sklearn.svm import LinearSVC

    n, total, missed = len(y), 0.0, 0
    for lam, bound in zip(lambdas, bounds, strict=True):
        for tol in LADDER[:7]:
            model = LinearSVC(penalty="l1", loss="squared_hinge", dual=False, tol=tol,
                              C=1.0 / (2.0 * lam * n), fit_intercept=False,
                              max_iter=20_000)  # fmt: skip
            seconds, _ = clocked(lambda model=model: model.fit(X, y))
            b = model.coef_[0]
            value = 0.5 * np.square(np.maximum(1 - y * (X @ b), 0)).mean() + lam * np.abs(b).sum()
            if value - bound <= allowed:
                break
        else:
            missed += 1
        total += seconds
    return total, missed


def gcdnet(library, X, y, lambdas):
    """Seconds in R of the path of the rounded hinge, on dense X."""
    with tempfile.TemporaryDirectory() as folder:
        np.asfortranarray(X.toarray()).ravel(order="F").tofile(Path(folder) / "x")
        y.astype(float).tofile(Path(folder) / "y")
        lambdas.tofile(Path(folder) / "lambda")
        script = GCDNET.format(library=library, folder=folder, n=X.shape[0], p=X.shape[1],
                               count=len(lambdas))  # fmt: skip
        done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True,
                              check=True)  # fmt: skip
    seconds, count, df = done.stdout.split()
    return float(seconds), f"{count} lambdas, at most {df} features"


def hinge(file, library, count, tol):
    X, y = read(file, False)
    columns, n = X.tocsc(), len(y)
    for name, family in (("hinge", ss.families.hinge()), ("squared", ss.families.squared_hinge())):
        seconds, fit = ours(columns, y, family, count, tol)
        print(f"ours, {name}: {seconds:.2f} s, {len(fit.lambdas)} lambdas, worst gap "
              f"{fit.gaps.max():.1e}, at most {fit.df.max()} features", flush=True)  # fmt: skip
        if name == "hinge":
            kinked = fit
    bounds = []
    for lam, gap in zip(fit.lambdas, fit.gaps, strict=True):
        b = fit.coef(lam)
        value = 0.5 * np.square(np.maximum(1.0 - y * (X @ b), 0.0)).mean()
        bounds.append(value + lam * np.abs(b).sum() - gap * 0.5)
    theirs, missed = liblinear(X, y, fit.lambdas, bounds, 0.5e-4)
    print(f"liblinear, squared: {theirs:.2f} s, {missed} of {len(fit.lambdas)} not within 1e-4; "
          f"{theirs / seconds:.1f} times ours", flush=True)  # fmt: skip
    if library:
        if n * X.shape[1] > 10**8:
            print("gcdnet takes dense matrices alone: this one is too large and is left out")
            return
        took, told = gcdnet(library, X, y, kinked.lambdas)
        print(f"gcdnet, rounded hinge: {took:.2f} s, {told}")


def quantile(count):
    """Ours and QuantileRegressor at the same lambdas."""
    from sklearn.linear_model import QuantileRegressor

    for n, p in SHAPES:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        y = X[:, :5].sum(axis=1) + rng.standard_t(3, size=n)
        options = {"family": ss.families.quantile(0.7), "standardize": False, "tol": 1e-6,
                   "n_lambdas": count, "lambda_min_ratio": 0.01, "stop": None}  # fmt: skip
        seconds, fit = clocked(lambda X=X, y=y, options=options: ss.path(X, y, **options))
        theirs, worst = 0.0, -np.inf
        for lam in fit.lambdas:
            model = QuantileRegressor(quantile=0.7, alpha=lam, solver="highs")
            theirs += clocked(lambda model=model, X=X, y=y: model.fit(X, y))[0]
            mine, its = (
                np.maximum(0.7 * r, -0.3 * r).mean() + lam * np.abs(b).sum()
                for r, b in ((y - fit.predict(X, s=lam), fit.coef(lam)),
                             (y - model.predict(X), model.coef_)))  # fmt: skip
            worst = max(worst, (mine - its) / (fit.null_deviance / (2 * n)))
        print(f"quantile {n} x {p}: ours {seconds:.3f} s (worst gap {fit.gaps.max():.1e}, at most "
              f"{worst:.1e} above), QuantileRegressor {theirs:.2f} s: "
              f"{theirs / seconds:.1f} times", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", choices=("hinge", "quantile"))
    parser.add_argument("file", nargs="?")
    parser.add_argument("--gcdnet", help="the R library that holds gcdnet")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--tol", type=float, default=1e-5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.question == "quantile":
        quantile(20)
    elif options.file is None:
        parser.error("hinge asks for FILE.npz")
    else:
        hinge(options.file, options.gcdnet, options.count, options.tol)


if __name__ == "__main__":
    main()

"""Structured norms: proxes, and paths compared with other packages and with problems by hand.

    python benchmarks/structured/norms.py [prox | maps | slope | concave | sparse]
        [--fastprox PYTHON] [--r-library FOLDER]

Processor time of one thread, minima of interleaved runs; ratios are what counts. Peers that are
installed beside the package are run (prox_tv, sortedl1, skglm); fastprox needs a Python of its
own, ncvreg and grpreg the folder of their R library. Those that are not there are left out.
"""

import argparse
import importlib
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sparsesolve.penalties.prox.chains import prox_chain
from sparsesolve.penalties.prox.ordered import prox_sorted
from threadpoolctl import threadpool_limits

import sparsesolve as ss
from sparsesolve import penalties, prox

FASTPROX = """
import sys, time, numpy as np, fastprox
x, what, t = np.load(sys.argv[1]), sys.argv[2], float(sys.argv[3])
call = {
    "tv": lambda: fastprox.tv1d(x, t, threads=1),
    "slope": lambda: fastprox.SortedL1(np.linspace(2 * t, 0, len(x))).prox(x),
    "ball": lambda: fastprox.project_l1_ball(x, t, threads=1),
    "trace": lambda: fastprox.NuclearNorm(t).prox(x),
}[what]
best = 1e300
for _ in range(3):
    begun = time.process_time(); call(); best = min(best, time.process_time() - begun)
print(best)
"""
R = """
args <- commandArgs(TRUE); .libPaths(args[1]); n <- 500; p <- 5000
X <- matrix(readBin(args[2], "double", n * p), n); y <- readBin(args[3], "double", n)
suppressMessages({library(ncvreg); library(grpreg)})
best <- Inf
for (k in 1:2) {
    t <- system.time(f <- switch(args[4],
        MCP = ncvreg(X, y, penalty = "MCP", gamma = 3, lambda.min = .05),
        SCAD = ncvreg(X, y, penalty = "SCAD", gamma = 3.7, lambda.min = .05),
        binomial = ncvreg(X, as.numeric(y > 0), family = "binomial", penalty = "MCP", gamma = 3,
                          lambda.min = .05),
        group = grpreg(X, y, group = rep(1:1000, each = 5), penalty = "grMCP", lambda.min = .05)))
    best <- min(best, t[1] + t[2])
}
writeBin(c(best, length(f$lambda), f$lambda, as.vector(f$beta)), args[5])
"""


def peer(name):
    """The module of that name, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def timed(calls, rounds=3):
    """Least processor time of each call, interleaved; a call may return its own."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            begun = time.process_time()
            own = call()
            spent = own if isinstance(own, float) else time.process_time() - begun
            best[name] = min(best[name], spent)
    return best


def shown(what, best):
    """A line: seconds, and how many times ours fit into each."""
    own = best["sparsesolve"]
    cells = [f"{name} {value:.4f} ({value / own:.2f}x)" for name, value in best.items()]
    print(f"{what:38s}" + "  ".join(cells), flush=True)


def by_fastprox(args, x, what, t):
    """The call that times fastprox in its own Python, or nothing."""
    if args.fastprox is None:
        return {}
    file = Path(args.folder) / f"{what}.npy"
    np.save(file, x)
    words = [args.fastprox, "-c", FASTPROX, str(file), what, str(t)]
    return {"fastprox": lambda: float(subprocess.check_output(words))}


def proxes(args, n=1_000_000):
    """Proximal operators of a million numbers."""
    rng = np.random.default_rng(0)
    y = np.cumsum(rng.standard_normal(n)) + 3 * rng.standard_normal(n)
    proxtv = peer("prox_tv")
    for lam in (0.1, 1.0, 10.0, 100.0, 1e3, 1e4):
        calls = {"sparsesolve": lambda lam=lam: prox_chain(y, lam)}
        if proxtv:
            calls["proxtv"] = lambda lam=lam: proxtv.tv1_1d(y, lam)
        shown(f"TV, lambda {lam:g}", timed({**calls, **by_fastprox(args, y, "tv", lam)}))
    v, w = rng.standard_normal(n), np.linspace(2, 0, n)
    size = np.abs(v)
    calls = {"sparsesolve": lambda: prox_sorted(v, 0.5, w), "sort": lambda: np.sort(size)}
    shown("SLOPE", timed({**calls, **by_fastprox(args, v, "slope", 0.5)}))
    for r in (1e3, 1e5):
        calls = {"sparsesolve": lambda r=r: prox.project_l1(v, r)}
        shown(f"l1 ball, radius {r:g}", timed({**calls, **by_fastprox(args, v, "ball", r)}))
    B = rng.standard_normal((1000, 500))
    trace = penalties.TraceNorm(B.shape)
    calls = {"sparsesolve": lambda: trace.prox(B.ravel(), 20.0),
             "SVD": lambda: np.linalg.svd(B, full_matrices=False)}  # fmt: skip
    shown("trace norm 1000 x 500", timed({**calls, **by_fastprox(args, B, "trace", 20.0)}, 2))


def maps(args, n=200, p=2000):
    """Paths by maps, compared with the same problems on columns formed by hand."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    beta = np.zeros(p)
    beta[100:300], beta[700:750] = 0.3, -1.0
    y = X @ beta + 2 * rng.standard_normal(n)
    factors = np.r_[0.0, np.ones(p - 1)]
    for family, response in (("gaussian", y), ("binomial", y > 0)):
        fused = {"family": family, "penalty": penalties.TotalVariation(), "stop": None}
        hand = {"family": family, "penalty_factor": factors, "standardize": False, "stop": None}

        def by_hand(response=response, options=hand):
            columns = np.asfortranarray(np.cumsum(X[:, ::-1], axis=1)[:, ::-1])
            ss.path(columns, response, **options)

        calls = {"sparsesolve": lambda r=response, o=fused: ss.path(X, r, **o), "by hand": by_hand}
        shown(f"fused {family} {n} x {p}, 100 lambdas", timed(calls, 5))
    groups = [list(range(k * 10, k * 10 + 20)) for k in range(p // 10 - 1)]
    columns = np.concatenate(groups)
    copies, labels = np.asfortranarray(X[:, columns]), np.repeat(range(len(groups)), 20)
    latent, plain = penalties.LatentGroupL2(groups), penalties.GroupL2(labels)
    calls = {"sparsesolve": lambda: ss.path(X, y, penalty=latent),
             "copied": lambda: ss.path(copies, y, penalty=plain, standardize=False)}  # fmt: skip
    shown(f"latent groups {n} x {p}", timed(calls))


def data(n=500, p=5000):
    """Independent columns, 20 of them active."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    return X, X[:, :20] @ rng.standard_normal(20) + 2 * rng.standard_normal(n)


def slope(args):
    """SLOPE at a gap of 1e-7 of the null objective, on the same lambdas."""
    X, y = data()
    penalty, sortedl1 = penalties.Slope(), peer("sortedl1")
    fit = ss.path(X, y, penalty=penalty, lambda_min_ratio=0.1, stop=None)
    options = {"penalty": penalty, "lambdas": fit.lambdas}
    calls = {"sparsesolve": lambda: ss.path(X, y, **options)}
    calls["fista"] = lambda: ss.path(X, y, solver="fista", **options)
    if sortedl1:
        weights = penalty.over(X.shape[1])._w
        model = sortedl1.Slope(lam=weights, tol=1e-7)
        calls["sortedl1"] = lambda: (model.path(X, y, alphas=fit.lambdas, tol_dev_change=0.0), 0)
    shown(f"SLOPE 500 x 5,000, {len(fit.lambdas)} lambdas", timed(calls, 1))


def concave(args):
    """MCP and SCAD against ncvreg, objectives too; groups against grpreg."""
    X, y = data()
    X = np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0))
    cases = {
        "MCP": (penalties.MCP(3.0), "gaussian", y), "SCAD": (penalties.SCAD(3.7), "gaussian", y),
        "binomial": (penalties.MCP(3.0), "binomial", y > 0),
        "group": (penalties.MCP(3.0, groups=np.repeat(range(1000), 5)), "gaussian", y),
    }  # fmt: skip
    for name, (penalty, family, response) in cases.items():
        options = {"penalty": penalty, "family": family, "lambda_min_ratio": 0.05}
        calls = {"sparsesolve": lambda r=response, o=options: ss.path(X, r, **o)}
        found = {}
        if args.r_library:
            calls["R"] = lambda name=name, found=found: by_r(args, X, y, name, found)
        shown(f"{name} 500 x 5,000, to 0.05", timed(calls, 1 if name == "group" else 2))
        if name in ("MCP", "SCAD") and found:
            lambdas, beta = found["lambdas"], found["beta"]
            fit = ss.path(X, y, penalty=penalty, lambdas=lambdas)
            ours = [_objective(X, y, fit.coef(lam), fit.intercepts[k], penalty, lam)
                    for k, lam in enumerate(lambdas)]  # fmt: skip
            theirs = [_objective(X, y, beta[1:, k], beta[0, k], penalty, lam)
                      for k, lam in enumerate(lambdas)]  # fmt: skip
            share = np.mean(np.array(ours) <= np.array(theirs) * (1 + 1e-6))
            print(f"    objective no worse than ncvreg's at {100 * share:.0f} % of lambdas")


def _objective(X, y, b, intercept, penalty, lam):
    return 0.5 * np.mean((y - X @ b - intercept) ** 2) + penalty.value(b, lam)


def by_r(args, X, y, name, found):
    """Seconds of R; its lambdas and coefficients go into `found`."""
    files = [str(Path(args.folder) / f) for f in ("x.bin", "y.bin", "out.bin")]
    X.T.tofile(files[0]), y.tofile(files[1])
    words = ["Rscript", "-e", R, args.r_library, *files[:2], name, files[2]]
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    out = np.fromfile(files[2])
    count = int(out[1])
    found["lambdas"] = out[2 : 2 + count]
    found["beta"] = out[2 + count :].reshape(count, -1).T
    return float(out[0])


def large_sparse(args, n=20_000, p=5_000):
    """A fused logistic path of a sparse X whose cumulated columns would fill in."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((n, p), density=0.005, rng=rng, format="csc")
    beta = np.zeros(p)
    beta[1000:1500], beta[3000:3200] = 1.0, -2.0
    y = X @ beta + rng.logistic(size=n) > 0
    begun = time.process_time()
    fit = ss.path(
        X, y, family="binomial", penalty=penalties.TotalVariation(), n_lambdas=30,
        lambda_min_ratio=0.1,
    )  # fmt: skip
    spent = time.process_time() - begun
    jumps = (np.abs(np.diff(fit.coefs.toarray(), axis=0)) > 1e-9).sum(axis=0)
    print(f"fused logistic, sparse {n} x {p}, {len(fit.lambdas)} lambdas: {spent:.2f} s, worst "
          f"gap {fit.gaps.max():.1e}, jumps at the end {jumps[-1]}")  # fmt: skip


RUNS = {"prox": proxes, "maps": maps, "slope": slope, "concave": concave, "sparse": large_sparse}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="*", default=list(RUNS))
    parser.add_argument("--fastprox", metavar="PYTHON")
    parser.add_argument("--r-library", metavar="FOLDER")
    args = parser.parse_args()
    with threadpool_limits(1), tempfile.TemporaryDirectory() as args.folder:
        for chosen in args.runs:
            RUNS[chosen](args)

"""Structured norms: proxes, and paths against the same problems posed by hand.

    python benchmarks/structured_norms.py [prox | paths | sparse]

Processor time of one thread, minima of interleaved runs; ratios are what counts. Peers that are
installed (proxtv, fastprox, sortedl1) are run beside; those that are not are left out.
"""

import sys
import time

import numpy as np
from scipy import sparse
from sparsesolve.prox.chains import prox_chain
from sparsesolve.prox.ordered import prox_sorted

import sparsesolve as ss
from sparsesolve import penalties, prox


def timed(calls, rounds=3):
    """Least processor time of each call, interleaved."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            begun = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - begun)
    return best


def shown(what, best):
    """Print a line."""
    print(f"{what:44s}" + "  ".join(f"{name} {value:.4f}" for name, value in best.items()))


def proxes(n=1_000_000):
    """Proximal operators of a million numbers."""
    rng = np.random.default_rng(0)
    y = np.cumsum(rng.standard_normal(n)) + 3 * rng.standard_normal(n)
    for lam in (0.1, 1.0, 10.0, 100.0, 1e3, 1e4):
        calls = {"sparsesolve": lambda lam=lam: prox_chain(y, lam), "copy": y.copy}
        try:
            import prox_tv

            calls["proxtv"] = lambda lam=lam: prox_tv.tv1_1d(y, lam)
        except ImportError:
            pass
        shown(f"total variation, lambda {lam:g}", timed(calls))
    v, w = rng.standard_normal(n), np.linspace(2, 0, n)
    size = np.abs(v)
    shown("SLOPE", timed({"sparsesolve": lambda: prox_sorted(v, 0.5, w), "sort": size.argsort}))
    for r in (1e3, 1e5):
        shown(f"l1 ball, radius {r:g}", timed({"sparsesolve": lambda r=r: prox.project_l1(v, r)}))
    B = rng.standard_normal((1000, 500))
    trace = penalties.TraceNorm(B.shape)
    calls = {
        "sparsesolve": lambda: trace.prox(B.ravel(), 20.0),
        "SVD": lambda: np.linalg.svd(B, full_matrices=False),
    }
    shown("trace norm 1000 x 500", timed(calls, 2))


def paths(n=200, p=2000):
    """Paths by maps, beside the same problems on columns that are formed by hand."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    beta = np.zeros(p)
    beta[100:300], beta[700:750] = 0.3, -1.0
    y = X @ beta + 2 * rng.standard_normal(n)
    factors = np.r_[0.0, np.ones(p - 1)]
    L = np.asfortranarray(np.cumsum(X[:, ::-1], axis=1)[:, ::-1])
    for family, response in (("gaussian", y), ("binomial", y > 0)):
        fused = {"family": family, "penalty": penalties.TotalVariation(), "stop": None}
        hand = {"family": family, "penalty_factor": factors, "standardize": False, "stop": None}
        calls = {
            "sparsesolve": lambda r=response, o=fused: ss.path(X, r, **o),
            "by hand": lambda r=response, o=hand: ss.path(L, r, **o),
        }
        shown(f"fused {family} {n} x {p}, 100 lambdas", timed(calls))
    groups = [list(range(k * 10, k * 10 + 20)) for k in range(p // 10 - 1)]
    columns = np.concatenate(groups)
    copies, labels = np.asfortranarray(X[:, columns]), np.repeat(range(len(groups)), 20)
    calls = {
        "sparsesolve": lambda: ss.path(X, y, penalty=penalties.LatentGroupL2(groups)),
        "copied": lambda: ss.path(
            copies, y, penalty=penalties.GroupL2(labels), standardize=False
        ),
    }
    shown(f"latent groups {n} x {p}", timed(calls))
    Z = rng.standard_normal((500, 5000))
    t = Z[:, :20] @ rng.standard_normal(20) + 2 * rng.standard_normal(500)
    for penalty in (penalties.MCP(), penalties.SCAD()):
        call = {"sparsesolve": lambda q=penalty: ss.path(Z, t, penalty=q, lambda_min_ratio=0.05)}
        shown(f"{type(penalty).__name__} 500 x 5,000, 100 lambdas to 0.05", timed(call, 1))


def large_sparse(n=20_000, p=5_000):
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


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["prox", "paths", "sparse"]
    for name, run in (("prox", proxes), ("paths", paths), ("sparse", large_sparse)):
        if name in chosen:
            run()

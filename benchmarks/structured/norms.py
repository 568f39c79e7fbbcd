"""Proximal operators of a million numbers: chains by level of t, sorted and l1 norms, trace norm.

    python benchmarks/structured/norms.py

Processor time of one thread, minima of interleaved runs, compared with what each cannot do
without: a sort, a decomposition; for chains with proxTV where it is installed. Read ratios.
"""

import argparse
import importlib.util
import time

import numpy as np
from sparsesolve.penalties.prox.chains import prox_chain
from sparsesolve.penalties.prox.ordered import prox_sorted
from threadpoolctl import threadpool_limits

from sparsesolve import penalties
from sparsesolve.penalties import prox


def shown(what, calls, rounds=3):
    """Print the least seconds of each call, run in turn, and how many times ours fit in them."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            begun = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - begun)
    cells = [f"{name} {value:.4f} ({value / best['sparsesolve']:.2f}x)"
             for name, value in best.items()]  # fmt: skip
    print(f"{what:38s}" + "  ".join(cells), flush=True)


def main(n=1_000_000):
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    rng = np.random.default_rng(0)
    y = np.cumsum(rng.standard_normal(n)) + 3 * rng.standard_normal(n)
    for lam in (0.1, 1.0, 10.0, 100.0, 1e3, 1e4):
        calls = {"sparsesolve": lambda lam=lam: prox_chain(y, lam)}
        if importlib.util.find_spec("prox_tv"):
            import prox_tv

            calls["proxtv"] = lambda lam=lam: prox_tv.tv1_1d(y, lam)
        shown(f"TV, lambda {lam:g}", calls)
    v, w = rng.standard_normal(n), np.linspace(2, 0, n)
    size = np.abs(v)
    sort = {"sort": lambda: np.sort(size)}
    shown("SLOPE", {"sparsesolve": lambda: prox_sorted(v, 0.5, w), **sort})
    for r in (1e3, 1e5):
        shown(f"l1 ball, radius {r:g}", {"sparsesolve": lambda r=r: prox.project_l1(v, r), **sort})
    B = rng.standard_normal((1000, 500))
    trace = penalties.TraceNorm(B.shape)
    shown("trace norm 1000 x 500", {"sparsesolve": lambda: trace.prox(B.ravel(), 20.0),
                                    "SVD": lambda: np.linalg.svd(B, full_matrices=False)}, 2)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()

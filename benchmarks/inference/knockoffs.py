"""False discovery rate and power of knockoffs over many draws: the long law of the tests.

python benchmarks/inference/knockoffs.py [draws] prints FDR +- standard error and power at q = .2,
n = 180, p = 60, 15 true features, AR(.5); and seconds of MVR distances at p = 1,000.
"""

import sys
import time

import numpy as np

import sparsesolve as ss
from sparsesolve.inference.knockoff_design import distances

N, P, Q = 180, 60, 0.2
S = 0.5 ** np.abs(np.subtract.outer(np.arange(P), np.arange(P)))
CASES = {
    "model-X, MVR, difference": ({}, "gaussian"),
    "model-X, equi, difference": ({"construct": "equi"}, "gaussian"),
    "model-X, MVR, entry": ({"statistic": "entry"}, "gaussian"),
    "fixed-X, MVR, entry": ({"covariance": "fixed"}, "gaussian"),
    "known covariance, difference": ({"covariance": S}, "gaussian"),
    "5 draws, difference": ({"draws": 5}, "gaussian"),
    "binomial, difference": ({}, "binomial"),
}


def drawn(seed, family):
    """Return (X, y, the true features)."""
    rng = np.random.default_rng([11, seed])
    X = rng.normal(size=(N, P)) @ np.linalg.cholesky(S).T
    true = rng.choice(P, 15, replace=False)
    eta = X[:, true] @ (0.4 * rng.choice([-1.0, 1.0], 15))
    if family == "binomial":
        return X, (rng.random(N) < 1 / (1 + np.exp(-2.5 * eta))).astype(int), true
    return X, eta + rng.normal(size=N), true


def run(draws, cases=CASES):
    """Return {case: (FDR, its standard error, power)}."""
    found = {}
    for name, (options, family) in cases.items():
        false, power = [], []
        for seed in range(draws):
            X, y, true = drawn(seed, family)
            chosen = ss.inference.knockoffs(X, y, Q, seed=seed, family=family, **options).selected
            hits = np.isin(chosen, true).sum()
            false.append((len(chosen) - hits) / max(1, len(chosen)))
            power.append(hits / len(true))
        found[name] = np.mean(false), np.std(false) / np.sqrt(draws), np.mean(power)
    return found


if __name__ == "__main__":
    for name, (fdr, error, power) in run(int(sys.argv[1]) if len(sys.argv) > 1 else 40).items():
        print(f"{name:32s} FDR {fdr:.3f} +- {error:.3f}   power {power:.2f}", flush=True)
    big = 0.5 ** np.abs(np.subtract.outer(np.arange(1000), np.arange(1000)))
    start = time.process_time()
    distances(big)
    print(f"MVR at p = 1,000: {time.process_time() - start:.2f} s")

"""False discovery rate and power of knockoffs over many draws: the long law of the tests.

python benchmarks/inference/knockoffs.py [draws] [fdr] prints FDR +- standard error and power, by
default at q = .2, with n = 180, p = 60, 15 true features, AR(.5).
"""

import argparse

import numpy as np

import sparsesolve as ss

N, P = 180, 60
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


def run(draws, fdr):
    """Return {case: (FDR, its standard error, power)}."""
    found = {}
    for name, (options, family) in CASES.items():
        false, power = [], []
        for seed in range(draws):
            X, y, true = drawn(seed, family)
            chosen = ss.inference.knockoffs(X, y, fdr, seed=seed, family=family,
                                            **options).selected  # fmt: skip
            hits = np.isin(chosen, true).sum()
            false.append((len(chosen) - hits) / max(1, len(chosen)))
            power.append(hits / len(true))
        found[name] = np.mean(false), np.std(false) / np.sqrt(draws), np.mean(power)
    return found


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("draws", type=int, nargs="?", default=40)
    asked.add_argument("fdr", type=float, nargs="?", default=0.2)
    for name, (false, error, power) in run(**vars(asked.parse_args())).items():
        print(f"{name:32s} FDR {false:.3f} +- {error:.3f}   power {power:.2f}", flush=True)

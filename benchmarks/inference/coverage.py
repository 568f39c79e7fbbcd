"""Coverage, length and uniformity of intervals over many draws: the long law of the tests.

python benchmarks/inference/coverage.py [draws] prints for each case the share of 90 % intervals
that cover the coefficient of the best fit on the features chosen, four binomial errors with draws
as clusters, the Kolmogorov-Smirnov p-value of one pivot a draw, the median and the 90 % point of
the length over the standard error, and refit's coverage on the same rows.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from scipy import stats

import sparsesolve as ss

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "oracles"))

from inference_draws import STRONGER, Coverage, best_fit, tables  # noqa: E402

LEVEL = 0.9
CASES = {  # name: (method, family, n, p, rho, lambda, options)
    "selective gaussian": ("selective", "gaussian", 100, 50, 0.5, 0.2, {}),
    "selective gaussian rho .9": ("selective", "gaussian", 100, 50, 0.9, 0.2, {}),
    "selective elastic net": ("selective", "gaussian", 100, 50, 0.5, 0.25, {"alpha": 0.5}),
    "carve gaussian, sigma known": ("carve", "gaussian", 100, 50, 0.5, 0.2, {}),
    "carve gaussian, estimated": ("carve", "gaussian", 100, 50, 0.5, 0.2, {"given": None}),
    "selective binomial": ("selective", "binomial", 300, 20, 0.5, 0.03, {}),
    "carve binomial": ("carve", "binomial", 300, 20, 0.5, 0.03, {}),
    "carve binomial, 1,500 rows": ("carve", "binomial", 1500, 20, 0.5, 0.02, {}),
    "selective poisson": ("selective", "poisson", 300, 20, 0.5, 0.08, {}),
    "carve poisson": ("carve", "poisson", 300, 20, 0.5, 0.08, {}),
    "selective cox": ("selective", "cox", 300, 20, 0.5, 0.06, {}),
    "carve cox": ("carve", "cox", 300, 20, 0.5, 0.06, {}),
    "carve probit": ("carve", "probit", 300, 20, 0.5, 0.06, {}),
    "carve cloglog": ("carve", "cloglog", 300, 20, 0.5, 0.06, {}),
    "carve negative binomial": ("carve", "negative_binomial(2)", 300, 20, 0.5, 0.06, {}),
}


def run(method, family, n, p, rho, lam, options, draws):
    """Return the figures of one case."""
    ours, naive, lengths, found = Coverage(), Coverage(), [], []
    scale = STRONGER.get(family, 1.0) if family != "binomial" else 1.0
    for seed, (table, pivot, truth, (X, eta, y)) in enumerate(
            tables(method, family, n, p, rho, lam, draws, scale=scale, **options)):  # fmt: skip
        ours.add((table.lower <= truth) & (truth <= table.upper))
        lengths += ((table.upper - table.lower) / table.errors).tolist()
        found.append(pivot[seed % len(pivot)])
        fit = ss.path(X, y, family=family, lambdas=[lam])
        if not fit.df[0]:
            continue
        plain = ss.refit(fit, X, y, lam, level=LEVEL)
        kept = plain.features >= 0
        truth = best_fit(X, eta, plain.features[kept])
        naive.add((plain.lower[kept] <= truth) & (truth <= plain.upper[kept]))
    return (ours.share, 4 * ours.error, ours.of, stats.kstest(found, "uniform").pvalue,
            np.median(lengths), np.quantile(lengths, 0.9), naive.share)  # fmt: skip


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("draws", type=int, nargs="?", default=500)
    draws = asked.parse_args().draws
    print("case", " " * 24, "cover +-4se, of, KS, length: median and 90 %, refit")
    for name, case in CASES.items():
        start = time.process_time()
        share, error, of, p, middle, high, plain = run(*case, draws)
        print(f"{name:28s}  {share:.3f} {error:.3f}  {of:5d}  {p:6.4f}  {middle:6.1f} {high:6.1f}"
              f"          {plain:.3f}  ({time.process_time() - start:.0f} s)",
              flush=True)  # fmt: skip

"""Coverage, length and uniformity of intervals over many draws: the long law of the tests.

python benchmarks/inference/coverage.py [draws] prints for each case the share of 90 % intervals
that cover the coefficient of the best fit on the features chosen, four binomial errors with draws
as clusters, the Kolmogorov-Smirnov p-value of one pivot a draw, the median and the 90 % point of
the length over the standard error, and refit's coverage on the same rows.
"""

import sys
import time

import numpy as np
from scipy import special, stats

import sparsesolve as ss
from sparsesolve import inference

LEVEL = 0.9
CASES = {  # name: (method, family, n, p, rho, lambda, options)
    "selective gaussian": ("selective", "gaussian", 100, 50, 0.5, 0.2, {}),
    "selective gaussian rho .9": ("selective", "gaussian", 100, 50, 0.9, 0.2, {}),
    "selective elastic net": ("selective", "gaussian", 100, 50, 0.5, 0.25, {"alpha": 0.5}),
    "carve gaussian, sigma known": ("carve", "gaussian", 100, 50, 0.5, 0.2, {"sigma": 1.0}),
    "carve gaussian, estimated": ("carve", "gaussian", 100, 50, 0.5, 0.2, {}),
    "selective binomial": ("selective", "binomial", 300, 20, 0.5, 0.03, {}),
    "carve binomial": ("carve", "binomial", 300, 20, 0.5, 0.03, {}),
    "carve poisson": ("carve", "poisson", 300, 20, 0.5, 0.08, {}),
    "carve cox": ("carve", "cox", 300, 20, 0.5, 0.06, {}),
}


def drawn(rng, family, n, p, rho):
    """Return (X, linear predictor, y)."""
    L = np.linalg.cholesky(rho ** np.abs(np.subtract.outer(np.arange(p), np.arange(p))))
    X = rng.normal(size=(n, p)) @ L.T
    eta = X[:, :3] @ [0.6, -0.4, 0.4]
    if family == "gaussian":
        return X, eta, eta + rng.normal(size=n)
    if family == "binomial":
        return X, eta, (rng.random(n) < special.expit(eta)).astype(int)
    if family == "poisson":
        return X, eta, rng.poisson(np.exp(eta))
    return X, eta, np.column_stack([rng.exponential(np.exp(-eta)), rng.random(n) < 0.7])


def run(method, family, n, p, rho, lam, options, draws):
    """Return the figures of one case."""
    covered, lengths, naive, pivots, refused = [], [], [], [], 0
    for seed in range(draws):
        rng = np.random.default_rng([31, seed])
        X, eta, y = drawn(rng, family, n, p, rho)
        try:
            if method == "carve":
                table = inference.carve(X, y, lam, family=family, level=LEVEL, seed=seed,
                                        **options)  # fmt: skip
            else:
                fit = ss.path(X, y, family=family, lambdas=[lam], **options)
                known = {"sigma": 1.0} if family == "gaussian" else {}
                table = inference.selective(fit, X, y, lam, level=LEVEL, **known)
        except ValueError:
            refused += 1
            continue
        E = table.features
        if not len(E) or (family != "gaussian" and not {0, 1, 2} <= set(E)):
            continue  # of other families the best fit is known where all are chosen
        A = np.column_stack([np.ones(n), X[:, E]])
        truth = np.linalg.lstsq(A, eta, rcond=None)[0][1:]
        inside = (table.lower <= truth) & (truth <= table.upper)
        covered.append([inside.sum(), len(E)])
        lengths += ((table.upper - table.lower) / table.errors).tolist()
        k = int(rng.integers(len(E)))
        shifted = _pivot(table, k, truth[k])
        pivots += [] if shifted is None else [shifted]
        rest = ss.path(X, y, family=family, lambdas=[lam])
        if rest.df[0]:
            plain = ss.refit(rest, X, y, lam, level=LEVEL)
            kept = plain.features >= 0
            A = np.column_stack([np.ones(n), X[:, plain.features[kept]]])
            truth = np.linalg.lstsq(A, eta, rcond=None)[0][1:]
            inside = (plain.lower[kept] <= truth) & (truth <= plain.upper[kept])
            naive.append([inside.sum(), kept.sum()])
    covered, naive = np.array(covered), np.array(naive)
    share = covered[:, 0].sum() / covered[:, 1].sum()
    spread = covered[:, 0] - share * covered[:, 1]
    error = np.sqrt((spread**2).sum()) / covered[:, 1].sum()
    return (share, 4 * error, covered[:, 1].sum(), stats.kstest(pivots, "uniform").pvalue if pivots
            else np.nan, np.median(lengths), np.quantile(lengths, 0.9),
            naive[:, 0].sum() / naive[:, 1].sum(), refused)  # fmt: skip


def _pivot(table, k, truth):
    """Return F at the true coefficient of a selective table (its law is in it), else None."""
    if table.method != "selective":
        return None
    from sparsesolve.inference.truncated import Truncated

    law = Truncated(*(np.array([value]) for value in (
        table.estimates[k], table.errors[k] ** 2, *table.truncation[k])))  # fmt: skip
    return float(special.expit(law.logit(np.array([truth])))[0])


if __name__ == "__main__":
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print("case", " " * 24, "cover +-4se, of, KS, length: median and 90 %, refit, refused")
    for name, case in CASES.items():
        start = time.process_time()
        share, error, of, p, middle, high, plain, refused = run(*case, draws)
        print(f"{name:28s}  {share:.3f} {error:.3f}  {of:5d}  {p:5.2f}  {middle:6.1f} {high:6.1f}"
              f"          {plain:.3f}  {refused}  ({time.process_time() - start:.0f} s)",
              flush=True)  # fmt: skip

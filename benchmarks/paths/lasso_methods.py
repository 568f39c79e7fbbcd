"""The methods of Bach et al. 2012, section 8.1, on the lasso: where does each win?

lasso_methods.py [--seconds 10] [--out lasso_methods] [--only small medium] [--correlation high]:
two scales (200 x 200, 2,000 x 10,000), low and high correlation of the columns, low and high
regularisation; objective against time of LARS (ours and scikit-learn's), coordinate descent
(scikit-learn's), ISTA, FISTA, SpaRSA, reweighted l2, subgradient descent, and sparsesolve's own
choice, as Figures 13 and 14 draw it. Writes lasso_methods.png and prints the orders.

Rows are normal, in the high-correlation case with one common factor that makes the columns'
average absolute correlation eight times that of independent ones; y = X b + noise of a hundredth
of the signal's variance, b with 50% (low regularisation) or 1% (high) of min(n, p) coefficients.
lam is where as many columns are active along the path. Columns are centred and of norm sqrt(n);
LARS, being exact, is one point, for the path from lambda_max to lam.
"""

import argparse
import time
import warnings

import numpy as np
from convergence import (
    Trace,
    best_steps,
    down_a_path,
    draw,
    largest_level,
    table,
    watch,
    watch_restarts,
)
from sklearn.linear_model import Lasso, lars_path
from threadpoolctl import threadpool_limits

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.paths.assembly import read_problem

SCALES = {"small": (200, 200), "medium": (2000, 10_000)}
SPARSITY = {"low": 0.5, "high": 0.01}
METHODS = ["ista", "fista", "sparsa", "reweighted", "subgradient"]
SEED = 5


def generate(n, p, correlated, sparsity):
    """Standardised X (n, p) and centred y of variance about 1."""
    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((n, p))
    if correlated:
        share = min(8 * np.sqrt(2 / (np.pi * n)), 0.9)
        X = np.sqrt(1 - share) * X + np.sqrt(share) * rng.standard_normal((n, 1))
    X -= X.mean(axis=0)
    X = np.asfortranarray(X / X.std(axis=0))
    b = np.zeros(p)
    count = max(int(sparsity * min(n, p)), 1)
    b[rng.choice(p, count, replace=False)] = rng.standard_normal(count)
    y = X @ b
    y += 0.1 * y.std() * rng.standard_normal(n)
    return X, (y - y.mean()) / y.std(), count


def level(X, y, count):
    """The first lambda of a fine path with so many active columns."""
    fit = ss.path(X, y, intercept=False, standardize=False, dfmax=count - 1, n_lambdas=200,
                  lambda_min_ratio=1e-4, stop=None)  # fmt: skip
    return float(fit.lambdas[-1])


def coordinate_descent(problem, X, y, lam, budget):
    def run(most):
        model = Lasso(alpha=lam, fit_intercept=False, max_iter=most, tol=1e-14,
                      precompute=len(X) >= X.shape[1])  # fmt: skip
        model.fit(X, y)
        value = 0.5 * np.mean((y - X @ model.coef_) ** 2) + lam * np.abs(model.coef_).sum()
        return value, model.n_iter_ < most

    return watch_restarts("CD (scikit-learn)", run, budget)


def lars(X, y, lam):
    """One point of each package."""

    def point(name, follow):
        start = time.process_time()
        coefs = follow()
        spent = time.process_time() - start
        value = 0.5 * np.mean((y - X @ coefs) ** 2) + lam * np.abs(coefs).sum()
        return Trace(name, np.array([spent]), np.array([value]))

    return [
        point("LARS", lambda: ss.lars_path(X, y, lambda_min=lam, intercept=False,
                                           standardize=False).coef(lam)),
        point("LARS (scikit-learn)", lambda: lars_path(
            X, y, alpha_min=lam, max_iter=5000, method="lasso", return_path=False)[2]),
    ]  # fmt: skip


def panel(scale, correlation, regularisation, seconds):
    n, p = SCALES[scale]
    X, y, count = generate(n, p, correlation == "high", SPARSITY[regularisation])
    lam = level(X, y, count)
    none = dict.fromkeys(["weights", "offset", "penalty_factor", "lower", "upper"])
    problem = read_problem(X, y, families.gaussian, alpha=1.0, intercept=False, standardize=False,
                           n_threads=1, **none)[0]  # fmt: skip
    inner = problem.inner_lambda(lam)
    unit = 2.0 ** (2 * problem.exponent)  # of an objective
    traces = [down_a_path(problem, "sufficient" if p <= n else "working_set", inner)]
    for name in METHODS:
        trials = 200 if scale == "small" else 10
        steps = best_steps(problem, inner, trials) if name == "subgradient" else {}
        traces.append(watch(problem, name, inner, seconds, **steps))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peers = [coordinate_descent(problem, X, y, lam, seconds), *lars(X, y, lam)]
    traces += [trace._replace(objective=trace.objective / unit) for trace in peers]
    least = min(trace.objective.min() for trace in traces)
    share = inner / largest_level(problem)
    title = f"{scale}, {correlation} correlation, {regularisation} regularisation"
    print(f"{title}: lam = {share:.3g} lambda_max", flush=True)
    found = title, traces, least, problem.null_value
    print(table([found]), flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each method in a panel")
    parser.add_argument("--out", default="lasso_methods")
    parser.add_argument("--only", nargs="+", choices=list(SCALES), default=list(SCALES))
    parser.add_argument("--correlation", nargs="+", choices=["low", "high"],
                        default=["low", "high"])  # fmt: skip
    arguments = parser.parse_args()
    with threadpool_limits(1):
        panels = [
            panel(scale, correlation, regularisation, arguments.seconds)
            for scale in arguments.only
            for correlation in arguments.correlation
            for regularisation in ("low", "high")
        ]
    draw(f"{arguments.out}.png", panels, 4)


if __name__ == "__main__":
    main()

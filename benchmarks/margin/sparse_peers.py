"""l1 paths of the hinge and of its square, compared with liblinear at an equal objective.

    python benchmarks/margin/sparse_peers.py FOLDER [--set rcv1] [--count 30] [--tol 1e-5]

FOLDER holds the data (problems.py says which files). Paths go down to a hundredth of the first
lambda, without an intercept, as liblinear penalises its own. LinearSVC is fitted at each C from
cold; the loosest tolerance that comes within 1e-4 of our lower bound counts. Processor time.
"""

import argparse
import time
import warnings

import numpy as np
from problems import FILES, read
from sklearn.svm import LinearSVC

import sparsesolve as ss

LADDER = 10.0 ** -np.arange(0, 7)


def clocked(function):
    """Processor seconds, and what the function returns."""
    began = time.process_time()
    found = function()
    return time.process_time() - began, found


def objective(X, y, lam, b):
    """The mean of half of the squared hinge, and lam |b|_1."""
    return 0.5 * np.square(np.maximum(1 - y * (X @ b), 0)).mean() + lam * np.abs(b).sum()


def liblinear(X, y, lambdas, bounds, allowed):
    """Seconds of the loosest tolerance within `allowed` of the bound, at each lambda; and misses.

    Its objective is |b|_1 + C sum max(0, 1 - y Xb)^2.
    """
    total, missed = 0.0, 0
    for lam, bound in zip(lambdas, bounds, strict=True):
        for tol in LADDER:
            model = LinearSVC(penalty="l1", loss="squared_hinge", dual=False, tol=tol,
                              C=1.0 / (2.0 * lam * len(y)), fit_intercept=False,
                              max_iter=20_000)  # fmt: skip
            seconds, _ = clocked(lambda model=model: model.fit(X, y))
            if objective(X, y, lam, model.coef_[0]) - bound <= allowed:
                break
        else:
            missed += 1
        total += seconds
    return total, missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--set", choices=FILES, default="rcv1")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--tol", type=float, default=1e-5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y, *_ = read(given.folder, given.set)
    columns = X.tocsc()
    options = {"standardize": False, "intercept": False, "tol": given.tol, "stop": None,
               "n_lambdas": given.count, "lambda_min_ratio": 0.01}  # fmt: skip
    for family in (ss.families.hinge(), ss.families.squared_hinge()):
        seconds, fit = clocked(
            lambda family=family: ss.path(columns, y, family=family, **options))  # fmt: skip
        print(f"ours, {family.name}: {seconds:.2f} s, {len(fit.lambdas)} lambdas, worst gap "
              f"{fit.gaps.max():.1e}, at most {fit.df.max()} features", flush=True)  # fmt: skip
    bounds = [objective(X, y, lam, fit.coef(lam)) - gap * 0.5
              for lam, gap in zip(fit.lambdas, fit.gaps, strict=True)]  # fmt: skip
    theirs, missed = liblinear(X, y, fit.lambdas, bounds, 0.5e-4)
    print(f"liblinear, squared hinge: {theirs:.2f} s, {missed} of {len(fit.lambdas)} not within "
          f"1e-4; {theirs / seconds:.1f} times ours", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()

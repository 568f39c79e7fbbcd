"""What a penalised intercept loses: LinearSVC with several scalings and the certified optimum.

    python benchmarks/margin/bias.py FILE.npz [--unit]

liblinear adds a constant column and penalises its coefficient; a large `intercept_scaling` makes
the penalty small and the problem ill-conditioned. Printed are (P - P*) / P(0), with the best
intercept put in for the coefficients found, and processor seconds.
"""

import argparse
import time
import warnings

import numpy as np
from paths import objective, read

import sparsesolve as ss


def best_intercept(y, eta):
    """The intercept that minimises the mean hinge: a kink, by sorting."""
    kinks = np.sort(y - eta)
    values = [np.maximum(1.0 - y * (eta + a), 0.0).mean()
              for a in kinks[:: max(len(kinks) // 400, 1)]]  # fmt: skip
    return kinks[:: max(len(kinks) // 400, 1)][int(np.argmin(values))]


def main():
    from sklearn.svm import LinearSVC

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--unit", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = read(options.file, options.unit)
    print("C      scaling  loss      seconds   ours: gap, seconds")
    for C in (0.1, 1.0):
        lam = 1.0 / (C * len(y))
        begun = time.process_time()
        fit = ss.path(X.tocsc(), y, family=ss.families.hinge(), alpha=0, standardize=False,
                      lambdas=[lam], tol=1e-9)  # fmt: skip
        ours = time.process_time() - begun
        null = fit.null_deviance / 2
        least = objective(X, y, lam, fit.coef(lam), fit.intercept(lam)) - fit.gaps[0] * null
        for scaling in (1.0, 10.0, 100.0):
            begun = time.process_time()
            model = LinearSVC(loss="hinge", C=C, tol=1e-6, intercept_scaling=scaling,
                              max_iter=2000).fit(X, y)  # fmt: skip
            seconds = time.process_time() - begun
            b = model.coef_[0]
            b0 = best_intercept(y, X @ b)
            b0 = min((float(model.intercept_[0]), b0), key=lambda a: objective(X, y, lam, b, a))  # noqa: B023
            lost = (objective(X, y, lam, b, b0) - least) / null
            print(f"{C:<6g} {scaling:7g}  {lost:.1e}  {seconds:7.2f}   {fit.gaps[0]:.1e}, "
                  f"{ours:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()

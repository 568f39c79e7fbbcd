"""The experiments of Duchi and Singer (2009) on real data, as tables.

    python benchmarks/online/real_data.py DATA kernel_digits   # Fig. 8: error by passes, MNIST
    python benchmarks/online/real_data.py DATA landsat         # Table 2: error by share of rows
    python benchmarks/online/real_data.py DATA digits          # Table 3: error by share of rows

DATA is the folder of the real data sets. They are smaller than the paper's: 4,435 rows of LandSat
without the paper's 2,000 test rows, and 6,000 + 1,000 digits of its 60,000. Kernel columns have
width 3: with the printed width 1 they are the identity. `--draws` says over how many random draws.
"""

import argparse
from pathlib import Path

import numpy as np
from generated import table

import sparsesolve as ss

SHARES = (0.05, 0.1, 0.2, 0.4)  # of rows that are not zero
PASSES = (1, 2, 5, 10)


def standardised(train, *others):
    """Columns of mean 0 and variance 1 over the first table."""
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    return [(X - mean) / np.where(deviation > 0.0, deviation, 1.0) for X in (train, *others)]


def products(X):
    """All 36 x 36 ordered products of the bands, so that 630 columns occur twice."""
    return (X[:, :, None] * X[:, None, :]).reshape(len(X), -1)


def landsat_parts(data, seed, n=720):
    """Products of standardised bands: 720 rows to learn, the others to test."""
    kept = np.load(data / "landsat" / "landsat_train.npz")
    X, y = (kept[name] for name in kept.files[:2])
    order = np.random.default_rng(seed).permutation(len(X))
    train, test = order[:n], order[n:]
    A, B = standardised(X[train].astype(float), X[test].astype(float))
    return products(A), y[train], products(B), y[test]


def digit_parts(data, seed, n):
    """Gaussian kernel columns of n digits, the rows to learn; and the 1,000 test digits."""
    kept = np.load(data / "mnist" / "mnist_small.npz")
    X, y = kept["X"] / 255.0, kept["y"]
    test = kept["X_test"] / 255.0
    chosen = np.random.default_rng(seed).permutation(len(X))[:n]
    A = X[chosen]

    def kernel(B):
        square = (B**2).sum(axis=1)[:, None] + (A**2).sum(axis=1) - 2.0 * B @ A.T
        return np.exp(-np.maximum(square, 0.0) / (2.0 * 9.0))

    return kernel(A), y[chosen], kernel(test), kept["y_test"]


def error_by_rows(parts, draws, title, intercept, kinds):
    """Test error at given shares of features whose row of weights is not zero."""
    lines = {}
    for seed in range(draws):
        A, a, B, b = parts(seed)
        for name, options in kinds.items():
            fit = ss.path(A, a, family="multinomial", standardize=False, intercept=intercept,
                          n_lambdas=30, **options)  # fmt: skip
            coefs = np.stack([part.toarray() for part in fit.coefs])  # (K, p, m)
            used = coefs.any(axis=0).mean(axis=0)
            for share in SHARES:
                k = int(np.abs(used - share).argmin())
                wrong = np.mean(fit.predict(B, fit.lambdas[k], kind="class").ravel() != b)
                lines.setdefault((name, share), []).append((used[k], wrong))
    table(title, ["penalty", "rows asked", "rows", "error"], [
        [name, f"{share:.0%}", *(f"{value:.1%}" for value in np.mean(found, axis=0))]
        for (name, share), found in lines.items()])  # fmt: skip


def kinds(p, least):
    """Penalties of Tables 2 and 3."""
    rows = np.arange(p)
    return {
        "l1": {"lambda_min_ratio": least, "tol": 1e-3},
        "l1/l2": {"penalty": ss.penalties.GroupL2(rows), "lambda_min_ratio": least, "tol": 1e-3},
        "l1/linf": {"penalty": ss.penalties.GroupLinf(rows, weights=np.ones(p)),
                    "lambda_min_ratio": 0.1, "tol": 1e-2, "solver": "fista"},
    }  # fmt: skip


def landsat(data, draws):
    """Table 2."""
    error_by_rows(lambda seed: landsat_parts(data, seed), draws,
                  f"LandSat, 720 rows, 1,296 products, {draws} draws", True,
                  kinds(1296, 2e-3))  # fmt: skip


def digits(data, draws, n=1000):
    """Table 3."""
    error_by_rows(lambda seed: digit_parts(data, seed, n), draws,
                  f"MNIST, {n} rows and kernel columns, {draws} draws", False, kinds(n, 1e-2))


def kernel_digits(data, draws, n=3000):
    """Fig. 8: test error after passes, 100 rows a gradient and all rows a gradient."""
    lines = {}
    for seed in range(draws):
        A, a, B, b = digit_parts(data, seed, n)
        for batch in (1, 100, n):
            for method in ("fobos", "rda", "ftrl"):
                fit = None
                for done in range(1, max(PASSES) + 1):
                    fit = ss.online(
                        A, a, family="multinomial", lam=1e-4, grouped=True, intercept=False,
                        method=method, batch=batch,
                    ) if fit is None else fit.more(A, a)  # fmt: skip
                    if done in PASSES:
                        wrong = np.mean(fit.predict(B, kind="class") != b)
                        rows = fit.coef().any(axis=0).mean()
                        lines.setdefault((method, batch, done), []).append((wrong, rows))
    table(f"MNIST, {n} rows and kernel columns, l1/l2, lam = 1e-4, {draws} draws",
          ["method", "rows a step", "passes", "error", "rows not zero"], [
        [*key, *(f"{value:.1%}" for value in np.mean(found, axis=0))]
        for key, found in lines.items()])  # fmt: skip


EXPERIMENTS = {experiment.__name__: experiment for experiment in (
    kernel_digits, landsat, digits)}  # fmt: skip


def main():
    """Run the experiment that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("--draws", type=int, default=1)
    args = parser.parse_args()
    EXPERIMENTS[args.experiment](args.data, args.draws)


if __name__ == "__main__":
    main()

"""Both sides of the crossovers in solvers/costs: crossovers.py [NAME ...] [--rounds N].

Each crossover compares two solvers on drawn problems whose size goes through the constant. Printed
are processor seconds of both, the least of the rounds, run in turn, and their ratio: below the
constant the first solver should win (ratio under 1), above it the second.
"""

import argparse
import time

import numpy as np
import scipy.sparse

import sparsesolve as ss
from sparsesolve.solvers import costs


def normal(n, p, seed=0):
    """Return a dense design (n, p) and a linear predictor (n,) with ten true coefficients."""
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    return X, X[:, :10] @ rng.standard_normal(10) + rng.standard_normal(n)


def thin(n, p, density=0.01):
    """Return a sparse design (n, p) and a linear predictor (n,)."""
    X = scipy.sparse.random_array((n, p), density=density, format="csc", rng=0)
    rng = np.random.default_rng(1)
    return X, X[:, :10] @ rng.standard_normal(10) + 0.1 * rng.standard_normal(n)


def gram_columns(p):
    """Inner products of all columns, or working sets: MOST_GRAM_COLUMNS."""
    X, y = normal(4000, p)
    return X, y, {"n_lambdas": 50}


def eigenvalues(p):
    """One eigendecomposition, or coordinate steps, for ridge: MOST_EIGENVALUES."""
    X, y = normal(p, p)
    return X, y, {"alpha": 0.0, "n_lambdas": 20, "tol": 1e-6}


def coefficients(p):
    """The Hessian of all coefficients of three classes, or blocks of rows: MOST_COEFFICIENTS."""
    X, eta = normal(300, p)
    return X, np.digitize(eta, [-1.0, 1.0]), {"family": "multinomial", "n_lambdas": 20}


def passes(n):
    """Passes over the rows shared by lambdas, or columns in memory: SHARED_PASS_VALUES."""
    X, eta = normal(n, 50)
    return X, eta > 0.0, {"family": "binomial", "n_lambdas": 30}


def sparse_passes(n):
    """The same for sparse columns: PASS_ROWS."""
    X, eta = thin(n, 100)
    return X, eta > 0.0, {"family": "binomial", "n_lambdas": 30}


CROSSOVERS = {  # problem, first solver, second solver, sizes around the constant, the constant
    "gram_columns": (gram_columns, "sufficient", "working_set", (500, 1000, 1500, 2500),
                     costs.MOST_GRAM_COLUMNS),
    "eigenvalues": (eigenvalues, "ridge", "working_set", (250, 500, 1000), costs.MOST_EIGENVALUES),
    "coefficients": (coefficients, "response_newton", "response_blocks", (500, 2000, 4000, 8000),
                     costs.MOST_COEFFICIENTS // 3),
    "passes": (passes, "proximal_newton", "pass_newton", (20_000, 60_000, 100_000, 200_000),
               costs.SHARED_PASS_VALUES // 50),
    "sparse_passes": (sparse_passes, "proximal_newton", "pass_newton",
                      (50_000, 100_000, 200_000, 400_000), costs.PASS_ROWS),
}  # fmt: skip


def seconds(X, y, options, solver):
    """Return processor seconds of one path."""
    start = time.process_time()
    ss.path(X, y, solver=solver, **options)
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*CROSSOVERS, []], help="default: all")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    for name in args.names or CROSSOVERS:
        problem, first, second, sizes, constant = CROSSOVERS[name]
        print(f"{name}: {first} up to about {constant:,}, {second} above")
        for size in sizes:
            X, y, options = problem(size)
            rounds = [[seconds(X, y, options, solver) for solver in (first, second)]
                      for _ in range(args.rounds)]  # fmt: skip
            a, b = np.min(rounds, axis=0)
            print(f"  {size:>9,}{a:10.3f}{b:10.3f}{a / b:8.2f}")


if __name__ == "__main__":
    main()

"""Both sides of the crossovers in solvers/suitability.py: crossovers.py [NAME ...] [--rounds N].

Each crossover compares two sides on drawn problems whose size goes through the constant. A side is
a solver, a number of threads, or constants of a compiled module that force one way. Printed are
processor seconds of both (of threads seconds of the clock), the least of the rounds, run in turn,
and their ratio: below the constant the first side should win (ratio under 1), above it the second.
"""

import argparse
import importlib
import time

import numpy as np
import scipy.sparse

import sparsesolve as ss
from sparsesolve.solvers import suitability


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


def gram_or_steps(n):
    """The Gram matrix of working columns, or conjugate gradients: the prices of working_set."""
    X, y = normal(n, 8 * n)
    return X, y, {"alpha": 0.05, "n_lambdas": 20}


def threads(n):
    """Products by one thread, or by two: WORTH_THREADS in linalg/design."""
    X, y = normal(n, 2000)
    return X, y, {"n_lambdas": 30, "solver": "working_set"}


WORKING_SET = "sparsesolve.solvers.newton.working_set"
GRAM = {f"{WORKING_SET}.MOSTLY_RIDGE": 0.0, f"{WORKING_SET}.WORKING_ROOM": 100_000,
        f"{WORKING_SET}.SPARSE_SQUARE": np.inf}  # fmt: skip
STEPS = {f"{WORKING_SET}.WORKING_ROOM": 0, f"{WORKING_SET}.WORKING_PER_ROW": 0.0}


def by(solver):
    """Return the side of a solver: its name, options and constants."""
    return solver, {"solver": solver}, {}


CROSSOVERS = {  # problem, first side, second side, sizes around the constant, the constant
    "gram_columns": (gram_columns, by("sufficient"), by("working_set"), (500, 1000, 1500, 2500),
                     suitability.MOST_GRAM_COLUMNS),
    "eigenvalues": (eigenvalues, by("ridge"), by("working_set"), (250, 500, 1000),
                    suitability.MOST_EIGENVALUES),
    "coefficients": (coefficients, by("response_newton"), by("response_blocks"),
                     (500, 2000, 4000, 8000), suitability.MOST_COEFFICIENTS // 3),
    "gram_or_steps": (gram_or_steps, ("Gram matrix", {}, GRAM), ("conjugate gradients", {}, STEPS),
                      (100, 200, 400, 800), None),
    "threads": (threads, ("one thread", {"n_threads": 1}, {}), ("two", {"n_threads": 2}, {}),
                (250, 500, 1000, 2000, 4000), 1000),
}  # fmt: skip


def seconds(name, X, y, options, side):
    """Return seconds of one path on a side, whose constants are put back afterwards."""
    _, own, constants = side
    before = {}
    for path, value in constants.items():
        module, _, constant = path.rpartition(".")
        module = importlib.import_module(module)
        before[module, constant] = getattr(module, constant)
        setattr(module, constant, value)
    clock = time.perf_counter if name == "threads" else time.process_time
    start = clock()
    ss.path(X, y, **{**options, **own})
    taken = clock() - start
    for (module, constant), value in before.items():
        setattr(module, constant, value)
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*CROSSOVERS, []], help="default: all")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    for name in args.names or CROSSOVERS:
        problem, first, second, sizes, constant = CROSSOVERS[name]
        where = f"up to about {constant:,}" if constant else "or, by their prices"
        print(f"{name}: {first[0]} {where}, {second[0]}{' above' if constant else ''}")
        for size in sizes:
            X, y, options = problem(size)
            rounds = [[seconds(name, X, y, options, side) for side in (first, second)]
                      for _ in range(args.rounds)]  # fmt: skip
            a, b = np.min(rounds, axis=0)
            print(f"  {size:>9,}{a:10.3f}{b:10.3f}{a / b:8.2f}", flush=True)


if __name__ == "__main__":
    main()

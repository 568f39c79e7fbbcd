"""Speed of inference, as ratios to scikit-learn in one run, by processor time of one thread.

python benchmarks/inference/speed.py prints for each shape the nodewise lassos of `debiased` at one
lambda, by its rule, and at ten lambdas, each with the ratio to scikit-learn's Lasso or lasso_path
(tol 1e-4, whose correlations exceed lambda by up to 5e-5); and milliseconds of a carved interval,
of `selective` and of `carve`, and MVR distances in units of one inverse.
"""

import argparse
import time

import numpy as np
from sklearn.linear_model import Lasso, lasso_path
from sparsesolve.inference.nodewise import Nodewise

import sparsesolve as ss
from sparsesolve import inference
from sparsesolve.inference import polyhedral
from sparsesolve.inference.desparsified import GRID, INFLATION
from sparsesolve.inference.knockoff_design import distances
from sparsesolve.linalg.threads import one_blas_thread

SHAPES = [(100, 200, 200), (200, 500, 100), (300, 2000, 30)]  # rows, columns, columns asked for


def best(call, times=5):
    """Return the least processor time of several calls, in seconds."""
    found = []
    for _ in range(times):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def correlated(rng, n, p):
    """Return AR(.5) columns of mean 0 and variance 1, Fortran-contiguous."""
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
    return np.asfortranarray((X - X.mean(0)) / X.std(0))


def nodewise(n, p, m):
    """Print the nodewise lassos of m columns."""
    A = correlated(np.random.default_rng(0), n, p)
    lams = np.sqrt(np.log(p) / n) * GRID

    def ours(lams, inflation):
        def solve():
            one = Nodewise(A, 4 * m >= p)
            for j in range(m):
                one.residual(j, lams, inflation)

        return solve

    def theirs(solve):
        def call():
            for j in range(m):
                solve(np.delete(A, j, axis=1), A[:, j])

        return call

    one = theirs(lambda X, y: Lasso(alpha=lams[0], fit_intercept=False).fit(X, y))
    ten = theirs(lambda X, y: lasso_path(X, y, alphas=lams, tol=1e-4))
    for name, call, other in (("one lambda", ours(lams[:1], 1.0), one),
                              ("rule", ours(lams, INFLATION), ten),
                              ("ten lambdas", ours(lams, np.inf), ten)):  # fmt: skip
        a, b = best(call, 3), best(other, 1)
        print(f"nodewise {n} x {p}, {m} columns, {name:12s} {a:6.3f} s, scikit-learn {b:6.3f} s: "
              f"{b / a:5.1f} times", flush=True)  # fmt: skip


def intervals():
    """Print times of carve and selective, and of the intervals in them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 40))
    y = X[:, 0] - 0.7 * X[:, 1] + 0.5 * X[:, 5] + rng.normal(size=100)
    laws, kept = [], polyhedral.intervals
    polyhedral.intervals = lambda law, level: (laws.append(law), kept(law, level))[1]
    inference.carve(X, y, 0.1, sigma=1.0)
    polyhedral.intervals, law = kept, laws[0]

    def ends():
        law.__dict__.pop("halves", None)
        kept(law, 0.95)

    fit = ss.path(X, y)
    m = len(law.x)
    print(f"carved interval, one of {m}: {1e3 * best(ends, 20) / m:.3f} ms")
    for name, call in (("path at one lambda", lambda: ss.path(X, y, lambdas=[0.1])),
                       ("selective", lambda: inference.selective(fit, X, y, 0.1, sigma=1.0)),
                       ("carve", lambda: inference.carve(X, y, 0.1, sigma=1.0))):  # fmt: skip
        print(f"{name} of {m} features: {1e3 * best(call, 20):.1f} ms")


def mvr():
    """Print the time of MVR distances."""
    for p in (300, 1000):
        S = 0.5 ** np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
        a, b = best(lambda S=S: distances(S), 1), best(lambda S=S: np.linalg.inv(S), 3)
        print(f"MVR at p = {p}: {a:.2f} s, {a / b:.1f} inverses of its matrix")


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("shapes", type=int, nargs="?", help="how many of the three")
    with one_blas_thread():
        for shape in SHAPES[: asked.parse_args().shapes]:
            nodewise(*shape)
        intervals()
        mvr()

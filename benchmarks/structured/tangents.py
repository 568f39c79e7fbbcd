"""What a Newton step on a tangent should be taken to cost: paths by several prices.

    python benchmarks/structured/tangents.py [WORD ...]

For each value of NEWTON_STEP_OVERHEAD (``solvers/first_order/tangent_newton.py``) the processor
time of one thread for paths of trees, SLOPE, fused and overlapping norms, columns independent or
much alike, and the iterations that they took. WORDs choose problems whose names contain one.
"""

import argparse
import time

import numpy as np
from threadpoolctl import threadpool_limits
from tree_norms import made

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.solvers.first_order import tangent_newton

PRICES = (1e6, 2.4e6, 6e6, 15e6)


def alike(rng, n, p, r):
    """Columns (n, p) of which neighbours have the correlation r."""
    Z = rng.standard_normal((n, p))
    for j in range(1, p):
        Z[:, j] = r * Z[:, j - 1] + np.sqrt(1.0 - r * r) * Z[:, j]
    return Z


def problems():
    """(name, X, y, penalty, options) of each."""
    rng = np.random.default_rng(0)
    norms = made(5)
    b, image = np.zeros(1024), np.zeros((20, 20))
    b[64:80], b[512:516], image[5:12, 4:14] = 1.0, -1.0, 1.0
    for r in (0.0, 0.95):
        X = alike(rng, 200, 1024, r)
        y = X @ b + rng.standard_normal(200)
        for kind, norm in norms.items():
            yield f"tree {kind} {r}", X, y, norm, {}
            yield f"tree {kind} {r} binomial", X, y > 0, norm, {"family": "binomial"}
        yield f"slope {r}", X, y, penalties.Slope(q=0.05), {}
    windows = [list(range(k, k + 10)) for k in range(0, 391, 5)]
    yield "overlap linf", X[:, :400], y, penalties.OverlapLinf(windows), {"n_lambdas": 15}
    X = rng.standard_normal((300, 400))
    y = X @ image.ravel() + rng.standard_normal(300)
    yield "fused", X, y, penalties.TotalVariation(l1=0.3), {}
    yield "trace", X, y, penalties.TraceNorm((20, 20)), {}
    yield "image", X, y, penalties.TotalVariation2D((20, 20)), {"n_lambdas": 15}


def main(words):
    """Print a line for each problem."""
    print(f"{'':24s}" + "".join(f"{price:>16.1e}" for price in PRICES))
    for name, X, y, penalty, options in problems():
        if words and not any(word in name for word in words):
            continue
        cells = []
        for price in PRICES:
            tangent_newton.NEWTON_STEP_OVERHEAD = price
            options = {"n_lambdas": 30, "lambda_min_ratio": 0.05, "stop": None, **options}
            begun = time.process_time()
            fit = ss.path(X, y, penalty=penalty, **options)
            cells.append(f"{time.process_time() - begun:8.3f} s {fit.n_iters.sum():5d}")
        print(f"{name:24s}" + " ".join(cells), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    with threadpool_limits(1):
        main(parser.parse_args().words)

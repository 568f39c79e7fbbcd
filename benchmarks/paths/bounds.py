"""What no gaussian path can avoid, in milliseconds of one thread here: bounds.py DATA [NAME ...].

pass: one product X'r.  100 passes as one: X'R for 100 residuals at once, the least that fresh
correlations at every lambda cost.  Gram: X'X with n > p, else X_S'X_S for the support S of the
last lambda.  factor: one Cholesky factorisation of it.  100 solves: two triangular solves per
lambda with it. gaussian_paths.py must have left its reference solutions.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
from gaussian_problems import PROBLEMS  # noqa: E402
from reference import columns  # noqa: E402
from scipy import linalg, sparse  # noqa: E402


def milliseconds(function, repeats=5):
    """The best of a few calls."""
    best = np.inf
    for _ in range(repeats):
        begun = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - begun)
    return f"{1e3 * best:.3g}"


def support(key, q):
    """The nonzero rows of the reference solution at the last lambda."""
    file = Path(tempfile.gettempdir()) / "sparsesolve-benchmarks" / f"reference_gaussian_{key}.npz"
    return sparse.load_npz(file)[:, -1].tocoo().row


def bounds(key, q):
    """The cells of one row."""
    n, p = q.X.shape
    rng = np.random.default_rng(0)
    r, R = rng.standard_normal(n), np.asfortranarray(rng.standard_normal((n, 100)))
    XT, S = q.X.T, support(key, q)
    r, R = r.astype(q.X.dtype), R.astype(q.X.dtype, order="F")
    part = np.asfortranarray(q.X if n > p else columns(q.X, S), dtype=np.float64)
    H = part.T @ part
    H[np.diag_indices_from(H)] *= 1 + 1e-9
    factor = linalg.cho_factor(H, lower=True)
    right = np.ones(H.shape[0])

    def solves():
        for _ in range(100):
            linalg.cho_solve(factor, right, check_finite=False)

    one, many = milliseconds(lambda: XT @ r), milliseconds(lambda: XT @ R, 2)
    gram = milliseconds(lambda: linalg.blas.dsyrk(1.0, part, trans=1), 2)
    factors = milliseconds(lambda: linalg.cho_factor(H, lower=True, check_finite=False), 3)
    return [q.name, str(S.size), one, many, gram, factors, milliseconds(solves, 2)]


if __name__ == "__main__":
    heads = ["problem", "df", "pass", "100 passes as one", "Gram", "factor", "100 solves"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    folder = Path(sys.argv[1])
    for key in sys.argv[2:] or PROBLEMS:
        print("| " + " | ".join(bounds(key, PROBLEMS[key](folder))) + " |", flush=True)

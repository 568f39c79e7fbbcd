"""The gaussian problems of the benchmarks: made from a seed, or real data read from a folder.

Every maker returns a Problem whose y has variance 1 (R's glmnet divides the ridge part by the
standard deviation of y, so only then do all packages mean the same lambda when alpha < 1).
Dense columns are standardised here, mean 0 and variance 1 in the 1/n form; sparse columns are
left as they are. The planted model of the made problems: `k` nonzero coefficients at random
columns, each drawn N(0, 1) over the standard deviation of its column, and noise of a third of
the variance of the signal (signal-to-noise ratio 3).
"""

from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from scipy import sparse

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass
class Problem:
    """One path: 1/(2n) |y - b0 - X b|^2 + lambda (alpha |b|_1 + (1 - alpha)/2 |b|^2)."""

    name: str
    X: object  # (n, p) column-major array, float64 or float32, or csc_matrix of float64
    y: np.ndarray  # (n,) float64, variance 1
    lambdas: np.ndarray  # (100,) decreasing, log-spaced from lambda_max
    alpha: float = 1.0


def problem(name, X, y, ratio, alpha=1.0, n_lambdas=100):
    """Scale y to variance 1 and lay the grid from lambda_max to ratio * lambda_max."""
    y = np.asarray(y, dtype=np.float64)
    y = y / y.std()
    largest = np.abs(X.T @ (y - y.mean())).max() / (y.size * alpha)
    return Problem(name, X, y, largest * np.geomspace(1.0, ratio, n_lambdas), alpha)


def standardised(X, dtype=np.float64):
    """Columns of mean 0 and variance 1, constant ones dropped, column-major."""
    X = np.asarray(X, dtype=np.float64)
    X = X[:, X.std(axis=0) > 1e-10 * np.abs(X).max(axis=0)]
    X = X - X.mean(axis=0)
    return np.asfortranarray(X / X.std(axis=0), dtype=dtype)


def planted_response(X, deviations, candidates, k, rng):
    """A response from k of the candidate columns, with a signal-to-noise ratio of 3."""
    b = np.zeros(X.shape[1])
    chosen = rng.choice(candidates, size=k, replace=False)
    b[chosen] = rng.standard_normal(k) / deviations[chosen]
    signal = X @ b
    return signal + signal.std() / np.sqrt(3.0) * rng.standard_normal(X.shape[0])


def dense_ar(n, p, rho, ratio=1e-2, alpha=1.0, k=50, seed=0, name=None):
    """Columns that follow an autoregression: x_j = rho x_{j-1} + sqrt(1 - rho^2) e_j."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((p, n)).T  # column-major
    for j in range(1, p):
        X[:, j] *= np.sqrt(1.0 - rho**2)
        X[:, j] += rho * X[:, j - 1]
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    y = planted_response(X, np.ones(p), p, k, rng)
    return problem(name or f"dense {n} x {p} AR({rho})", X, y, ratio, alpha)


def sparse_text(n, p, density=1e-3, ratio=1e-2, k=100, seed=0, name=None):
    """Text-like counts: Zipf frequencies, tf-idf values, rows of length 1; csc_matrix.

    Column j occurs in a row with probability min(1/2, c / (j + 10)), c giving the density;
    rare columns may be empty. The planted columns occur in at least 1 row in 100.
    """
    rng = np.random.default_rng(seed)
    rank = np.arange(p) + 10.0
    low, high = 0.0, float(p)
    for _ in range(100):
        c = (low + high) / 2
        low, high = (c, high) if np.minimum(0.5, c / rank).mean() < density else (low, c)
    counts = rng.binomial(n, np.minimum(0.5, c / rank))
    rows = np.concatenate([np.sort(rng.choice(n, m, replace=False)) for m in counts])
    terms = 1.0 + np.log(rng.geometric(0.6, size=rows.size))
    values = terms * np.repeat(1.0 + np.log((1.0 + n) / (1.0 + counts)), counts)
    lengths = np.sqrt(np.bincount(rows, values**2, minlength=n))
    values /= lengths[rows]
    starts = np.concatenate(([0], np.cumsum(counts)))
    X = sparse.csc_matrix((values, rows.astype(np.int32), starts.astype(np.int32)), (n, p))
    squares = np.asarray(X.multiply(X).mean(axis=0)).ravel()
    deviations = np.sqrt(squares - np.asarray(X.mean(axis=0)).ravel() ** 2)
    y = planted_response(X, deviations, np.flatnonzero(counts >= 0.01 * n), k, rng)
    return problem(name or f"sparse {n} x {p}", X, y, ratio)


def diabetes_cubic(name="diabetes cubic"):
    """The diabetes data (442 x 10) with all monomials of degree 1 to 3: 285 columns."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    terms = [c for d in (1, 2, 3) for c in combinations_with_replacement(range(10), d)]
    X = np.stack([X[:, list(c)].prod(axis=1) for c in terms], axis=1)
    return problem(name, standardised(X), y, 1e-3)


def leukemia(name="leukemia"):
    """Golub's leukemia arrays (72 x 3571), log10 of the values clipped to 100..16000."""
    z = np.load(DATA / "leukemia_golub" / "leukemia_golub.npz")
    X = np.log10(np.clip(z["X"][:, z["keep_3571"]], 100, 16000))
    return problem(name, standardised(X), z["y"], 1e-2)


def prostate(name="prostate_singh"):
    """Singh's prostate arrays (102 x 12600) in float32; constant columns are dropped."""
    z = np.load(DATA / "prostate_singh" / "prostate_singh.npz")
    return problem(name, standardised(z["X"], dtype=np.float32), z["y"], 1e-2)


def rcv1(name="rcv1"):
    """A thousand Reuters articles (1000 x 47237, sparse), the label taken as a number."""
    z = np.load(DATA / "rcv1_sample" / "rcv1_sample_train.npz")
    parts = (z["data"].astype(np.float64), z["indices"], z["indptr"])
    X = sparse.csr_matrix(parts, shape=tuple(z["shape"])).tocsc()
    X.sum_duplicates()
    return problem(name, X, z["y"], 1e-2)


# short name -> maker without arguments; a maker raises FileNotFoundError when its data are absent
PROBLEMS = {
    "ar5_small": partial(dense_ar, 500, 5000, 0.5),
    "ar9_small": partial(dense_ar, 500, 5000, 0.9),
    "enet_small": partial(dense_ar, 500, 5000, 0.5, alpha=0.5, name="dense 500 x 5000 enet"),
    "diabetes": diabetes_cubic,
    "leukemia": leukemia,
    "prostate": prostate,
    "rcv1": rcv1,
    "sparse_small": partial(sparse_text, 5000, 100000),
    "tall": partial(dense_ar, 50000, 300, 0.5, ratio=1e-3),
    "ar5_large": partial(dense_ar, 1000, 20000, 0.5),
    "ar9_large": partial(dense_ar, 1000, 20000, 0.9),
    "sparse_large": partial(sparse_text, 20000, 500000),
}

# smaller versions for a run of seconds that shows that everything works
QUICK = {
    "wide_quick": partial(dense_ar, 100, 500, 0.5, k=20),
    "enet_quick": partial(dense_ar, 100, 500, 0.5, alpha=0.5, k=20, name="dense 100 x 500 enet"),
    "tall_quick": partial(dense_ar, 2000, 50, 0.5, ratio=1e-3, k=20),
    "sparse_quick": partial(sparse_text, 500, 2000, density=1e-2, k=20),
}

"""What the problems of the benchmarks are made of: designs from a seed, real data from a folder.

Dense columns are standardised here, mean 0 and variance 1 in the 1/n form; sparse columns are left
as they are.
"""

from dataclasses import dataclass

import numpy as np
from losses import null_residual
from scipy import sparse


@dataclass
class Problem:
    """One path: mean loss of b0 + X b, plus lambda (alpha |b|_1 + (1 - alpha)/2 |b|^2)."""

    name: str
    X: object  # (n, p) column-major array, float64 or float32, or csc_matrix of float64
    y: np.ndarray  # (n,) float64
    lambdas: np.ndarray  # (100,) decreasing, log-spaced from lambda_max
    alpha: float = 1.0
    loss: str = "gaussian"


def problem(name, X, y, ratio, alpha=1.0, loss="gaussian", n_lambdas=100):
    """Lay the grid from lambda_max to ratio * lambda_max."""
    y = np.asarray(y, dtype=np.float64)
    largest = np.abs(X.T @ null_residual(loss, y)).max() / (y.size * alpha)
    return Problem(name, X, y, largest * np.geomspace(1.0, ratio, n_lambdas), alpha, loss)


def made(maker, *args, **options):
    """An entry that reads nothing from the data folder."""
    return lambda folder: maker(*args, **options)


def standardised(X, dtype=np.float64):
    """Columns of mean 0 and variance 1, constant ones dropped, column-major."""
    X = np.asarray(X, dtype=np.float64)
    X = X[:, X.std(axis=0) > 1e-10 * np.abs(X).max(axis=0)]
    X = X - X.mean(axis=0)
    return np.asfortranarray(X / X.std(axis=0), dtype=dtype)


def autoregressive(n, p, rho, rng):
    """Columns that follow an autoregression: x_j = rho x_{j-1} + sqrt(1 - rho^2) e_j."""
    X = rng.standard_normal((p, n)).T  # column-major
    for j in range(1, p):
        X[:, j] *= np.sqrt(1.0 - rho**2)
        X[:, j] += rho * X[:, j - 1]
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    return X


def text(n, p, density, rng):
    """Text-like counts: Zipf frequencies, tf-idf values, rows of length 1; csc_matrix.

    Column j occurs in a row with probability min(1/2, c / (j + 10)), c giving the density;
    rare columns may be empty. Also the standard deviations, and the columns in 1 row of 100.
    """
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
    return X, deviations, np.flatnonzero(counts >= 0.01 * n)


def table(n, levels, rng):
    """Categorical features, a column a level, of frequencies drawn at random; csc_matrix."""
    drawn = [rng.choice(k, n, p=rng.dirichlet(np.ones(k))) for k in levels]
    hot = [sparse.csc_matrix((np.ones(n), (np.arange(n), level)), (n, k))
           for level, k in zip(drawn, levels, strict=True)]  # fmt: skip
    return sparse.hstack(hot).tocsc()


def planted_signal(X, deviations, candidates, k, rng):
    """X b, b nonzero at k of the candidates: N(0, 1) over the standard deviation of the column."""
    b = np.zeros(X.shape[1])
    chosen = rng.choice(candidates, size=k, replace=False)
    b[chosen] = rng.standard_normal(k) / deviations[chosen]
    return X @ b


def leukemia(folder):
    """Golub's leukemia arrays (72 x 3571), log10 of the values clipped to 100..16000."""
    z = np.load(folder / "leukemia_golub" / "leukemia_golub.npz")
    return standardised(np.log10(np.clip(z["X"][:, z["keep_3571"]], 100, 16000))), z["y"]


def prostate(folder):
    """Singh's prostate arrays (102 x 12600) in float32; constant columns are dropped."""
    z = np.load(folder / "prostate_singh" / "prostate_singh.npz")
    return standardised(z["X"], dtype=np.float32), z["y"]


def sparse_set(path):
    """A sparse set as csc_matrix of float64, and its labels."""
    z = np.load(path)
    parts = (z["data"].astype(np.float64), z["indices"], z["indptr"])
    X = sparse.csr_matrix(parts, shape=tuple(z["shape"])).tocsc()
    X.sum_duplicates()
    return X, z["y"]


def rcv1(folder):
    """A thousand Reuters articles (1000 x 47237, sparse)."""
    return sparse_set(folder / "rcv1_sample" / "rcv1_sample_train.npz")

"""The problems of the benchmarks: designs and responses from a seed, real data from a folder.

Dense columns are standardised here, mean 0 and variance 1 in the 1/n form; sparse columns are left
as they are. A gaussian y has variance 1: R's glmnet divides the ridge part by the standard
deviation of y, so only then do all packages mean the same lambda when alpha < 1. Its noise has a
third of the variance of the signal; binomial and poisson responses are drawn from the model whose
predictor is a signal of standard deviation 2 or 0.8. Lambdas go down to 1e-2 lambda_max, to 1e-3
where n is far above p.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement

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
    """Lay the grid from lambda_max to ratio * lambda_max; a gaussian y gets variance 1."""
    y = np.asarray(y, dtype=np.float64)
    y = y / y.std() if loss == "gaussian" else y
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


def a9a(folder):
    """The census data (32561 x 123), sparse and binary."""
    return sparse_set(folder / "a9a" / "a9a_train.npz")


def pcmac(folder):
    """Two newsgroups about computers (1943 articles, sparse counts)."""
    return sparse_set(folder / "newsgroup_pairs" / "pcmac.npz")


def drawn(loss, signal, rng):
    """Responses of the model, for a signal scaled as said above."""
    if loss == "gaussian":
        return signal + signal.std() / np.sqrt(3.0) * rng.standard_normal(signal.size)
    signal = (signal - signal.mean()) / signal.std()
    if loss == "poisson":
        return rng.poisson(np.exp(0.5 + 0.8 * signal))
    return rng.random(signal.size) < 1.0 / (1.0 + np.exp(-2.0 * signal))


def dense_ar(loss, n, p, rho=0.5, ratio=1e-2, alpha=1.0, k=50, seed=0):
    """Correlated dense columns."""
    rng = np.random.default_rng(seed)
    X = autoregressive(n, p, rho, rng)
    y = drawn(loss, planted_signal(X, np.ones(p), p, min(k, p // 2), rng), rng)
    name = f"{loss} dense {n} x {p} AR({rho})" + " enet" * (alpha < 1)
    return problem(name, X, y, ratio, alpha, loss)


def sparse_text(loss, n, p, density=1e-3, k=100, seed=0):
    """Text-like sparse columns."""
    rng = np.random.default_rng(seed)
    X, deviations, common = text(n, p, density, rng)
    y = drawn(loss, planted_signal(X, deviations, common, k, rng), rng)
    return problem(f"{loss} sparse {n} x {p}", X, y, 1e-2, loss=loss)


def categorical(loss, n, levels, seed=0):
    """A table of categorical features: far fewer different rows than rows."""
    rng = np.random.default_rng(seed)
    X = table(n, levels, rng)
    y = drawn(loss, X @ rng.standard_normal(X.shape[1]), rng)
    return problem(f"{loss} table {n} x {len(levels)}", X, y, 1e-3, loss=loss)


def diabetes_cubic(name="diabetes cubic"):
    """The diabetes data (442 x 10) with all monomials of degree 1 to 3: 285 columns."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    terms = [c for d in (1, 2, 3) for c in combinations_with_replacement(range(10), d)]
    X = np.stack([X[:, list(c)].prod(axis=1) for c in terms], axis=1)
    return problem(name, standardised(X), y, 1e-3)


def real(loss, read, ratio=1e-2):
    """An entry that reads a set from the data folder; the gaussian label is taken as a number."""
    def maker(folder):
        X, y = read(folder)
        return problem(read.__name__, X, y == y.max() if loss == "binomial" else y, ratio,
                       loss=loss)  # fmt: skip

    return maker


LEVELS = (2, 5, 8, 4, 12, 3)  # of the features of a table
# family: short name -> maker(data folder); it raises FileNotFoundError when its data are absent
PROBLEMS = {
    "gaussian": {
        "ar5_small": made(dense_ar, "gaussian", 500, 5000),
        "ar9_small": made(dense_ar, "gaussian", 500, 5000, 0.9),
        "enet_small": made(dense_ar, "gaussian", 500, 5000, alpha=0.5),
        "diabetes": made(diabetes_cubic),
        "leukemia": real("gaussian", leukemia),
        "prostate": real("gaussian", prostate),
        "rcv1": real("gaussian", rcv1),
        "sparse_small": made(sparse_text, "gaussian", 5000, 100000),
        "tall": made(dense_ar, "gaussian", 50000, 300, ratio=1e-3),
        "ar5_large": made(dense_ar, "gaussian", 1000, 20000),
        "ar9_large": made(dense_ar, "gaussian", 1000, 20000, 0.9),
        "sparse_large": made(sparse_text, "gaussian", 20000, 500000),
    },
    "binomial": {
        "dense": made(dense_ar, "binomial", 500, 5000),
        "tall": made(dense_ar, "binomial", 20000, 200, ratio=1e-3),
        "leukemia": real("binomial", leukemia),
        "prostate": real("binomial", prostate),
        "a9a": real("binomial", a9a, 1e-3),
        "rcv1": real("binomial", rcv1),
        "pcmac": real("binomial", pcmac),
        "sparse": made(sparse_text, "binomial", 20000, 100000),
        "table": made(categorical, "binomial", 200000, LEVELS),
        "tallest": made(dense_ar, "binomial", 500000, 50, ratio=1e-3),
    },
    "poisson": {
        "poisson": made(dense_ar, "poisson", 1000, 2000),
        "table": made(categorical, "poisson", 200000, LEVELS),
    },
}


def quick(loss):
    """Smaller versions for a run of seconds that shows that everything works."""
    return {
        "wide_quick": made(dense_ar, loss, 100, 500, k=20),
        "tall_quick": made(dense_ar, loss, 2000, 50, ratio=1e-3, k=20),
        "sparse_quick": made(sparse_text, loss, 500, 2000, density=1e-2, k=20),
    }

"""The gaussian problems of the benchmarks.

y has variance 1: R's glmnet divides the ridge part by the standard deviation of y, so only then do
all packages mean the same lambda when alpha < 1. Made problems have a planted model with noise of
a third of the variance of the signal; of the real sets the label is taken as a number.
"""

from itertools import combinations_with_replacement

import numpy as np
import problems
from problems import made


def problem(name, X, y, ratio, alpha=1.0):
    """The problem for y scaled to variance 1."""
    y = np.asarray(y, dtype=np.float64)
    return problems.problem(name, X, y / y.std(), ratio, alpha)


def noisy(signal, rng):
    """The signal with noise, at a signal-to-noise ratio of 3."""
    return signal + signal.std() / np.sqrt(3.0) * rng.standard_normal(signal.size)


def dense_ar(n, p, rho, ratio=1e-2, alpha=1.0, k=50, seed=0, name=None):
    """Correlated dense columns."""
    rng = np.random.default_rng(seed)
    X = problems.autoregressive(n, p, rho, rng)
    y = noisy(problems.planted_signal(X, np.ones(p), p, k, rng), rng)
    return problem(name or f"dense {n} x {p} AR({rho})", X, y, ratio, alpha)


def sparse_text(n, p, density=1e-3, ratio=1e-2, k=100, seed=0, name=None):
    """Text-like sparse columns."""
    rng = np.random.default_rng(seed)
    X, deviations, common = problems.text(n, p, density, rng)
    y = noisy(problems.planted_signal(X, deviations, common, k, rng), rng)
    return problem(name or f"sparse {n} x {p}", X, y, ratio)


def diabetes_cubic(name="diabetes cubic"):
    """The diabetes data (442 x 10) with all monomials of degree 1 to 3: 285 columns."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    terms = [c for d in (1, 2, 3) for c in combinations_with_replacement(range(10), d)]
    X = np.stack([X[:, list(c)].prod(axis=1) for c in terms], axis=1)
    return problem(name, problems.standardised(X), y, 1e-3)


def real(name, read):
    """An entry that reads a set from the data folder."""
    return lambda folder: problem(name, *read(folder), 1e-2)


# short name -> maker(data folder); it raises FileNotFoundError when its data are absent
PROBLEMS = {
    "ar5_small": made(dense_ar, 500, 5000, 0.5),
    "ar9_small": made(dense_ar, 500, 5000, 0.9),
    "enet_small": made(dense_ar, 500, 5000, 0.5, alpha=0.5, name="dense 500 x 5000 enet"),
    "diabetes": made(diabetes_cubic),
    "leukemia": real("leukemia", problems.leukemia),
    "prostate": real("prostate_singh", problems.prostate),
    "rcv1": real("rcv1", problems.rcv1),
    "sparse_small": made(sparse_text, 5000, 100000),
    "tall": made(dense_ar, 50000, 300, 0.5, ratio=1e-3),
    "ar5_large": made(dense_ar, 1000, 20000, 0.5),
    "ar9_large": made(dense_ar, 1000, 20000, 0.9),
    "sparse_large": made(sparse_text, 20000, 500000),
}

# smaller versions for a run of seconds that shows that everything works
QUICK = {
    "wide_quick": made(dense_ar, 100, 500, 0.5, k=20),
    "enet_quick": made(dense_ar, 100, 500, 0.5, alpha=0.5, k=20, name="dense 100 x 500 enet"),
    "tall_quick": made(dense_ar, 2000, 50, 0.5, ratio=1e-3, k=20),
    "sparse_quick": made(sparse_text, 500, 2000, density=1e-2, k=20),
}

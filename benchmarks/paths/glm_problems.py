"""The logistic and poisson problems of the benchmarks.

Made responses are drawn from the model whose predictor is a planted signal of standard deviation 2
(logistic) or 0.8 (poisson). The lambdas go down to 1e-2 lambda_max; to 1e-3 where n is far above
p.
"""

import numpy as np
import problems
from problems import made, problem


def drawn(loss, signal, rng):
    """Responses of the model, for a signal scaled as said above."""
    signal = (signal - signal.mean()) / signal.std()
    if loss == "poisson":
        return rng.poisson(np.exp(0.5 + 0.8 * signal))
    return rng.random(signal.size) < 1.0 / (1.0 + np.exp(-2.0 * signal))


def dense_ar(loss, n, p, rho=0.5, ratio=1e-2, k=50, seed=0):
    """Correlated dense columns."""
    rng = np.random.default_rng(seed)
    X = problems.autoregressive(n, p, rho, rng)
    y = drawn(loss, problems.planted_signal(X, np.ones(p), p, min(k, p // 2), rng), rng)
    return problem(f"{loss} dense {n} x {p} AR({rho})", X, y, ratio, loss=loss)


def sparse_text(loss, n, p, density=1e-3, k=100, seed=0):
    """Text-like sparse columns."""
    rng = np.random.default_rng(seed)
    X, deviations, common = problems.text(n, p, density, rng)
    y = drawn(loss, problems.planted_signal(X, deviations, common, k, rng), rng)
    return problem(f"{loss} sparse {n} x {p}", X, y, 1e-2, loss=loss)


def categorical(loss, n, levels, seed=0):
    """A table of categorical features: far fewer different rows than rows."""
    rng = np.random.default_rng(seed)
    X = problems.table(n, levels, rng)
    y = drawn(loss, X @ rng.standard_normal(X.shape[1]), rng)
    return problem(f"{loss} table {n} x {len(levels)}", X, y, 1e-3, loss=loss)


def real(name, read, ratio=1e-2):
    """An entry that reads a set of two classes from the data folder."""
    def maker(folder):
        X, y = read(folder)
        return problem(name, X, y == y.max(), ratio, loss="binomial")

    return maker


def a9a(folder):
    """The census data (32561 x 123), sparse and binary."""
    return problems.sparse_set(folder / "a9a" / "a9a_train.npz")


def pcmac(folder):
    """Two newsgroups about computers (1943 articles, sparse counts)."""
    return problems.sparse_set(folder / "newsgroup_pairs" / "pcmac.npz")


# short name -> maker(data folder); it raises FileNotFoundError when its data are absent
LOGISTIC = {
    "dense": made(dense_ar, "binomial", 500, 5000),
    "tall": made(dense_ar, "binomial", 20000, 200, ratio=1e-3),
    "leukemia": real("leukemia", problems.leukemia),
    "prostate": real("prostate_singh", problems.prostate),
    "a9a": real("a9a", a9a, 1e-3),
    "rcv1": real("rcv1", problems.rcv1),
    "pcmac": real("pcmac", pcmac),
    "sparse": made(sparse_text, "binomial", 20000, 100000),
    "table": made(categorical, "binomial", 200000, (2, 5, 8, 4, 12, 3)),
    "tallest": made(dense_ar, "binomial", 500000, 50, ratio=1e-3),
}
LOGISTIC_QUICK = {
    "dense_quick": made(dense_ar, "binomial", 100, 500, k=20),
    "tall_quick": made(dense_ar, "binomial", 2000, 50, ratio=1e-3, k=20),
    "sparse_quick": made(sparse_text, "binomial", 500, 2000, density=1e-2, k=20),
}
POISSON = {
    "poisson": made(dense_ar, "poisson", 1000, 2000),
    "table": made(categorical, "poisson", 200000, (2, 5, 8, 4, 12, 3)),
}
POISSON_QUICK = {"poisson_quick": made(dense_ar, "poisson", 100, 300, k=20)}

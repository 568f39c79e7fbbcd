"""Small problems of K responses, and the settings in which solvers of them are tried."""

import numpy as np

N, P, K = 40, 12, 4


def labelled(n=N, p=P, classes=K, seed=0):
    """Correlated columns, one of them 0 in half the rows, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.5 * X[:, :-1]
    X[: n // 2, p // 2] = 0.0
    scores = 1.5 * X[:, : min(p, 4)] @ rng.standard_normal((min(p, 4), classes))
    labels = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    labels[:classes] = np.arange(classes)
    return X, np.eye(classes)[labels], rng


def measured(n=N, p=P, responses=K, seed=0):
    """The same columns with real responses."""
    X, _, rng = labelled(n, p, responses, seed)
    signal = X[:, :3] @ rng.standard_normal((3, responses))
    return X, signal + rng.standard_normal((n, responses)), rng


def full(state, p):
    """Intercepts (K,) and all coefficients (K, p)."""
    which, values = state.coefficients()
    B = np.zeros((len(values), p))
    B[:, which] = values
    return state.intercept, B


FACTORS = np.resize([1.0, 0.5, 2.0], P)
FACTORS[[2, 7]] = 0.0
SETTINGS = {
    "plain": {},
    "weights": {"w": np.arange(N) % 5 / (np.arange(N) % 5).sum()},
    "offset": {"offset": np.sin(np.arange(K * N)).reshape(K, N)},
    "factors": {"v": FACTORS},
    "mixed": {"alpha": 0.5},
    "nearly ridge": {"alpha": 0.05},
    "no intercept": {"intercept": False},
    "no intercept, factors, mixed": {"intercept": False, "v": FACTORS, "alpha": 0.7},
}
LIMITS = {
    "low": np.resize([-0.1, -np.inf, -0.3], P),
    "high": np.resize([0.05, 0.2, np.inf, 0.0], P),
}
FORMS = [("multinomial", False), ("multinomial", True), ("multigaussian", True)]

"""Knockoff copies of features: Gaussian model-X and fixed-X, with MVR or equal distances.

Let S be the covariance of unit diagonal and D = diag(s) with 2S - D positive semidefinite.

    model-X   Xk = X - (X - mu) S^-1 D + N(0, 2D - D S^-1 D)
    fixed-X   Xk = X (I - G^-1 D) + U C,  G = X'X of unit columns, U orthonormal to (1, X),
              C'C = 2D - D G^-1 D

MVR (Spector and Janson 2022) minimises sum_j 1/s_j + tr (2S - D)^-1 by coordinates: with
P = (2S - D)^-1, a = P_jj and c = |P e_j|^2,

    delta = (1 - s_j c^1/2) / (c^1/2 + a),  s_j += delta,  P += delta / (1 - delta a) P e_j e_j' P.

References: Barber and Candes (2015); Candes, Fan, Janson, Lv (2018), "Panning for gold"; Spector
and Janson (2022), "Powerful knockoffs via minimizing reconstructability"; Ledoit and Wolf (2004).
"""

import numpy as np

# Sweeps of MVR, and the largest relative change of s that ends them.
SWEEPS = 50
SETTLED = 1e-6
# Columns of P that are changed together.
BLOCK = 32
# Equal distances make 2S - D singular; this share of them does not.
SHARE_OF_EQUAL = 0.99
# Below this least eigenvalue (unit diagonal) a covariance is singular.
SINGULAR = 1e-10


def ledoit_wolf(X):
    """Return (covariance (p, p), share of the identity in it) of columns of mean 0, variance 1."""
    n, p = X.shape
    S = X.T @ X / n
    squares = np.sum(X * X, axis=1)
    noise = (np.sum(squares**2) / n - np.sum(S * S)) / n
    mean = np.trace(S) / p
    distance = np.sum(S * S) - p * mean**2
    share = min(1.0, noise / distance) if distance > 0.0 else 1.0
    return (1.0 - share) * S + share * mean * np.eye(p), share


def distances(S, construct="mvr"):
    """Return s (p,) for a correlation matrix S: "mvr", or "equi" for equal ones."""
    least = np.linalg.eigvalsh(S)[0]
    if least < SINGULAR:
        raise ValueError(
            f"the covariance is singular: its least eigenvalue is {least:.2g}, for unit diagonal; "
            "leave out features that are combinations of others"
        )
    equal = np.full(len(S), min(1.0, 2.0 * least) * SHARE_OF_EQUAL)
    return equal if construct == "equi" else _least_reconstructable(S, np.minimum(equal, least))


def _least_reconstructable(S, s):
    """Return the s of MVR, from a feasible start; ranks of one are applied in blocks."""
    s, p = s.copy(), len(s)
    for _ in range(SWEEPS):
        P, worst = np.linalg.inv(2.0 * S - np.diag(s)), 0.0
        for start in range(0, p, BLOCK):
            block = np.arange(start, min(start + BLOCK, p))
            U, factors = np.empty((p, len(block))), np.empty(len(block))
            for k, j in enumerate(block):  # P is P + U diag(factors) U' by now
                column = P[:, j] + U[:, :k] @ (factors[:k] * U[j, :k])
                size, a = np.linalg.norm(column), column[j]
                delta = (1.0 - s[j] * size) / (size + a)
                worst = max(worst, abs(delta) / s[j])
                s[j] += delta
                U[:, k], factors[k] = column, delta / (1.0 - delta * a)
            P += (U * factors) @ U.T
        if worst < SETTLED:
            break
    return s


def model_copies(X, S, s, rng):
    """Return knockoffs (n, p) of columns X of mean 0 and variance 1, of correlation S."""
    inner = np.linalg.solve(S, np.diag(s))
    root = _root(np.diag(2.0 * s) - s[:, None] * inner)
    return X - X @ inner + rng.standard_normal(X.shape) @ root


def fixed_copies(X, rng, construct="mvr"):
    """Return (X, Xk) with centred columns of length 1 and X'Xk = X'X - D, Xk'Xk = X'X."""
    n, p = X.shape
    X = X - X.mean(axis=0)
    X = X / np.linalg.norm(X, axis=0)
    G = X.T @ X
    s = distances(G, construct)
    Q, _ = np.linalg.qr(np.column_stack([np.ones(n), X, rng.standard_normal((n, p))]))
    inner = np.linalg.solve(G, np.diag(s))
    root = _root(np.diag(2.0 * s) - s[:, None] * inner)
    return X, X - X @ inner + Q[:, p + 1 :] @ root


def _root(V):
    """Return a symmetric C with C'C = V, negative eigenvalues taken as 0."""
    values, vectors = np.linalg.eigh((V + V.T) / 2.0)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T

"""Knockoff copies of features: Gaussian model-X and fixed-X, with MVR or equal distances.

Let S be the covariance of unit diagonal and D = diag(s) with 2S - D positive semidefinite.

    model-X   Xk = X - (X - mu) S^-1 D + N(0, 2D - D S^-1 D)
    fixed-X   Xk = X (I - G^-1 D) + U C,  G = X'X of unit columns, U orthonormal to (1, X),
              C'C = 2D - D G^-1 D

Covariates Z that are not tested have no copy: S is the covariance given them, X - mu what they do
not explain, and U is orthonormal to them too.

MVR (Spector and Janson 2022) minimises sum_j 1/s_j + tr (2S - D)^-1 by coordinates: with
P = (2S - D)^-1, a = P_jj and c = |P e_j|^2,

    delta = (1 - s_j c^1/2) / (c^1/2 + a),  s_j += delta,  P += delta / (1 - delta a) P e_j e_j' P.

References: Barber and Candes (2015); Candes, Fan, Janson, Lv (2018), "Panning for gold"; Spector
and Janson (2022), "Powerful knockoffs via minimizing reconstructability"; Ledoit and Wolf (2004).
"""

import numpy as np
from scipy.linalg import blas

# Columns of P that are changed together.
BLOCK = 64
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
    if not is_positive_definite(S):
        raise ValueError(
            f"the covariance is singular: its least eigenvalue is {np.linalg.eigvalsh(S)[0]:.2g}, "
            "for unit diagonal; leave out features that are combinations of others"
        )
    if construct == "equi":
        return np.full(len(S), min(1.0, 2.0 * np.linalg.eigvalsh(S)[0]) * SHARE_OF_EQUAL)
    least = 1.0 / np.abs(np.linalg.inv(S)).sum(axis=0).max()  # at most the least eigenvalue
    return _least_reconstructable(S, np.full(len(S), min(SHARE_OF_EQUAL, least)))


def is_positive_definite(S):
    """Return True if every eigenvalue (unit diagonal) is above SINGULAR."""
    try:
        np.linalg.cholesky(S - SINGULAR * np.eye(len(S)))
    except np.linalg.LinAlgError:
        return False
    return True


def _least_reconstructable(S, s):
    """Return the s of MVR, from a feasible start; ranks of one are applied in blocks."""
    s, p = s.copy(), len(s)
    P = np.asfortranarray(np.linalg.inv(2.0 * S - np.diag(s)))
    for _ in range(50):
        worst = 0.0
        for start in range(0, p, BLOCK):
            block = range(start, min(start + BLOCK, p))
            U, factors = np.empty((len(block), p)), np.empty(len(block))
            for k, j in enumerate(block):  # P is P + U' diag(factors) U by now
                column = P[:, j] + (factors[:k] * U[:k, j]) @ U[:k]
                size, a = np.linalg.norm(column), column[j]
                delta = (1.0 - s[j] * size) / (size + a)
                worst = max(worst, abs(delta) / s[j])
                s[j] += delta
                U[k], factors[k] = column, delta / (1.0 - delta * a)
            P = blas.dgemm(1.0, (U * factors[:, None]).T, U, 1.0, P, overwrite_c=1)
        if worst < 1e-4:  # the largest relative change of s
            break
    return s


def model_copies(X, S, s):
    """Return a function of rng that draws knockoffs (n, p) of X, of mean 0 and correlation S."""
    inner = np.linalg.solve(S, np.diag(s))
    mean, root = X - X @ inner, _root(np.diag(2.0 * s) - s[:, None] * inner)
    return lambda rng: mean + rng.standard_normal(X.shape) @ root


def fixed_copies(X, others, construct="mvr"):
    """Return columns A of length 1 and a function of rng that draws their fixed-X knockoffs.

    A is X less its part in the columns `others` (n, k), to which the knockoffs K are orthogonal
    too. A'K = A'A - D and K'K = A'A. There must be 2 p + k rows at least.
    """
    p, k = X.shape[1], others.shape[1]
    Q = np.linalg.qr(others)[0]
    A = X - Q @ (Q.T @ X)
    A = A / np.linalg.norm(A, axis=0)
    G = A.T @ A
    s = distances(G, construct)
    inner = np.linalg.solve(G, np.diag(s))
    mean, root = A - A @ inner, _root(np.diag(2.0 * s) - s[:, None] * inner)

    def draw(rng):
        Q, _ = np.linalg.qr(np.column_stack([others, A, rng.standard_normal(A.shape)]))
        return mean + Q[:, p + k :] @ root

    return A, draw


def _root(V):
    """Return a C with C'C = V; where V is singular, negative eigenvalues are taken as 0."""
    try:
        return np.linalg.cholesky(V).T
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh((V + V.T) / 2.0)
        return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T

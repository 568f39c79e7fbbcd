"""Matrices of low rank: the prox of the trace norm by few singular values, and its tangent."""

import numpy as np
from scipy import sparse

from sparsesolve.penalties.tangent import Tangent

# Least threshold, as a fraction of the largest singular value, for which eigenvalues of inner
# products resolve the singular values above it. An eigenvalue has an error of 1e-16 of the
# largest, hence a singular value of 1e-8, which is 1e-4 of this threshold.
RESOLVED = 1e-4


def of_factors(L, R):
    """Return the Tangent of a trace norm at B = L R', for L (n, r) and R (m, r) of equal lengths.

    Directions are those of L row by row, then those of R. B moves by dL R' + L dR' + dL dR'; the
    last term gives the part of the curvature that depends on z.
    """
    (n, r), m = L.shape, len(R)
    T = sparse.hstack([sparse.kron(sparse.eye_array(n), R), _kron_right(L, m)], format="csc")

    def curvature(z):
        C = np.eye((n + m) * r)
        cross = np.kron(np.reshape(z, (n, m)), np.eye(r))
        C[: n * r, n * r :] -= cross
        C[n * r :, : n * r] -= cross.T
        return C

    def retraction(d):
        dL, dR = d[: n * r].reshape(n, r), d[n * r :].reshape(m, r)
        return ((L + dL) @ (R + dR).T - L @ R.T).ravel()

    return Tangent(T, np.concatenate([L.ravel(), R.ravel()]), curvature, retraction)


def _kron_right(L, m):
    """Return the matrix of dR -> L dR', (n m, m r)."""
    n, r = L.shape
    i, j, k = np.meshgrid(np.arange(n), np.arange(m), np.arange(r), indexing="ij")
    values = np.broadcast_to(L[:, None, :], (n, m, r))
    places = ((i * m + j).ravel(), (j * r + k).ravel())
    return sparse.csc_array((values.ravel(), places), (n * m, m * r))


def prox_by_inner_products(V, t):
    """Return the prox of the trace norm, or None if eigenvalues do not resolve the threshold."""
    wide = V.shape[0] <= V.shape[1]
    squares, turn = np.linalg.eigh(V @ V.T if wide else V.T @ V)
    s = np.sqrt(np.maximum(squares, 0.0))
    if not t > RESOLVED * s[-1:].max(initial=0.0):
        return None
    kept = s > t
    part = turn[:, kept]
    shrunk = part * (1.0 - t / s[kept])
    return shrunk @ (part.T @ V) if wide else (V @ shrunk) @ part.T

"""Matrices of low rank: the prox of the trace norm by few singular values, and its tangent."""

import numpy as np
from scipy import sparse

from sparsesolve.penalties.tangent import Tangent

TOLD = 1e-4  # of the largest singular value: from there eigenvalues of inner products tell them


def of_factors(L, R):
    """The Tangent of a trace norm at B = L R', for L (n, r) and R (m, r) of equal lengths.

    Directions come as those of L row by row, then those of R. B moves by dL R' + L dR' + dL dR',
    whose last term is what the curvature has of z.
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
    """dR -> L dR', (n m, m r)."""
    n, r = L.shape
    i, j, k = np.meshgrid(np.arange(n), np.arange(m), np.arange(r), indexing="ij")
    values = np.broadcast_to(L[:, None, :], (n, m, r))
    places = ((i * m + j).ravel(), (j * r + k).ravel())
    return sparse.csc_array((values.ravel(), places), (n * m, m * r))


def prox_by_inner_products(V, t):
    """The prox of the trace norm, or None where eigenvalues would not tell."""
    wide = V.shape[0] <= V.shape[1]
    squares, turn = np.linalg.eigh(V @ V.T if wide else V.T @ V)
    s = np.sqrt(np.maximum(squares, 0.0))
    if not t > TOLD * s[-1:].max(initial=0.0):
        return None
    kept = s > t
    part = turn[:, kept]
    shrunk = part * (1.0 - t / s[kept])
    return shrunk @ (part.T @ V) if wide else (V @ shrunk) @ part.T

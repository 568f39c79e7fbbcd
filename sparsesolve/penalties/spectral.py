"""Norms of the singular values of coefficients read as a matrix: trace, spectral, Frobenius.

Their prox acts on the singular values alone. Where the threshold is large enough compared with
the largest one, they come from the eigenvalues of the smaller inner product, which costs a third
of an SVD.
Reference: Cai, Candes, Shen, "A singular value thresholding algorithm" (2010).
"""

from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.forms import Tangent
from sparsesolve.penalties.norm import ROUNDING, Norm, read_shape, soft
from sparsesolve.penalties.prox.balls import project_l1
from sparsesolve.penalties.rows import EachResponse

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


KINDS = ("trace", "spectral", "frobenius")


class Spectral(Norm):
    """A norm of the singular values s of B: their sum, their maximum, or their length.

    Parameters
    ----------
    of : {"trace", "spectral", "frobenius"}
        ``sum s``, ``max s`` or ``sqrt(sum s^2)``.
    shape : pair of int, default None
        The coefficients b (p,) are read as a matrix of that shape, row by row. None: B is the
        matrix of features by responses of "multigaussian" and "multinomial".

    Raises
    ------
    ValueError
        If `of` is none of these; when a path is fitted, if the shape does not have p entries, or
        is None for a family of one response.

    References
    ----------
    Bach, Jenatton, Mairal, Obozinski (2012), sections 1 and 3.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> ss.penalties.Spectral("spectral", shape=(2, 2)).polar([3.0, 0.0, 0.0, 1.0])
    4.0
    """

    scale_free = False  # Coefficients are compared with one another.

    def __init__(self, of: str, shape: tuple[int, int] | None = None):
        if of not in KINDS:
            raise ValueError(f"of must be one of {', '.join(map(repr, KINDS))}, not {of!r}")
        self.of, self.shape = of, None if shape is None else read_shape(shape)

    def _arguments(self):
        return f"{self.of!r}, shape={self.shape!r}"

    def _bind(self, names):
        if self.shape is not None and self.shape[0] * self.shape[1] != self.n_features:
            raise ValueError(f"shape {self.shape} does not have {self.n_features} entries")

    def over_responses(self, n_responses: int) -> Any:
        """Return the norm on arrays (K, p): of all responses, or with a shape of each response."""
        return _OfResponses(self) if self.shape is None else EachResponse(self)

    def _matrix(self, b):
        if b.ndim == 2:
            return b
        if self.shape is None:
            raise ValueError(
                f"{type(self).__name__} without a shape is for families of several responses; "
                "for one give shape=(rows, columns) with a coefficient in each entry"
            )
        return b.reshape(self.shape)

    def norm(self, b: np.ndarray) -> float:
        B = self._matrix(b)
        if self.of == "frobenius":
            return float(np.linalg.norm(B))
        s = np.linalg.svd(B, compute_uv=False)
        return float(s.sum() if self.of == "trace" else s.max(initial=0.0))

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the dual norm, which is that of the singular values of z."""
        Z = self._matrix(z)
        if self.of == "frobenius":
            return float(np.linalg.norm(Z))
        s = np.linalg.svd(Z, compute_uv=False)
        return float(s.max(initial=0.0) if self.of == "trace" else s.sum())

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        V = self._matrix(v)
        if self.of == "frobenius":
            size = np.linalg.norm(V)
            return v * max(1.0 - t / size, 0.0) if size > 0.0 else v.copy()
        if self.of == "trace":
            found = prox_by_inner_products(V, t)
            if found is not None:
                return found.reshape(v.shape)
        left, s, right = np.linalg.svd(V, full_matrices=False)
        s = soft(s, t) if self.of == "trace" else s - project_l1(s, t)
        return ((left * s) @ right).reshape(v.shape)

    def part(self, which: np.ndarray) -> Any:
        """Return the norm on the rows `which` of a matrix of features by responses."""
        return self.over(len(which)) if self.shape is None else None

    def tangent(self, b: np.ndarray) -> Any:
        """Return the tangent of a trace norm by factors: B = L R', ``(|L|^2 + |R|^2) / 2``."""
        if self.of != "trace":
            return None
        B = self._matrix(b)
        left, s, right = np.linalg.svd(B, full_matrices=False)
        kept = s > ROUNDING * s.max(initial=0.0)
        root = np.sqrt(s[kept])
        return of_factors(left[:, kept] * root, right[kept].T * root)

    def metric(self, b: np.ndarray, e: float) -> Any:
        """Return X -> (BB' + e^2)^(1/2) X for rows X (m, p) if this is a trace norm, else None."""
        if self.of != "trace":
            return None
        left, s, _ = np.linalg.svd(self._matrix(b), full_matrices=False)
        d, shape = np.hypot(s, e) - e, self.shape

        def apply(x):
            X = x.reshape(-1, *shape)
            return (e * X + (left * d) @ (left.T @ X)).reshape(x.shape)

        return apply

    def degrees(self, b: np.ndarray) -> int:
        """Return the dimension of matrices of that rank for a trace norm, else the nonzeros."""
        b = np.asarray(b)
        if self.of != "trace":
            return int(np.count_nonzero(b))
        B = self._matrix(b)
        s = np.linalg.svd(B, compute_uv=False)
        rank = int(np.count_nonzero(s > ROUNDING * s.max(initial=0.0)))
        return rank * (sum(B.shape) - rank)


class TraceNorm(Spectral):
    """The sum of the singular values of B: matrices of low rank.

    Raises
    ------
    ValueError
        When a path is fitted, as :class:`Spectral`.

    References
    ----------
    Bach, Jenatton, Mairal, Obozinski (2012), sections 1 and 3.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X, B = rng.normal(size=(100, 6)), np.outer([1, 2, 0, 0, 1, 1], [1, -1, 2])
    >>> Y = X @ B + rng.normal(size=(100, 3))
    >>> fit = ss.path(X, Y, family="multigaussian", penalty=ss.penalties.TraceNorm())
    >>> int(np.linalg.matrix_rank(fit.coef(1.0), tol=1e-6))
    1
    """

    def __init__(self, shape: tuple[int, int] | None = None):
        super().__init__("trace", shape)

    def _arguments(self):
        return f"shape={self.shape!r}"


class _OfResponses:
    """A norm of matrices on arrays (K, p) of all responses."""

    def __init__(self, one):
        self.of, self.tangent = one.of, one.tangent
        self.value, self.prox, self.polar = one.norm, one.norm_prox, one.dual_norm

    def metric(self, B, e):
        if self.of != "trace":
            return None
        _, s, right = np.linalg.svd(B, full_matrices=False)
        d = np.hypot(s, e) - e
        return lambda x: e * x + ((x @ right.T) * d) @ right

"""Kernels: M positive semidefinite matrices on n samples, as the solvers see them.

A kernel is a dense matrix, a low-rank factor Z with K = Z Z', a sparse matrix, or rows that are
computed when they are needed. Solvers multiply kernels, add them and ask for bounds; only this
file knows how a kernel is stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import blas

from sparsesolve.mkl.symmetric import Symmetric

# Rows computed at a time, which bounds the memory of a kernel that is not stored.
BLOCK = 256
# With fewer values in all kernels, starting threads takes longer than the work.
WORTH_THREADS = 250_000


class LowRank:
    """A kernel K = Z Z' by its factor; K is not computed.

    Parameters
    ----------
    Z : array-like (n, r), float64 or float32
        The factor. It saves time if r is well below n.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 6))
    >>> kernels = [ss.mkl.LowRank(X[:, :3]), ss.mkl.LowRank(X[:, 3:])]
    >>> ss.mkl_path(kernels, X[:, 4], n_lambdas=10).active(0.1)
    array([1])
    """

    def __init__(self, Z: Any) -> None:
        self.Z = Z

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of K, (n, n)."""
        return (len(self.Z), len(self.Z))


class Rows:
    """A kernel whose rows are computed when they are needed, and not stored.

    Parameters
    ----------
    make : callable (begin, end) -> (end - begin, n) array
    n : int
    diagonal : (n,) array
    """

    def __init__(self, make, n, diagonal):
        self.make, self.n, self.diagonal = make, n, diagonal

    @property
    def shape(self):
        return (self.n, self.n)

    def blocks(self):
        """Yield (begin, end, rows) in order."""
        for begin in range(0, self.n, BLOCK):
            end = min(begin + BLOCK, self.n)
            yield begin, end, np.asarray(self.make(begin, end), dtype=np.float64)


class Kernels:
    """M kernels on n samples.

    Parameters
    ----------
    items : list of (n, n) arrays, LowRank, sparse matrices or Rows
        Checked by `read_kernels`.
    bounds : (M,)
        Upper bounds of the square roots of their largest eigenvalues.
    near : LowRankCache
    names : (M,) strings, or None
    n_threads : int
    """

    def __init__(self, items, bounds, near, names=None, n_threads=1):
        self.items, self.bounds, self.near, self.names = items, bounds, near, names
        self.n, self.size = items[0].shape[0], len(items)
        self.n_threads = n_threads if self.size * self.n**2 >= WORTH_THREADS else 1
        dense = [m for m, item in enumerate(items) if isinstance(item, np.ndarray)]
        self._place = np.full(self.size, -1)
        self._place[dense] = np.arange(len(dense))
        self._dense = Symmetric([items[m] for m in dense])

    def times(self, which, vectors):
        """Return K_m v for each m in `which` (k,) and each row v of vectors (q, n), (k, q, n)."""
        which = np.asarray(which, dtype=np.intp)
        places = self._place[which]
        if len(places) and (places >= 0).all():
            return self._dense.times(places, vectors, self.n_threads)
        out = np.empty((len(which), *vectors.shape))
        if (places >= 0).any():
            out[places >= 0] = self._dense.times(places[places >= 0], vectors, self.n_threads)
        for k in np.flatnonzero(places < 0):
            out[k] = item_times(self.items[which[k]], vectors)
        return out

    def total(self, which, scale, out):
        """Write sum_k scale[k] K_which[k] into the lower triangle of `out` (n, n)."""
        which, scale = np.asarray(which, dtype=np.intp), np.asarray(scale, dtype=float)
        places = self._place[which]
        dense = places >= 0
        if dense.any():
            self._dense.total(places[dense], scale[dense], out, self.n_threads)
        else:
            out.fill(0.0)
        for k in np.flatnonzero(~dense):
            add_item(self.items[which[k]], scale[k], out)

    def sizes(self, which, vectors):
        """Return sqrt(sum over rows v of v'K_m v) for each m in `which`, (k,)."""
        products = self.times(which, vectors)
        return np.sqrt(np.maximum(np.einsum("kqn,qn->k", products, vectors), 0.0))


def item_times(item, vectors):
    """Return K v for each row v of vectors (q, n), of a kernel that is not dense."""
    if isinstance(item, LowRank):
        return (vectors @ item.Z) @ item.Z.T
    if sparse.issparse(item):
        return (item @ vectors.T).T
    out = np.empty(vectors.shape)
    for begin, end, rows in item.blocks():
        out[:, begin:end] = vectors @ rows.T
    return out


def add_item(item, scale, out):
    """Add scale K to the lower triangle of `out` (n, n), of a kernel that is not dense."""
    if isinstance(item, LowRank):
        Z = np.asarray(item.Z, dtype=np.float64)
        blas.dsyrk(scale, Z, beta=1.0, c=out.T, lower=0, overwrite_c=1)
    elif sparse.issparse(item):
        lower = sparse.tril(item, format="coo")
        out[lower.row, lower.col] += scale * lower.data
    else:
        for begin, end, rows in item.blocks():
            out[begin:end] += scale * rows

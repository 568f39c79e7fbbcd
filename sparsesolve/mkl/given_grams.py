"""GivenGrams: the user's kernel matrices, centred and scaled; new blocks are treated alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import by_rows, read_flag, read_shares
from sparsesolve.data.row_labels import kernels_alike, labels_of_rows
from sparsesolve.data.vector import read_finite
from sparsesolve.linalg.threads import thread_count
from sparsesolve.mkl.grams import Grams
from sparsesolve.mkl.kernels import BLOCK, LowRank, Rows
from sparsesolve.mkl.reading import read_kernels
from sparsesolve.mkl.scaling import learn_scaling, read_scale
from sparsesolve.results.kernel_path import by_name, read_block


class GivenGrams(Grams):
    """Grams without a table: for new samples the user gives raw blocks, which are treated alike.
    """

    @property
    def trusted(self) -> list[bool]:
        """Return True for each kernel: all were examined when they were given."""
        return [True] * len(self)

    def for_new(self, new: Any) -> tuple[int, Callable[[int], np.ndarray]]:
        """Return the number of new samples, and a function m -> block (n_new, n)."""
        blocks, diagonals = self._parts(new)
        n = len(self.sources[0].shares)
        rows = next((np.shape(block)[0] for block in blocks if block is not None), 0)

        def make(m):
            block = read_block(blocks[m], m, n)
            if block.shape[0] != rows:
                raise ValueError(
                    f"the block of kernel {m} has shape {block.shape}; need {(rows, n)}"
                )
            block = block.toarray() if sparse.issparse(block) else block
            own = None if diagonals is None else read_finite(
                f"the diagonal of kernel {m}", diagonals[m], rows, "new sample")  # fmt: skip
            return self.sources[m].apply(block, own)

        return rows, make

    def _parts(self, new):
        """Return the raw blocks in order and, if needed, the k(x, x) of the new samples."""
        blocks, diagonals = new, None
        if any(source.roots is not None for source in self.sources):
            if not isinstance(new, tuple) or len(new) != 2:
                raise ValueError(
                    "these kernels have unit diagonal; give (blocks, diagonals), the second of "
                    "shape (M, n_new) with k(x, x) of the new samples"
                )
            blocks, diagonals = new
            if len(diagonals) != len(self):
                raise ValueError(
                    f"{len(diagonals)} diagonals are given; {len(self)} are needed, one for each "
                    "kernel"
                )
        blocks = by_name(blocks, self.names)
        if len(blocks) != len(self):
            raise ValueError(f"kernels holds {len(blocks)} blocks; {len(self)} are needed")
        names = [f"block {m}" for m in range(len(blocks))]
        return kernels_alike(blocks, names, self.index), diagonals


@by_rows("weights", of="kernels")
def precomputed(
    kernels: Any,
    *,
    centre: bool = False,
    scale: str | None = None,
    weights: ArrayLike | None = None,
    n_threads: int = 1,
) -> Grams:
    """Centre and scale given kernel matrices, into new arrays of their type.

    Parameters
    ----------
    kernels : stack (M, n, n), sequence or dict
        As :func:`sparsesolve.mkl_path` takes them.
    centre, scale, weights
        As in :func:`build_grams`.
    n_threads : int, default 1
        Number of threads; -1 for all cores.

    Returns
    -------
    Grams
        Predictions then take the raw blocks between the new samples and those of the fit. With
        scale="diagonal" they take a pair: these blocks, and the raw k(x, x) of the new samples,
        (M, n_new).

    Raises
    ------
    ValueError, TypeError
        If a matrix is not a kernel, as in :func:`sparsesolve.mkl_path`, or is given as a factor.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> raw = np.stack([np.outer(x, x) for x in X.T])  # one for each column, (4, 60, 60)
    >>> made = ss.mkl.precomputed(raw[:, :50, :50], centre=True, scale="trace")
    >>> fit = ss.mkl_path(made, X[:50, 0], n_lambdas=10)
    >>> fit.predict(raw[:, 50:, :50], s=0.1).shape
    (10,)
    """
    centre, scale = read_flag("centre", centre), read_scale(scale)
    read = read_kernels(kernels, thread_count(n_threads), compare=scale is None)
    shares = read_shares(weights, read.items[0].shape[0])[0]
    sources, items = [], []
    for item in read.items:
        dense = item.toarray() if sparse.issparse(item) else item
        if isinstance(item, (LowRank, Rows)):
            raise TypeError("precomputed kernels are dense or sparse matrices; scale a factor Z")
        means = np.einsum("i,ij->j", shares, dense)
        diagonal = np.array(np.diagonal(dense), dtype=np.float64)
        scaling = learn_scaling(shares, means, diagonal, centre, scale)
        made = np.empty(dense.shape, dtype=dense.dtype)
        for begin in range(0, len(dense), BLOCK):
            part = slice(begin, begin + BLOCK)
            made[part] = scaling.apply(dense[part], diagonal[part])
        np.fill_diagonal(made, scaling.own_diagonal(diagonal))
        sources.append(scaling)
        items.append(made)
    return GivenGrams(items, read.names, sources, index=labels_of_rows(kernels))

"""Rows in blocks: dask arrays, and large row-major arrays.

dask is imported only after a user has passed one of its arrays.
"""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.solvers.suitability import MOST_GRAM_COLUMNS

from .array import FOREIGN_KINDS

# Bytes of a slice, which keep its copies small.
SLICE_BYTES = 1 << 24
# Bytes of an array from which a copy is avoided.
LARGE_BYTES = 1 << 28
# A design is tall if it has at least this many rows a column.
TALL = 20


def is_dask(X):
    """Return True if X is a collection of dask; arrays of xarray have a graph, or None, too."""
    return hasattr(X, "__dask_graph__") and X.__dask_graph__() is not None


def is_large_by_rows(X):
    """Return True if X is a large row-major array."""
    return (
        type(X) in (np.ndarray, np.memmap)
        and X.ndim == 2
        and X.dtype in (np.float32, np.float64)
        and X.nbytes >= LARGE_BYTES
        and X.flags.c_contiguous
        and X.flags.aligned
        and X.shape[0] >= TALL * X.shape[1]
        and 1 < X.shape[1] <= MOST_GRAM_COLUMNS
    )


def read_row_blocks(X, read):
    """Return a dask array (n, p) of dense or sparse blocks as DistributedDesign; nothing runs
    yet.

    `read` converts a block for the core; it is a function of a module, so that workers can get
    it.
    """
    sizes, blocks = row_blocks(X)
    return DistributedDesign(sizes, int(X.shape[1]), _Dask(blocks), read)


def row_blocks(X):
    """Return sizes and delayed blocks of rows of a dask array of real numbers, with all columns.
    """
    if not hasattr(X, "chunks"):
        raise TypeError(
            f"X is a dask {type(X).__name__}, which is not an array; pass "
            "X.to_dask_array(lengths=True)"
        )
    if X.ndim != 2:
        raise ValueError(f"X must be two-dimensional, rows by columns, not of shape {X.shape}")
    if np.isnan(X.shape).any():
        raise ValueError("X has chunks of unknown sizes; call X.compute_chunk_sizes() before")
    if X.dtype.kind not in "biuf":
        what = FOREIGN_KINDS.get(X.dtype.kind, "values that are not numbers")
        raise TypeError(f"X (dtype {X.dtype}) holds {what}")
    if 0 in X.shape:
        what = "columns" if X.shape[0] else "rows"
        raise ValueError(f"X has no {what} (shape {X.shape}); at least one is needed")
    X = X.rechunk({1: -1})
    sizes, blocks = X.chunks[0], X.to_delayed()[:, 0]
    kept = [k for k, size in enumerate(sizes) if size]
    return [int(sizes[k]) for k in kept], [blocks[k] for k in kept]


def slice_rows(array, n_threads, read):
    """Return a row-major array as DistributedDesign, without a copy of the whole."""
    n, p = array.shape
    rows = max(SLICE_BYTES // (p * array.itemsize), 1)
    blocks = [np.asarray(array[start : start + rows]) for start in range(0, n, rows)]
    sizes = [len(block) for block in blocks]
    return DistributedDesign(sizes, p, _Threads(blocks, n_threads), read)


class _Dask:
    """Calls a function of every block, with dask's current scheduler."""

    def __init__(self, blocks):
        self.blocks = blocks

    def keep(self, make, arguments):
        """Return what make(*arguments[k]) returns for every block, for later calls."""
        from dask import delayed

        make = delayed(make, pure=False, traverse=False)
        return [make(*rest) for rest in arguments]

    def __call__(self, function, arguments, merge):
        from dask import compute, delayed

        function = delayed(function, pure=False)
        known = {}  # arguments of many blocks are sent once
        for rest in arguments:
            for item in rest:
                known.setdefault(id(item), []).append(item)
        once = {
            key: delayed(items[0], pure=False, traverse=False)
            for key, items in known.items()
            if len(items) > 1
        }
        parts = [
            function(block, *[once.get(id(item), item) for item in rest])
            for block, rest in zip(self.blocks, arguments, strict=True)
        ]
        with one_blas_thread(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # vectors of n, in parts
            if merge is None:
                return list(compute(*parts))
            return compute(tree(delayed(merge, pure=False), parts))[0]


class _Threads:
    """Calls a function of every block in memory, with threads of our own."""

    def __init__(self, blocks, n_threads):
        self.blocks, self.n_threads = blocks, n_threads

    def keep(self, make, arguments):
        """Return what make(*arguments[k]) returns for every block, for later calls."""
        return [make(*rest) for rest in arguments]

    def __call__(self, function, arguments, merge):
        with one_blas_thread():
            if self.n_threads == 1:
                pairs = zip(self.blocks, arguments, strict=True)
                parts = [function(block, *rest) for block, rest in pairs]
            else:
                parts = self._share_out(function, arguments)
        return parts if merge is None else tree(merge, parts)

    def _share_out(self, function, arguments):
        pool = ThreadPoolExecutor(self.n_threads)
        try:
            pairs = zip(self.blocks, arguments, strict=True)
            parts = [pool.submit(function, block, *rest) for block, rest in pairs]
            return [part.result() for part in parts]
        finally:  # also after Ctrl-C
            pool.shutdown(cancel_futures=True)


def tree(merge, parts):
    """Return all parts merged two by two, in the same order however they finish."""
    while len(parts) > 1:
        pairs = [parts[k : k + 2] for k in range(0, len(parts), 2)]
        parts = [merge(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]

"""Rows in blocks: dask arrays, and large row-major arrays.

dask is imported only after a user has passed one of its arrays.
"""

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.solvers.suitability import MOST_GRAM_COLUMNS

from .array import FOREIGN_KINDS, refuse_empty
from .frame import is_encoded, is_frame

# Bytes of a slice, which keep its copies small.
SLICE_BYTES = 1 << 24
# Bytes of an array from which a copy is avoided.
LARGE_BYTES = 1 << 28
# A design is tall if it has at least this many rows a column.
TALL = 20


def is_dask(X):
    """Return True for a collection of dask, or an EncodedDesign of one; xarray's may be none."""
    X = X.matrix if is_encoded(X) else X
    return hasattr(X, "__dask_graph__") and X.__dask_graph__() is not None


def in_memory(value):
    """Return what a dask array, Series or frame holds, and anything else as it is."""
    return value.compute() if is_dask(value) else value


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
    """Return a dask array (n, p) of dense or sparse blocks as DistributedDesign; nothing runs yet.

    `read`, a function of a module so that workers can get it, converts a block for the core.
    """
    X = in_blocks(X, read)
    sizes, blocks = row_blocks(X)
    gather = _Dask(sizes, blocks, _futures(X, blocks))
    return DistributedDesign(sizes, int(X.shape[1]), gather, read)


def in_blocks(X, convert, like=None, sizes=None):
    """Return a dask DataFrame as a dask array of what convert(partition) returns; anything else
    as it is.

    `like` is a matrix (0, p) of the kind that it returns, by default of numbers in all columns of
    X. `sizes` are the rows of the partitions, which are counted if they are not given.
    """
    if is_encoded(X) or not is_frame(X):
        return X
    from dask import array, compute, delayed

    parts = X.to_delayed()
    if sizes is None:
        sizes = compute(*[delayed(len)(part) for part in parts])
    like = np.zeros((0, len(X.columns))) if like is None else like
    later = delayed(_of_partition, pure=False)
    return array.concatenate([
        array.from_delayed(later(convert, part, k), (size, like.shape[1]), meta=like[:, :0])
        for k, (part, size) in enumerate(zip(parts, sizes, strict=True))
    ])  # fmt: skip


def _of_partition(function, part, k):
    """Return function(partition), with the number of the partition in its errors."""
    try:
        return function(part)
    except ValueError as error:
        raise ValueError(f"partition {k} (counted from 0): {error}") from None


def of_partitions(frame, function):
    """Return what function(partition) returns for each partition of a dask DataFrame."""
    from dask import compute, delayed

    later = delayed(_of_partition, pure=False)
    return compute(*[later(function, part, k) for k, part in enumerate(frame.to_delayed())])


def of_blocks(X, function, like, offset=None):
    """Return function(block), or function(block, part of the offset), for each block of rows of X
    as a dask array; nothing is computed yet.

    `like` is what it returns for one row. Rows of a DataFrame are counted if there is an offset;
    else the sizes of the chunks are unknown.
    """
    from dask import array, compute, delayed

    if is_frame(X) and not is_encoded(X):
        blocks = X.to_delayed()
        sizes = [np.nan] * len(blocks)
        if offset is not None:
            sizes = compute(*[delayed(len)(block) for block in blocks])
    else:
        sizes, blocks = row_blocks(X)
    rest = [()] * len(blocks)
    if offset is not None:
        if len(offset) != sum(sizes):
            raise ValueError(f"offset has {len(offset)} values but X has {sum(sizes)} rows")
        rest = [(part,) for part in np.split(offset, np.cumsum(sizes)[:-1])]
    later = delayed(_of_rows, pure=False)
    return array.concatenate([
        array.from_delayed(later(function, like[:0], block, *part), (m, *like.shape[1:]),
                           like.dtype)
        for block, part, m in zip(blocks, rest, sizes, strict=True)
    ])  # fmt: skip


def _of_rows(function, nothing, block, *rest):
    return function(block, *rest) if block.shape[0] else nothing


def _futures(X, blocks):
    """Return the futures of blocks that are persisted on a cluster, or None."""
    if "distributed" not in sys.modules:  # then there is no cluster
        return None
    from distributed import futures_of

    known = {future.key: future for future in futures_of(X)}
    found = [known.get(block.key) for block in blocks]
    return None if None in found else found


def row_blocks(X):
    """Return sizes and delayed blocks of whole rows of a dask array of real numbers."""
    X = X.matrix if is_encoded(X) else X
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
    refuse_empty(X.shape)
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
    """Calls a function of every block, with dask's current scheduler.

    Blocks that are persisted on the workers of a cluster stay there, and so does what `keep` made:
    then a call is one task a worker, which merges the results of its blocks. `moved` are bytes of
    arrays that went to tasks and came back.
    """

    def __init__(self, sizes, blocks, futures=None):
        self.sizes, self.blocks, self.futures, self.moved = sizes, blocks, futures, 0
        self.client = None if futures is None else futures[0].client
        self.places = {} if futures is None else self._places()

    def _places(self):
        """Return the blocks (indices) of each worker that has them in its memory."""
        from distributed import wait

        wait(self.futures)
        holders, places = self.client.who_has(self.futures), {}
        for k, future in enumerate(self.futures):
            where = sorted(holders.get(future.key, ()))
            if not where:
                return {}
            places.setdefault(where[0], []).append(k)
        return places

    def keep(self, make, arguments):
        """Return what make(*arguments[k]) returns for every block, for later calls."""
        if not self.places:
            from dask import delayed

            make = delayed(make, pure=False, traverse=False)
            return [make(*rest) for rest in arguments]
        kept = [None] * len(arguments)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # vectors of n, in parts
            for worker, which in self.places.items():
                for k in which:
                    kept[k] = self._submit(worker, make, *arguments[k])
        return kept

    def _submit(self, worker, function, *arguments):
        """Start a task on a worker, or on another if it has died."""
        return self.client.submit(
            function, *arguments, workers=[worker], allow_other_workers=True, pure=False
        )

    def __call__(self, function, arguments, merge):
        with one_blas_thread(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # vectors of n, in parts
            call = self._by_workers if self.places else self._by_blocks
            try:
                return call(function, arguments, merge)
            except (ValueError, TypeError):  # they say what a block holds
                raise
            except Exception as error:
                raise self._fault(error) from error

    def _fault(self, error):
        """Return what to raise where a task has failed: which block, and what helps."""
        died = type(error).__name__ == "KilledWorker"
        if died or isinstance(error, MemoryError):
            what = "Workers died, as they do when memory runs out," if died else "Memory ran out"
            return MemoryError(f"{what} in a pass over the blocks of X, the largest of "
                               f"{max(self.sizes)} rows; make them smaller, as "
                               f"X.rechunk(({max(max(self.sizes) // 4, 1)}, -1)), or run fewer "
                               "tasks at a time")  # fmt: skip
        for k, block in enumerate(self.blocks):
            try:
                block.compute()
            except Exception as own:
                first = sum(self.sizes[:k])
                return RuntimeError(
                    f"block {k} of X, rows {first} to {first + self.sizes[k] - 1} (counted from "
                    f"0), cannot be computed: {type(own).__name__}: {own}; mend what it is made of"
                )
        return error

    def _by_workers(self, function, arguments, merge):
        tasks = [
            self._submit(worker, _of_worker, function, [self.futures[k] for k in which],
                         [list(arguments[k]) for k in which], merge)
            for worker, which in self.places.items()
        ]  # fmt: skip
        parts = self.client.gather(tasks)
        sent = [[arguments[k] for k in which] for which in self.places.values()]
        self.moved += sum(map(_bytes, sent + parts))
        if merge is not None:
            return tree(merge, parts)
        order = [k for which in self.places.values() for k in which]
        found = dict(zip(order, (one for part in parts for one in part), strict=True))
        return [found[k] for k in range(len(order))]

    def _by_blocks(self, function, arguments, merge):
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
        whole = parts if merge is None else [tree(delayed(merge, pure=False), parts)]
        found = list(compute(*whole))
        self.moved += _bytes(arguments) + _bytes(found)
        return found if merge is None else found[0]


def _bytes(value):
    """Return the bytes of the arrays in nested lists and tuples, of each array once."""
    sizes, left = {}, [value]
    while left:
        one = left.pop()
        if isinstance(one, np.ndarray):
            sizes[id(one)] = one.nbytes
        left += one if isinstance(one, (list, tuple)) else ()
    return sum(sizes.values())


def _of_worker(function, blocks, arguments, merge):
    """Return what a function returns for the blocks of a worker, merged or as a list."""
    with one_blas_thread():
        parts = [function(part, *rest) for part, rest in zip(blocks, arguments, strict=True)]
    return parts if merge is None else tree(merge, parts)


class _Threads:
    """Calls a function of every block in memory, with threads of our own."""

    moved = 0  # rows are where they are multiplied

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

"""pack: working columns of a design, copied as dense or as sparse, whichever multiplies faster."""

from sparsesolve.linalg.working.dense import DensePackedColumns
from sparsesolve.linalg.working.sparse import SparsePackedColumns

DENSE_FROM = 0.15  # share of stored values from which dense kernels are the faster ones


def pack(design, root_w, recentred=False, dense=False, n_threads=1):
    """An empty PackedColumns for columns of this design.

    Held as sparse where few of their values are stored, unless `dense` is asked for; `recentred`:
    less their mean under these weights, root_w (n,) squared, which sum to 1. So many threads share
    passes over large ones.
    """
    sparse = design.stored < DENSE_FROM * design.n * design.p
    kind = SparsePackedColumns if sparse and not dense else DensePackedColumns
    columns = kind(root_w, recentred)
    columns.n_threads = n_threads
    return columns

"""pack: working columns of a design, copied as dense or sparse, whichever multiplies faster."""

from sparsesolve.linalg.working.dense import DensePackedColumns
from sparsesolve.linalg.working.sparse import SparsePackedColumns

# Dense kernels are faster if at least this share of the values is stored.
DENSE_FROM = 0.15


def pack(design, root_w, recentred=False, dense=False, n_threads=1):
    """Return an empty PackedColumns for columns of this design.

    The copies are sparse if few values are stored, unless `dense` is True. If `recentred` is
    True, the columns are centred by their means under the weights root_w (n,) squared, which sum
    to 1. Passes over many values use n_threads threads.
    """
    sparse = design.stored < DENSE_FROM * design.n * design.p
    kind = SparsePackedColumns if sparse and not dense else DensePackedColumns
    columns = kind(root_w, recentred)
    columns.n_threads = n_threads
    return columns

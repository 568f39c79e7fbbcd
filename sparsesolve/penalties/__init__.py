"""Penalties: functions of the coefficients alone.

For ``path(..., penalty=)``: `GroupL2`, `SparseGroup` and `GroupLinf`, on groups of features.
Without one a path has the elastic net. A new one is a file here, a line in PENALTIES and a test.
"""

from sparsesolve.penalties.elastic_net import ElasticNet
from sparsesolve.penalties.group_l2 import GroupL2
from sparsesolve.penalties.group_linf import GroupLinf
from sparsesolve.penalties.sparse_group import SparseGroup

__all__ = ["GroupL2", "GroupLinf", "SparseGroup"]

PENALTIES = {
    "elastic_net": ElasticNet,
    "group_l2": GroupL2,
    "group_linf": GroupLinf,
    "sparse_group": SparseGroup,
}

"""Penalties: functions of the coefficients alone.

Give one as ``path(..., penalty=)``. `GroupL2`, `GroupLq`, `SparseGroup` and `GroupLinf` act on
disjoint groups of features, `LatentGroupL2`, `OverlapL2` and `OverlapLinf` on groups that overlap,
and `TreeL2` and `TreeLinf` on nested groups. `TotalVariation`, `TotalVariation2D`, `GraphTV`,
`TrendFilter`, `Slope`, `TraceNorm`, `Spectral`, `KSupport`, `Submodular` and the balls act on all
features. `Separate` gives each set of features a penalty of its own, which may be `L1`; `Sum` adds
several penalties of the same features. `Berhu` and `ExclusiveLasso` are convex but are not norms.
`MCP`, `SCAD`, `Log` and `Bridge` are not convex. Without a penalty a path uses the elastic net.

Each penalty has ``value(b)``, ``prox(v, t)`` and ``polar(z)``. A new one is a file, a name here
and a line in ``tests/laws/test_penalties.py``.
"""

from sparsesolve.penalties import prox
from sparsesolve.penalties.balls import ElasticNetBall, GroupBall, L1Ball, L2Ball, LinfBall
from sparsesolve.penalties.berhu import Berhu
from sparsesolve.penalties.elastic_net import ElasticNet  # noqa: F401  (for other rooms)
from sparsesolve.penalties.exclusive_lasso import ExclusiveLasso
from sparsesolve.penalties.graph_tv import GraphTV, graph_groups
from sparsesolve.penalties.group_linf import GroupLinf
from sparsesolve.penalties.group_lq import GroupLq
from sparsesolve.penalties.group_makers import interval_groups, rectangle_groups, window_groups
from sparsesolve.penalties.k_support import KSupport
from sparsesolve.penalties.l1 import L1
from sparsesolve.penalties.latent_group_l2 import LatentGroupL2
from sparsesolve.penalties.nested_groups import tree_groups
from sparsesolve.penalties.nonconvex import MCP, SCAD, Bridge, Log
from sparsesolve.penalties.overlap_l2 import OverlapL2
from sparsesolve.penalties.overlap_linf import OverlapLinf
from sparsesolve.penalties.separate import Separate
from sparsesolve.penalties.slope import Slope
from sparsesolve.penalties.sparse_group import GroupL2, SparseGroup
from sparsesolve.penalties.spectral import Spectral, TraceNorm
from sparsesolve.penalties.submodular import Submodular, graph_cut
from sparsesolve.penalties.sum_of import Sum
from sparsesolve.penalties.total_variation import TotalVariation
from sparsesolve.penalties.total_variation_2d import TotalVariation2D
from sparsesolve.penalties.trees import TreeL2, TreeLinf
from sparsesolve.penalties.trend_filter import TrendFilter

__all__ = [
    "Berhu", "Bridge", "ElasticNetBall", "ExclusiveLasso", "GraphTV", "GroupBall", "GroupL2",
    "GroupLinf", "GroupLq", "KSupport", "L1", "L1Ball", "L2Ball", "LatentGroupL2",
    "LinfBall", "Log", "MCP", "OverlapL2", "OverlapLinf", "SCAD", "Separate", "Slope",
    "SparseGroup", "Spectral", "Submodular", "Sum", "TotalVariation", "TotalVariation2D",
    "TraceNorm", "TreeL2", "TreeLinf", "TrendFilter", "graph_cut", "graph_groups",
    "interval_groups", "prox", "rectangle_groups", "tree_groups", "window_groups",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)

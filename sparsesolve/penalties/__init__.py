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

import sys

from sparsesolve.penalties import prox
from sparsesolve.penalties.balls import ElasticNetBall, GroupBall, L1Ball, L2Ball, LinfBall
from sparsesolve.penalties.elastic_net import ElasticNet  # noqa: F401  (for other rooms)
from sparsesolve.penalties.graph_tv import GraphTV, TotalVariation2D, graph_groups
from sparsesolve.penalties.group_linf import GroupLinf
from sparsesolve.penalties.group_lq import GroupLq
from sparsesolve.penalties.group_makers import interval_groups, rectangle_groups, window_groups
from sparsesolve.penalties.k_support import KSupport
from sparsesolve.penalties.latent_group_l2 import LatentGroupL2
from sparsesolve.penalties.no_norms import Berhu, ExclusiveLasso
from sparsesolve.penalties.nonconvex import MCP, SCAD, Bridge, Log
from sparsesolve.penalties.overlapping import OverlapL2, OverlapLinf
from sparsesolve.penalties.separate import L1, Separate
from sparsesolve.penalties.slope import Slope
from sparsesolve.penalties.sparse_group import GroupL2, SparseGroup
from sparsesolve.penalties.spectral import Spectral, TraceNorm
from sparsesolve.penalties.submodular import Submodular, graph_cut
from sparsesolve.penalties.sum_of import Sum
from sparsesolve.penalties.total_variation import TotalVariation
from sparsesolve.penalties.trees import TreeL2, TreeLinf, tree_groups
from sparsesolve.penalties.trend_filter import TrendFilter

__all__ = [
    "Berhu", "Bridge", "ElasticNetBall", "ExclusiveLasso", "GraphTV", "GroupBall", "GroupL2",
    "GroupLinf", "GroupLq", "KSupport", "L1", "L1Ball", "L2Ball", "LatentGroupL2",
    "LinfBall", "Log", "MCP", "OverlapL2", "OverlapLinf", "SCAD", "Separate", "Slope",
    "SparseGroup", "Spectral", "Submodular", "Sum", "TotalVariation", "TotalVariation2D",
    "TraceNorm", "TreeL2", "TreeLinf", "TrendFilter", "graph_cut", "graph_groups",
    "interval_groups", "prox", "rectangle_groups", "tree_groups", "window_groups",
]  # fmt: skip

# Where the classes of files stand that pickles of older versions name.
for _file, *_old in (
    ("graph_tv", "total_variation_2d"), ("no_norms", "berhu", "exclusive_lasso"),
    ("nonconvex", "bridge", "log", "mcp", "scad"), ("overlapping", "overlap_l2", "overlap_linf"),
    ("prox.sums", "prox.alternating"), ("rows", "disjoint", "each_response"), ("separate", "l1"),
    ("sparse_group", "group_l2"), ("trees", "tree_l2", "tree_linf"),
):  # fmt: skip
    for _name in _old:
        sys.modules[f"{__name__}.{_name}"] = sys.modules[f"{__name__}.{_file}"]


def __dir__() -> list[str]:
    return sorted(__all__)

"""Penalties: functions of the coefficients alone.

For ``path(..., penalty=)``. On groups of features: `GroupL2`, `SparseGroup`, `GroupLinf`, and
`LatentGroupL2` for groups that overlap. On all of them: `TotalVariation`, `Slope`, `TraceNorm`,
`Spectral`, and balls; `Separate` gives each set of features its own, of which one may be `L1`.
Not convex are `MCP`, `SCAD`, `Log` and `Bridge`. Without a penalty a path has the elastic net.
Each has ``value(b)``, ``prox(v, t)`` and ``polar(z)``. A new one is a file here, a line in
PENALTIES and a test.
"""

from sparsesolve.penalties.balls import GroupBall, L1Ball, L2Ball, LinfBall
from sparsesolve.penalties.concave import MCP, SCAD, Bridge, Log
from sparsesolve.penalties.elastic_net import ElasticNet
from sparsesolve.penalties.group_l2 import GroupL2
from sparsesolve.penalties.group_linf import GroupLinf
from sparsesolve.penalties.latent_group_l2 import LatentGroupL2, graph_groups
from sparsesolve.penalties.separate import L1, Separate
from sparsesolve.penalties.slope import Slope
from sparsesolve.penalties.sparse_group import SparseGroup
from sparsesolve.penalties.spectral import Spectral, TraceNorm
from sparsesolve.penalties.total_variation import TotalVariation

__all__ = [
    "Bridge", "GroupBall", "GroupL2", "GroupLinf", "L1", "L1Ball", "L2Ball", "LatentGroupL2",
    "LinfBall", "Log", "MCP", "SCAD", "Separate", "Slope", "SparseGroup", "Spectral",
    "TotalVariation", "TraceNorm", "graph_groups",
]  # fmt: skip

PENALTIES = {
    "elastic_net": ElasticNet,
    "group_l2": GroupL2,
    "group_linf": GroupLinf,
    "l1": L1,
    "latent_group_l2": LatentGroupL2,
    "separate": Separate,
    "slope": Slope,
    "sparse_group": SparseGroup,
    "spectral": Spectral,
    "total_variation": TotalVariation,
    "trace_norm": TraceNorm,
}

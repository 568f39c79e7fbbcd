"""Projections and proximal operators as functions of plain arrays.

Each takes an array and returns a new one. Every penalty of `sparsesolve.penalties` has its own
`prox(v, t)`, `value(b)` and `polar(z)`.
"""

from sparsesolve.penalties.prox.balls import (
    box_hyperplane,
    project_elastic_net,
    project_groups,
    project_l1,
    project_l2,
    project_linf,
    project_simplex,
)
from sparsesolve.penalties.prox.named import group_l2, l1, trend_filter, tv1d, tv2d, tv_graph
from sparsesolve.penalties.prox.powers import power, squared_l1

__all__ = [
    "box_hyperplane", "group_l2", "l1", "power", "project_elastic_net", "project_groups",
    "project_l1", "project_l2", "project_linf", "project_simplex", "squared_l1", "trend_filter",
    "tv1d", "tv2d", "tv_graph",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)

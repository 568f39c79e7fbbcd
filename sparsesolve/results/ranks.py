"""Ranks of scores, of which those that rounding alone parts are tied.

Rows that are equal may have linear predictors that are not: what a product of a matrix rounds
depends on where in it a row stands.
"""

import numpy as np

ROUNDING = 64.0 * np.finfo(float).eps  # of two scores, or of the median one that is not 0


def ranks(scores):
    """The rank of each score, (n,) from 0, and the least score of each rank, ascending."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    sizes = np.abs(ordered)
    some = sizes[np.isfinite(sizes) & (sizes > 0.0)]
    least = np.partition(some, len(some) // 2)[len(some) // 2] if len(some) else 0.0
    sizes = np.where(np.isfinite(sizes), sizes, 0.0)
    with np.errstate(invalid="ignore"):  # of infinite scores, which are tied
        steps = np.diff(0.5 * ordered)  # halves, as differences may be beyond floats
    near = ROUNDING * np.maximum(np.maximum(sizes[1:], sizes[:-1]), least)
    first = np.append(True, steps > 0.5 * near)[: len(ordered)]
    found = np.empty(len(ordered), dtype=np.intp)
    found[order] = np.cumsum(first) - 1
    return found, ordered[first]

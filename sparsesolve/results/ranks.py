"""Ranks of scores, in which scores that differ only by rounding are tied.

Equal rows may have different linear predictors: the rounding of a product of a matrix depends on
the place of a row in it.
"""

import numpy as np

# Scores that differ by this fraction of a score, or of the median nonzero score, are equal up to
# rounding.
ROUNDING = 64.0 * np.finfo(float).eps


def ranks(scores):
    """Return the rank of each score, (n,) from 0, and the least score of each rank, ascending."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    sizes = np.abs(ordered)
    some = sizes[np.isfinite(sizes) & (sizes > 0.0)]
    least = np.partition(some, len(some) // 2)[len(some) // 2] if len(some) else 0.0
    sizes = np.where(np.isfinite(sizes), sizes, 0.0)
    with np.errstate(invalid="ignore"):  # infinite scores are tied
        steps = np.diff(0.5 * ordered)  # halves, because differences may overflow
    near = ROUNDING * np.maximum(np.maximum(sizes[1:], sizes[:-1]), least)
    first = np.append(True, steps > 0.5 * near)[: len(ordered)]
    found = np.empty(len(ordered), dtype=np.intp)
    found[order] = np.cumsum(first) - 1
    return found, ordered[first]

"""Rows that are alike, met once: a Problem in as many rows as there are different ones.

    sum_i w_i value(y_i, eta)  =  (sum_i w_i) value(mean of y, eta)      for samples that share eta

where a loss is linear in y, as those of exponential families are. Rows with the same features and
offset share eta at every b, so the Problem of their classes has the same objective, and with it
the same solutions; its duality gap bounds the same suboptimality. Of a poisson loss the offsets
may differ, for exposures add up:

    sum_i w_i (exp(o_i + t) - y_i t)  =  sum_i w_i (exp(o + t) - y_i t),
    exp(o) sum_i w_i = sum_i w_i exp(o_i)

Tables of few categorical features have far fewer different rows than rows.
"""

from dataclasses import replace

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.equal_rows import class_means, row_classes
from sparsesolve.solvers.costs.reductions import MERGED_SHARE, MOST_MERGED_VALUES, ROWS_TO_MERGE

# Rows are numbered by 32-bit integers.
MOST_ROWS = 2**31 - 1


def with_equal_rows_merged(problem):
    """The Problem in classes of rows, or None where they are hardly fewer, or cannot be taken."""
    design, loss = problem.design, problem.loss
    if not (isinstance(design, Design) and getattr(loss, "linear_in_y", False)):
        return None
    if design.n < ROWS_TO_MERGE * design.p or design.n > MOST_ROWS:
        return None
    offsets = np.atleast_2d(problem.offset)[: 0 if loss.exposes else None]
    found = row_classes(design, offsets, MERGED_SHARE * design.n)
    if found is None or design.stored / design.n * len(found[1]) > MOST_MERGED_VALUES:
        return None
    label, first = found
    offset = problem.offset[..., first]
    if loss.exposes:
        offset = _exposures(problem.offset, problem.weights, label, first)
    null = (offset.T + problem.null_intercept).T
    loss = loss.merged(label, first, null, problem.null_value)
    weights = np.array(loss.samples()[1])
    design = design.of_rows(first, weights)
    return replace(problem, design=design, weights=weights, loss=loss, offset=offset)


def _exposures(offset, w, label, first):
    """Log of the mean exposure of every class (m,); without weight, that of its first row."""
    seen, top = w > 0.0, np.full(len(first), -np.inf)
    np.maximum.at(top, label[seen], offset[seen])
    top = np.where(np.isfinite(top), top, offset[first])
    with np.errstate(under="ignore"):
        exposures = np.exp(np.where(seen, offset - top[label], 0.0))
    mean, weight = class_means(label, first, exposures, w)
    return np.where(weight > 0.0, top + np.log(mean), top)

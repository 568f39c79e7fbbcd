"""Equal rows merged: a Problem with one row for each different row.

    sum_i w_i value(y_i, eta)  =  (sum_i w_i) value(mean of y, eta)      for samples that share eta

if the loss is linear in y, as those of exponential families are. Given: a Problem. Returned: the
Problem in classes of rows. Invariant: rows with the same features and offset share eta at every
b, so that both have the same objective, the same solutions and the same suboptimality.

With a poisson loss offsets may differ, since exposures add up:

    sum_i w_i (exp(o_i + t) - y_i t)  =  sum_i w_i (exp(o + t) - y_i t),
    exp(o) sum_i w_i = sum_i w_i exp(o_i)

Tables of few categorical features have far fewer different rows than rows.

Reference: McCullagh, Nelder (1989), "Generalized linear models", section 2.1, for grouped data.
"""

from dataclasses import replace

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.equal_rows import class_means, row_classes
from sparsesolve.solvers.costs.reductions import MERGED_SHARE, MOST_MERGED_VALUES, ROWS_TO_MERGE

# Rows are numbered by 32-bit integers.
MOST_ROWS = 2**31 - 1


def with_equal_rows_merged(problem):
    """Return the Problem in classes of rows, or None if these are not much fewer, or too large."""
    design, loss = problem.design, problem.loss
    if not (isinstance(design, Design) and getattr(loss, "linear_in_y", False)):
        return None
    if design.n < ROWS_TO_MERGE * design.p or design.n > MOST_ROWS:
        return None
    offsets = np.atleast_2d(problem.offset)[: 0 if loss.exposes else None]
    offsets = np.ascontiguousarray(offsets)
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
    """Return the log of the mean exposure of every class (m,); without weight, its first row's."""
    seen, top = w > 0.0, np.full(len(first), -np.inf)
    np.maximum.at(top, label[seen], offset[seen])
    top = np.where(np.isfinite(top), top, offset[first])
    with np.errstate(under="ignore"):
        exposures = np.exp(np.where(seen, offset - top[label], 0.0))
    mean, weight = class_means(label, first, exposures, w)
    return np.where(weight > 0.0, top + np.log(mean), top)

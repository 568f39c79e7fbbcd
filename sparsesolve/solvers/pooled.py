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

from sparsesolve.linalg.design import Design
from sparsesolve.linalg.row_classes import row_classes

TALL = 20  # rows to a column from which a look at them all costs little beside a path
FEWER = 0.9  # rows that are left, of all, from which it pays
MOST_COPIED = 50_000_000  # values of the rows that are left


def pooled(problem):
    """The Problem in classes of rows, or None where they are hardly fewer, or cannot be taken."""
    design, loss = problem.design, problem.loss
    if not (isinstance(design, Design) and getattr(loss, "linear_in_y", False)):
        return None
    if design.n < TALL * design.p:
        return None
    beside = np.atleast_2d(problem.offset)[: 0 if loss.exposes else None]
    found = row_classes(design, beside, FEWER * design.n)
    if found is None or design.stored / design.n * len(found[1]) > MOST_COPIED:
        return None
    label, first = found
    offset, weights = problem.offset[..., first], np.bincount(label, problem.weights)
    if loss.exposes:
        offset = _exposures(problem.offset, problem.weights, label, offset)
    null = (offset.T + problem.null_intercept).T
    loss = loss.pooled(label, first, null, problem.null_value)
    design = design.of_rows(first, weights)
    return replace(problem, design=design, weights=weights, loss=loss, offset=offset)


def _exposures(offset, w, label, first):
    """Log of the mean exposure of every class (m,); of one without weight its `first` offset."""
    seen = w > 0.0
    label, offset, w = label[seen], offset[seen], w[seen]
    out, top = first.copy(), np.full(len(first), -np.inf)
    np.maximum.at(top, label, offset)
    with np.errstate(under="ignore"):
        total = np.bincount(label, w * np.exp(offset - top[label]), minlength=len(first))
    weight = np.bincount(label, w, minlength=len(first))
    known = weight > 0.0
    out[known] = top[known] + np.log(total[known] / weight[known])
    return out

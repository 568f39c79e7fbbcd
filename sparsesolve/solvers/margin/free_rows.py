"""The finish of a dual ascent: the rows strictly between their ends are solved for together.

    maximise over s   s'r  -  s'K s / (2 lam),     K = A_F A_F',  s the change of u_F
    with 1's = 0 if there is an intercept; all other rows are fixed

Given: the free rows F, their slopes r and a Cholesky factor of K, which loses a row when a step
ends at its bound. Returned: u_F, whose dual objective is at least what it was.

Invariant: every step is an exact maximisation over the rows that are left, cut at the first
bound.

Reference: Lawson, Hanson, "Solving least squares problems" (1974), chapter 23; Scheinberg, "An
efficient implementation of an active set method for SVMs" (2006).
"""

import numpy as np

from sparsesolve.linalg.factors.cholesky import Cholesky
from sparsesolve.solvers.costs.rounding import FREE_ROW, STEP

# Rows that the factor takes in at a time: a block of a matrix product.
TOGETHER = 32
# Rows that may come to an end of their interval before sweeps go on, which find many such rows at
# once.
MOST_DROPS = 60


def solve_free(dual, u, free, r, lam):
    """Solve for the free rows of a RidgeDual together; u (n,) is changed in place.

    `free` are rows strictly between their ends, r (f,) the distance of each from its kink, c - o
    - b0 - Ag. Returns the slope that they have in common at the end, 0 if the maximum was not
    reached.
    """
    width = dual.loss.width
    low, high, slope = dual.low[free], dual.high[free], r
    if width > 0.0:
        slope = r - width * np.sign(u[free])
        low, high = np.where(u[free] > 0, 0.0, low), np.where(u[free] < 0, 0.0, high)
    gram = _gram(dual, free)
    u[free], common = ascend(gram, u[free], slope, low, high, lam, dual.with_intercept)
    return common


def _gram(dual, free):
    """Return the inner products of the free rows of A, (f, f)."""
    part = dual.rows.part(free.astype(np.intc))
    rows, _ = part.stored_columns(np.arange(len(free), dtype=np.intc))
    gram = np.asarray((rows.T @ rows).todense())
    meeting = np.asarray(rows.T @ dual.centre)
    gram -= meeting[:, None] + meeting[None, :] - float(dual.centre @ dual.centre)
    return gram


def ascend(gram, u, slope, low, high, lam, level):
    """Maximise over free rows; return their new u (f,) and their common slope.

    The slope is 0 if the maximum was not reached, or if `level` is False.

    Parameters
    ----------
    gram : (f, f), K
    u, low, high : (f,)
        The rows' u, and the ends between which they stay (0 is one if eps > 0).
    slope : (f,)
        Derivative of the dual in each u_i, to be brought to 0, or to one value with `level`.
    level : bool
        If True, the sum of u is kept, so that slopes need only become equal.
    """
    factor, kept = _factor(gram)
    u, slope = u.copy(), slope[kept]
    for _ in range(MOST_DROPS):
        if len(kept) == 0:
            break
        step, common = _step(factor, slope, lam, level)
        if not np.isfinite(step).all() or np.abs(step).max() <= STEP * np.abs(u[kept]).max():
            break
        room = np.where(step > 0.0, high[kept] - u[kept], low[kept] - u[kept])
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(step != 0.0, room / step, np.inf)
        first = int(share.argmin())
        t = min(max(float(share[first]), 0.0), 1.0)
        u[kept] = np.clip(u[kept] + t * step, low[kept], high[kept])
        if t == 1.0:
            return u, common
        slope = slope - t * (slope - common)  # Since K step = lam (slope - common).
        i = kept[first]
        u[i] = high[i] if step[first] > 0.0 else low[i]
        factor.drop(first)
        kept, slope = np.delete(kept, first), np.delete(slope, first)
    return u, 0.0


def _factor(gram):
    """Return the Cholesky factor of the independent rows of gram, and the numbers of these."""
    factor, kept = Cholesky(len(gram)), np.zeros(0, dtype=int)
    for start in range(0, len(gram), TOGETHER):
        new = np.arange(start, min(start + TOGETHER, len(gram)))
        rows = gram[np.ix_(new, np.append(kept, new))]
        kept = np.append(kept, new[factor.add(rows, FREE_ROW)])
    return factor, kept


def _step(factor, slope, lam, level):
    """Return the maximiser of slope's - s'K s / (2 lam), of sum 0 with `level`, and the slope
    left.
    """
    step = factor.solution(lam * slope)
    if not level:
        return step, 0.0
    flat = factor.solution(np.ones(len(slope)))
    common = step.sum() / flat.sum()
    return step - common * flat, common / lam

"""Continuation: a lambda far below the last one is approached by solving a few in between.

    minimise over b   F(eta) + lam Omega(b)   at lam_1 > ... > lam_m, above the lam wanted

Given: a solver state at the solution of a larger lam, at first the one from which features begin
to enter; there b = 0. Returned: the same state near lam_m, solved to a loose gap on the way.
Invariant: no solution of the way is returned; the next solve certifies its own.

A working set that starts cold at a small lam takes in many features that are never active, since
at the null model nearly all violate their thresholds. A gradual approach takes in the active ones
and a few more.

Reference: Hale, Yin, Zhang (2008), "Fixed-point continuation for l1-minimization".
"""

import logging
from math import ceil, inf
from math import log as ln

from sparsesolve.solvers import costs

log = logging.getLogger(__name__)


def approach(state, start, lam, target, budget, ratio=costs.CONTINUATION_RATIO):
    """Lead a state from the solution at `start` towards a far smaller `lam`.

    Parameters
    ----------
    state : solver state, at the solution of `start`
    start, lam : float, in inner units
    target : float, the target gap at lam
    budget : int, iterations allowed at lam
    ratio : float, the largest of neighbouring lams on the way

    Returns
    -------
    int : iterations spent, at most costs.CONTINUATION_SHARE of them. It is 0, and nothing is done,
        if that share does not last for the way, so that few iterations go into lam itself.
    """
    steps, before = between(start, lam, ratio), state.iterations
    allowed = int(costs.CONTINUATION_SHARE * budget)
    if allowed < costs.ITERATIONS_A_STEP * len(steps):
        return 0
    if steps:
        log.debug("a far lambda is approached by %d steps", len(steps))
    for level in steps:
        left = allowed - (state.iterations - before)
        if left <= 0:
            break
        state.solve(level, max(target, costs.CONTINUATION_GAP * state.loss_value), left)
    return state.iterations - before


def between(start, lam, ratio=costs.CONTINUATION_RATIO):
    """Return the lams on the way from `start` to `lam`, decreasing; none if it is near.

    The way to 0, a problem without a penalty, has none either: one or two Newton steps solve it.
    """
    if not 0.0 < lam < costs.FAR_LAMBDA * start < inf:
        return []
    count = ceil(ln(lam / start) / ln(ratio) - 1e-9)
    return [start * (lam / start) ** (k / count) for k in range(1, count)]

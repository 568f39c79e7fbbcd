"""Continuation: a lam far below the one before is approached by solving a few in between.

    minimise over b   F(eta) + lam Omega(b)   at lam_1 > ... > lam_m, above the lam wanted

Given: a solver state that stands at the solution of a larger lam, at first the one from which
features begin to enter; there b = 0. Left: the same state near lam_m, solved to a loose gap on the
way. Nothing of it is returned: the solve that comes after certifies its own answer.

Started cold at a small lam, a working set takes in many features that are never active, for at the
null model nearly all violate their thresholds. Led there it takes in what is active and a little
more.
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
    target : float, the gap that will be asked for at lam
    budget : int, iterations allowed at lam
    ratio : float, the largest of neighbouring lams on the way

    Returns
    -------
    int : iterations spent, at most costs.CONTINUATION_SHARE of them; 0, and nothing done, where
        that share does not last for the way, so that few iterations go into lam itself
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
    """The lams on the way from `start` to `lam`, decreasing; none where it is near.

    None lead to 0 either, a problem without a penalty, which a Newton step or two solve.
    """
    if not 0.0 < lam < costs.FAR_LAMBDA * start < inf:
        return []
    count = ceil(ln(lam / start) / ln(ratio) - 1e-9)
    return [start * (lam / start) ** (k / count) for k in range(1, count)]

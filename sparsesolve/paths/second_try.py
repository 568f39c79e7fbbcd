"""Second tries: if a solver misses its tolerance, others are tried, and the best answer is kept.

Columns that nearly depend on one another stop different solvers at different places: those that
use inner products lose digits first, coordinate descent becomes slow. With solver="auto" the user
cannot know this, so the package tries the others by itself. If the user has named a solver, or
allows few iterations, that choice is respected.
"""

import logging
from dataclasses import replace

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.results.status import Status
from sparsesolve.solvers import SOLVERS, kinked
from sparsesolve.solvers.choice import choose
from sparsesolve.solvers.follow import follow

log = logging.getLogger(__name__)

OTHERS = ("working_set", "proximal_newton", "reweighted", "pass_newton", "response_newton",
          "response_blocks")  # fmt: skip
# Other solvers are tried if the user allows at least this many iterations; each may have as many.
ENOUGH = 10_000
# Most values of X for a second try. With more, it would take longer than a user expects to wait.
MOST_VALUES = 4_000_000
# A gap of this size is usually rounding, whatever the tolerance; it starts no second try.
LITTLE = 1e-9
MISSED = (Status.MAX_ITER, Status.STALLED)


def tried_again(problem, points, settings):
    """Return the points; one that missed the tolerance is replaced if another solver came nearer.
    """
    missed = [k for k, point in enumerate(points) if _far(point)]
    small = problem.design.n * problem.design.p <= MOST_VALUES
    small = small and not isinstance(problem.design, DistributedDesign)
    small = small and not kinked(problem, None)  # the other solvers need smooth losses
    if not (missed and small) or settings["solver"] != "auto" or settings["max_iter"] < ENOUGH:
        return points
    points = list(points)
    for name in OTHERS:
        lambdas = np.array([points[k].lam for k in missed])
        if not SOLVERS[name].suits(problem, lambdas):
            continue
        log.debug("%d lambdas missed tol: solver %r tries them again", len(missed), name)
        state = choose(problem, name, lambdas, settings["n_threads"])
        again, _ = follow(state, problem, lambdas, tol=settings["tol"], advance=_silent,
                          max_iter=settings["max_iter"], stop=None, dfmax=None, pmax=None)
        for k, new in zip(missed, again, strict=True):
            if new.gap < points[k].gap:
                points[k] = replace(new, index=points[k].index,
                                    n_iter=points[k].n_iter + new.n_iter)  # fmt: skip
        missed = [k for k in missed if _far(points[k])]
        if not missed:
            break
    return points


def _far(point):
    """Return True if a point missed its tolerance by more than rounding."""
    return point.status in MISSED and not point.gap <= LITTLE


def _silent(*words):
    """Show no progress of a second try."""

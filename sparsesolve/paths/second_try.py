"""What the solver that suits left above its tolerance, tried by others: the best answer is kept.

Columns that all but depend on one another stop solvers at different places: those that go by inner
products lose digits first, coordinate descent the pace. Where "auto" has chosen, nobody but the
package can know, so that it tries the others by itself; where a user has named a solver, or allows
few iterations, that is respected.
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
ENOUGH = 10_000  # iterations that a user allows, from which another solver may have as many
MOST_VALUES = 4_000_000  # of X, from which a try costs more than a user who waits expects
LITTLE = 1e-9  # a gap that rounding mostly leaves, whatever was asked for
MISSED = (Status.MAX_ITER, Status.STALLED)


def tried_again(problem, points, settings):
    """The points, those that missed the tolerance replaced where another solver came nearer."""
    missed = [k for k, point in enumerate(points) if _far(point)]
    small = problem.design.n * problem.design.p <= MOST_VALUES
    small = small and not isinstance(problem.design, DistributedDesign)
    small = small and not kinked(problem, None)  # the others take smooth losses alone
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
    """Whether a point missed its tolerance by more than the last digits."""
    return point.status in MISSED and not point.gap <= LITTLE


def _silent(*words):
    """No progress is shown of a second try."""

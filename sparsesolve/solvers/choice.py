"""Choice: reduce a problem to the simplest one, and make the state of the solver that suits it."""

import logging
from functools import partial

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.solvers import SOLVERS, has_tangent, kinked
from sparsesolve.solvers.follow import CONTINUATION_RATIO
from sparsesolve.solvers.reductions.few_features import FewFeatures, in_parts
from sparsesolve.solvers.reductions.identities import (
    EqualRows,
    GroupsOfOne,
    InnerProducts,
    OneResponse,
    OneSided,
)
from sparsesolve.solvers.reductions.mapped import Generated, Mapped
from sparsesolve.solvers.reductions.reweighting import Reweighting
from sparsesolve.solvers.reductions.row_space import Collinear, RowSpace
from sparsesolve.solvers.suitability import (
    by_rows_in_the_dual,
    few_eigenvalues,
    suitable,
    suitable_with_kinks,
)

# Columns from which a far lambda is approached by steps. With fewer, all may enter at once. One
# lambda at a hundredth of the first took 1.4 ms at once and 1.7 by steps for 200 x 150 (gaussian,
# seed 0), 5.5 and 3.1 for 200 x 400, the same for 200 x 80.
FEWEST_COLUMNS_BY_STEPS = 100

log = logging.getLogger(__name__)

# Ratios of steps for the solvers that approach far lambdas by steps.
STEP_RATIOS = {
    "working_set": CONTINUATION_RATIO,
    "sufficient": CONTINUATION_RATIO,
    "proximal_newton": CONTINUATION_RATIO,
    # Working sets of several responses with squared error fill up less. One lambda at 1e-3 of the
    # first took 586 ms at once, 317 by steps of .88, 292 of .5, 147 of .3 (150 x 1,500, 4
    # responses). At .1 and .01 steps of .3 cost as much as none, those of .88 twice as much.
    "response_blocks": 0.3,
    # Seconds by steps over those at once of losses with kinks and l1, 100 x 200 and 100 x 1,500,
    # at .2, .03, .003 of the first lambda: .9 to 1.7, .2 to 1.6, .1 to .6; 300 x 300 .7 to 4.8.
    "multipliers": 0.7,
}


def _smooth(problem, name, lambdas):
    return not kinked(problem, lambdas)


def _smooth_blocks(problem, name, lambdas):
    """Return True for blocks in memory, which any solver with working sets may be given."""
    distributed = isinstance(problem.design, DistributedDesign)
    return problem.has_blocks and not kinked(problem, lambdas) and not distributed


def _left_to_auto(problem, name, lambdas):
    return name == "auto" and _smooth_blocks(problem, name, lambdas)


def _maps(problem, name, lambdas):
    """Return True if the penalty is one on blocks of other columns, which the solver needs."""
    if problem.has_blocks or problem.concave or problem.penalty.mapping() is None:
        return False
    own = SOLVERS.get(name, SOLVERS["ridge"])  # which no such penalty suits
    return kinked(problem, lambdas) or not (own.by_passes or own.suits(problem, lambdas))


def _one_real_response(problem, name, lambdas):
    auto = _left_to_auto(problem, name, lambdas)
    return auto and SOLVERS["sufficient"].suits(problem, lambdas)


def _few_rows(problem, name, lambdas):
    auto = _left_to_auto(problem, name, lambdas) and not by_rows_in_the_dual(problem, lambdas)
    return auto and few_eigenvalues(problem.design, 4000)


# Each reduction, and when it is tried: (problem, name of the solver or "auto", lambdas) -> bool.
REDUCTIONS = (
    (OneSided, _smooth),
    (InnerProducts, _smooth),
    (EqualRows, _smooth),
    (Mapped, _maps),
    (GroupsOfOne, _left_to_auto),
    (OneResponse, _one_real_response),
    (RowSpace, _few_rows),
    (Collinear, _smooth_blocks),
)


def choose(problem, name, lambdas, n_threads):
    """Return the state of the solver of that name, or with "auto" of the one that suits.

    `lambdas` are decreasing, or None for a grid that ends above 0.
    """
    name, ways = _allowed(problem, name, lambdas), []
    for reduction, applies in REDUCTIONS:
        found = None
        if applies(problem, name, lambdas):
            found = reduction.forward(problem, lambdas, n_threads)
        if found is not None:
            log.debug("%s: %d x %d becomes %d x %d", reduction.words, problem.design.n,
                      problem.design.p, found[0].design.n, found[0].design.p)  # fmt: skip
            problem = found[0]
            ways.append(found[1])
    state = _solver_state(problem, name, lambdas, n_threads)
    for way in reversed(ways):
        state = way(state)
    return state


def _allowed(problem, name, lambdas):
    """Return the name of the solver asked, or for X out of memory of the one that "auto" takes;
    raise an error if no solver of that name can take the problem.
    """
    distributed = isinstance(problem.design, DistributedDesign)
    if kinked(problem, lambdas):
        return _allowed_with_kinks(problem, name, distributed)
    if distributed and problem.design.gram is None and not problem.concave:
        name = _by_passes(problem, name, lambdas)
    if problem.concave and distributed and problem.n_responses is not None:
        raise ValueError(
            f"{problem.penalty.label} of several responses needs X in memory, not a dask array; "
            "pass X.compute() if it fits"
        )
    if problem.concave and name != "auto":
        raise ValueError(
            f"solver={name!r} minimises convex objectives, and {problem.penalty.label} is not "
            "convex; choose solver='auto'"
        )
    return name


def _allowed_with_kinks(problem, name, distributed):
    """Return the name, or raise an error if the kinks of the loss are too much."""
    if problem.concave:
        raise ValueError(
            "a concave penalty takes a smooth loss, and that of this family has kinks; choose "
            "families.squared_hinge() or huber(), or a convex penalty"
        )
    own = [other for other, solver in SOLVERS.items() if solver.kinks]
    if distributed and name == "auto":
        return "multipliers"
    if distributed and name in own and not SOLVERS[name].by_passes:
        raise ValueError(f"solver={name!r} needs X in memory, not a dask array; choose "
                         "solver='multipliers', or pass X.compute() if it fits")  # fmt: skip
    if name not in ("auto", *own):
        raise ValueError(
            f"solver={name!r} takes no loss with kinks; choose solver='auto', or one of {own}"
        )
    return name


def _by_passes(problem, name, lambdas):
    """Return the solver of that name, or of "auto", for X out of memory."""
    advice = "solver='fista', which makes many passes over X, or pass X.compute() if it fits"
    if name == "auto" and not problem.has_blocks:
        return "fista"
    if name == "auto":
        name = "pass_newton"
        if not SOLVERS[name].suits(problem, lambdas):
            raise ValueError(
                "X is a dask array, and the family has several classes, in large groups or with "
                f"limits on unpenalised features; choose {advice}"
            )
    if not SOLVERS[name].by_passes:
        raise ValueError(f"solver={name!r} needs X in memory, not a dask array; choose {advice}")
    return name


def _solver_state(problem, name, lambdas, n_threads):
    """Return the state of a solver of a problem that is not reduced any further."""
    again = partial(choose, name=name, lambdas=lambdas, n_threads=n_threads)
    if problem.concave:
        return Reweighting(problem, again)
    if _maps(problem, name, lambdas):
        return Generated(problem, again)
    asked, name = name, _suitable(problem, lambdas) if name == "auto" else name
    solver, whole = SOLVERS[name], not (problem.has_blocks or kinked(problem, lambdas))
    if not solver.suits(problem, lambdas):
        raise ValueError(_unsuitable(problem, name, whole))
    log.debug("solver %r for %d rows and %d columns: %s", name, problem.design.n,
              problem.design.p, solver.why if asked == "auto" else "chosen by name")  # fmt: skip
    if whole and asked == "auto" and in_parts(problem):
        return FewFeatures(problem, partial(solver.state, n_threads=n_threads))
    return solver.state(problem, n_threads)


def _unsuitable(problem, name, whole):
    """Return what to say of a solver that does not suit a penalty on blocks or whole vectors."""
    needs = SOLVERS[name].needs
    if not whole:
        return f"solver={name!r} needs {needs}; choose solver='auto'"
    if name not in ("tangent_newton", "reweighted", "admm", "linearized_admm"):
        needs = "a penalty on disjoint blocks"
    return (
        f"solver={name!r} needs {needs}; with {type(problem.penalty.given).__name__} choose "
        "solver='auto', 'fista', 'sparsa' or 'ista'"
    )


def _suitable(problem, lambdas):
    """Return the name of the solver that suits a problem."""
    if kinked(problem, lambdas):
        return suitable_with_kinks(problem, lambdas)
    own = suitable if problem.has_blocks else _suitable_for_norms
    return own(problem, lambdas)


def _suitable_for_norms(problem, lambdas):
    """Return the solver that "auto" takes: ADMM if a prox is as iterative, and its terms are
    simple.
    """
    if has_tangent(problem):
        return "tangent_newton"
    if getattr(problem.penalty.given, "iterative", False):
        for name in ("admm", "linearized_admm"):
            if SOLVERS[name].suits(problem, lambdas):
                return name
    return "fista"


def step_ratio(problem, name, lambdas):
    """Return the ratio of steps by which far lambdas are approached (solvers/follow).

    0 says that there are none. Steps pay for active sets of wide designs, and for several
    responses with squared error. Other losses of several responses, groups of those and
    first-order steps cost up to three times as much by steps.
    """
    if not problem.has_blocks or problem.penalty.alpha == 0.0 or problem.null_value == 0.0:
        return 0.0
    rows = int(np.count_nonzero(problem.weights))  # Rows of weight 0 do not count.
    if kinked(problem, lambdas):
        multipliers = name in ("auto", "multipliers") and problem.design.p >= 2 * rows
        return STEP_RATIOS["multipliers"] if multipliers else 0.0
    # with more rows few columns come in that are not wanted
    wide = 2 * problem.design.p > rows
    if problem.design.p < FEWEST_COLUMNS_BY_STEPS:
        return 0.0
    if not wide or isinstance(problem.design, DistributedDesign):
        return 0.0
    name = suitable(problem, lambdas) if name == "auto" else name
    if name == "response_blocks" and not SOLVERS["sufficient"].suits(problem, lambdas):
        return 0.0
    return STEP_RATIOS.get(name, 0.0)

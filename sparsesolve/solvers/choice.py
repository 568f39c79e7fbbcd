"""Choice: reduce a problem to the simplest one, and make the state of the solver that suits it."""

from functools import partial

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.solvers import SOLVERS, costs, has_tangent, kinked
from sparsesolve.solvers.reasons import log_reduction, log_solver
from sparsesolve.solvers.reductions.collinear import CollinearState, without_collinear
from sparsesolve.solvers.reductions.equal_rows import with_equal_rows_merged
from sparsesolve.solvers.reductions.few_features import FewFeatures, in_parts
from sparsesolve.solvers.reductions.groups_of_one import RowsAsGroups, without_groups
from sparsesolve.solvers.reductions.inner_products import by_inner_products
from sparsesolve.solvers.reductions.mapped import in_other_columns
from sparsesolve.solvers.reductions.one_response import RowsOfOne, as_one_response
from sparsesolve.solvers.reductions.one_sided_limits import OneSidedState, unbound
from sparsesolve.solvers.reductions.reweighting import Reweighting
from sparsesolve.solvers.reductions.row_space import RowSpaceState, in_row_space
from sparsesolve.solvers.suitability import few_eigenvalues, suitable, suitable_with_kinks

# Ratios of steps for the solvers that approach far lambdas by steps.
STEP_RATIOS = {
    "working_set": costs.CONTINUATION_RATIO,
    "sufficient": costs.CONTINUATION_RATIO,
    "proximal_newton": costs.CONTINUATION_RATIO,
    "response_blocks": costs.CONTINUATION_RATIO_RESPONSES,
}


def choose(problem, name, lambdas, n_threads):
    """Return the state of the solver of that name, or with "auto" of the one that suits.

    `lambdas` are decreasing, or None for a grid that ends above 0.
    """
    if problem.loss is not None and not problem.loss.smooth:
        return _with_kinks(problem, name, lambdas, n_threads)
    free = unbound(problem, lambdas)
    if free is not None:
        return OneSidedState(choose(free[0], name, lambdas, n_threads), problem, free[1])
    if isinstance(problem.design, DistributedDesign):
        if problem.design.gram is not None:
            problem = by_inner_products(problem)
        else:
            name = _by_passes(problem, name, lambdas)
    merged = with_equal_rows_merged(problem)
    if merged is not None:
        log_reduction("equal rows are merged", problem, merged)
        problem = merged
    if not problem.has_blocks:
        return _on_whole_vectors(problem, name, lambdas, n_threads)
    alone = without_groups(problem) if name == "auto" and problem.has_groups else None
    if alone is not None:
        log_reduction("groups of one become features", problem, alone)
        if alone.n_responses is not None:
            return RowsAsGroups(choose(alone, name, lambdas, n_threads), alone.n_responses)
        problem = alone
    one = as_one_response(problem) if name == "auto" else None
    if one is not None and SOLVERS["sufficient"].suits(problem, lambdas):
        log_reduction("several responses, of which there is one, become one", problem, one)
        return RowsOfOne(choose(one, name, lambdas, n_threads), problem.null_intercept)
    if name == "auto" and few_eigenvalues(problem.design, costs.MOST_ROW_SPACE):
        found = in_row_space(problem, lambdas, n_threads)
        if found is not None:
            own_solver = partial(SOLVERS[suitable(problem, lambdas)].state, problem, n_threads)
            log_reduction("columns become coordinates of the row space", problem, found[0])
            state = choose(found[0], name, lambdas, n_threads)
            return RowSpaceState(state, *found, problem, own_solver, n_threads)
    asked, name = name, suitable(problem, lambdas) if name == "auto" else name
    solver = SOLVERS[name]
    if not solver.suits(problem, lambdas):
        raise ValueError(f"solver={name!r} needs {solver.needs}; choose solver='auto'")
    log_solver(name, problem, asked)
    distributed = isinstance(problem.design, DistributedDesign)
    found = None if distributed else without_collinear(problem, lambdas)
    if found is None:
        return solver.state(problem, n_threads)
    log_reduction("a basis of columns that depend on one another", problem, found[0])
    return CollinearState(solver.state(found[0], n_threads), *found, problem.design)


def _with_kinks(problem, name, lambdas, n_threads):
    """Return the state for a loss with kinks."""
    if isinstance(problem.design, DistributedDesign):
        raise ValueError(
            "X is a dask array, and the loss of this family has kinks; pass X.compute() if it "
            "fits in memory, or choose families.squared_hinge() or huber()"
        )
    if problem.concave:
        raise ValueError(
            "a concave penalty takes a smooth loss, and that of this family has kinks; choose "
            "families.squared_hinge() or huber(), or a convex penalty"
        )
    mapping = None if problem.has_blocks else problem.penalty.mapping()
    if mapping is not None:
        return in_other_columns(problem, mapping, partial(choose, name=name, lambdas=lambdas,
                                                          n_threads=n_threads))  # fmt: skip
    own = [other for other, solver in SOLVERS.items() if solver.kinks]
    if name not in ("auto", *own):
        raise ValueError(
            f"solver={name!r} takes no loss with kinks; choose solver='auto', or one of {own}"
        )
    asked, name = name, suitable_with_kinks(problem, lambdas) if name == "auto" else name
    solver = SOLVERS[name]
    if not solver.suits(problem, lambdas):
        raise ValueError(f"solver={name!r} needs {solver.needs}; choose solver='auto'")
    log_solver(name, problem, asked)
    return solver.state(problem, n_threads)


def _on_whole_vectors(problem, name, lambdas, n_threads):
    """Return the state for a penalty without disjoint blocks: a first-order solver."""
    if problem.concave:
        return _by_reweighting(problem, name, lambdas, n_threads)
    mapping = problem.penalty.mapping()
    own = SOLVERS.get(name, SOLVERS["ridge"])
    if mapping is not None and not (own.by_passes or own.suits(problem, lambdas)):
        return in_other_columns(problem, mapping, partial(choose, name=name, lambdas=lambdas,
                                                          n_threads=n_threads))  # fmt: skip
    asked = name
    if name == "auto":
        name = _suitable_for_norms(problem, lambdas)
    solver = SOLVERS[name]
    if not solver.suits(problem, lambdas):
        whole = name in ("tangent_newton", "reweighted", "admm", "linearized_admm")
        needs = solver.needs if whole else "a penalty on disjoint blocks"
        raise ValueError(
            f"solver={name!r} needs {needs}; with {type(problem.penalty.given).__name__} choose "
            "solver='auto', 'fista', 'sparsa' or 'ista'"
        )
    log_solver(name, problem, asked)
    wide = problem.design.p >= costs.first_order.FEWEST_FEATURES_IN_PARTS
    if asked == "auto" and wide and in_parts(problem):
        return FewFeatures(problem, partial(solver.state, n_threads=n_threads))
    return solver.state(problem, n_threads)


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
    """Return the ratio of steps by which far lambdas are approached (solvers/continuation).

    0 says that there are none. Steps pay for active sets of wide designs, and for several
    responses with squared error. Other losses of several responses, groups of those and
    first-order steps cost up to three times as much by steps.
    """
    if not problem.has_blocks or problem.penalty.alpha == 0.0 or problem.null_value == 0.0:
        return 0.0
    if kinked(problem, lambdas):
        return 0.0
    rows = int(np.count_nonzero(problem.weights))  # Rows of weight 0 do not count.
    wide = costs.MOST_ROWS_BY_STEPS * problem.design.p > rows
    if problem.design.p < costs.FEWEST_COLUMNS_BY_STEPS:
        return 0.0
    if not wide or isinstance(problem.design, DistributedDesign):
        return 0.0
    name = suitable(problem, lambdas) if name == "auto" else name
    if name == "response_blocks" and not SOLVERS["sufficient"].suits(problem, lambdas):
        return 0.0
    return STEP_RATIOS.get(name, 0.0)


def _by_reweighting(problem, name, lambdas, n_threads):
    """Return the state for a penalty concave in sizes, whose convex problems have their own
    solvers.
    """
    if isinstance(problem.design, DistributedDesign):
        raise ValueError(
            f"{problem.penalty.label} needs X in memory, not a dask array; pass X.compute() if "
            "it fits"
        )
    if name != "auto":
        raise ValueError(
            f"solver={name!r} minimises convex objectives, and {problem.penalty.label} is not "
            "convex; choose solver='auto'"
        )
    return Reweighting(problem, partial(choose, name=name, lambdas=lambdas, n_threads=n_threads))


def _by_passes(problem, name, lambdas):
    """Return the solver of that name, or of "auto", for X out of memory."""
    advice = "solver='fista', which makes many passes over X, or pass X.compute() if it fits"
    if name == "auto" and not problem.has_blocks:
        return "fista"
    if name == "auto":
        name = "pass_newton"
        if not SOLVERS[name].suits(problem, lambdas):
            raise ValueError(
                "X is a dask array, and the loss of this family is not a sum over rows, or has "
                f"several responses; choose {advice}"
            )
    if not SOLVERS[name].by_passes:
        raise ValueError(f"solver={name!r} needs X in memory, not a dask array; choose {advice}")
    return name

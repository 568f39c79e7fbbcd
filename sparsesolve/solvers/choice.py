"""Choice: which solver suits a problem."""

from functools import partial

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.penalties.concave_penalty import ConcavePenalty
from sparsesolve.solvers import SOLVERS, costs, has_tangent, kinked
from sparsesolve.solvers.passes.several_lambdas import MOST_COLUMNS
from sparsesolve.solvers.reasons import log_reduction, log_solver
from sparsesolve.solvers.reductions.collinear import CollinearState, without_collinear
from sparsesolve.solvers.reductions.equal_rows import with_equal_rows_merged
from sparsesolve.solvers.reductions.few_features import FewFeatures, in_parts
from sparsesolve.solvers.reductions.groups_of_one import without_groups
from sparsesolve.solvers.reductions.inner_products import by_inner_products
from sparsesolve.solvers.reductions.mapped import in_other_columns
from sparsesolve.solvers.reductions.one_response import RowsOfOne, as_one_response
from sparsesolve.solvers.reductions.one_sided_limits import OneSidedState, unbound
from sparsesolve.solvers.reductions.reweighting import Reweighting
from sparsesolve.solvers.reductions.row_space import RowSpaceState, in_row_space

ACTIVE_SETS = ("working_set", "sufficient", "proximal_newton")  # by steps to far lambdas


def choose(problem, name, lambdas, n_threads):
    """The state of the solver of that name, or with "auto" of the one that suits.

    `lambdas` are those asked for, decreasing, or None for a grid that ends above 0.
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
        problem = alone
    one = as_one_response(problem) if name == "auto" else None
    if one is not None and SOLVERS["sufficient"].suits(problem, lambdas):
        log_reduction("several responses, of which there is one, become one", problem, one)
        return RowsOfOne(choose(one, name, lambdas, n_threads), problem.null_intercept)
    if name == "auto" and _few_eigenvalues(problem.design, costs.MOST_ROW_SPACE):
        found = in_row_space(problem, lambdas, n_threads)
        if found is not None:
            own_solver = partial(SOLVERS[_suitable(problem, lambdas)].state, problem, n_threads)
            log_reduction("columns become coordinates of the row space", problem, found[0])
            state = choose(found[0], name, lambdas, n_threads)
            return RowSpaceState(state, *found, problem, own_solver, n_threads)
    asked, name = name, _suitable(problem, lambdas) if name == "auto" else name
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
    """The state for a loss with kinks."""
    if isinstance(problem.design, DistributedDesign):
        raise ValueError(
            "X is a dask array, and the loss of this family has kinks; pass X.compute() if it "
            "fits in memory, or choose families.squared_hinge() or huber()"
        )
    if isinstance(problem.penalty, ConcavePenalty):
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
    asked, name = name, _suitable_with_kinks(problem, lambdas) if name == "auto" else name
    solver = SOLVERS[name]
    if not solver.suits(problem, lambdas):
        raise ValueError(f"solver={name!r} needs {solver.needs}; choose solver='auto'")
    log_solver(name, problem, asked)
    return solver.state(problem, n_threads)


def _suitable_with_kinks(problem, lambdas):
    """Newton steps on rows for tall ridge problems, sweeps over rows for the other ones."""
    if not SOLVERS["rows_newton"].suits(problem, lambdas):
        return "multipliers"
    n, p = problem.design.n, problem.design.p
    tall = p <= costs.MOST_NEWTON_COLUMNS and n >= costs.NEWTON_ROWS_PER_COLUMN * p
    return "rows_newton" if tall else "dual_descent"


def _on_whole_vectors(problem, name, lambdas, n_threads):
    """The state for a penalty without disjoint blocks: a first-order solver."""
    if isinstance(problem.penalty, ConcavePenalty):
        return _by_reweighting(problem, name, lambdas, n_threads)
    mapping = problem.penalty.mapping()
    if mapping is not None and not SOLVERS.get(name, SOLVERS["ridge"]).by_passes:
        return in_other_columns(problem, mapping, partial(choose, name=name, lambdas=lambdas,
                                                          n_threads=n_threads))  # fmt: skip
    asked = name
    if name == "auto":
        name = "tangent_newton" if has_tangent(problem) else "fista"
    solver = SOLVERS[name]
    if not solver.suits(problem, lambdas):
        whole = name in ("tangent_newton", "reweighted")
        needs = solver.needs if whole else "a penalty on disjoint blocks"
        raise ValueError(
            f"solver={name!r} needs {needs}; with {type(problem.penalty.given).__name__} choose "
            "solver='auto', 'fista', 'sparsa' or 'ista'"
        )
    log_solver(name, problem, asked)
    wide = problem.design.p >= costs.FEWEST_FEATURES_IN_PARTS
    if asked == "auto" and wide and in_parts(problem):
        return FewFeatures(problem, partial(solver.state, n_threads=n_threads))
    return solver.state(problem, n_threads)


def approaches(problem, name, lambdas):
    """Whether lambdas far below the ones before are approached by steps (solvers/continuation).

    It pays for active sets of wide designs. First-order steps, and solvers of several responses
    that take their blocks in by size, cost up to three times as much by steps.
    """
    if not problem.has_blocks or problem.penalty.alpha == 0.0 or problem.null_value == 0.0:
        return False
    if kinked(problem, lambdas):
        return False
    rows = int(np.count_nonzero(problem.weights))  # a row of weight 0 is as none
    wide = costs.MOST_ROWS_BY_STEPS * problem.design.p > rows
    if problem.design.p < costs.FEWEST_COLUMNS_BY_STEPS:
        return False
    if not wide or isinstance(problem.design, DistributedDesign):
        return False
    return (_suitable(problem, lambdas) if name == "auto" else name) in ACTIVE_SETS


def _by_reweighting(problem, name, lambdas, n_threads):
    """The state for a penalty concave in sizes, whose convex problems have their own solvers."""
    if isinstance(problem.design, DistributedDesign):
        raise ValueError(
            f"{problem.penalty.label} needs X in memory, not a dask array; pass X.compute() if "
            "it fits"
        )
    if name != "auto":
        raise ValueError(
            f"solver={name!r} minimises convex objectives, and {problem.penalty.label} is none; "
            "choose solver='auto'"
        )
    return Reweighting(problem, partial(choose, name=name, lambdas=lambdas, n_threads=n_threads))


def _by_passes(problem, name, lambdas):
    """The solver of that name, or "auto", for X out of memory."""
    advice = "solver='fista', which makes many passes over X, or pass X.compute() if it fits"
    if name == "auto" and not problem.has_blocks:
        return "fista"
    if name == "auto":
        name = "pass_newton"
        if not SOLVERS[name].suits(problem, lambdas):
            raise ValueError(
                "X is a dask array, and the rows of this family cannot be told apart, or have "
                f"several responses; choose {advice}"
            )
    if not SOLVERS[name].by_passes:
        raise ValueError(f"solver={name!r} needs X in memory, not a dask array; choose {advice}")
    return name


def _suitable(problem, lambdas):
    if problem.has_groups and _giant_group(problem):
        return "sparsa"
    if problem.n_responses is not None:
        if problem.has_groups:
            return "response_groups"
        if SOLVERS["sufficient"].suits(problem, lambdas):
            return "sufficient" if _few_columns(problem) else "response_blocks"
        return "response_newton" if _few_coefficients(problem) else "response_blocks"
    if problem.loss is not None:
        return "pass_newton" if _by_inner_products(problem) else "proximal_newton"
    most = costs.MOST_EIGENVALUES
    if lambdas is not None:
        most = min(most, max(costs.FEW_EIGENVALUES, costs.EIGENVALUES_TO_A_LAMBDA * len(lambdas)))
    if SOLVERS["ridge"].suits(problem, lambdas) and _few_eigenvalues(problem.design, most):
        return "ridge"
    return "sufficient" if _few_features(problem) else "working_set"


def _few_features(problem):
    """Whether inner products of all columns serve one real response."""
    n, p = problem.design.n, problem.design.p
    rows = max(n, 200)
    if problem.has_groups:
        rows = n // costs.GRAM_ROWS_PER_COLUMN if _all_held(problem) else 0
    return p <= min(rows, costs.MOST_GRAM_COLUMNS)


def _all_held(problem):
    """Whether no column, or group, is without a penalty.

    Where one is, residuals tell more digits than inner products, and with limits each lambda may
    have others that nothing holds back.
    """
    penalty = problem.penalty
    parts = (penalty.weight, penalty.l1) if problem.has_groups else (penalty.l1, penalty.l2)
    return bool(np.all(np.add(*parts) > 0.0))


def _few_coefficients(problem):
    """Whether so few of K responses may come to work that their Hessian is cheap."""
    n, p = problem.design.n, problem.design.p
    most = costs.MOST_TIED_COEFFICIENTS if problem.grouped else costs.MOST_COEFFICIENTS
    most = costs.MOST_DENSE_COEFFICIENTS if problem.penalty.alpha < costs.MOSTLY_RIDGE else most
    if costs.RESPONSE_SPARSITY * problem.design.stored < n * p:
        most = min(most, costs.MOST_SPARSE_COEFFICIENTS)
    return problem.n_responses * min(p, 2 * n) <= most and n * p <= costs.MOST_COPIED_VALUES


def _few_columns(problem):
    """Whether inner products serve K real responses."""
    n, p = problem.design.n, problem.design.p
    return p <= (costs.MOST_GRAM_COLUMNS if p <= n else costs.MOST_WIDE_GRAM_COLUMNS)


def _by_inner_products(problem):
    """Whether inner products of the columns at work, by passes, do better than copies of them."""
    n, p, stored = problem.design.n, problem.design.p, problem.design.stored
    if stored < n * p:
        worth = n >= costs.PASS_ROWS and p <= MOST_COLUMNS and _all_held(problem)
    else:
        together = p <= costs.MOST_SHARED_COLUMNS and _all_held(problem)
        worth = n * p >= (costs.SHARED_PASS_VALUES if together else costs.PASS_VALUES)
    tall = p <= min(n // costs.TALL, costs.MOST_GRAM_COLUMNS)
    return tall and worth and SOLVERS["pass_newton"].suits(problem, None)


def _giant_group(problem):
    """Whether a group is so large that its inner products cost more than first-order steps."""
    sizes = np.diff(problem.penalty.start)
    even = problem.penalty.evens_out
    if problem.n_responses is not None:
        most = costs.MOST_GROUP_COEFFICIENTS_LINF if even else costs.MOST_GROUP_COEFFICIENTS
        return sizes.max(initial=0) > most
    n = problem.design.n
    tied = even & np.greater(problem.penalty.weight, 0.0)  # by a norm, of which there may be none
    large = sizes[sizes > np.where(tied, n, max(n, costs.SMALL_GROUP))].astype(float)
    passes = costs.FIRST_ORDER_PASSES_LINF if even else costs.FIRST_ORDER_PASSES
    return bool((large**3).sum() > passes * problem.design.stored)


def _few_eigenvalues(design, most):
    """Whether an eigendecomposition of the smaller side of X pays: at most so many, if dense."""
    if costs.EIGENVALUE_SPARSITY * design.stored <= design.n * design.p:
        most = min(most, costs.MOST_SPARSE_EIGENVALUES)
    return min(design.n, design.p) <= most

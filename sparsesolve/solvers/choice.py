"""Choice: which solver suits a problem."""

from functools import partial

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.passes.several_lambdas import MOST_COLUMNS
from sparsesolve.solvers.reductions.collinear import CollinearState, without_collinear
from sparsesolve.solvers.reductions.equal_rows import with_equal_rows_merged
from sparsesolve.solvers.reductions.inner_products import by_inner_products
from sparsesolve.solvers.reductions.one_sided_limits import OneSidedState, unbound
from sparsesolve.solvers.reductions.row_space import RowSpaceState, in_row_space

MOST_GRAM_COLUMNS = 1500  # up to here their Gram matrix costs less than the passes it saves
SWEPT = 2  # rows to a column from which that holds for groups, whose sweeps come to all columns
MOST_WIDE_COLUMNS = 600  # the same of K real responses, where X is wide
MOST_RIDGE = 4000  # rows or columns whose eigenvalues cost less than the steps they save
MOST_RIDGE_SPARSE = 1500  # the same where X is sparse and steps are cheap
MOST_REDUCED = 4000  # columns whose inner products replace rows that lie in blocks elsewhere
# coefficients of K responses up to which the whole Hessian of those at work beats products:
MOST_COEFFICIENTS = 12_000  # of the softmax, one by one: few come to work
MOST_TIED = 1000  # of rows, which come to work as a whole
MOST_SPARSE = 1500  # of a sparse design, whose columns meet by their stored values otherwise
MOSTLY_RIDGE = 0.2  # alpha below which nearly all come to work,
MOST_AT_WORK = 200  # of which the Hessian is cheap up to so many
MOST_UNPACKED = 20_000_000  # values of X that may be kept once more
TALL = 20  # rows to a column
SOME = 100  # dense columns up to which several lambdas may share their passes,
SOME_VALUES = 5_000_000  # where passes are what takes time
MANY_VALUES = 30_000_000  # of any such design from which copies of its columns do not pay
MANY_ROWS = 200_000  # from which a sparse column meets vectors that do not stay in cache
MOST_TOGETHER = 64  # columns of a group that are never more than inner products are good for,
PASSES, PASSES_EVEN = 500, 100  # over X that cost what the eigenvalues of larger ones do, cubed,
MOST_RESPONSES = 1000  # coefficients of a group in all responses up to which a model pays,
MOST_EVEN = 200  # and the same under the linf norm, where most are as large as the largest
SPARSE = 20  # entries to a stored value from which X is sparse for K responses,
RIDGE_DENSITY = 10  # and for eigenvalues


def choose(problem, name, lambdas, n_threads):
    """The state of the solver of that name, or with "auto" of the one that suits.

    `lambdas` are those asked for, decreasing, or None for a grid that ends above 0.
    """
    free = unbound(problem, lambdas)
    if free is not None:
        return OneSidedState(choose(free[0], name, lambdas, n_threads), problem, free[1])
    if isinstance(problem.design, DistributedDesign):
        if problem.design.gram is not None:
            problem = by_inner_products(problem)
        else:
            name = _by_passes(problem, name, lambdas)
    problem = with_equal_rows_merged(problem) or problem
    if not problem.has_blocks:
        return _on_whole_vectors(problem, name, lambdas, n_threads)
    if name == "auto" and _few_eigenvalues(problem.design):
        found = in_row_space(problem, lambdas, n_threads)
        if found is not None:
            own_solver = partial(SOLVERS[_suitable(problem, lambdas)].state, problem, n_threads)
            state = choose(found[0], name, lambdas, n_threads)
            return RowSpaceState(state, *found, problem, own_solver, n_threads)
    if name == "auto":
        name = _suitable(problem, lambdas)
    solver = SOLVERS[name]
    if not solver.suits(problem, lambdas):
        raise ValueError(f"solver={name!r} needs {solver.needs}; choose solver='auto'")
    distributed = isinstance(problem.design, DistributedDesign)
    found = None if distributed else without_collinear(problem, lambdas)
    if found is None:
        return solver.state(problem, n_threads)
    return CollinearState(solver.state(found[0], n_threads), *found, problem.design)


def _on_whole_vectors(problem, name, lambdas, n_threads):
    """The state for a penalty without disjoint blocks: a first-order solver."""
    solver = SOLVERS["fista" if name == "auto" else name]
    if not solver.suits(problem, lambdas):
        raise ValueError(
            f"solver={name!r} needs a penalty on disjoint blocks, which "
            f"{problem.penalty.label} is not; choose solver='auto', 'fista', 'sparsa' or 'ista'"
        )
    return solver.state(problem, n_threads)


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
    if SOLVERS["ridge"].suits(problem, lambdas) and _few_eigenvalues(problem.design):
        return "ridge"
    return "sufficient" if _few_features(problem) else "working_set"


def _few_features(problem):
    """Whether inner products of all columns serve one real response."""
    n, p = problem.design.n, problem.design.p
    rows = max(n, 200)
    if problem.has_groups:
        rows = n // SWEPT if _all_held(problem) else 0
    return p <= min(rows, MOST_GRAM_COLUMNS)


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
    most = MOST_TIED if problem.grouped else MOST_COEFFICIENTS
    most = MOST_AT_WORK if problem.penalty.alpha < MOSTLY_RIDGE else most
    if SPARSE * problem.design.stored < n * p:
        most = min(most, MOST_SPARSE)
    return problem.n_responses * min(p, 2 * n) <= most and n * p <= MOST_UNPACKED


def _few_columns(problem):
    """Whether inner products serve K real responses."""
    n, p = problem.design.n, problem.design.p
    return p <= (MOST_GRAM_COLUMNS if p <= n else MOST_WIDE_COLUMNS)


def _by_inner_products(problem):
    """Whether inner products of the columns at work, by passes, do better than copies of them."""
    n, p, stored = problem.design.n, problem.design.p, problem.design.stored
    if stored < n * p:
        worth = n >= MANY_ROWS and p <= MOST_COLUMNS and _all_held(problem)
    else:
        together = p <= SOME and _all_held(problem)
        worth = n * p >= (SOME_VALUES if together else MANY_VALUES)
    tall = p <= min(n // TALL, MOST_GRAM_COLUMNS)
    return tall and worth and SOLVERS["pass_newton"].suits(problem, None)


def _giant_group(problem):
    """Whether a group is so large that its inner products cost more than first-order steps."""
    sizes = np.diff(problem.penalty.start)
    even = problem.penalty.evens_out
    if problem.n_responses is not None:
        return sizes.max(initial=0) > (MOST_EVEN if even else MOST_RESPONSES)
    n = problem.design.n
    tied = even & np.greater(problem.penalty.weight, 0.0)  # by a norm, of which there may be none
    large = sizes[sizes > np.where(tied, n, max(n, MOST_TOGETHER))].astype(float)
    passes = PASSES_EVEN if even else PASSES  # that first-order steps take of all columns
    return bool((large**3).sum() > passes * problem.design.stored)


def _few_eigenvalues(design):
    dense = RIDGE_DENSITY * design.stored > design.n * design.p
    return min(design.n, design.p) <= (MOST_RIDGE if dense else MOST_RIDGE_SPARSE)

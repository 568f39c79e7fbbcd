"""Choice: which solver suits a problem."""

import numpy as np

from sparsesolve.solvers import SOLVERS

MOST_GRAM_COLUMNS = 1500  # up to here their Gram matrix costs less than the passes it saves
MOST_RIDGE = 4000  # rows or columns whose eigenvalues cost less than the steps they save
MOST_RIDGE_SPARSE = 1500  # the same where X is sparse and steps are cheap
GIANT = 1.0  # of the samples: columns of a group from which first-order steps are quicker
GIANT_OTHER = 0.25  # the same where the loss is another than squared error
RIDGE_DENSITY = 10  # one stored value in so many


def choose(problem, name, lambdas, n_threads):
    """The state of the solver of that name, or with "auto" of the one that suits.

    `lambdas` are those asked for, decreasing, or None for a grid that ends above 0.
    """
    if name == "auto":
        name = _suitable(problem, lambdas)
    solver = SOLVERS[name]
    if not solver.suits(problem, lambdas):
        raise ValueError(f"solver={name!r} needs {solver.needs}; choose solver='auto'")
    return solver.state(problem, n_threads)


def _suitable(problem, lambdas):
    if problem.n_responses is not None:
        return "response_blocks"
    if problem.has_groups and _giant_group(problem):
        return "sparsa"
    if problem.loss is not None:
        return "proximal_newton"
    if SOLVERS["ridge"].suits(problem, lambdas) and _few_eigenvalues(problem.design):
        return "ridge"
    if problem.has_groups:
        return "working_set"
    return _by_shape(problem.design.n, problem.design.p)


def _giant_group(problem):
    """Whether a group is so large that its inner products cost more than first-order steps."""
    share = GIANT if problem.loss is None else GIANT_OTHER
    return np.diff(problem.penalty.start).max(initial=0) > max(share * problem.design.n, 64)


def _few_eigenvalues(design):
    dense = RIDGE_DENSITY * design.stored > design.n * design.p
    return min(design.n, design.p) <= (MOST_RIDGE if dense else MOST_RIDGE_SPARSE)


def _by_shape(n, p):
    return "sufficient" if p <= min(max(n, 200), MOST_GRAM_COLUMNS) else "working_set"

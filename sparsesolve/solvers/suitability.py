"""Suitability: the solver that "auto" takes, by the shape of a problem and its penalty.

Every threshold stands in `costs`, with its reason.
"""

import numpy as np

from sparsesolve.solvers import SOLVERS, costs
from sparsesolve.solvers.margin.rows_newton import MOST_NEWTON_COLUMNS

# Rows to a column from which Newton steps on the rows inside are chosen over sweeps. a9a (265 rows
# to a column) takes hundreds to thousands of sweeps at a large C, text of less than one 10 to 100.
NEWTON_ROWS_PER_COLUMN = 10
# The same for a dense X. Seconds of sweeps over those of Newton steps, hinge, C = 1e-3 to 1e5:
# 300 x 100 .2 to 3, 900 x 300 .05 to 10, 500 x 100 .3 to 19, 990 x 100 5 to 10.
DENSE_NEWTON_ROWS_PER_COLUMN = 4
# Rows to a column up to which the squared hinge with a ridge is solved by sweeps over rows.
# Seconds of proximal Newton steps over those of sweeps, C = .01, 1 and 100: sparse 2,000 x 1,000
# 4.2, 3, 25; sparse 4,000 x 1,000 4.4, .15, .4; text 4,000 x 15,000 1.7, 2.7, 75.
ROWS_PER_COLUMN_BY_ROWS = 2
# Dense rows up to which their eigenvalues serve better: 200 x 3,000 .9, .25, .1 in the same units;
# 600 x 1,000 5, 33, 70.
MOST_DENSE_ROWS = 300


def suitable_with_kinks(problem, lambdas):
    """Return Newton steps on rows for tall ridge problems, sweeps over rows for other ones."""
    if not SOLVERS["rows_newton"].suits(problem, lambdas):
        return "multipliers"
    n, p = problem.design.n, problem.design.p
    sparse = is_sparse(problem.design)
    rows = NEWTON_ROWS_PER_COLUMN if sparse else DENSE_NEWTON_ROWS_PER_COLUMN
    tall = p <= MOST_NEWTON_COLUMNS and n >= rows * p
    return "rows_newton" if tall else "dual_descent"


def suitable(problem, lambdas):
    """Return the name of the solver that suits a problem in memory with a smooth loss."""
    if problem.has_groups and _giant_group(problem):
        return "sparsa"
    if problem.n_responses is not None:
        if problem.has_groups:
            return "response_groups"
        if SOLVERS["sufficient"].suits(problem, lambdas):
            return "sufficient" if _few_columns(problem, lambdas) else "response_blocks"
        return "response_newton" if _few_coefficients(problem) else "response_blocks"
    if problem.loss is not None:
        return "dual_descent" if by_rows_in_the_dual(problem, lambdas) else "proximal_newton"
    most = costs.MOST_EIGENVALUES
    if lambdas is not None:
        most = min(most, max(costs.FEW_EIGENVALUES, costs.EIGENVALUES_TO_A_LAMBDA * len(lambdas)))
    if SOLVERS["ridge"].suits(problem, lambdas) and few_eigenvalues(problem.design, most):
        return "ridge"
    return "sufficient" if _few_features(problem) else "working_set"


def _few_features(problem):
    """Return True if inner products of all columns serve one real response."""
    n, p = problem.design.n, problem.design.p
    rows = max(n, 200)
    if problem.has_groups:
        rows = n // costs.GRAM_ROWS_PER_COLUMN if _all_held(problem) else 0
    return p <= min(rows, costs.MOST_GRAM_COLUMNS)


def _all_held(problem):
    """Return True if every column, or group, has a penalty.

    If one has none, residuals keep more digits than inner products, and with limits each lambda
    may have other unpenalised columns.
    """
    penalty = problem.penalty
    parts = (penalty.weight, penalty.l1) if problem.has_groups else (penalty.l1, penalty.l2)
    return bool(np.all(np.add(*parts) > 0.0))


def _few_coefficients(problem):
    """Return True if K responses have so few active coefficients that their Hessian is cheap."""
    n, p = problem.design.n, problem.design.p
    most = costs.MOST_TIED_COEFFICIENTS if problem.grouped else costs.MOST_COEFFICIENTS
    most = costs.MOST_DENSE_COEFFICIENTS if problem.penalty.alpha < costs.MOSTLY_RIDGE else most
    if costs.RESPONSE_SPARSITY * problem.design.stored < n * p:
        most = min(most, costs.MOST_SPARSE_COEFFICIENTS)
    K, columns = problem.n_responses, min(p, n, problem.design.stored / n)
    if K * K * columns > costs.MOST_CLASSES_SQUARED_COLUMNS:
        return False
    return K * min(p, 2 * n) <= most and n * p <= costs.MOST_COPIED_VALUES


def _few_columns(problem, lambdas):
    """Return True if inner products serve K real responses."""
    n, p = problem.design.n, problem.design.p
    if p <= n:
        return p <= costs.MOST_GRAM_COLUMNS
    many = lambdas is None or len(lambdas) >= costs.FEWEST_LAMBDAS_TO_A_WIDE_GRAM
    return many and p <= costs.MOST_WIDE_GRAM_COLUMNS


def _giant_group(problem):
    """Return True if inner products of a group cost more than first-order steps."""
    sizes = np.diff(problem.penalty.start)
    even = problem.penalty.evens_out
    if problem.n_responses is not None:
        most = costs.MOST_GROUP_COEFFICIENTS_LINF if even else costs.MOST_GROUP_COEFFICIENTS
        return sizes.max(initial=0) > most
    n = problem.design.n
    tied = even & np.greater(problem.penalty.weight, 0.0)  # tied by a norm, if the group has one
    large = sizes[sizes > np.where(tied, n, max(n, costs.SMALL_GROUP))].astype(float)
    passes = costs.FIRST_ORDER_PASSES_LINF if even else costs.FIRST_ORDER_PASSES
    return bool((large**3).sum() > passes * problem.design.stored)


def few_eigenvalues(design, most):
    """Return True if an eigendecomposition of the smaller side of X pays: at most `most`, if
    dense.
    """
    small = min(design.n, design.p)
    if is_sparse(design) and small**3 > costs.EIGENVALUES_TO_A_STORED_VALUE * design.stored:
        return False
    return small <= most


def is_sparse(design):
    """Return True if products with X are much cheaper than with a dense array of its shape."""
    return costs.EIGENVALUE_SPARSITY * design.stored <= design.n * design.p


def by_rows_in_the_dual(problem, lambdas):
    """Return True for a smooth loss with pieces and a ridge on a wide X: sweeps over rows.

    Its Hessian jumps, so that Newton steps at a small lambda are many. Few dense rows have a
    smaller problem by their eigenvalues.
    """
    n, p = problem.design.n, problem.design.p
    dense_and_few = n <= MOST_DENSE_ROWS and not is_sparse(problem.design)
    suits = SOLVERS["dual_descent"].suits(problem, lambdas)
    return suits and n <= ROWS_PER_COLUMN_BY_ROWS * p and not dense_and_few

"""Suitability: the solver that "auto" takes, by the shape of a problem and its penalty.

`benchmarks/paths/crossovers.py` times both sides of a threshold: a ratio that passes 1 near it is
the sign that it stands well.
"""

import numpy as np

from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.margin.rows_newton import MOST_NEWTON_COLUMNS
from sparsesolve.solvers.tolerances import MOST_COPIED_VALUES

# Up to this many columns, all inner products X'WX are computed once and replace the data
# ("sufficient"). Above it, computing them costs more than the passes that they save, and the
# working set computes inner products of the columns it needs alone.
MOST_GRAM_COLUMNS = 1500
# With several real responses and more columns than rows, inner products of all columns pay up to
# this many columns.
MOST_WIDE_GRAM_COLUMNS = 600
# A pure ridge path is solved by one eigendecomposition while min(n, p) is at most this, and no
# more than EIGENVALUES_TO_A_LAMBDA times the number of lambdas. Above it, the cube of min(n, p)
# costs more than the steps of the general solvers. Seconds of the ridge solver over those of the
# working set (tol 1e-6, seed 0): 100 lambdas, columns AR(.9), 1,000 x 1,000 0.37, 2,000 x 2,000
# 0.65, without correlation 1.27; 20 lambdas without correlation 1.47 at 600 x 600, 3.8 at 1,000 x
# 1,000, 4.1 at 2,000 x 2,000, and 1.56 at 1,000 x 1,000 with AR(.9).
MOST_EIGENVALUES = 2500
EIGENVALUES_TO_A_LAMBDA = 50
# An eigendecomposition of at most so many rows and columns takes milliseconds: few lambdas are no
# reason to do without. So many dense rows are not solved by sweeps over rows on a grid: 30 lambdas
# on 60 to 250 rows took .15 to .7 in the units of ROWS_PER_COLUMN_BY_ROWS, 600 x 1,000 5 to 70.
FEW_EIGENVALUES = 300
# The eigenvalues of a sparse design are computed while the cube of its smaller side is at most
# this times its stored values: its general solvers take cheap steps. Seconds by eigenvalues over
# those of the general solvers, logistic and Poisson loss: 600 x 20,000 at 1 % (quotient 1,800) .13
# to .16, 300 x 15,000 text (1,500) .8 to 1.3, 1,000 x 15,000 text (17,000) 3 to 20, 1,000 x 2,000
# at 2 % (25,000) 3 to 24.
EIGENVALUES_TO_A_STORED_VALUE = 4000
# Number of coefficients of K responses up to which Newton's method factors their Hessian as a
# whole ("response_newton"). Above it, rows are minimised over one by one ("response_blocks").
# Softmax coefficients enter one by one, so that few of them are active at a time.
MOST_COEFFICIENTS = 12_000
# Coefficients up to which their Hessian is factored where rows of coefficients are tied and
# become active as a whole, and up to which a quadratic model of one group in all responses is.
MOST_TIED_COEFFICIENTS = 1000
# Coefficients up to which their Hessian is factored where nearly all of them become active.
MOST_DENSE_COEFFICIENTS = 200
# Coefficients up to which their Hessian is factored where rows are three times as many as columns,
# so that most coefficients become active, or where the design is sparse, whose products with
# single columns are cheap. Seconds of Newton's method over those of blocks (20
# lambdas down to .01; n x p x K): 3,000 x 60 x 10 0.56, 2,000 x 500 x 3 0.62, 10,000 x 100 x 5
# 0.48, 1,000 x 300 x 5 0.72; 1,000 x 100 x 20 0.97, 1,500 x 200 x 10 1.18, 1,500 x 100 x 20 1.39,
# 3,000 x 100 x 30 1.47, 3,000 x 40 x 50 1.14. Fewer rows: 500 x 300 x 20 0.92, 1,000 x 400 x 20
# 1.03, 500 x 500 x 20 0.68, 600 x 600 x 20 0.80, 300 x 300 x 50 0.65.
MOST_TALL_COEFFICIENTS = 1500
# First-order steps need about this many passes over X. Blocks are solved by second-order steps
# until the cubes of their sizes cost more than these passes, under the linf norm a fifth of them:
# it brings many coefficients of a block to one size, and its second-order steps are longer.
FIRST_ORDER_PASSES = 500

# Rows to a column from which Newton steps on the rows inside are chosen over sweeps. a9a (265 rows
# to a column) takes hundreds to thousands of sweeps at a large C, text of less than one 10 to 100.
NEWTON_ROWS_PER_COLUMN = 10
# Rows to a column for a dense X. Seconds of sweeps over those of Newton steps, hinge, C = 1e-3 to
# 1e5: 300 x 100 .2 to 3, 900 x 300 .05 to 10, 500 x 100 .3 to 19, 990 x 100 5 to 10.
DENSE_NEWTON_ROWS_PER_COLUMN = 4
# Rows to a column up to which the squared hinge with a ridge is solved by sweeps over rows.
# Seconds of proximal Newton steps over those of sweeps, C = .01, 1 and 100: sparse 2,000 x 1,000
# 4.2, 3, 25; sparse 4,000 x 1,000 4.4, .15, .4; text 4,000 x 15,000 1.7, 2.7, 75. From the null
# model to one far lambda Newton steps may be thousands, .4 to 230 on 60 to 290 rows, so that few
# lambdas are reached by sweeps. The logistic loss is smoother: at dense rows without end
# eigenvalues are faster on a grid of 30 lambdas (.14 to 1 times the seconds of sweeps), and sweeps
# on sparse X: 1 to 45 times as fast, .7 for 2,000 x 1,000 at C = 100 on a grid.
ROWS_PER_COLUMN_BY_ROWS = 2


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
    most = MOST_EIGENVALUES
    if lambdas is not None:
        most = min(most, max(FEW_EIGENVALUES, EIGENVALUES_TO_A_LAMBDA * len(lambdas)))
    if SOLVERS["ridge"].suits(problem, lambdas) and few_eigenvalues(problem.design, most):
        return "ridge"
    return "sufficient" if _few_features(problem) else "working_set"


def _few_features(problem):
    """Return True if inner products of all columns serve one real response."""
    n, p = problem.design.n, problem.design.p
    rows = max(n, 200)
    if problem.has_groups:
        # a sweep over groups reads the inner products of every column
        rows = n // 2 if _all_held(problem) else 0
    return p <= min(rows, MOST_GRAM_COLUMNS)


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
    most = MOST_TIED_COEFFICIENTS if problem.grouped else MOST_COEFFICIENTS
    # nearly all become active
    most = MOST_DENSE_COEFFICIENTS if problem.penalty.alpha < 0.2 else most
    sparse = 20 * problem.design.stored < n * p  # for several responses
    most = min(most, MOST_TALL_COEFFICIENTS) if sparse or n >= 3 * p else most
    # Newton's method keeps another copy of X
    return problem.n_responses * min(p, 2 * n) <= most and n * p <= MOST_COPIED_VALUES


def _few_columns(problem, lambdas):
    """Return True if inner products serve K real responses."""
    n, p = problem.design.n, problem.design.p
    if p <= n:
        return p <= MOST_GRAM_COLUMNS
    # 200 x 500, 3 responses: one lambda 10 ms with them and 4 without, thirty 11 and 14
    many = lambdas is None or len(lambdas) >= 5
    return many and p <= MOST_WIDE_GRAM_COLUMNS


def _giant_group(problem):
    """Return True if inner products of a group cost more than first-order steps."""
    sizes = np.diff(problem.penalty.start)
    even = problem.penalty.evens_out
    if problem.n_responses is not None:
        return sizes.max(initial=0) > MOST_TIED_COEFFICIENTS / (5 if even else 1)
    n = problem.design.n
    tied = even & np.greater(problem.penalty.weight, 0.0)  # tied by a norm, if the group has one
    # small groups are always solved by second-order steps
    large = sizes[sizes > np.where(tied, n, max(n, 64))].astype(float)
    passes = FIRST_ORDER_PASSES / (5 if even else 1)
    return bool((large**3).sum() > passes * problem.design.stored)


def few_eigenvalues(design, most):
    """Return True if an eigendecomposition of the smaller side of X pays: at most `most`, if
    dense.
    """
    small = min(design.n, design.p)
    if is_sparse(design) and small**3 > EIGENVALUES_TO_A_STORED_VALUE * design.stored:
        return False
    return small <= most


def is_sparse(design):
    """Return True if products with X are much cheaper than with a dense array of its shape."""
    return 10 * design.stored <= design.n * design.p


def by_rows_in_the_dual(problem, lambdas):
    """Return True for a smooth loss with pieces and a ridge on a wide X: sweeps over rows.

    The Hessian of a squared loss jumps, so that Newton steps at a small lambda are many. Few dense
    rows have a smaller problem by their eigenvalues.
    """
    n, p = problem.design.n, problem.design.p
    most = FEW_EIGENVALUES if lambdas is None or len(lambdas) > 4 else 0
    if getattr(problem.loss, "entropic", False):
        most = np.inf
    dense_and_few = n <= most and not is_sparse(problem.design)
    suits = SOLVERS["dual_descent"].suits(problem, lambdas)
    return suits and n <= ROWS_PER_COLUMN_BY_ROWS * p and not dense_and_few

"""Costs: every constant that steers an algorithm, with what it decides and why.

Here stand the crossovers that decide which solver a problem gets; each module holds the
constants of one room, `newton` what all Newton methods share, `rounding` what counts as rounding.
None of them decides what the problem is, only how its tolerance is met and how soon.

Two scripts measure them. `benchmarks/paths/crossovers.py` times both sides of a crossover: a ratio
that passes 1 near the constant is the sign that it stands well. `benchmarks/paths/constants.py`
times a path with a third and with three times a constant. "Iterations at" in a comment gives what
it printed, relative to the value that stands, for paths of 200 x 1,000. A comment without it says
nothing: some 160 of 320 constants were tried, and most changed no iteration of these small paths.
"""

from sparsesolve.solvers.costs import (  # noqa: F401
    newton,
    rounding,
    screening,
    structured,
    subproblem,
    working_set,
)

# ---- One real response: inner products of all columns, or working sets ------------------------

# Up to this many columns, all inner products X'WX are computed once and replace the data
# ("sufficient"). Above it, computing them costs more than the passes that they save, and the
# working set computes inner products of the columns it needs alone.
MOST_GRAM_COLUMNS = 1500

# With groups, inner products of all columns pay only where n is at least this multiple of p: a
# sweep over groups reads the inner products of every column with the working ones.
GRAM_ROWS_PER_COLUMN = 2

# With several real responses and more columns than rows, inner products of all columns pay up to
# this many columns.
MOST_WIDE_GRAM_COLUMNS = 600

# Lambdas from which these inner products of a wide design are worth their making. 200 x 500 with
# 3 responses to 0.1 of the first lambda: one lambda 10 ms with them and 4 without, ten 10 and 9,
# thirty 11 and 14.
FEWEST_LAMBDAS_TO_A_WIDE_GRAM = 5

# Columns of a distributed design up to which their inner products replace its rows: one pass over
# the blocks, and p^2 doubles in memory. Above it, every solver step is a pass over the blocks.
MOST_REDUCED_COLUMNS = 4000

# ---- Ridge ------------------------------------------------------------------------------------

# A pure ridge path is solved by one eigendecomposition while min(n, p) is at most this, and no
# more than EIGENVALUES_TO_A_LAMBDA times the number of lambdas. Above it, the cube of min(n, p)
# costs more than the steps of the general solvers. Seconds of the ridge solver over those of the
# working set (tol 1e-6, seed 0): 100 lambdas, columns AR(.9), 1,000 x 1,000 0.37, 2,000 x 2,000
# 0.65, without correlation 1.27; 20 lambdas without correlation 1.47 at 600 x 600, 3.8 at 1,000 x
# 1,000, 4.1 at 2,000 x 2,000, and 1.56 at 1,000 x 1,000 with AR(.9).
MOST_EIGENVALUES = 2500
EIGENVALUES_TO_A_LAMBDA = 50

# An eigendecomposition of at most so many rows and columns takes milliseconds: few lambdas are no
# reason to do without.
FEW_EIGENVALUES = 250

# min(n, p) up to which other losses with a ridge go to the space of the rows (row_space.py).
MOST_ROW_SPACE = 4000

# The eigenvalues of a sparse design are computed while the cube of its smaller side is at most
# this times its stored values: its general solvers take cheap steps. Seconds by eigenvalues over
# those of the general solvers, logistic and Poisson loss: 600 x 20,000 at 1 % (quotient 1,800) .13
# to .16, 300 x 15,000 text (1,500) .8 to 1.3, 1,000 x 15,000 text (17,000) 3 to 20, 1,000 x 2,000
# at 2 % (25,000) 3 to 24.
EIGENVALUES_TO_A_STORED_VALUE = 4000

# A design counts as sparse if it has fewer than one stored value in this many entries.
EIGENVALUE_SPARSITY = 10

# ---- Several responses: one Hessian of all coefficients, or blocks of rows --------------------

# Number of coefficients of K responses up to which Newton's method factors their Hessian as a
# whole ("response_newton"). Above it, rows are minimised over one by one ("response_blocks").
# Softmax coefficients enter one by one, so that few of them are active at a time.
MOST_COEFFICIENTS = 12_000

# Coefficients up to which their Hessian is factored where rows of coefficients are tied and
# become active as a whole.
MOST_TIED_COEFFICIENTS = 1000

# Coefficients up to which their Hessian is factored for a sparse design, whose products with
# single columns are cheap.
MOST_SPARSE_COEFFICIENTS = 1500

# Below this alpha nearly all coefficients become active, and MOST_DENSE_COEFFICIENTS applies.
MOSTLY_RIDGE = 0.2

# Coefficients up to which their Hessian is factored where nearly all of them become active.
MOST_DENSE_COEFFICIENTS = 200

# Newton's method on all coefficients is used up to this product of K^2 and min(n, p), p counted
# by stored values to a row: the cost of its Hessian grows faster with K than the steps of blocks.
# Seconds of Newton's method over those of blocks (20 lambdas, tol 1e-7; n x p x K, and in
# brackets the product in thousands): 1,000 x 50 x 10 0.48 (5), 200 x 1,000 x 20 0.56 (80), 1,500
# x 100 x 20 0.91 (40), 3,000 x 100 x 30 0.76 (90), 3,000 x 40 x 50 1.05 (100), 300 x 2,000 x 20
# 0.83 (120), 500 x 500 x 20 1.14 (200), 2,000 x 20 x 100 1.58 (200), 3,000 x 100 x 50 1.76 (250),
# 4,000 x 25 x 200 2.7 (1,000; 8 lambdas); sparse, 1 in 20 stored, 2,000 x 200 x 50 0.82 (25).
MOST_CLASSES_SQUARED_COLUMNS = 150_000

# Newton's method on all coefficients keeps another copy of X, which may have this many values.
MOST_COPIED_VALUES = 20_000_000

# A design counts as sparse for several responses if it has fewer than one stored value in this
# many entries.
RESPONSE_SPARSITY = 20

# ---- Giant groups: inner products of a block, or first-order steps ----------------------------

# First-order steps need about this many passes over X. Blocks are solved by second-order steps
# until the cubes of their sizes cost more than these passes.
FIRST_ORDER_PASSES = 500

# Passes that first-order steps need under the linf norm, which brings many coefficients of a
# block to one size, and whose second-order steps are longer.
FIRST_ORDER_PASSES_LINF = 100

# Groups of at most this many columns are always solved by second-order steps.
SMALL_GROUP = 64

# With several responses: coefficients of one group in all responses up to which a quadratic model
# of the group is factored.
MOST_GROUP_COEFFICIENTS = 1000

# Coefficients of a group in all responses up to which a quadratic model of it is factored under
# the linf norm.
MOST_GROUP_COEFFICIENTS_LINF = 200

# Working coefficients of groups of K responses, K m, up to which Newton steps are made: beyond, a
# model takes longer than proximal gradient steps to the same gap.
MOST_MODEL_COEFFICIENTS = 500

# Proximal gradient steps at one lambda after which Newton steps take over in such problems.
MOST_STEPS_OF_GROUPS = 3000

# ---- Lambdas far below the one before: solvers/follow -----------------------------------

# Columns from which a far lambda is approached by steps. With fewer, all may enter at once. One
# lambda at a hundredth of the first took 1.4 ms at once and 1.7 by steps for 200 x 150 (gaussian,
# seed 0), 5.5 and 3.1 for 200 x 400, the same for 200 x 80.
FEWEST_COLUMNS_BY_STEPS = 100

# Rows to a column up to which a far lambda is approached by steps. With more, few columns come in
# that are not wanted, and the steps cost up to twice what they save (3,000 x 300, three lambdas).
MOST_ROWS_BY_STEPS = 2

# A lambda below this fraction of the one before is far. Grids of a ratio of 0.79 may take twice
# as long as finer ones (300 x 20,000, correlation 0.99, binomial), those of 0.32 twenty times as
# long (500 x 5,000, correlation 0.5).
FAR_LAMBDA = 0.75

# Largest ratio of neighbouring lambdas on the way. At 0.5 to 0.7 working sets still fill up in
# some problems, and the way takes up to 18 times as long as a path; from 0.85 to 0.9 less.
CONTINUATION_RATIO = 0.88

# Largest ratio of neighbouring lambdas on the way for several responses with squared error, whose
# working sets fill up less. One lambda at 1e-3 of the first took 586 ms at once, 317 by steps of
# 0.88, 292 of 0.5, 147 of 0.3 (150 x 1,500, 4 responses), and without noise 1,640 and 12 (200 x
# 2,000, 3 responses). At 0.1 and 0.01 steps of 0.3 cost as much as none, those of 0.88 twice as
# much.
CONTINUATION_RATIO_RESPONSES = 0.3

# Gap to solve for on the way, as a fraction of what is left of the loss; 1e-5 costs a third more.
CONTINUATION_GAP = 1e-3

# Fraction of the iterations allowed at a lambda that the way to it may take.
CONTINUATION_SHARE = 0.5

# Iterations that a step of the way must have, or no step is taken: most take 3 to 12 of them.
ITERATIONS_A_STEP = 3

"""Costs: the crossovers that decide which solver a problem gets.

Each constant says what it compares, and what happens on either side of it. No measurement is on
record for most of them. `benchmarks/paths/crossovers.py` times both sides of five: a ratio that
passes 1 near the constant is the sign that it stands well. None of them decides what the problem
is, only which solver meets its tolerance.
"""

# ---- One real response: inner products of all columns, or working sets -------------------------

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

# Lambdas from which these inner products of a wide design are worth their making. 200 x 500 with 3
# responses to 0.1 of the first lambda: one lambda 10 ms with them and 4 without, ten 10 and 9,
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

# The same limit for a sparse design, whose general solvers take cheaper steps.
MOST_SPARSE_EIGENVALUES = 1500

# A design counts as sparse for MOST_SPARSE_EIGENVALUES if it has fewer than one stored value in
# this many entries.
EIGENVALUE_SPARSITY = 10

# ---- A Newton step on the working set: solvers/working_set/ -------------------------------------
#
# Prices are in multiply-adds of a dense operation whose data stay in cache. They choose between
# the Gram matrix, conjugate gradients and the n x n system, and say when a Hessian is refreshed.
# Where these numbers came from is not on record.

# One stored value of a sparse column.
SPARSE_COST = 6.0

# A multiply-add of a block operation, by which a column enters a factor; and of one on weighted
# columns, whose copies it includes.
BLOCK_COST = 0.10
WEIGHED_COST = 0.3

# A multiply-add of a pass over a dense matrix of more than FAR_VALUES values, which leaves the
# cache.
FAR_COST = 3.0
FAR_VALUES = 5e6

# Evaluating the loss of one sample in a Newton step.
SAMPLE_COST = 30.0

# A Gram matrix must pay within this many Newton steps: then columns come or go.
STEPS_TO_PAY = 50.0

# The working set changes its solver only if another looks cheaper by this factor: prices are
# rough, and a change recomputes the gradients.
SWITCH_GAIN = 1.5

# Room is allocated for this many dense working columns at once. Beyond it, and with more than
# WORKING_PER_ROW of them to a row, the Gram matrix would be larger than the columns: conjugate
# gradients are used.
WORKING_ROOM = 2048
WORKING_PER_ROW = 4.0

# Columns of a design up to which groups are solved for by inner products, where there are more
# rows. Above it, groups are solved for by products with their columns.
MOST_GROUP_GRAM_COLUMNS = 3000

# A stale Hessian is refreshed once the extra steps that it took have cost this many refreshes.
# With less, it is refreshed for steps that a refresh would not save; with more, slow steps go on.
REFRESH_DEBT = 2.0

# Share of the Gram matrix that a step recomputes on average: H is refreshed at about every tenth
# step.
REFRESHED_SHARE = 0.05

# Sparse working columns are held as dense, for a model of the whole F'', while they have at most
# this many values, and if that pays within this many lambdas.
MOST_FILLED_VALUES = 1e8
LAMBDAS_TO_FILL = 2.0

# ---- More active columns than rows: solvers/subproblem/woodbury_active_set ----------------------

# Active columns to a row from which the n x n system of an elastic net is considered. With fewer,
# the Gram matrix of the active columns is smaller. At 0.7 and 1.4 paths of 300 x 20,000 (AR(.99),
# alpha .05) took 12 % and 3 % longer.
FEWEST_ACTIVE_TO_A_ROW = 1.0

# Rows up to which it is: K and its factor take 16 n^2 bytes, and a factor n^3 / 6 multiply-adds.
MOST_ROWS_SQUARE = 2500

# Products with K and with its factor that a Newton direction takes, in multiples of n^2
# multiply-adds: some two steps of conjugate gradients with an old factor. With 15 for n > 450 the
# path of 1,000 x 10,000 (AR(.99), alpha .01) took 1.67 s, with 5 1.41 s, without the system 1.70.
STEPS_ON_ROWS = 5.0

# Active columns without a ridge part that the n x n system may eliminate; each is a solve.
MOST_ACTIVE_WITHOUT_RIDGE = 16

# Newton directions for which a factor of K + lam I lasts.
DIRECTIONS_TO_A_FACTOR = 4.0

# ---- Several responses: one Hessian of all coefficients, or blocks of rows ----------------------

# Number of coefficients of K responses up to which Newton's method factors their Hessian as a
# whole ("response_newton"). Above it, rows are minimised over one by one ("response_blocks").
# Softmax coefficients enter one by one, so that few of them are active at a time.
MOST_COEFFICIENTS = 12_000

# The same number where the rows of coefficients are tied and become active as a whole.
MOST_TIED_COEFFICIENTS = 1000

# The same number for a sparse design, whose products with single columns are cheap.
MOST_SPARSE_COEFFICIENTS = 1500

# Below this alpha nearly all coefficients become active, and MOST_DENSE_COEFFICIENTS applies.
MOSTLY_RIDGE = 0.2

# The same number where nearly all coefficients become active.
MOST_DENSE_COEFFICIENTS = 200

# Newton's method on all coefficients keeps another copy of X, which may have this many values.
MOST_COPIED_VALUES = 20_000_000

# A design counts as sparse for several responses if it has fewer than one stored value in this
# many entries.
RESPONSE_SPARSITY = 20

# ---- Tall designs: passes over the rows, or columns in memory -----------------------------------

# A design is tall if it has at least this many rows a column; then passes over the rows
# ("pass_newton") can be shared by all columns and several lambdas.
TALL = 20

# Several lambdas share their passes over at most this many dense columns.
MOST_SHARED_COLUMNS = 100

# Values of a dense design from which passes that several lambdas share pay, at most
# MOST_SHARED_COLUMNS columns given. Smaller designs stay in cache, where columns cost less.
SHARED_PASS_VALUES = 5_000_000

# Values of any tall dense design from which copies of its working columns do not pay.
PASS_VALUES = 30_000_000

# Rows from which a sparse column addresses vectors that do not fit in cache, so that passes over
# the rows, which read them in order, are faster than products with single columns.
PASS_ROWS = 200_000

# ---- Giant groups: inner products of a block, or first-order steps ------------------------------

# First-order steps need about this many passes over X. Blocks are solved by second-order steps
# until the cubes of their sizes cost more than these passes.
FIRST_ORDER_PASSES = 500

# The same number under the linf norm, which brings many coefficients of a block to one size, and
# whose second-order steps are longer.
FIRST_ORDER_PASSES_LINF = 100

# Groups of at most this many columns are always solved by second-order steps.
SMALL_GROUP = 64

# With several responses: coefficients of one group in all responses up to which a quadratic model
# of the group is factored.
MOST_GROUP_COEFFICIENTS = 1000

# The same number under the linf norm.
MOST_GROUP_COEFFICIENTS_LINF = 200

# Working coefficients of groups of K responses, K m, up to which Newton steps are made: beyond, a
# model takes longer than proximal gradient steps to the same gap.
MOST_MODEL_COEFFICIENTS = 500

# Proximal gradient steps at one lambda after which Newton steps take over in such problems.
MOST_STEPS_OF_GROUPS = 3000

# ---- Penalties on whole vectors: solvers/first_order/tangent_newton ----------------------------

# Directions of a tangent up to which Newton steps are made: a Hessian of so many rows is formed
# and factored. Not timed beyond: 1,000 rows factor in some 30 ms.
MOST_TANGENT_DIRECTIONS = 1000

# Multiplications that the Python around a proximal step costs. A Newton step on a tangent waits
# until the proximal steps since the last one have cost as much as it will. 200 x 1,024, TreeL2
# with 900 nonzero coefficients, 50 lambdas: .4 s where Newton steps wait, 3.5 s where they do not.
PROXIMAL_STEP_OVERHEAD = 3e5

# Multiplications that the Python around a Newton step on a tangent costs: sparse directions, a
# factorisation, a line search. By benchmarks/structured/tangents.py (15 paths of trees, SLOPE,
# fused and overlapping norms) 6e6 took .5 to 1.0 of the time of 1e6 but for images and overlaps
# (1.2), and 1.5e7 .6 to 1.3 of that of 6e6.
NEWTON_STEP_OVERHEAD = 6e6

# Proximal steps that change pieces, after which a Newton step is tried all the same. A SLOPE path
# of 100 lambdas (500 x 5,000, benchmarks/structured/norms.py) took 1.22, 1.04, 0.93 and 0.90 s
# for 1, 3, 8 and 16; a Newton step after every step 1.49 s.
MOST_UNSETTLED_STEPS = 8

# Values of the columns of X that take part in a tangent, up to which these are kept unpacked: one
# product of matrices in place of a call for each direction. Not timed near it.
MOST_UNPACKED = 10_000_000

# Proximal steps that are made at most between two tries of a Newton step which did not help.
# Not timed.
LONGEST_NEWTON_PAUSE = 16

# Features from which penalties on whole vectors are solved on those that may not be 0. Not timed
# near it: with 5,000 a SLOPE path of 100 lambdas takes a fraction of the time over all of them.
FEWEST_FEATURES_IN_PARTS = 200

# ---- Lambdas far below the one before: solvers/continuation -------------------------------------

# Columns from which a far lambda is approached by steps. With fewer, all may enter at once. One
# lambda at a hundredth of the first took 1.4 ms at once and 1.7 by steps for 200 x 150 (gaussian,
# seed 0), 5.5 and 3.1 for 200 x 400, the same for 200 x 80.
FEWEST_COLUMNS_BY_STEPS = 100

# Rows to a column up to which a far lambda is approached by steps. With more, few columns come in
# that are not wanted, and the steps cost up to twice what they save (3,000 x 300, three lambdas).
MOST_ROWS_BY_STEPS = 2

# A lambda below this fraction of the one before is far. Grids of a ratio of 0.79 may take twice as
# long as finer ones (300 x 20,000, correlation 0.99, binomial), those of 0.32 twenty times as long
# (500 x 5,000, correlation 0.5).
FAR_LAMBDA = 0.75

# Largest ratio of neighbouring lambdas on the way. At 0.5 to 0.7 working sets still fill up in
# some problems, and the way takes up to 18 times as long as a path; from 0.85 to 0.9 less.
CONTINUATION_RATIO = 0.88

# The same ratio for several responses with squared error, whose working sets fill up less. One
# lambda at 1e-3 of the first took 586 ms at once, 317 by steps of 0.88, 292 of 0.5, 147 of 0.3
# (150 x 1,500, 4 responses), and without noise 1,640 and 12 (200 x 2,000, 3 responses). At 0.1 and
# 0.01 steps of 0.3 cost as much as none, those of 0.88 twice as much.
CONTINUATION_RATIO_RESPONSES = 0.3

# Gap to solve for on the way, as a fraction of what is left of the loss; 1e-5 costs a third more.
CONTINUATION_GAP = 1e-3

# Fraction of the iterations allowed at a lambda that the way to it may take.
CONTINUATION_SHARE = 0.5

# Iterations that a step of the way must have, or no step is taken: most take 3 to 12 of them.
ITERATIONS_A_STEP = 3

# ---- Loose tolerances: solvers/working_set ------------------------------------------------------

# Fraction of the null objective above which the gap asked for counts as loose. The default does
# not.
LOOSE_GAP = 1e-7

# Share of lambda by which active columns may miss their thresholds at a loose tolerance: of dense
# columns with squared error, with other losses, and of sparse columns or groups. Larger ones let
# in columns that are never active (300 x 20,000, correlation 0.99, tol 1e-2: 30 times the time);
# smaller ones cost steps, twice the time of sparse logistic paths at 0.01.
MISSED_THRESHOLD = 0.01
MISSED_THRESHOLD_LOSS = 0.03
MISSED_THRESHOLD_OTHERS = 0.1

# ---- Bundle methods, Pragam, Pegasos: solvers/bundle --------------------------------------------

# Iterations without progress of the gap before a method is given up at a lambda, at least: twice
# as many as were made before the last progress, if that is more. Gaps that fall as 1 / t halve
# when t doubles, so fewer would give up methods that still work; more only delays the verdict.
BUNDLE_PATIENCE = 500

# Sweeps of the multi-class dual from one gap to the next. A gap takes two products of X with K
# columns, about as much as a sweep; a larger number makes more sweeps than the target needs.
SWEEPS_BETWEEN_GAPS = 5

# Coefficients of a multi-class machine up to which cutting planes go on where its dual descent is
# slow, and the sweeps after which they do. On iris (15 coefficients) ten planes reach rounding,
# where descent is at 4e-6 after 10,000 sweeps; on scikit-learn's digits (640) at C = 10 they reach
# 1e-6 in 700 planes and half the time in which 2,000 sweeps reach 2e-4. Above it was not measured.
MOST_BUNDLE_COEFFICIENTS = 1000
SWEEPS_BEFORE_PLANES = 200

# Steps of chains in the metric of each label's curvature (structured/metric.pyx). Chosen by
# benchmarks/structured/chains.py on 5,353 letters with 128 pixels and 26 labels: l1 to gap 1e-4
# 2.8 s against 5.4 without the metric, a path of ten lambdas over groups 3.2 against 3.8.
# Take the curvatures again after so many steps: 20, 50 and 100 cost the same within 5 %.
CHAIN_METRIC_REFRESH = 50
# Take them again once L exceeds this: at the optimum the Hessian was at most 4.8 times the metric.
CHAIN_METRIC_STALE = 5.0
# Begin after a refresh with L no larger than this; a smaller one is found too small at once.
CHAIN_METRIC_FRESH = 3.0
# Add this share of the largest curvature to all: labels that are all but certain have hardly any.
CHAIN_METRIC_FLOOR = 1e-2
# Look at the certificate after so many steps, each of which costs twice as much as a plain one.
CHAIN_METRIC_BETWEEN = 5
# Do without a metric of more than so many entries p p K (64 MB): it costs p p K for each step.
CHAIN_METRIC_MOST_ENTRIES = 8e6
# Do without one that costs more to make than so many gradients.
CHAIN_METRIC_MOST_GRADIENTS = 20

# ---- SPOM --------------------------------------------------------------------------------------

# Additions of one step, over all kernels, from which threads share them: below, waking a thread
# (some 10 us) costs more than it saves. benchmarks/structured/spom.py --threads shows the ratio.
SPOM_PARALLEL_WORK = 1e5

# ---- Ridge problems with kinks: solvers/margin --------------------------------------------------

# Penalty on the sum of u that the intercept asks to be 0, as a multiple of the mean squared row
# over lambda: the curvature that it adds to each row. A larger one couples all rows and slows the
# sweeps; a smaller one leaves more of the sum to the multipliers.
BIAS_PENALTY = 0.1

# Sweeps from one multiplier of the intercept to the next.
SWEEPS_A_MULTIPLIER = 3

# Sweeps go on while one gains more than this multiple of the gap asked for, or of SWEEP_SHARE of
# the gap at hand: before that the gap is not worth the two passes and the projection it costs.
SWEEP_GAIN = 0.3
SWEEP_SHARE = 0.1

# Sweeps after which the gap is looked at whatever they gain.
MOST_SWEEPS = 30

# Rows strictly between their ends up to which these may be solved for by a Cholesky factor, whose
# memory is a square of them.
MOST_FREE_ROWS = 3000

# What f^3 of that factor costs, in products of stored values that meet, and what a sweep costs for
# each stored value: the factor is made where the sweeps to come, at the pace of the last ones,
# cost more.
CHOLESKY_COST = 0.1
SWEEP_COST = 4.0

# Columns up to which a Newton step on the rows inside may factor a matrix of all columns.
MOST_NEWTON_COLUMNS = 2000

# Rows to a column from which Newton steps on the rows inside are chosen over sweeps. a9a (265 rows
# to a column) takes hundreds to thousands of sweeps at a large C, text of less than one 10 to 100.
NEWTON_ROWS_PER_COLUMN = 10

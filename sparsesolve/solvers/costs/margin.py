"""Constants of solvers for losses with kinks (solvers/margin)."""

# Penalty on the sum of u that the intercept asks to be 0, as a multiple of the mean squared row
# over lambda: the curvature that it adds to each row. A larger one couples all rows and slows the
# sweeps; a smaller one leaves more of the sum to the multipliers.
# Iterations at 0.0333333 and 0.3: sweeps 1.63 and 0.88.
BIAS_PENALTY = 0.1

# Sweeps from one multiplier of the intercept to the next.
# Iterations at 1 and 9: sweeps 0.77 and 1.98.
SWEEPS_A_MULTIPLIER = 3

# Sweeps go on while one gains more than this multiple of the target gap, or of SWEEP_SHARE of the
# current gap: before that a gap is not worth its two passes and its projection.
# Iterations at 0.1 and 0.9: sweeps 1.17 and 1.17.
SWEEP_GAIN = 0.3
SWEEP_SHARE = 0.1

# Sweeps after which the gap is computed whatever they gain.
# Iterations at 10 and 90: sweeps 0.96 and 1.00.
MOST_SWEEPS = 30

# Rows strictly between their ends up to which these may be solved for by a Cholesky factor, whose
# memory is a square of them.
MOST_FREE_ROWS = 3000

# The factor of f rows costs this many times f^3 products. It is made if the sweeps to come, at the
# pace of the last ones, cost more.
# Iterations at 0.0333333 and 0.3: sweeps 1.00 and 1.02.
CHOLESKY_COST = 0.1
# A sweep costs as much as this many products for each stored value.
SWEEP_COST = 4.0

# Columns up to which a Newton step on the rows inside may factor a matrix of all columns.
MOST_NEWTON_COLUMNS = 2000

# Rows to a column from which Newton steps on the rows inside are chosen over sweeps. a9a (265 rows
# to a column) takes hundreds to thousands of sweeps at a large C, text of less than one 10 to 100.
NEWTON_ROWS_PER_COLUMN = 10

# Rows are tested for safety again once the gap is below this fraction of that of the last test:
# the radius of the test is the root of the gap, and a test costs about a sweep.
# Iterations at 0.1 and 0.9: sweeps 1.04 and 1.01.
TEST_AGAIN = 0.3

# Certificates without a fall of the gap after which sweeps over rows give way to Newton steps.
GAPS_BEFORE_NEWTON = 60

# A gap above this fraction of the least one so far is no progress of sweeps over rows.
PROGRESS = 0.97

# No more than this multiple of the sweeps made is foreseen from their pace, where the gap hardly
# falls.
FURTHEST_SWEEPS = 300.0

# After a factor of the free rows that did not halve the gap, the next must promise to save this
# many times as many sweeps.
DOUBT = 4.0

# Changes of a set of rows after which sums over it are computed again: each change adds a
# rounding of the largest sum.
CHANGES_BEFORE_SUMS = 40

# Sums over a set of rows are computed again where more than this share of its rows change, as
# that costs no more.
CHANGED_ROWS = 0.5

# The curvature sigma of the Moreau envelope at the start of a lambda, in units of a slope over
# the spread of the kinks. A larger one makes the smooth problem as hard as the problem itself; a
# smaller one takes more rounds.
FIRST_SIGMA = 10.0

# sigma grows by this factor after a round of the method of multipliers that gained too little.
SIGMA_GROWTH = 3.0

# A round of the method of multipliers that leaves more than this share of the gap gained too
# little.
ROUND_GAIN = 0.2

# The largest sigma over the first one: beyond it the smooth problem is as hard as the other.
LARGEST_SIGMA = 1e4

# The least sigma over the first one, to which it shrinks where the smooth problem takes too many
# steps.
LEAST_SIGMA = 1e-3

# Steps of the inner solver in a round after which sigma shrinks.
STEPS_A_ROUND = 3000

# An inner problem of the method of multipliers is solved to this share of the current gap.
INNER_SHARE = 0.1

# No inner problem is solved to less than this share of the target gap.
INNER_TARGET_SHARE = 0.05

# The share becomes smaller by this factor after a round in which the inner solver found nothing
# to do.
INNER_FINER = 0.03

# The least factor on these shares: below it an inner gap is rounding.
INNER_FINEST = 1e-8

# Rounds of the method of multipliers without a fall of the gap before it is given up.
ROUNDS_PATIENCE = 15

# A gap above this fraction of the least one so far is no progress of a round.
ROUND_PROGRESS = 0.9

# The share of a lambda whose solution is b = 0 that is tried next on the way to the largest
# lambda with another solution.
NEXT_LEVEL = 0.7

# The largest sigma over the first one of Newton steps on rows, which factor its matrix and bear
# more.
LARGEST_SIGMA_OF_ROWS = 1e5

# The first sigma of a lambda is the last one of the lambda before over this.
SIGMA_BACK = 30.0

# The first sigma of a lambda is at most this multiple of the very first.
FIRST_SIGMA_AT_MOST = 10.0

# A gap above this fraction of the null objective asks a round for no less than this: multipliers
# are far from right.
MODEST_GAP = 0.01

# No round of Newton steps on rows is solved to less than this share of the target gap.
ROWS_TARGET_SHARE = 0.1

# The least curvature of the intercept, relative to that of the rows inside: less is rounding of
# their difference.
INTERCEPT_CURVATURE = 1e-9

# The curvature of the intercept where no row is inside, relative to the first sigma.
INTERCEPT_CURVATURE_ALONE = 1e-3

# The length of a step is good enough once the slope along it is below this share of that at its
# start.
SLOPE_LEFT = 0.1

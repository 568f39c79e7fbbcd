"""Constants of solvers for losses with kinks (solvers/margin)."""

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

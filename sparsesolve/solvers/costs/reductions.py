"""Constants of the reductions of a problem, and of null models (solvers/reductions, problem)."""

# The first step of Newton's method for the intercept is at most this long in the linear
# predictor, and each may be twice as long as the one before: exponentials grow by e^4.
NULL_STRIDE = 4.0

# Steps of length 1 down an exponential after which steps grow, or halve what is left.
NULL_STEPS_ONE_BY_ONE = 20

# Values of the columns that are searched for collinear ones (240 MB).
MOST_COLLINEAR_VALUES = 30_000_000

# Multiply-adds of the inner products of the columns that are searched for collinear ones: some
# seconds.
MOST_COLLINEAR_PRODUCTS = 1e10

# Sweeps of the quadratic model under a concave penalty between new weights, which cost about one.
SWEEPS_A_WEIGHT = 3

# Rows to a column from which a look at all rows for equal ones costs little compared with a path.
ROWS_TO_MERGE = 20

# Merging equal rows pays if at most this share of the rows is left.
MERGED_SHARE = 0.9

# Values of the rows that are left after equal ones are merged (400 MB).
MOST_MERGED_VALUES = 50_000_000

# The least level of the strong rule relative to lambda: a coarse grid would make it 0, and all
# features would enter.
LEAST_STRONG_LEVEL = 0.5

# The part of the features is solved to this share of the target gap, so that the rest may add its
# own.
PART_SHARE = 0.5

# Values of all columns of Z T up to which they are formed (240 MB).
MOST_FORMED_VALUES = 30_000_000

# A sparse X is not filled in where all columns of Z T have more than this many values for one
# stored one.
FILLED = 4

# Values of all columns of Z T up to which they are formed in any case (32 MB).
SMALL_MAPPED = 4_000_000

# Columns formed one by one of which so many may enter at once at least.
FIRST_COLUMNS = 20

# New weights of several responses from one certificate of all groups to the next.
WEIGHTS_BETWEEN_GAPS = 20

# Each convex problem of a concave penalty is solved to this share of the target gap.
CONVEX_SHARE = 0.3

# Groups whose products exceed this share of their threshold enter ahead of time.
ENTER_AHEAD = 0.9

# Columns to a row from which the eigenvalues of the space of the rows pay.
WIDE = 2

# The gap asked of the small problem, over that of the large one, falls by this factor where the
# large gap is missed.
ROW_SPACE_SHARE = 0.01

# A penalty below this multiple of the tolerance, relative to the null objective, holds nothing
# back.
NEGLIGIBLE = 10.0

# A penalty counts as holding nothing back at most below this fraction of the null objective: with
# a loose tolerance a larger one holds much.
MOST_NEGLIGIBLE = 1e-6

# The largest change of a linear predictor in a step that searches for a direction of fall.
UNBOUNDED_STRIDE = 4.0

# The largest linear predictor of unpenalised columns at which a search for a direction of fall
# begins: exp(-8) still has digits.
UNBOUNDED_START = 8.0

# Values of the columns that are searched for a direction of fall (800 MB).
MOST_UNBOUNDED_VALUES = 100_000_000

# Columns times responses that are searched for a direction of fall; a step costs their cube.
MOST_DIRECTIONS = 1000

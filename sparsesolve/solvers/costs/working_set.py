"""Constants of working sets and of Newton steps on them (solvers/working_set)."""

# An inner product under weights costs this many multiply-adds a row of a dense operation whose
# data stay in cache: by it a refresh of the Hessian of several responses is priced.
WEIGHED_COST = 0.3

# A stale Hessian is refreshed once the extra steps that it took have cost this many refreshes.
# With less, it is refreshed for steps that a refresh would not save; with more, slow steps go on.
# Iterations at 0.666667 and 6: logistic 0.90 and 1.15, sparse 0.90 and 1.04, logistic groups 0.96
# and 1.00.
REFRESH_DEBT = 2.0

# ---- Loose tolerances: solvers/working_set ----------------------------------------------------

# Fraction of the null objective above which the target gap counts as loose. The default does
# not.
LOOSE_GAP = 1e-7

# Share of lambda by which active columns may miss their thresholds at a loose tolerance: of dense
# columns with squared error, with other losses, and of sparse columns or groups. Larger ones let
# in columns that are never active (300 x 20,000, correlation 0.99, tol 1e-2: 30 times the time);
# smaller ones cost steps, twice the time of sparse logistic paths at 0.01.
MISSED_THRESHOLD = 0.01
MISSED_THRESHOLD_LOSS = 0.03
MISSED_THRESHOLD_OTHERS = 0.1

# Columns enter ahead of time from this share of their threshold. The residual extrapolated to the
# next lambda is known to about a hundredth; a smaller share lets in columns that are never
# active.
# Iterations at 0.97 and 0.996667: logistic groups 1.01 and 1.02.
ENTER_AHEAD = 0.99

# The working columns are solved for to this share of the target gap; the inactive ones may take
# the rest.
# Iterations at 0.7 and 0.966667: logistic 1.00 and 0.98.
WORKING_SHARE = 0.9

# The share of the target for working groups, whose sweeps approach a gap, and lower the
# objective, in small steps.
# Iterations at 0.02 and 0.833333: groups 3.76 and 0.94, logistic groups 3.60 and 0.99.
WORKING_SHARE_GROUPS = 0.5

# A target below this fraction of the null objective asks for digits of b and not only of the
# objective, so that a met gap does not end a round that still moves b.
DIGITS_OF_COEFFICIENTS = 5e-9

# Where the loss has no curvature at all, the quadratic model takes this fraction of each sample's
# weight. It decides the length of a first step, which the line search corrects.
FLAT_CURVATURE = 1e-6

# A sample without curvature gets this fraction of the mean curvature. With 0, steps of the model
# go too far along samples that are already told apart.
LEAST_CURVATURE = 1e-4

# With a predicted dual point the gap must fall below this fraction of the goal, as the error of b
# is of the order of the root of a gap.
# Iterations at 0.0333333 and 0.3: logistic groups 1.22 and 0.89, logistic 1.00 and 0.92, sparse
# 1.04 and 0.93.
PREDICTED_SHARE = 0.1

# With curved penalties, another step is taken while one lowers the objective by more than this
# fraction of the goal.
STEP_UNTIL_DECREASE = 3e-3

# The linear predictor is recomputed after so many roundings of single steps: 1e4 of 1e-16 are
# 1e-12, below what a tolerance of 1e-10 shows.
MOST_ROUNDING_ERRORS = 1e4

# Newton steps and sweeps that are spent on one quadratic model, which only approximates the loss.
MODEL_STEPS = 30

# The predicted dual point is given up where the samples alone, to second order, add more than
# this multiple of the target gap.
PREDICTION_OUT_OF_REACH = 3.0

# Samples up to which a factor of the n x n system in O(n^3) costs nothing compared with a path.
SMALL_ROW_SYSTEM = 300

# Samples beyond which the factor of the n x n system is not made.
LARGE_ROW_SYSTEM = 1200

# Samples to a column up to which a diagonal model takes too many steps, since some samples then
# have no curvature.
NEAR_SQUARE = 2

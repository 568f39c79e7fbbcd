"""Constants of solvers that read X in passes over its rows (solvers/passes)."""

# Curvatures are extrapolated to another lambda no farther than where one of them would lose this
# share.
FALL = 0.75

# A column whose correlation exceeds this share of lambda enters ahead of time: inner products of
# a column more cost less than another pass.
ENTER_AHEAD = 0.7

# A model is solved to this share of the target gap: its inner products are in memory, and steps
# cost passes.
MODEL_SHARE = 0.1

# Steps in which the gap does not halve before a solver by passes gives up, as where no finite
# point is best and it would go on for ever.
PATIENCE = 100

# Up to this many columns all enter at once, as their inner products cost less than a pass.
# Iterations at 21 and 192: logistic 0.90 and 1.00, poisson 0.90 and 1.00.
FEW_COLUMNS = 64

# Working columns up to which models cost little compared with passes: the square of their number
# for each row against a row of X.
MOST_COLUMNS = 400

# Lambdas that share a pass at most: a pass for eight points costs about as much as two passes for
# one.
# Iterations at 3 and 24: poisson 0.68 and 1.00, logistic 1.06 and 0.94.
LAMBDAS_TOGETHER = 8

# Values of the linear predictors of lambdas that share passes (400 MB).
KEPT_VALUES = 50_000_000

# Passes that a block of lambdas may ask for before its lambdas are solved one by one.
# Iterations at 2 and 18: logistic 1.04 and 2.09, poisson 0.83 and 1.00.
PASSES_TOGETHER = 6

# Steps at a single lambda up to which more lambdas may share passes again.
EASY_STEPS = 3

# Working columns of a block of lambdas are chosen again where the correlation of another exceeds
# this share of the block's last lambda.
CLOSE = 0.9

# When working columns are chosen again, all enter whose correlation exceeds this share of the
# block's last lambda.
ENTER_TOGETHER = 0.6

# A gap above this fraction of the objective, where columns allow a small one, comes from samples
# at the edge of the domain of F*, and is taken by another dual point.
HOPELESS = 0.1

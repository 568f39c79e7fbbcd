"""Constants of the solvers over working columns and groups (solvers/quadratic)."""

# Sweeps over groups between two evaluations of the gap, which costs about half a sweep.
# Iterations at 1 and 12: groups 0.79 and 1.05, logistic groups 0.85 and 1.06.
SWEEPS_BETWEEN_GAPS = 4

# A sweep over groups is expected to leave at most this share of the gap, so that the gap is not
# awaited for too long.
SLOWEST_PACE = 0.9

# Sweeps that leave more than this share of the gap are slow: a Newton step is tried.
SLOW_SWEEP = 0.95

# Sweeps that are slow are nevertheless kept if so many of them would reach the target.
MANY_SWEEPS = 20

# Radial steps end after this many sweeps: then Newton steps and the gains of sweeps decide.
# Iterations at 7 and 60: groups 2.02 and 1.00, logistic groups 1.05 and 1.00.
RADIAL_SWEEPS = 20

# Sweeps go on while one lowers the objective by more than this fraction of the target gap. A
# larger value stops earlier and leaves suboptimality near the gap; a smaller one wastes sweeps.
SWEEP_UNTIL_DECREASE = 2e-4

# With radial steps, the gap is not evaluated before a sweep gains less than this multiple of the
# target gap.
# Iterations at 0.666667 and 6: logistic groups 1.06 and 1.00, groups 1.04 and 0.98.
GAP_CHECK_AFTER_DECREASE = 2.0

# With radial steps, the gap is not evaluated before a sweep gains less than this fraction of the
# objective.
# Iterations at 1e-06 and 9e-06: logistic groups 1.11 and 0.98.
GAP_CHECK_AFTER_FALL = 3e-6

# Evaluations of the gap without progress of gap or objective before block descent gives up.
# Sweeps on nearly dependent groups may pause for hundreds of rounds, and each is cheap.
SWEEP_PATIENCE = 500

# A coordinate that reaches a kink within this fraction of a Newton step is merged with the
# coordinates there.
MERGE_WITHIN = 1e-2

# A coordinate is merged only if it is this near to the largest coefficient of its group, relative
# to that.
MERGE_NEAR = 1e-4

# Newton steps longer than this multiple of the largest coefficient stop at kinks, since the model
# is not trusted so far.
LONG_STEP = 10.0

# Share of the target gap that a radial step may leave.
# Iterations at 0.1 and 0.9: logistic groups 1.00 and 1.06, groups 1.00 and 1.04.
RADIAL_SHARE = 0.3

# A group's ray serves until 1 less the cosine of the group's turn exceeds this share of what the
# radial step left.
# Iterations at 0.1 and 0.9: logistic groups 1.01 and 1.05, groups 1.00 and 1.04.
TURN = 0.3

# A group's ray serves up to this value of 1 less the cosine of its turn at most.
LARGEST_TURN = 1e-2

# A ray that shortens its group by more than this share was another solution's, and is taken
# again.
# Iterations at 0.02 and 0.833333: logistic groups 1.09 and 1.00, groups 1.04 and 1.00.
RAY_SHORTENED = 0.5

# Newton steps for one block pay up to this many directions: a factor takes their cube, a product
# with the data their square.
MOST_POLISHED = 64

# A step of a block shorter than this fraction of its first one waits for the next sweep.
POLISH_UNTIL = 1e-2

# A step along a direction that ends at a kink before this fraction of it counts as none.
AT_ONCE = 1e-10

# No step can lower the objective by more than this multiple of it: a promise of more is rounding.
IMPOSSIBLE_DECREASE = 2.0

# The slope of a direction with held coefficients is rounding below this step length.
SHORTEST_STEP = 1e-6

# A factor of the radial system pays while the cube of the number of groups is at most this
# multiple of the products in a sweep.
FACTOR_COST = 600.0

# An old ridge in the factor serves up to this relative change of lambda, with refinement steps in
# place of a new factor.
STALE_RIDGE = 4.0

# A factor is made again where lambda changes by more than this share from one lambda to the next.
# Iterations at 0.02 and 0.866667: ridge part 0.72 and 1.00.
RIDGE_JUMP = 0.6

# Up to this many other columns to a column, products cost less one by one than all together.
FEW_PRODUCTS = 2.0

# A flop of a block operation is this much faster than one of a rotation, by which a column leaves
# a factor.
# Iterations at 2.66667 and 24: ridge part 1.18 and 0.90.
BLOCK_SPEED = 8.0

# A step along a clipped direction is not worth having below this length.
CLIPPED_STEP = 0.1

# Newton steps begin once a cycle of coordinate descent changes the signs of fewer than this share
# of the support.
CHANGING_SIGNS = 2e-3

# Columns whose correlation is below this fraction of the threshold are examined only after the
# cycles.
FAR_COLUMN = 0.9

# Relative residual that conjugate gradients leave at most in a Newton direction.
RESIDUAL_FORCING = 1e-2

# Share of the target gap that errors of the gradient may cost.
GRADIENT_SHARE = 0.8

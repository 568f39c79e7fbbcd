"""What counts as rounding: one place for the tolerances that guard against floating point.

The unit in the last place of a double is 2.2e-16. Where a constant is a multiple of it, its
comment says how many operations stand between.
"""

# The projection of the residual on unpenalised columns, relative to lambda, below which it stays
# in the dual point. It then changes no product with a column by more than rounding, as products
# are of the size of lambda.
NOTICED_PROJECTION = 1e-9

# An objective of squares counts as higher only if it is higher by more than this fraction of
# |y|^2: sums of n squares err by some n^1/2 units in the last place, 1e-13 for a million rows.
SQUARES = 1e-12

# A mean curvature below this is none: samples of weight 1 / n have curvatures of about 1 / n.
NO_CURVATURE = 1e-30

# A curvature below this fraction of the mean is beyond what sums of curvatures over many samples
# resolve.
CURVATURE = 1e-12

# An increase of an objective below this fraction of it is rounding: some 50 units in the last
# place, as compensated sums over samples leave.
OBJECTIVE = 1e-14

# Two ratios of neighbouring lambdas within this relative distance are the same: grids are
# geometric up to rounding and to user's digits.
SAME_RATIO = 1e-6

# Ridge added to the inner products of extrapolated sweeps, relative to the largest: differences
# of sweeps become parallel as they converge.
REGULAR = 1e-10

# A pivot below this fraction of its diagonal is rounding: inner products of n rows err by some
# n^1/2 units in the last place, and their columns may be rescaled.
PIVOT = 1e-12

# A possible decrease below this fraction of the penalty's slope is rounding.
DECREASE = 1e-12

# A violation of the optimality conditions below this fraction of lambda is rounding and moves
# nothing.
VIOLATION = 1e-12

# Coefficients are of size 1 in inner units: a longer step, or one that is not a number, is void.
VOID_STEP = 1e30

# Eigenvalues of a block below this fraction of the largest, times their number, are rounding.
EIGENVALUE = 1e-15

# Relative rounding of one product of columns, or of one change of the residual: two units in the
# last place.
PRODUCT = 4e-16

# The least eigenvalue of unpenalised columns that is not rounding, relative to the largest.
RANK = 1e-14

# A penalty below this, where gradients are of size 1, does not exist.
NO_PENALTY = 1e-14

# What the residual of the n x n system may take from the image, relative to |u|.
IMAGE = 1e-12

# A pivot of the Schur complement of columns without a ridge below this says that they depend on
# each other.
SCHUR_PIVOT = 1e-10

# Rounding of an inner product of two columns, relative to the lengths of both: 20 units in the
# last place, as a sum in eight parts leaves.
INNER_PRODUCT = 4e-15

# Ridge, relative to the diagonal, that makes a singular matrix of radial directions regular.
RADIAL_RIDGE = 1e-10

# A curvature along a direction below this fraction of the diagonal's is dependence of columns.
FLAT_DIRECTION = 1e-9

# A product of the dual point with an unpenalised column above this, relative, says that the dual
# point is not feasible.
ORTHOGONAL = 1e-10

# Ridge, relative to a diagonal, that keeps dependent columns from breaking the factor of a
# preconditioner, which need not be exact.
PRECONDITIONER = 1e-6

# Rounding of a product with a standardised column: one unit in the last place.
STANDARDISED_PRODUCT = 2e-16

# A curvature of a response below this fraction of the largest may be rounding of sums over
# samples.
SUMMED_CURVATURE = 1e-10

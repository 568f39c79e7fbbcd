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

# Ridge added to the inner products of extrapolated sweeps, relative to the largest: differences
# of sweeps become parallel as they converge.
REGULAR = 1e-10

# A gradient below this is rounding, where correlations are of size 1, as is a coefficient that
# falls below this fraction of what it was.
GRADIENT = 1e-14

# An increase of the objective of K responses below this fraction of it is rounding.
RESPONSES_OBJECTIVE = 4e-15

# A cut that is violated by less than this fraction of its size adds nothing to a bundle.
CUT = 1e-14

# A matrix that a factor finds indefinite gets this fraction of its diagonal added, then 100 times
# as much.
REPAIR_RIDGE = 1e-12

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

# The residual of the n x n system may change the image by this fraction of |u|.
IMAGE = 1e-12

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

# A product of a dual point with the one unpenalised column below this fraction of its terms is
# rounding, so that no projection is made.
PROJECTED = 1e-15

# A better intercept must lower the loss by more than this fraction of it, else the fall is
# rounding.
SHIFT = 1e-15

# A pivot below this fraction of a diagonal entry is rounding, and its row of the data depends on
# the others.
FREE_ROW = 1e-11

# A step below this fraction of the largest entry changes nothing.
STEP = 1e-14

# The gap of the null model, relative to its objective: intercepts are known to that.
NULL_GAP = 1e-12

# A linear predictor within this fraction of the spread of the kinks is on a kink.
AT_KINK = 1e-12

# No model is solved to a gap below this fraction of the null objective.
MODEL = 1e-13

# A column depends on the active ones if at most this fraction of its square is left outside their
# span.
HOMOTOPY_PIVOT = 1e-13

# The fraction grows by this with every active column, each of which adds its rounding.
HOMOTOPY_PIVOT_PER_COLUMN = 4e-15

# A column whose distance from the boundary changes by less than this fraction of v_j keeps its
# distance.
RATE = 1e-12

# Events within this fraction of the first lambda, and correlations within this fraction of |a_j|
# |y|, cannot be told from a tie.
TIE = 1e-13

# A correlation above this fraction of |a_j| |y| is not rounding.
CORRELATION = 1e-12

# Relative rounding of a sum of n products, times n^1/2.
SUM = 32 * 2.0**-52

# A column of whose square at most this fraction is left outside the span of others depends on
# them.
DEPENDENT = 1e-11

# A centred column below this fraction of the column and its mean is rounding.
CENTRED = 64 * 2.0**-52

# A correlation below this fraction of |a_j| |y| is rounding: there is nothing to explain.
NO_CORRELATION = 1e-14

# A correlation may exceed its bound by this fraction of what correlations may be, by rounding.
BEYOND_BOUND = 1e-13

# Where less than this fraction of a column's square is left, differences of squares have lost
# their digits, and the column itself is measured.
LOST_DIGITS = 1e-8

# A fraction of the null deviance that counts as nothing left to explain.
EXPLAINED = 1e-12

# The squared length of a step, relative, that is rounding.
SQUARED_STEP = 1e-30

# A pair of L-BFGS whose product is below this fraction of |s| |y| tells nothing.
CURVED = 1e-12

# The last smoothing relative to the first.
SMOOTHING = 1e-14

# The last smoothing relative to the first under the trace norm, whose singular values have half
# the digits.
TRACE_SMOOTHING = 1e-12

# Ridge of a unit diagonal: along flat directions a step is then as long as rounding makes it.
DAMPED = 1e-13

# A step of the dual may be off by this fraction of |u|.
DUAL_STEP = 1e-13

# A sample is at its kink within this fraction of the sizes of eta and of the kink.
NEAR_KINK = 1e-10

# A sum below this fraction of its terms is rounding.
BALANCED = 1e-14

# A sum has at most this error, relative to the sum of sizes.
SUMMED = 2e-16

# Rounding in sums over many samples changes a loss by at most this fraction.
HIDDEN = 1e-11

# A Newton step for K intercepts so short, relative, of which the next is not half is rounding.
SETTLED = 1e-8

# A linear predictor no farther than this, relative to 1 + |eta|, from where samples would have it
# is there but for rounding of a root.
NEAR = 1e-7

# A share of the samples that rounding does not hide.
SHARE = 1e-12

# A spread below this fraction of the mean of a column is counted as this: its square is then
# rounding of the mean's square.
UNFELT = 2.0**-30

# Two penalties whose values at b = 1 differ by no more than this, relative, are the same.
ALIKE = 1e-12

# An eigenvalue of a curvature matrix below this fraction of the largest is rounding.
CURVATURE_RANK = 1e-13

# A product of a dual point with an unpenalised column below this fraction of its terms is
# rounding.
ORTHOGONAL_TERMS = 1e-11

# A gain that is left, below this fraction of the null objective, counts as none.
FALLEN = 1e-13

# F far out along a direction may be above F at the point by this fraction of the null objective,
# by rounding, and the direction still counts as one of fall.
FAR_OUT = 1e-9

# Two scales of a dual point within this relative distance are one.
SAME_SCALE = 1e-12

# Relative rounding of a length, with room.
LENGTH = 1e-12

# Rounding of the residual, and of all lengths so far, in a length.
TRAVEL = 1e-15

# Blocks nearer to their threshold than this fraction of it are asked for their part in the
# certificate. It is above the 1e-14 by which strict scales keep away from the threshold
# (FEASIBLE in penalties/blocks.pyx).
NEAR_THRESHOLD = 1e-13

"""Constants of solvers for several responses (solvers/responses)."""

# Rounds of steps on blocks of rows that lower neither the objective nor the gap before the solver
# gives up.
BLOCK_PATIENCE = 4

# Another step of the model over all rows follows one that left at most this share of the gap;
# else sweeps go on.
# Iterations at 0.0333333 and 0.3: real 1.40 and 1.00, many 1.00 and 1.04.
PAYING_STEP = 0.1

# Another step of the model over all rows follows one that left at most this share of the gap, if
# a Newton step's factor has more rows than there are samples, so that a step is dearer.
PAYING_STEP_WIDE = 0.5

# A step of the model is asked for a gap of no more than this multiple of the target.
NEARLY_DONE = 10.0

# Coefficients enter ahead of time if their products pass a lambda that is lower by this share of
# the step between lambdas.
ENTER_AHEAD = 0.3

# A model's steps are given up where coefficients at zero would gain more than this share of what
# the working ones would.
ASTRAY = 0.1

# At a refresh of H, a coefficient of 0 leaves the working set if its product is below this
# fraction of lambda.
IDLE = 0.8

# A factor serves another response while their working rows differ by at most this share.
SHARED_FACTOR = 0.1

# A stored value of a sparse column costs as much as this many values of a row of inner products.
SCATTERED_COST = 8.0

# Columns to a sample from which columns are the shorter rows, even if they are multiplied twice.
WIDE = 1.5

# A model of several responses counts as solved once a sweep gains less than this fraction of what
# all its sweeps have gained, at best.
SOLVED_MODEL = 1e-3

# A model of several responses counts as solved at least once a sweep gains less than this
# fraction of what all its sweeps have gained, where the target is far.
LOOSE_MODEL = 0.3

# The curvature that the responses share is renewed once their own differ from it by this relative
# distance.
STALE_CURVATURE = 0.3

# Multiplications up to which loops cost less than calling a matrix product.
FEW_MULTIPLICATIONS = 100_000

# Share of the columns beyond which it does not pay to take some out of a matrix product.
MOST_ROWS_TAKEN_OUT = 0.5

# Sufficient decrease of sweeps over rows: a tiny share suffices, as a sweep minimises exactly in
# each row.
ARMIJO = 1e-4

# So many steps of conjugate gradients say that the preconditioner is too old.
OLD_PRECONDITIONER = 20

# A direction that left at most this share of what was left before was worth its single precision.
GAINED = 0.5

# The least relative residual that a direction is solved to: for less the quadratic is too far
# from F.
LEAST_RESIDUAL = 1e-3

# Groups whose products exceed this share of lambda enter ahead of time.
GROUP_AHEAD = 0.9

# Curvature of each sample along (1, ..., 1), relative to the mean and over the sample's weight,
# where softmax has none.
COMMON_CURVATURE = 1e-8

# Least curvature of each sample in any direction: more holds steps back where classes are all but
# told apart.
LEAST_CURVATURE = 1e-13

# Columns to a sample from which the samples are the model's rows.
ROWS_PER_SAMPLE = 0.5

# A feature whose size is beyond this fraction of lambda may enter at the next one.
CLOSE = 0.92

# An extrapolation may go this many times as far as the sweeps: beyond, rounding grows with it.
FURTHEST = 1e3

# The other curvatures of a row are taken for at least this fraction of its largest.
LEAST_ROW_CURVATURE = 1e-3

# Rows that gain less than this share of a row's average gain in a sweep are left out of the last
# sweeps.
IDLE_ROW = 0.1

# The Hessian of all responses is refreshed once the extra steps that a stale one took have cost
# this many refreshes.
REFRESH_DEBT = 1.0

# The Hessian is refreshed, whatever that costs, after a step that left more than this share of
# the gap.
VERY_SLOW_STEP = 0.8

# Evaluating the loss of one sample costs this many multiply-adds for each response, a third of
# one response's: exponentials are taken together.
SAMPLE_COST = 10.0

# A model that its start already meets is solved to this fraction of the gap there.
CLOSER = 0.01

# Newton steps of several responses without a lower gap before the solver gives up.
NEWTON_PATIENCE = 6

# Rows along which the loss is flat get this fraction of the penalty's curvature.
FLAT_ROW = 1e-5

# A Hessian by inner products serves on while a Newton step leaves at most this share of the gap.
HESSIAN_SERVES = 0.1

# A Hessian by inner products costs so many sweeps for each working row, over the number of
# responses.
HESSIAN_PRICE = 0.3

# A sweep over rows is taken to leave at least this share of the gap.
QUICKEST_SWEEP = 0.05

# A sweep over rows is taken to leave at most this share of the gap.
SLOWEST_SWEEP = 0.99

# Rounds by inner products that neither halve the gap nor lower the objective before the solver
# gives up.
STATISTICS_PATIENCE = 12

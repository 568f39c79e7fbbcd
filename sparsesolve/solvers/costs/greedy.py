"""Constants of pursuits and of hard thresholding (solvers/greedy)."""

# Columns up to which pursuits form the Gram matrix, if steps are many.
MOST_GRAM_COLUMNS = 1500

# Columns of a matrix product in the time of one product of its own: the Gram matrix pays from p /
# 8 steps.
GRAM_RATE = 8

# The certificate of a step of a pursuit above which rounding dominates it.
CERTAIN = 1e-9

# Share of the longest step that surely lowers the objective.
SAFE_STEP = 0.99

# A step beyond that which does not lower the objective is multiplied by this.
# Iterations at 0.02 and 0.833333: niht 20.30 and 1.01.
SHORTER = 0.5

# The certificate that hard thresholding is run to.
# Iterations at 3.33333e-08 and 3e-07: iht 1.09 and 0.91.
CERTIFICATE = 1e-7

# Iterations of hard thresholding between two certificates, each of which costs a least squares.
# Iterations at 3 and 30: niht 0.90 and 2.97, iht 0.97 and 1.10.
ITERATIONS_BETWEEN = 10

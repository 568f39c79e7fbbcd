"""Constants of first-order methods and of Newton steps between them (solvers/first_order)."""

# Directions of a tangent up to which Newton steps are made: a Hessian of so many rows is formed
# and factored. Not timed beyond: 1,000 rows factor in some 30 ms.
MOST_TANGENT_DIRECTIONS = 1000

# Multiplications that the Python around a proximal step costs. A Newton step on a tangent waits
# until the proximal steps since the last one have cost as much as it will. 200 x 1,024, TreeL2
# with 900 nonzero coefficients, 50 lambdas: .4 s where Newton steps wait, 3.5 s where they do not.
PROXIMAL_STEP_OVERHEAD = 3e5

# Multiplications that the Python around a Newton step on a tangent costs: sparse directions, a
# factorisation, a line search. By benchmarks/structured/tangents.py (15 paths of trees, SLOPE,
# fused and overlapping norms) 6e6 took .5 to 1.0 of the time of 1e6 but for images and overlaps
# (1.2), and 1.5e7 .6 to 1.3 of that of 6e6.
NEWTON_STEP_OVERHEAD = 6e6

# Proximal steps that change pieces, after which a Newton step is tried all the same. A SLOPE path
# of 100 lambdas (500 x 5,000, benchmarks/structured/norms.py) took 1.22, 1.04, 0.93 and 0.90 s
# for 1, 3, 8 and 16; a Newton step after every step 1.49 s.
MOST_UNSETTLED_STEPS = 8

# Values of the columns of X that take part in a tangent, up to which these are kept unpacked: one
# product of matrices in place of a call for each direction. Not timed near it.
MOST_UNPACKED = 10_000_000

# Proximal steps that are made at most between two tries of a Newton step which did not help.
# Not timed.
LONGEST_NEWTON_PAUSE = 16

# Features from which penalties on whole vectors are solved on those that may not be 0. Not timed
# near it: with 5,000 a SLOPE path of 100 lambdas takes a fraction of the time over all of them.
FEWEST_FEATURES_IN_PARTS = 200

# Over-relaxation of ADMM: Boyd et al. (2011), section 3.4.3, recommend 1.5 to 1.8.
RELAXATION = 1.6

# rho of ADMM changes where one residual is more than this many times the other (Boyd et al. 2011,
# section 3.4.1, have 10).
RESIDUALS_APART = 5.0

# rho of ADMM changes by this factor (Boyd et al. 2011 have 2).
RHO_FACTOR = 2.5

# Steps of ADMM after which residuals are compared first; then after twice as many, and so on,
# since a rho that changes for ever need not converge.
FIRST_BALANCE = 10

# Features whose linear system ADMM solves by a Cholesky factor (288 MB).
MOST_ADMM_FEATURES = 6_000

# L of proximal steps is multiplied by this from one lambda to the next, so that it may also fall;
# a step that is too long costs one evaluation.
RELAX = 0.5

# After a step that was too long, L becomes this multiple of the curvature met along it.
MORE_CURVATURE = 1.02

# L grows by at least this factor where a step was too long.
LEAST_GROWTH = 1.2

# L grows by at most this factor where a step was too long, as one step may meet an unusual
# curvature.
MOST_GROWTH = 2.0

# A step of SpaRSA must end below the worst of so many last objectives (Wright, Nowak, Figueiredo
# 2009, have 5).
SPARSA_MEMORY = 5

# A step of SpaRSA must lower the worst recent objective by this fraction of L |step|^2 / 2 (0.01
# in Wright, Nowak, Figueiredo 2009).
SPARSA_DECREASE = 0.01

# The least curvature that a step of SpaRSA may take, relative to the largest that was met.
LEAST_CURVATURE = 1e-8

# Pairs that L-BFGS keeps in PANOC; each costs four products of vectors.
LBFGS_PAIRS = 20

# A PANOC step must lower the envelope by this fraction of L |r|^2.
ENVELOPE_DECREASE = 1e-4

# The first smoothing of reweighted l2, relative to the largest coefficient that one column alone
# would have.
FIRST_SMOOTHING = 0.1

# The smoothing is multiplied by this from one ridge problem to the next: faster, small groups are
# kept from zero too soon.
SMOOTHING_FADE = 0.8

# Coefficients below this multiple of the smoothing may be nonzero because of it alone, and are
# tried as zero.
KEPT_BY_SMOOTHING = 10.0

# The smoothing under the trace norm is multiplied by this from one ridge problem to the next.
TRACE_SMOOTHING_FADE = 0.9

# Values of X that reweighted l2 under the trace norm fills in (160 MB).
MOST_TRACE_VALUES = 20_000_000

# The t of the difference quotient that gives a subgradient of the penalty, relative to the
# largest coefficient.
SUBGRADIENT_STEP = 1e-7

# Sufficient decrease: a block step must reach this share of its model's decrease (Tseng, Yun
# 2009, have 0.1).
BLOCK_ARMIJO = 0.1

# A block step that does not reach it is shortened by this factor (Tseng, Yun 2009, have 0.5).
BLOCK_SHORTER = 0.5

# Wright's variant multiplies the curvature of a block by this in place of shortening the step.
BLOCK_GROWTH = 2.0

# The least curvature of a block's model, relative to its first.
LEAST_BLOCK_CURVATURE = 1e-6

# The largest curvature of a block's model, relative to its first.
MOST_BLOCK_CURVATURE = 1e12

# The curvature of a block's model is multiplied by this from one sweep to the next, so that it
# may also fall.
BLOCK_RELAX = 0.9

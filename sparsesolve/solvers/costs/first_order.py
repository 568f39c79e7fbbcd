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

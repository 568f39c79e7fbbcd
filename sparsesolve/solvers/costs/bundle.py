"""Constants of bundle methods (solvers/bundle)."""

# Iterations without progress of the gap before a method is given up at a lambda, at least: twice
# as many as were made before the last progress, if that is more. Gaps that fall as 1 / t halve
# when t doubles, so fewer would give up methods that still work; more only delays the verdict.
BUNDLE_PATIENCE = 500

# Sweeps of the multi-class dual from one gap to the next. A gap takes two products of X with K
# columns, about as much as a sweep; a larger number makes more sweeps than the target needs.
SWEEPS_BETWEEN_GAPS = 5

# Coefficients of a multi-class machine up to which cutting planes go on where its dual descent is
# slow, and the sweeps after which they do. On iris (15 coefficients) ten planes reach rounding,
# where descent is at 4e-6 after 10,000 sweeps; on scikit-learn's digits (640) at C = 10 they reach
# 1e-6 in 700 planes and half the time in which 2,000 sweeps reach 2e-4. Above it was not measured.
MOST_BUNDLE_COEFFICIENTS = 1000
SWEEPS_BEFORE_PLANES = 200

# L grows by this factor where the quadratic bound fails: doubling overshoots by at most two.
GROWTH = 2.0

"""Constants that every Newton method shares: line search, forcing, refresh, progress."""

# Predictors and residuals that are updated step by step are recomputed when their rounding may
# have added more than this fraction of the target to the gap. Smaller ones recompute more often
# for nothing; larger ones show in the gap.
ROUNDING_SHARE = 1e-2

# While inactive columns will leave a gap, solving for the working ones below this fraction of it
# does not help.
INACTIVE_SHARE = 0.03

# Sufficient decrease: a step must reach this share of the decrease that its model promises.
# Textbooks (Nocedal, Wright 2006, section 3.1) allow 1e-4 to 0.3 for Newton steps.
ARMIJO = 0.1

# A step that leaves more than this share of the gap is slow, and a reason to refresh the Hessian;
# one response waits for a second one. An exact Hessian usually leaves less than a tenth.
# Iterations at 0.0666667 and 0.6: sparse 0.94 and 1.07, logistic groups 0.98 and 1.05.
SLOW_STEP = 0.2

# A gap above this fraction of the least one so far is no progress. Rounding moves gaps by less
# than a hundredth while they are above their target.
PROGRESS = 0.99

# A model is solved to this fraction of the gap at its start by sweeps or conjugate gradients (an
# inexact Newton method: Dembo, Eisenstat, Steihaug 1982). Smaller fractions solve models that the
# next step replaces.
FORCING = 0.1

# A model is solved to this fraction of the gap at its start by second-order steps, which reach it
# at once.
# Iterations at 0.000333333 and 0.003: logistic groups 1.07 and 1.02.
LEAST_FORCING = 1e-3

# No model is solved to less than this fraction of the target gap.
# Iterations at 0.1 and 0.9: logistic groups 0.97 and 1.10.
MODEL_SHARE = 0.3

# A solver gives up after this many steps that lower neither the objective by more than rounding
# nor the gap. One such step may be a line search's; four in a row are not.
MOST_IDLE = 4

"""Numbers that several rooms share: what counts as rounding, and how exactly a step is solved.

A double has 2.2e-16 in its last place. Most numbers that steer one algorithm stand at the head of
its file, or in the line that uses them; what was measured by `benchmarks/paths/constants.py` says
so. None of them decides what a problem is, only how its tolerance is met and how soon.
"""

# A quantity below this fraction of the terms that it is made of is rounding: sums and inner
# products of n numbers err by some n^1/2 units in the last place, 1e-13 for a million.
ROUNDING = 1e-12

# The same where sums are compensated, or where there is one operation: some 50 units.
LAST_DIGITS = 1e-14

# A centred column below this fraction of the column and its mean is rounding.
CENTRED = 64 * 2.0**-52

# Predictors and residuals that are updated step by step are recomputed when their rounding may
# have added more than this fraction of the target to the gap. Smaller ones recompute more often
# for nothing; larger ones show in the gap.
ROUNDING_SHARE = 1e-2

# While inactive columns will leave a gap, solving for the working ones below this fraction of it
# does not help.
INACTIVE_FRACTION = 0.03

# Sufficient decrease: a step must reach this fraction of the decrease that its model promises.
# Textbooks (Nocedal, Wright 2006, section 3.1) allow 1e-4 to 0.3 for Newton steps.
ARMIJO = 0.1

# A step that leaves more than this fraction of the gap is slow: a reason to refresh the Hessian;
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
MODEL_FRACTION = 0.3

# A solver gives up after this many steps that lower neither the objective by more than rounding
# nor the gap. One such step may be a line search's; four in a row are not.
MOST_IDLE = 4

# Values of X, or of columns made of it, up to which a solver keeps a copy of them (240 MB).
MOST_COPIED_VALUES = 30_000_000

# Fraction of the null objective above which the target gap counts as loose. The default does not.
LOOSE_GAP = 1e-7

# Fraction of lambda by which active columns may miss their thresholds at a loose tolerance.
MISSED_THRESHOLD_LOSS = 0.03

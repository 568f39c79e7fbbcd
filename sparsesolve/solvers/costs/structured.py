"""Constants of solvers for chains and other structures (structured/)."""

# Steps of chains in the metric of each label's curvature (structured/metric.pyx). Chosen by
# benchmarks/structured/chains.py on 5,353 letters with 128 pixels and 26 labels: l1 to gap 1e-4
# 2.8 s against 5.4 without the metric, a path of ten lambdas over groups 3.2 against 3.8.
# Take the curvatures again after so many steps: 20, 50 and 100 cost the same within 5 %.
CHAIN_METRIC_REFRESH = 50
# Take them again once L exceeds this: at the optimum the Hessian was at most 4.8 times the metric.
CHAIN_METRIC_STALE = 5.0
# Begin after a refresh with L no larger than this; a smaller one is found too small at once.
CHAIN_METRIC_FRESH = 3.0
# Add this share of the largest curvature to all: labels that are all but certain have hardly any.
CHAIN_METRIC_FLOOR = 1e-2
# Look at the certificate after so many steps, each of which costs twice as much as a plain one.
CHAIN_METRIC_BETWEEN = 5
# Do without a metric of more than so many entries p p K (64 MB): it costs p p K for each step.
CHAIN_METRIC_MOST_ENTRIES = 8e6
# Do without one that costs more to make than so many gradients.
CHAIN_METRIC_MOST_GRADIENTS = 20

# Additions of one step, over all kernels, from which threads share them: below, waking a thread
# (some 10 us) costs more than it saves. benchmarks/structured/spom.py --threads shows the ratio.
SPOM_PARALLEL_WORK = 1e5

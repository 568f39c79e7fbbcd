"""Constants of the reductions of a problem, and of null models (solvers/reductions, problem)."""

"""The problem that solvers are given: standardised, with its null model and units of rounding."""

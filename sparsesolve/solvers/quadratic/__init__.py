"""Subproblems on the working set: coefficients, active sets, block descent."""

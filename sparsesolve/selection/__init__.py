"""Choosing lambda and judging fits: cross-validation, criteria, relaxed fits, refits."""

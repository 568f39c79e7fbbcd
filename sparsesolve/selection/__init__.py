"""Choosing lambda and judging fits: cross-validation, criteria, relaxed fits, refits.

What most users call is a name of :mod:`sparsesolve`. Here are `adaptive_factors`, the weights of
the adaptive lasso, and `at_radius`, the constrained form.
"""

from sparsesolve.data.public_names import public_names

__all__ = ["adaptive_factors", "at_radius"]

HOMES = {"adaptive_factors": "selection.adaptive", "at_radius": "selection.radius"}
__getattr__, __dir__ = public_names(__name__, HOMES)

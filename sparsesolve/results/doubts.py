"""A warning of input that is accepted but probably not intended, before work starts."""

import numpy as np

from sparsesolve.results.status import warn


def doubts(y, family="gaussian", advice="give family='binomial'"):
    """Warn of a boolean y with squared error. Every public function calls this before it reads y.
    """
    if isinstance(family, str) and family == "gaussian" and _is_boolean(y):
        warn(
            "y is boolean, and squared error is fitted to it as 0 and 1; for the chance of True "
            + advice,
            UserWarning,
        )


def _is_boolean(y):
    """Return True if a response of one dimension holds True and False."""
    kind = getattr(y, "dtype", None)
    if kind is None and isinstance(y, list | tuple):
        return len(y) > 0 and isinstance(y[0], bool | np.bool_)
    return str(kind).lower() in ("bool", "boolean")

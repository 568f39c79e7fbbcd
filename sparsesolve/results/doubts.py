"""Warnings of input that is accepted but probably not intended, before work starts."""

import numpy as np

from sparsesolve.data.codes import far_codes, refuse_codes
from sparsesolve.data.number import some_of
from sparsesolve.results.status import warn


def doubts(X, y, family="gaussian", advice="give family='binomial'"):
    """Warn of a boolean y with squared error, and of codes of missing values in X.

    Every public function that fits calls this before it reads X and y. Among genotypes a code is
    refused.
    """
    refuse_codes(X)
    _warn_of_codes(far_codes(X))
    if isinstance(family, str) and family == "gaussian" and _is_boolean(y):
        warn(
            "y is boolean, and squared error is fitted to it as 0 and 1; for the chance of True "
            + advice,
            UserWarning,
        )


def _warn_of_codes(found):
    if not found:
        return
    first = found[0]
    columns = some_of([code.column for code in found])
    warn(
        f"column {first.column!r} of X holds {first.value:g} in {first.rows} rows, far from its "
        f"other values ({first.low:g} to {first.high:g}), as a code for a missing value would be"
        + (f"; so do {len(found)} columns: {columns}" if len(found) > 1 else "")
        + "; if it is one, replace it, for instance by nan in the table of make_design",
        UserWarning,
    )


def _is_boolean(y):
    """Return True if a response of one dimension holds True and False."""
    kind = getattr(y, "dtype", None)
    if kind is None and isinstance(y, list | tuple):
        return len(y) > 0 and isinstance(y[0], bool | np.bool_)
    return str(kind).lower() in ("bool", "boolean")

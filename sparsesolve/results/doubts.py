"""Warnings of input that is accepted but probably not intended, before work starts."""

import numpy as np

from sparsesolve.results.status import warn


def doubts(X, y, family="gaussian", advice="give family='binomial'"):
    """Warn of a boolean y with squared error, and of rows that :func:`match_rows` finds.

    Every public function with X and y calls this before it reads them.
    """
    if isinstance(family, str) and family == "gaussian" and _is_boolean(y):
        warn(
            "y is boolean, and squared error is fitted to it as 0 and 1; for the chance of True "
            + advice,
            UserWarning,
        )
    match_rows(X, y)


def match_rows(X, y, one="X", other="y"):
    """Warn if the rows of X and of y have an index with different names.

    Raises ValueError if the names are the same in another order: rows are matched by position, so
    each would get another row's response. Messages call them `one` and `other`.
    """
    ours, theirs = (getattr(data, "index", None) for data in (X, y))
    if not (hasattr(ours, "equals") and hasattr(theirs, "equals")) or len(ours) != len(theirs):
        return
    if ours.equals(theirs):
        return
    if ours.is_unique and theirs.is_unique and set(ours) == set(theirs):
        raise ValueError(
            f"the index of {other} holds the labels of that of {one} in another order, and rows "
            "are taken by position; give y.reindex(X.index), or y.to_numpy() if positions are "
            "meant"
        )
    warn(
        f"the index of {other} is not that of {one} (they begin with {theirs[0]!r} and "
        f"{ours[0]!r}), and rows are taken by position; align them, or give y.to_numpy()",
        UserWarning,
    )


def _is_boolean(y):
    """Return True if a response of one dimension holds True and False."""
    kind = getattr(y, "dtype", None)
    if kind is None and isinstance(y, list | tuple):
        return len(y) > 0 and isinstance(y[0], bool | np.bool_)
    return str(kind).lower() in ("bool", "boolean")

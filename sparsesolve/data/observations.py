"""Weights of observations, and their responses in the form of a loss."""

import numpy as np

from .vector import read_weights


def read_shares(weights, n, counts=None):
    """Return (weights of sum 1, two factors of their sum); `counts` (n,) of y multiply them."""
    w = read_weights(weights, n)
    w = np.ones(n) if w is None else w
    w = w if counts is None else w * counts
    largest = w.max()
    if largest == 0.0:
        raise ValueError("rows of positive weight count nothing in y; at least one has to")
    share = w / largest
    total = share.sum()
    share /= total
    return share, (total, largest)


def less_offset(y, offset):
    """Return y minus the offset, of one shape; raise if a float cannot hold it."""
    with np.errstate(over="ignore"):
        response = y - offset
    if not np.isfinite(response).all():
        i = int(np.argmin(np.isfinite(response).reshape(len(y), -1).all(axis=1)))
        raise ValueError(f"y less offset is beyond the largest float at position {i}; rescale y")
    return response


def refuse_missing_side(sides, shares, names):
    """Raise if no row of side -1 or 1 has a share; sides are (n,)."""
    refuse_missing_class(np.column_stack([sides < 0.0, sides > 0.0]), shares, names)


def refuse_missing_class(indicators, shares, names):
    """Raise if no row of a class has a share; indicators are (n, K)."""
    missing = np.flatnonzero(shares @ indicators == 0.0)
    if len(missing):
        name = int(missing[0]) if names is None else names.tolist()[missing[0]]
        raise ValueError(
            f"y has no row of class {name!r} with a positive weight; leave out that class, or "
            "give it weight"
        )

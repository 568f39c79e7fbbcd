"""What observations count, and their responses as a loss takes them."""

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
    """y less the offset, of one shape; refused where a float cannot hold it."""
    with np.errstate(over="ignore"):
        response = y - offset
    if not np.isfinite(response).all():
        i = int(np.argmin(np.isfinite(response).reshape(len(y), -1).all(axis=1)))
        raise ValueError(f"y less offset is beyond the largest float at position {i}; rescale y")
    return response


def refuse_missing_side(sides, shares, names):
    """Refuse -1 or 1, by the sides (n,) of the rows, of which no row has a share."""
    refuse_missing_class(np.column_stack([sides < 0.0, sides > 0.0]), shares, names)


def refuse_missing_class(indicators, shares, names):
    """Refuse classes, by their indicators (n, K), of which no row has a share."""
    missing = np.flatnonzero(shares @ indicators == 0.0)
    if len(missing):
        name = int(missing[0]) if names is None else names.tolist()[missing[0]]
        raise ValueError(
            f"y has no row of class {name!r} with a positive weight; leave out that class, or "
            "give it weight"
        )

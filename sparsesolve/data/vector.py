"""Vector arguments: the response, weights and what they leave of it, offset, limits and λs."""

import numpy as np

from sparsesolve.penalties.columns import by_label, in_columns, numbers_of

from .array import real_array, refuse, refuse_overflow


def read_response(y, n):
    """Return the gaussian response as a new float64 array of length `n`, all finite."""
    response = _vector("y", y, n, "row")
    refuse("y", response, ~np.isfinite(response), "drop that row or replace the value")
    return response


def read_finite(name, value, length, per):
    """Return `value` as a new float64 array of that length, all finite, one for each `per`."""
    values = _vector(name, value, length, per)
    refuse(name, values, ~np.isfinite(values), "every value must be finite")
    return values


def read_weights(weights, n, name="weights", some=True, per="row"):
    """Return observation weights, (n,) float64, nonnegative; None stays None.

    With `some`, not all may be zero; `per` says what has a weight.
    """
    if weights is None:
        return None
    values = _vector(name, weights, n, per)
    refuse(name, values, ~np.isfinite(values), "every weight must be finite")
    refuse(name, values, values < 0, "every weight must be at least 0")
    if some and not values.any():
        verb = "are" if name.endswith("s") else "is"
        raise ValueError(f"{name} {verb} all zero; at least one {per} needs a positive weight")
    return values


def read_offset(offset, n):
    """Return the offset, (n,) float64 and finite; None stays None."""
    if offset is None:
        return None
    values = _vector("offset", offset, n, "row")
    refuse("offset", values, ~np.isfinite(values), "every offset must be finite")
    return values


def read_offsets(offset, n, K, names=None):
    """Return the offsets of K responses, (K, n) float64 and finite; zeros for None.

    Columns of a frame are found by the names (K,) of the classes or responses.
    """
    if offset is None:
        return np.zeros((K, n))
    offset = in_columns("offset", offset, names, "class or response")
    shape = np.shape(offset)
    if shape != (n, K):
        raise ValueError(f"offset has shape {shape}; it must be {(n, K)}, a column per response")
    return np.array([read_offset(column, n) for column in np.asarray(offset).T])


def read_penalty_factor(penalty_factor, p, per="column", labels=None):
    """Return penalty factors, (p,) float64 in [0, inf], one per "column" or "group"; None stays.

    `labels` (p,) are the names of the columns or groups, by which a mapping or a series has them;
    the factor of those that a mapping does not name is 1. All infinite leaves the null model, all
    zero the unpenalised fit; both are allowed.
    """
    if penalty_factor is None:
        return None
    what = "column of X" if per == "column" else per
    penalty_factor = by_label("penalty_factor", penalty_factor, labels, p, 1.0, what)
    values = _vector("penalty_factor", penalty_factor, p, per)
    hint = f"give 0 for no penalty, inf to leave a {per} out, or a number between"
    refuse("penalty_factor", values, ~(values >= 0), hint)
    return values


def read_limits(lower, upper, p, names=None):
    """Return coefficient limits, two (p,) float64 arrays with lower <= 0 <= upper.

    Returns None if nothing is limited. A single number holds for every column; a mapping or a
    series has columns by their `names`.
    """
    low = _limit("lower", by_label("lower", lower, names, p, -np.inf), p, -np.inf)
    high = _limit("upper", by_label("upper", upper, names, p, np.inf), p, np.inf)
    refuse("lower", low, ~(low <= 0), "lower limits must be at most 0, or -inf for none")
    refuse("upper", high, ~(high >= 0), "upper limits must be at least 0, or inf for none")
    if np.isinf(low).all() and np.isinf(high).all():
        return None
    return low, high


def read_excluded(exclude, p, names=None):
    """Return the numbers (m,) of columns that are named or numbered, ascending; None stays."""
    if exclude is None:
        return None
    keys = [exclude] if isinstance(exclude, str) else np.ravel(np.asarray(exclude, dtype=object))
    return np.sort(numbers_of("exclude", list(keys), names, p))


def read_lambdas(lambdas):
    """Return the λs in decreasing order without duplicates; None stays None."""
    if lambdas is None:
        return None
    values = np.atleast_1d(real_array("lambdas", lambdas))
    values = _vector("lambdas", values, None, None)
    if not len(values):
        raise ValueError("lambdas is empty; give at least one value, or None for the default path")
    refuse("lambdas", values, ~np.isfinite(values), "every lambda must be finite")
    refuse("lambdas", values, values < 0, "every lambda must be at least 0")
    return np.unique(values + 0.0)[::-1].copy()  # + 0.0 turns -0.0 into 0.0


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


def _limit(name, value, p, none):
    if value is None:
        return np.full(p, none)
    array = real_array(name, value)
    if array.ndim == 0:
        array = np.full(p, array[()])
    return _vector(name, array, p, "column")


def _vector(name, value, length, per):
    """Return a new contiguous float64 vector, so that the user's own stays unchanged.

    `length` (None for any) is the number of rows or columns of X; `per` says which.
    """
    array = real_array(name, value)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(_shape_message(name, array, per))
    if length is not None and len(array) != length:
        raise ValueError(
            f"{name} has {len(array)} values but X has {length} {per}s; give one value per {per}"
        )
    with np.errstate(over="ignore"):
        vector = np.array(array, dtype=np.float64, order="C", subok=False)
    refuse_overflow(name, array, vector)
    return vector


def _shape_message(name, array, per):
    each = f"one value per {per}" if per else "a one-dimensional array"
    if array.ndim == 0:
        return f"{name} is a single number; give {each}"
    if name == "y" and array.ndim == 2:
        return (
            f"y has shape {array.shape}, which is {array.shape[1]} responses; pass one column, "
            "or family='multigaussian' for several"
        )
    return f"{name} has shape {array.shape}; give {each}"

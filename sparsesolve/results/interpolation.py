"""Coefficients between the lambdas of a path: linear in lambda, constant beyond the ends."""

import numpy as np
from scipy import sparse

from sparsesolve.data import shown, unmasked


def read_s(s):
    """Return s, a lambda or a list (S,) of them in any order, in float64; refuse anything else."""
    s = unmasked("s", s)
    try:
        values = np.asarray(s)
        values = None if values.dtype.kind == "c" else values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        values = None
    if values is None:
        raise TypeError(f"s is {shown(s)}; give a value of lambda, or a list of them, as numbers")
    if values.ndim > 1:
        raise ValueError(f"s has shape {values.shape}; give one lambda or a flat list of them")
    bad = np.flatnonzero(~(np.atleast_1d(values) >= 0.0))
    if bad.size:
        raise ValueError(
            f"s holds {np.atleast_1d(values)[bad[0]]} at position {bad[0]}; a lambda is at least 0"
        )
    return values


def interpolator(lambdas, s):
    """Return the matrix W (L, S) whose product with the solutions at `lambdas` gives those at `s`.

    If lambda_j >= s_k >= lambda_{j+1}, column k has weight (s_k - lambda_{j+1}) / (lambda_j -
    lambda_{j+1}) on row j and the rest of 1 on row j + 1. Beyond the ends the nearest solution has
    weight 1. If s_k is one of the lambdas, which fall strictly, it gets weight exactly 1. There
    are no explicit zeros. ValueError says that there is no lambda.
    """
    s = np.atleast_1d(s)
    if not len(lambdas) and not len(s):
        return sparse.csc_array((0, 0))
    left, right, weight = _between(lambdas, s)
    columns = np.arange(len(s))
    W = sparse.csc_array(
        (np.r_[weight, 1.0 - weight], (np.r_[left, right], np.r_[columns, columns])),
        shape=(len(lambdas), len(s)),
    )
    W.eliminate_zeros()
    return W


def at_one(lambdas, coefs, intercepts, s):
    """Return coefficients, dense (p,) or (K, p), and the intercept, () or (K,), at one lambda."""
    (left,), (right,), (weight,) = _between(lambdas, np.atleast_1d(s))
    shares = [(k, w) for k, w in ((left, weight), (right, 1.0 - weight)) if w]
    intercept = sum(w * intercepts[..., k] for k, w in shares)
    if isinstance(coefs, list):
        return np.stack([_column(each, shares) for each in coefs]), intercept
    return _column(coefs, shares), intercept


def _column(coefs, shares):
    b = np.zeros(coefs.shape[0])
    for k, share in shares:
        part = slice(*coefs.indptr[k : k + 2])
        b[coefs.indices[part]] += share * coefs.data[part]
    return b


def _between(lambdas, s):
    """Return the solutions left and right of each s, (S,) each, and the left one's weight."""
    if not len(lambdas):
        raise ValueError("The path holds no solution: it ended before its first lambda")
    s = np.clip(s, lambdas[-1], lambdas[0])
    right = np.minimum(np.searchsorted(-lambdas, -s, side="left"), len(lambdas) - 1)
    left = np.maximum(right - 1, 0)
    width = lambdas[left] - lambdas[right]
    weight = np.divide(s - lambdas[right], width, out=np.zeros_like(s), where=width > 0.0)
    return left, right, weight


def coefficients(path, s):
    """Return dense coefficients at s, (p,) or (p, S), with K responses (K, p) or (K, p, S)."""
    if s.ndim == 0:
        return at_one(path.lambdas, path.coefs, path.intercepts, s)[0]
    found = sparse_coefficients(path, s)
    return np.stack([c.toarray() for c in found]) if isinstance(found, list) else found.toarray()


def sparse_coefficients(path, s):
    """Return coefficients at s as a sparse matrix (p, S), or a list of K of them."""
    W = interpolator(path.lambdas, s)
    if isinstance(path.coefs, list):
        return [coefs @ W for coefs in path.coefs]
    return path.coefs @ W


def intercepts(path, s):
    """Return intercepts at s, a float or (S,), with K responses (K,) or (K, S)."""
    values = path.intercepts @ interpolator(path.lambdas, s)
    values = values[..., 0] if s.ndim == 0 else values
    return values if values.ndim else float(values)


def nonzero(path, s):
    """Return the features with a nonzero coefficient in any response; a list of them for (S,)."""
    products = sparse_coefficients(path, s)
    products = products if isinstance(products, list) else [products]
    found = []
    for k in range(products[0].shape[1]):
        columns = [(m, slice(m.indptr[k], m.indptr[k + 1])) for m in products]
        rows = [m.indices[part][m.data[part] != 0.0] for m, part in columns]
        found.append(np.unique(np.concatenate(rows)))
    return found[0] if s.ndim == 0 else found

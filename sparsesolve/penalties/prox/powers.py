"""Proximal operators of squares and powers of norms, on numbers or on the lengths of groups.

A function of the lengths of groups has the prox of these lengths: each group keeps its direction
and gets a new length (Martins et al. 2011, proposition 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.groups import weighted_groups
from sparsesolve.penalties.prox.balls import lengths

# Most steps of Newton's method; some ten are enough.
STEPS = 100
# A Newton step below this relative size changes nothing.
SAME = 1e-16


def squared_l1(
    v: ArrayLike, t: float, weights: ArrayLike | None = None, *, groups: Any = None,
    ridge: float = 0.0,
) -> np.ndarray:  # fmt: skip
    """Return the prox of half the squared l1 norm.

    It is the argmin over x of

    ``|x - v|^2 / 2 + t [(sum_m d_m |x_m|)^2 / 2 + ridge |x|^2 / 2]``

    Parameters
    ----------
    v : array-like (n,)
    t : float >= 0
    weights : array-like (n,) or (number of groups,), or mapping from labels, default None
        d, positive; None means 1.
    groups : sequence or mapping, default None
        A label for each entry of v, or lists of entries, as in ``penalties.GroupL2``. If
        given, ``|x_m|`` is the Euclidean norm of group m, and weights are in the order in which
        groups first appear.
    ridge : float >= 0, default 0.0
        With ridge > 0 it is the prox of elastic-net multiple kernel learning.

    Returns
    -------
    ndarray (n,)

    Raises
    ------
    ValueError
        If v holds NaN or infinity, t or ridge is negative, or weights are not positive.

    Notes
    -----
    With ``u = |v| / d`` the solution is ``x = sign(v) d (u - tau)_+``. The threshold tau is found
    by sorting u, in O(n log n).

    References
    ----------
    Martins, Smith, Xing, Aguiar, Figueiredo (2011), "Online learning of structured predictors
    with multiple kernels", algorithm 2; the weights are in the report of 2010.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.squared_l1([3.0, 1.0, 0.5], 1.0)
    array([1.5, 0. , 0. ])
    """
    x, sizes, of, d = _lengths(v, groups, weights)
    t, ridge = _level("t", t), _level("ridge", ridge)
    shrunk = 1.0 + t * ridge
    return _with_lengths(x, sizes, of, squared_l1_lengths(sizes / shrunk, d, t / shrunk))


def power(
    v: ArrayLike, t: float, q: float, weights: ArrayLike | None = None, *,
    groups: Any = None,
) -> np.ndarray:  # fmt: skip
    """Return the prox of a sum of powers: argmin of ``|x - v|^2 / 2 + t sum_m d_m |x_m|^q``.

    Parameters
    ----------
    v : array-like (n,)
    t : float >= 0
    q : float > 1
        The power.
    weights : array-like (n,) or (number of groups,), or mapping from labels, default None
        d, positive; None means 1.
    groups : sequence or mapping, default None
        As in `squared_l1`.

    Returns
    -------
    ndarray (n,)

    Raises
    ------
    ValueError
        If v holds NaN or infinity, t is negative, q is not above 1, or weights are not positive.

    Notes
    -----
    Each length solves ``x - |v| + t d q x^(q - 1) = 0``, by Newton's method from the side from
    which it is monotone.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.power([3.0, -1.0], 1.0, 2.0)
    array([ 1.        , -0.33333333])
    """
    x, sizes, of, d = _lengths(v, groups, weights)
    t, q = _level("t", t), float(q)
    if not 1.0 < q < np.inf:
        raise ValueError(f"q is {q}; it must be a number above 1")
    return _with_lengths(x, sizes, of, power_lengths(sizes, t * d, q))


def squared_l1_lengths(sizes: np.ndarray, d: np.ndarray, t: float) -> np.ndarray:
    """Return ``squared_l1`` of nonnegative lengths: (sizes - t d S)_+ with S = d'x."""
    order = np.argsort(-sizes / d)
    sums = np.cumsum((d * sizes)[order]) / (1.0 + t * np.cumsum((d * d)[order]))
    kept = np.flatnonzero((sizes / d)[order] > t * sums)
    return np.maximum(sizes - t * d * (sums[kept[-1]] if len(kept) else 0.0), 0.0)


def power_lengths(sizes: np.ndarray, c: np.ndarray, q: float) -> np.ndarray:
    """Return the roots of ``x - sizes + c q x^(q - 1)``, in [0, sizes]."""
    x = np.array(sizes, dtype=float)
    moving = (sizes > 0.0) & (c > 0.0)
    b, k = sizes[moving], q * c[moving]
    if q >= 2.0:  # convex: Newton's steps decrease from the right
        r = b.copy()
    else:  # concave: they increase from the left, where each term is at most half
        with np.errstate(under="ignore", over="ignore"):
            r = np.minimum(0.5 * b, (0.5 * b / k) ** (1.0 / (q - 1.0)))
    for _ in range(STEPS):
        live = r > 0.0
        slope = np.ones_like(r)
        slope[live] += k[live] * (q - 1.0) * r[live] ** (q - 2.0)
        step = np.where(live, (r - b + k * r ** (q - 1.0)) / slope, 0.0)
        r = np.clip(r - step, 0.0, b)
        if np.all(np.abs(step) <= SAME * r):
            break
    x[moving] = r
    return x


def _lengths(v, groups, weights):
    """Return the vector, the lengths (M,) of its groups, each entry's group or None, and d."""
    x = np.array(v, dtype=float)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise ValueError("v must be a vector of finite numbers")
    if groups is None:
        return x, np.abs(x), None, weighted_groups(np.arange(len(x)), weights, len(x))[1]
    of, d = weighted_groups(groups, weights, len(x))
    return x, lengths(of, x, len(d)), of, d


def _with_lengths(x, sizes, of, new):
    share = np.divide(new, sizes, out=np.zeros_like(sizes), where=sizes > 0.0)
    return x * (share if of is None else share[of])


def _level(name, value):
    value = float(value)
    if not 0.0 <= value < np.inf:
        raise ValueError(f"{name} is {value}; it must be a number of at least 0")
    return value

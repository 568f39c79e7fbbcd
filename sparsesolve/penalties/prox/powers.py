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
    q : float > 0
        The power. Below 1 the problem is not convex: the minimum is 0 up to a threshold, and
        jumps there. Where two minima are equal, 0 is returned.

    Raises
    ------
    ValueError
        If v holds NaN or infinity, t is negative, q is not above 0, or weights are not positive.

    Notes
    -----
    Each length solves ``x - |v| + t d q x^(q - 1) = 0``, by Newton's method from the side from
    which it is monotone; for q = 1/2 and 2/3 it has a closed form. For q below 1 it is the larger
    of two roots, or 0.

    References
    ----------
    Xu, Chang, Xu, Zhang, "L1/2 regularization: a thresholding representation theory and a fast
    solver" (2012); Cao, Sun, Xu, "Fast image deconvolution using closed-form thresholding formulas
    of Lq (q = 1/2, 2/3) regularization" (2013).

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.power([3.0, -1.0], 1.0, 2.0)
    array([ 1.        , -0.33333333])
    >>> prox.power([3.0, 1.0], 1.0, 0.5).round(3)
    array([2.695, 0.   ])
    """
    x, sizes, of, d = _lengths(v, groups, weights)
    t, q = _level("t", t), float(q)
    if not 0.0 < q < np.inf:
        raise ValueError(f"q is {q}; it must be a number above 0")
    if q == 1.0:
        return _with_lengths(x, sizes, of, np.maximum(sizes - t * d, 0.0))
    found = power_lengths if q > 1.0 else concave_power_lengths
    return _with_lengths(x, sizes, of, found(sizes, t * d, q))


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
    if q >= 2.0:  # convex: Newton's steps decrease from the right, where one term is b alone
        with np.errstate(under="ignore", over="ignore"):
            r = np.minimum(b, (b / k) ** (1.0 / (q - 1.0)))
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


def concave_power_lengths(sizes, c, q, shift=0.0):
    """Return argmin over x >= 0 of (x - sizes)^2 / 2 + c (x + shift)^q, for 0 < q < 1.

    With u = x + shift it is the larger root of u - sizes - shift + c q u^(q - 1), or x = 0 where
    that is better; the root is where the function is convex.
    """
    a, root = sizes + shift, np.zeros(len(sizes))
    lowest = (c * q * (1.0 - q)) ** (1.0 / (2.0 - q))  # where the derivative is least
    with np.errstate(divide="ignore", invalid="ignore"):
        least = lowest + np.where(lowest > 0.0, c * q * lowest ** (q - 1.0), 0.0)
    some = (a >= least) & (a > 0.0)
    a, c = a[some], np.broadcast_to(c, root.shape)[some]
    u = _larger_root(a, c, q, lowest[some])
    x = np.maximum(u - shift, 0.0)
    before = 0.5 * sizes[some] ** 2 + c * shift**q
    better = 0.5 * (x - sizes[some]) ** 2 + c * (x + shift) ** q < before
    root[some] = np.where(better, x, 0.0)
    return root


def _larger_root(a, c, q, lowest):
    """Return the larger root of u - a + c q u^(q - 1): closed for q = 1/2, 2/3, else by Newton."""
    if q == 0.5:  # u = s^2, s^3 - a s + c / 2 = 0
        angle = np.arccos(np.clip(-0.25 * c * (a / 3.0) ** -1.5, -1.0, 1.0))
        u, steps = 4.0 / 3.0 * a * np.cos(angle / 3.0) ** 2, 2
    elif abs(q - 2.0 / 3.0) <= 2e-16:  # u = s^3, s^4 - a s + 2 c / 3 = 0
        held = np.where(c > 0.0, c, 1.0)
        angle = np.arccosh(np.maximum(27.0 / 16.0 * a**2 * (2.0 * held) ** -1.5, 1.0))
        A = 2.0 / np.sqrt(3.0) * (2.0 * held) ** 0.25 * np.sqrt(np.cosh(angle / 3.0))
        u = (0.5 * (A + np.sqrt(np.maximum(2.0 * a / A - A**2, 0.0)))) ** 3
        u, steps = np.where(c > 0.0, u, a), 2
    else:  # the derivative is convex: Newton's steps decrease from the right
        u, steps = a.copy(), STEPS
    for _ in range(steps):  # after a closed form they mend its rounding
        slope = 1.0 + c * q * (q - 1.0) * u ** (q - 2.0)
        step = (u - a + c * q * u ** (q - 1.0)) / np.where(slope > 0.0, slope, np.inf)
        u = np.clip(u - step, lowest, a)
        if np.all(np.abs(step) <= SAME * u):
            break
    return u


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

"""Projections onto balls of norms, the simplex, and a box cut by a hyperplane, as new arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.linalg.kernels.box_hyperplane import project
from sparsesolve.penalties.groups import weighted_groups
from sparsesolve.penalties.prox.group_balls import threshold

# What lies this far below all that may stay, relative to the terms, does not stay.
ROOM = 1e-9
# A sum of sizes beyond this may be beyond floats; it is halved so many times.
BEYOND, HALVED = 2.0**900, 100


def project_l1(v: ArrayLike, radius: float) -> np.ndarray:
    r"""Return the nearest point of :math:`\{b: \sum_j |b_j| \le r\}` with radius r.

    Parameters
    ----------
    v : array-like (n,)
    radius : float >= 0

    Returns
    -------
    ndarray (n,)

    Raises
    ------
    ValueError
        If v holds NaN or infinity or is not a vector, or radius is not a number of at least 0.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.project_l1([3.0, -1.0, 0.5], 2.0)
    array([2., 0., 0.])
    """
    x, radius = _read(v, radius)
    size = np.abs(x)
    with np.errstate(over="ignore"):
        inside = size.sum() <= radius
    if inside or not radius > 0.0:
        return x if inside else np.zeros_like(x)
    return np.copysign(_above_threshold(size, radius), x) + 0.0  # no -0


def project_l2(v: ArrayLike, radius: float) -> np.ndarray:
    r"""Return the nearest point of :math:`\{b: \sum_j b_j^2 \le r^2\}` with radius r.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.project_l2([3.0, 4.0], 1.0)
    array([0.6, 0.8])
    """
    x, radius = _read(v, radius)
    x, power = near_one(x)
    size = float(np.linalg.norm(x))
    return np.ldexp(x, power) if np.ldexp(size, power) <= radius else x * (radius / size)


def project_linf(v: ArrayLike, radius: float) -> np.ndarray:
    r"""Return the nearest point of :math:`\{b: \max_j |b_j| \le r\}` with radius r.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.project_linf([3.0, -4.0, 0.5], 1.0)
    array([ 1. , -1. ,  0.5])
    """
    x, radius = _read(v, radius)
    return np.clip(x, -radius, radius)


def project_simplex(v: ArrayLike, total: float = 1.0) -> np.ndarray:
    r"""Return the nearest point of :math:`\{b: b_j \ge 0, \sum_j b_j = s\}` with total s.

    Parameters
    ----------
    v : array-like (n,), n >= 1
    total : float > 0, default 1

    Raises
    ------
    ValueError
        If v holds NaN or infinity or is empty, or total is not positive.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.project_simplex([0.8, 0.6, -1.0])
    array([0.6, 0.4, 0. ])
    """
    x, total = _read(v, total, "total")
    if not len(x) or total == 0.0:
        raise ValueError(f"The simplex needs a coordinate and a positive total, not {total}")
    return _above_threshold(x, total)


def _above_threshold(x, total):
    """Return (x - theta)_+ of sum `total` > 0, after x has lost what may leave floats.

    If the total is small beside the largest x, all that stays is within a factor 2 of that, and
    differences from it are exact.
    """
    top = x.max()
    if 2.0 * total <= abs(top):
        x = np.maximum(x, top - (1.0 + ROOM) * total - ROOM * abs(top)) - top
    elif abs(top) > BEYOND:  # so that no sum is beyond floats
        return np.ldexp(_above_threshold(np.ldexp(x, -HALVED), np.ldexp(total, -HALVED)), HALVED)
    return np.maximum(x - threshold(x, total), 0.0)


def project_groups(
    v: ArrayLike, radius: float, groups: Any, weights: ArrayLike | None = None
) -> np.ndarray:
    r"""Return the nearest point of :math:`\{b: \sum_g d_g \lVert b_g \rVert_2 \le r\}`.

    Parameters
    ----------
    groups : sequence or mapping
        A label for each coordinate, or lists of coordinates, as in ``penalties.GroupL2``.
    weights : array-like (G,) or mapping from labels, default None
        d_g > 0, in the order in which groups first appear; None means 1.

    Raises
    ------
    ValueError
        As :func:`project_l1`; or if groups or weights do not fit.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.project_groups([3.0, 4.0, 1.0], 2.0, ["a", "a", "b"])
    array([1.2, 1.6, 0. ])
    """
    x, radius = _read(v, radius)
    return project_lengths(x, radius, *weighted_groups(groups, weights, len(x)))


def project_elastic_net(v: ArrayLike, radius: float, gamma: float) -> np.ndarray:
    r"""Return the nearest point of :math:`\{b: \sum_j |b_j| + \gamma b_j^2 / 2 \le r\}`, in O(n).

    Parameters
    ----------
    gamma : float >= 0
        With 0 it is :func:`project_l1`.

    Raises
    ------
    ValueError
        As :func:`project_l1`; or if gamma is not a number of at least 0.

    References
    ----------
    Mairal, Bach, Ponce, Sapiro (2010), "Online learning for matrix factorization and sparse
    coding", section 5.3.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.project_elastic_net([3.0, -1.0, 0.5], 2.0, 1.0).round(4)
    array([ 1.1909, -0.0954,  0.    ])
    """
    x, radius = _read(v, radius)
    _, gamma = _read([], gamma, "gamma")
    size, power = near_one(np.abs(x))
    with np.errstate(over="ignore", under="ignore"):
        limit, g = np.ldexp(radius, -power), np.ldexp(gamma, power)
        inside = float((size + 0.5 * min(g, 1e300) * size**2).sum()) <= limit
    if inside or not radius > 0.0:
        return x if inside else np.zeros_like(x)
    if not g > 1e-17:  # squares are below the rounding of sizes
        return project_l1(x, radius)
    # b = (size - theta) / (1 + g theta) = (c^2 - q^2) / (g q (c + q)), where c = (1 + g size) / A
    # and q = (1 + g theta) / A for the largest A. With f = 1 - c^2 and h = 1 - q^2 the sum of b's
    # terms is the limit at sum (h - f)_+ = k (1 - h), and no digits cancel.
    room = 1.0 / g + size.max()
    c, f = (1.0 / g + size) / room, (size.max() - size) / room
    f, k = f * (1.0 + c), 2.0 * g * limit
    h = -shared_level(-f, k, k)
    square = float((c[f < h] ** 2).sum() / (np.count_nonzero(f < h) + k))
    q, more = np.sqrt(square), np.maximum(h - f if h < 0.5 else c**2 - square, 0.0)
    return np.copysign(np.ldexp(more / (g * q * (c + q)), power), x) + 0.0  # no -0


def shared_level(w, total, rate):
    """Return s with sum_j (w_j - s)_+ = total + rate s, for w (n,) and total, rate >= 0.

    The median of the candidates halves them, and is found in linear time: O(n) in all.
    """
    above, count, left = 0.0, 0, w  # sum and number of entries that are above s for certain
    while len(left):
        pivot = np.partition(left, len(left) // 2)[len(left) // 2]
        high = left[left >= pivot]
        if above + high.sum() - (count + len(high)) * pivot <= total + rate * pivot:
            above, count, left = above + high.sum(), count + len(high), left[left < pivot]
        else:
            left = left[left > pivot]
    return (above - total) / (count + rate)


def project_lengths(x, radius, of, d):
    """Do what :func:`project_groups` does, for the group of each entry (n,) and weights (G,)."""
    G = len(d)
    size = lengths(of, x, G)
    with np.errstate(over="ignore"):
        inside = float((d * size).sum()) <= radius
    if inside or not radius > 0.0:
        return x if inside else np.zeros_like(x)
    # |b_g| = d_g (u_g - theta)_+ with the root theta of sum_g d_g^2 (u_g - theta)_+ = radius and
    # u_g = |v_g| / d_g, less the largest if the radius is small beside it.
    u = size / d
    first = int(np.argmax(u))
    u -= u[first] if 2.0 * radius <= d[first] * size[first] else 0.0
    near = np.flatnonzero(u > u[first] - radius / d[first] ** 2)
    order = near[np.argsort(-u[near])]
    ends = (np.cumsum(d[order] ** 2 * u[order]) - radius) / np.cumsum(d[order] ** 2)
    left = d * np.maximum(u - ends[np.flatnonzero(u[order] > ends)[-1]], 0.0)
    x, power = near_one(x)
    return x * np.divide(left, np.ldexp(size, -power), out=np.zeros(G), where=left > 0.0)[of]


def near_one(x: np.ndarray) -> tuple[np.ndarray, int]:
    """Return x times 2^-power, whose largest size is near 1, and the power."""
    power = int(np.frexp(np.abs(x).max(initial=0.0))[1])
    return np.ldexp(x, -power), power


def lengths(of: np.ndarray, x: np.ndarray, count: int) -> np.ndarray:
    """Return the Euclidean length of each group of entries, (count,), at any size."""
    largest = np.zeros(count)
    np.maximum.at(largest, of, np.abs(x))
    power = np.frexp(largest)[1]
    squares = np.bincount(of, np.ldexp(x, -power[of]) ** 2, minlength=count)
    return np.ldexp(np.sqrt(squares), power)


def _read(v, radius, name="radius"):
    """Return a copy of v as floats, and the radius, after checking both."""
    v = np.array(v, dtype=float)
    if v.ndim != 1 or not np.isfinite(v).all():
        raise ValueError(f"v must be finite numbers (n,), not an array of shape {v.shape}"
                         if v.ndim != 1 else "v holds NaN or infinity; project finite numbers")
    radius = float(radius)
    if not 0.0 <= radius < np.inf:
        raise ValueError(f"{name} must be a finite number of at least 0, not {radius}")
    return v, radius


def box_hyperplane(
    m: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    a: ArrayLike,
    z: float,
    d: ArrayLike | None = None,
) -> np.ndarray:
    """Project m onto ``lower <= x <= upper, a'x = z``, in O(n).

    Parameters
    ----------
    m : array-like (n,)
        The point.
    lower, upper : float or array-like (n,)
        Bounds; infinite ones do not bind.
    a : array-like (n,)
        Normal of the hyperplane. Where an entry is 0, only the bounds act on x.
    z : float
        Value of a'x on the hyperplane.
    d : array-like (n,), default None
        Positive scales: minimise the sum of ``d_i^2 (x_i - m_i)^2``. None means 1.

    Raises
    ------
    ValueError
        If an array has another shape, holds NaN, bounds cross, a scale is not positive, or no
        point within the bounds reaches the hyperplane: by how much it is missed.

    References
    ----------
    Kiwiel (2008), "Breakpoint searching algorithms for the continuous quadratic knapsack
    problem".

    Examples
    --------
    >>> import sparsesolve as ss
    >>> ss.penalties.prox.box_hyperplane([0.9, 0.4, 0.2], 0.0, 1.0, [1.0, 1.0, -1.0], 0.0)
    array([0.53333333, 0.03333333, 0.56666667])
    """
    m, z = np.asarray(m, dtype=float), float(z)
    if m.ndim != 1:
        raise ValueError(f"m has {m.ndim} dimensions; give one")
    n = len(m)
    named = {"m": m, "lower": lower, "upper": upper, "a": a}
    given = [_entries(name, x, n) for name, x in named.items()]
    scale = np.ones(n) if d is None else _entries("d", d, n)
    if np.isnan(z) or np.isinf(z):
        raise ValueError(f"z is {z}; give a finite number")
    for name, x in (("m", given[0]), ("a", given[3]), ("d", scale)):
        if np.isinf(x).any():
            i = int(np.isinf(x).argmax())
            raise ValueError(f"{name} is infinite at {i}; give finite numbers")
    if (scale <= 0.0).any():
        i = int((scale <= 0.0).argmax())
        raise ValueError(f"d is {scale[i]:g} at {i}; give positive scales")
    if (given[1] > given[2]).any():
        i = int((given[1] > given[2]).argmax())
        raise ValueError(f"lower is {given[1][i]:g} above upper, {given[2][i]:g}, at {i}")
    return project(*given, z, scale)


def _entries(name, x, n):
    x = np.asarray(x, dtype=float)
    if x.ndim and x.shape != (n,):
        raise ValueError(f"{name} has shape {x.shape}; m has {n} entries")
    if np.isnan(x).any():
        raise ValueError(f"{name} is nan at {int(np.isnan(x).argmax()) if x.ndim else 0}")
    return np.ascontiguousarray(np.broadcast_to(x, (n,)))

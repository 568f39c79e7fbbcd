"""Projections onto balls of norms and onto the simplex. Each returns a new array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.groups import weighted_groups
from sparsesolve.penalties.prox.simplex import shrink_to_ball, threshold


def project_l1(v: ArrayLike, radius: float) -> np.ndarray:
    """Return the nearest point of ``{b: sum |b_j| <= radius}``.

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
    >>> from sparsesolve import prox
    >>> prox.project_l1([3.0, -1.0, 0.5], 2.0)
    array([2., 0., 0.])
    """
    x = np.ascontiguousarray(v, dtype=float)
    none, radius = _read(x if x.ndim != 1 else [], radius)
    found = shrink_to_ball(x, radius) if len(x) else none
    # A sum is beyond the range of floats, or an entry is not finite.
    if found is None:
        largest = np.abs(_read(x, radius)[0]).max()
        found = shrink_to_ball(x / largest, radius / largest) * largest
    return found


def project_l2(v: ArrayLike, radius: float) -> np.ndarray:
    """Return the nearest point of ``{b: sum b_j^2 <= radius^2}``.

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
        As :func:`project_l1`.

    Examples
    --------
    >>> from sparsesolve import prox
    >>> prox.project_l2([3.0, 4.0], 1.0)
    array([0.6, 0.8])
    """
    x, radius = _read(v, radius)
    size = float(np.linalg.norm(x))
    return x if size <= radius else x * (radius / size)


def project_linf(v: ArrayLike, radius: float) -> np.ndarray:
    """Return the nearest point of ``{b: max |b_j| <= radius}``.

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
        As :func:`project_l1`.

    Examples
    --------
    >>> from sparsesolve import prox
    >>> prox.project_linf([3.0, -4.0, 0.5], 1.0)
    array([ 1. , -1. ,  0.5])
    """
    x, radius = _read(v, radius)
    return np.clip(x, -radius, radius)


def project_simplex(v: ArrayLike, total: float = 1.0) -> np.ndarray:
    """Return the nearest point of ``{b: b_j >= 0, sum b_j = total}``.

    Parameters
    ----------
    v : array-like (n,), n >= 1
    total : float > 0, default 1

    Returns
    -------
    ndarray (n,)

    Raises
    ------
    ValueError
        If v holds NaN or infinity or is empty, or total is not positive.

    Examples
    --------
    >>> from sparsesolve import prox
    >>> prox.project_simplex([0.8, 0.6, -1.0])
    array([0.6, 0.4, 0. ])
    """
    x, total = _read(v, total, "total")
    if not len(x) or total == 0.0:
        raise ValueError(f"The simplex needs a coordinate and a positive total, not {total}")
    return np.maximum(x - threshold(x, total), 0.0)


def project_groups(
    v: ArrayLike, radius: float, groups: Any, weights: ArrayLike | None = None
) -> np.ndarray:
    """Return the nearest point of ``{b: sum_g d_g |b_g|_2 <= radius}``.

    Parameters
    ----------
    v : array-like (n,)
    radius : float >= 0
    groups : sequence or mapping
        A label for each coordinate, or lists of coordinates, as in :class:`penalties.GroupL2`.
    weights : array-like (G,) or mapping from labels, default None
        d_g > 0, in the order in which groups first appear; None means 1.

    Returns
    -------
    ndarray (n,)

    Raises
    ------
    ValueError
        As :func:`project_l1`; or if groups or weights do not fit.

    Examples
    --------
    >>> from sparsesolve import prox
    >>> prox.project_groups([3.0, 4.0, 1.0], 2.0, ["a", "a", "b"])
    array([1.2, 1.6, 0. ])
    """
    x, radius = _read(v, radius)
    return project_lengths(x, radius, *weighted_groups(groups, weights, len(x)))


def project_lengths(x, radius, of, d):
    """Do what :func:`project_groups` does, for the group of each entry (n,) and weights (G,)."""
    G = len(d)
    size = np.sqrt(np.bincount(of, x * x, minlength=G))
    if d @ size <= radius:
        return x
    # |b_g| = (|v_g| - theta d_g)_+ with the root theta of sum_g d_g (|v_g| - theta d_g)_+ =
    # radius.
    order = np.argsort(-size / d)
    ends = (np.cumsum((d * size)[order]) - radius) / np.cumsum(d[order] ** 2)
    theta = ends[np.flatnonzero((size / d)[order] > ends)[-1]] if radius > 0.0 else np.inf
    left = np.maximum(size - theta * d, 0.0)
    return x * np.divide(left, size, out=np.zeros(G), where=size > 0.0)[of]


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

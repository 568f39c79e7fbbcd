"""Projection onto the intersection of a box and a hyperplane: checks of the compiled kernel's
input.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.linalg.kernels.box_hyperplane import project


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
    given = [_read(name, x, n) for name, x in named.items()]
    scale = np.ones(n) if d is None else _read("d", d, n)
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


def _read(name, x, n):
    x = np.asarray(x, dtype=float)
    if x.ndim and x.shape != (n,):
        raise ValueError(f"{name} has shape {x.shape}; m has {n} entries")
    if np.isnan(x).any():
        raise ValueError(f"{name} is nan at {int(np.isnan(x).argmax()) if x.ndim else 0}")
    return np.ascontiguousarray(np.broadcast_to(x, (n,)))

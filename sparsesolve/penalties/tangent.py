"""Tangent: directions along which a penalty is smooth at a point, for Newton steps.

    Omega(b + T d) = Omega(b) + gradient'd + d'C d / 2 + o(|d|^2)      near d = 0

A penalty that has kinks is smooth along its pieces: the values of the pieces of total variation,
the sizes of the clusters of SLOPE, the factors of a matrix of low rank. Near a solution proximal
steps no longer change the pieces, and Newton's method on the few variables d finishes them
(`solvers/first_order/tangent_newton.py`). A penalty offers them by ``tangent(b)``, see
``penalty.py``.
Reference: Bareilles, Iutzeler, Malick, "Newton acceleration on manifolds identified by proximal
gradient methods" (2023).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse


class Tangent(NamedTuple):
    """Directions at b. Entries are meant row by row where b is an array (K, p)."""

    directions: sparse.csc_array  # T (b.size, s)
    gradient: np.ndarray  # (s,) of Omega along them
    # Maps z, of the shape of b, to (s, s): C minus the second-order part of z'b along the step;
    # None: 0.
    curvature: Callable[[np.ndarray], np.ndarray] | None = None
    # Maps d (s,) to the change of b, which is T d to first order; None: T d itself.
    retraction: Callable[[np.ndarray], np.ndarray] | None = None

    def step(self, d):
        """Return the change of b, raveled, that belongs to d (s,)."""
        return self.directions @ d if self.retraction is None else self.retraction(d)


def side_by_side(parts, size):
    """Return the tangent of a sum of penalties on disjoint sets of coefficients, `size` in all.

    parts : list of (which (m,) places of the coefficients, Tangent of them)
    """
    starts = np.cumsum([0, *(len(own.gradient) for _, own in parts)])
    columns = []
    for which, own in parts:
        T = sparse.coo_array(own.directions)
        shape = (size, T.shape[1])
        columns.append(sparse.csc_array((T.data, (which[T.coords[0]], T.coords[1])), shape))
    T = sparse.hstack(columns, format="csc")
    gradient = np.concatenate([own.gradient for _, own in parts])
    if all(own.retraction is None for _, own in parts):
        return Tangent(T, gradient)

    def curvature(z):
        C = np.zeros((len(gradient), len(gradient)))
        for (which, own), a, b in zip(parts, starts[:-1], starts[1:], strict=True):
            if own.curvature is not None:
                C[a:b, a:b] = own.curvature(z.ravel()[which])
        return C

    def retraction(d):
        out = np.zeros(size)
        for (which, own), a, b in zip(parts, starts[:-1], starts[1:], strict=True):
            out[which] = own.step(d[a:b])
        return out

    return Tangent(T, gradient, curvature, retraction)


def on_support(b, gradient, free=False):
    """Return the nonzero coefficients as directions; `gradient` (p,) is that of Omega.

    `free` (p,) marks the coefficients that do not change Omega; they are always directions.
    """
    which = np.flatnonzero((b != 0.0) | free)
    ones = np.ones(len(which))
    T = sparse.csc_array((ones, (which, np.arange(len(which)))), (len(b), len(which)))
    return Tangent(T, gradient[which])


def on_pieces(label, values, gradient):
    """Return one direction per piece, along which the coefficients of the piece move together.

    label : (p,) the piece of each coefficient, -1 for none; values : (p,) its part in the
    direction; gradient : (s,)
    """
    which = np.flatnonzero(label >= 0)
    shape = (len(label), len(gradient))
    return Tangent(sparse.csc_array((values[which], (which, label[which])), shape), gradient)

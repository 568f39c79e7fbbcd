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
    """Directions at b, whose entries are meant row by row where it is an array (K, p)."""

    directions: sparse.csc_array  # T (b.size, s)
    gradient: np.ndarray  # (s,) of Omega along them
    # (s, s) from z like b: C less the second order of z'b along the step; None: 0
    curvature: Callable[[np.ndarray], np.ndarray] | None = None
    # the change of b at d (s,), of first order T d; None: T d itself
    retraction: Callable[[np.ndarray], np.ndarray] | None = None

    def step(self, d):
        """The change of b, raveled, that belongs to d (s,)."""
        return self.directions @ d if self.retraction is None else self.retraction(d)


def side_by_side(parts, size):
    """The tangent of a sum of penalties of disjoint sets of coefficients, of `size` in all.

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
    """Nonzero coefficients, each a direction; `gradient` (p,) of Omega is taken there.

    `free` (p,) tells coefficients that Omega does not see, which are directions always.
    """
    which = np.flatnonzero((b != 0.0) | free)
    ones = np.ones(len(which))
    T = sparse.csc_array((ones, (which, np.arange(len(which)))), (len(b), len(which)))
    return Tangent(T, gradient[which])


def on_pieces(label, values, gradient):
    """Pieces whose coefficients move together.

    label : (p,) the piece of each coefficient, -1 for none; values : (p,) its part in the
    direction; gradient : (s,)
    """
    which = np.flatnonzero(label >= 0)
    shape = (len(label), len(gradient))
    return Tangent(sparse.csc_array((values[which], (which, label[which])), shape), gradient)

"""Families that users write in Python."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import check_derivatives, read_real
from sparsesolve.families.family import Family
from sparsesolve.families.links import identity
from sparsesolve.losses import KINKED, LOSSES, PythonLoss


def from_object(law: object, y: ArrayLike = ()) -> Family:
    """Make a family from a loss written in Python, after checking its derivatives.

    `law` is any object with the methods ::

        value(y, eta)       loss of each sample, convex and smooth in eta
        gradient(y, eta)    its derivative in eta
        curvature(y, eta)   its second derivative

    which take two arrays of shape (n,) and return one of that shape, and optionally ::

        conjugate(y, v)     sup over eta of v eta - value(y, eta), infinite outside its domain;
                            without it Newton's method computes it, at some cost
        mean(eta)           result of predict(kind="response"); without it eta itself
        name                a string that is not the name of a family of this package

    An exception raised in these methods ends the fit and reaches the caller.

    Parameters
    ----------
    law : object
        An object as above, not its class.
    y : sequence of float, default ()
        Responses at which derivatives are compared with differences of the value now. The
        responses of a fit are checked before it starts.

    Returns
    -------
    Family
        The same family as ``family=law``.

    Raises
    ------
    TypeError, ValueError
        If a method is missing, or a derivative does not belong to the value: which and where.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> class LogCosh:
    ...     name = "log-cosh"
    ...     def value(self, y, eta):
    ...         return np.logaddexp(eta - y, y - eta) - np.log(2)
    ...     def gradient(self, y, eta):
    ...         return np.tanh(eta - y)
    ...     def curvature(self, y, eta):
    ...         return 1 - np.tanh(eta - y) ** 2
    >>> family = ss.families.from_object(LogCosh())
    >>> family
    Family(name='log-cosh')
    >>> loss = family.loss(np.array([1.0, 3.0]), np.array([0.5, 0.5]))  # responses and weights
    >>> value, residual = loss.at(np.array([2.0, 0.0]))
    >>> print(f"{value:.4f}", residual.round(4))
    1.3716 [-0.3808  0.4975]

    A derivative that is none:

    >>> class Square:
    ...     def value(self, y, eta):
    ...         return (y - eta) ** 2 / 2
    ...     def gradient(self, y, eta):
    ...         return eta - y
    ...     def curvature(self, y, eta):
    ...         return 0.0 * eta
    >>> ss.families.from_object(Square(), y=[0, 1])
    Traceback (most recent call last):
    ...
    ValueError: Square: curvature is ... but gradient rises by 1 per unit of eta there; ...
    """
    if isinstance(law, type):
        raise TypeError(f"family is the class {law.__name__}; pass an object, {law.__name__}()")
    name = getattr(law, "name", type(law).__name__)
    if not isinstance(name, str):
        raise TypeError(f"name of the family's object must be a string, not {name!r}")
    if name.partition("(")[0] in {*LOSSES, *KINKED}:
        raise ValueError(f"name of the family's object is {name!r}, which is taken; give another")
    check_derivatives(law, name, y)
    return Family(name, partial(PythonLoss, law=law), partial(_read_for, law, name),
                  getattr(law, "mean", identity))  # fmt: skip


def _read_for(law, name, y, n):
    """Read real responses, after checking the object's derivatives at a few of them."""
    response = read_real(y, n)
    few = np.quantile(response.values, np.linspace(0, 1, 5), method="nearest") if n else []
    check_derivatives(law, name, np.unique(few))
    return response

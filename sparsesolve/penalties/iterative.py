"""Penalties with an iterative prox as parts of others, and what their duals prove.

    (lam P)*(z) <= curvature |z / curvature - xi|^2 / 2,   xi in alpha / ridge times the ball

for P with a ridge part (``whole.py``). A prox that ends early is not the point at which a
conjugate is attained, so that its value is too small. What its dual point proves is never too
small (`dual_of_prox` in ``penalty.py``). The dual point of a sum over disjoint parts is that of
each. A part with an exact prox has subtracted a point of the ball itself.
"""

from typing import Any

import numpy as np


def ends_early(omega: Any) -> bool:
    """Return True if the prox of `omega` is iterative, and not exact."""
    return hasattr(omega, "dual_of_prox")


def prox_of_part(omega: Any, v: np.ndarray, t: float, near: Any) -> tuple[np.ndarray, Any]:
    """Return the prox of a part, and where it ended, from where the last one did or None."""
    if ends_early(omega):
        return omega.prox_near(v, t, near)
    if hasattr(omega, "prox_near"):
        b, start = omega.prox_near(v, t, None if near is None else near[1])
    else:
        b, start = omega.prox(v, t), None
    return b, (v - b, start)


def dual_of_part(omega: Any, near: Any, t: float) -> np.ndarray:
    """Return the point of t times the part's dual ball that the prox ended there tells."""
    return omega.dual_of_prox(near, t) if ends_early(omega) else near[0]

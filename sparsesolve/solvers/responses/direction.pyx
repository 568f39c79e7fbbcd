"""Newton directions for K responses, on the coefficients at which the penalty is smooth.

    solve (Z'F''(eta)Z + lam Omega''(B)) D = rest,   D = 0 outside the mask

Given: a ResponseDescent, a mask of coefficients and the gradient `rest` there. Returned: D and a
step length. The method is conjugate gradients with products of the true curvature. They are in
single precision as long as this still reduces the gradient. Invariant: D = 0 outside the mask.
Reference: Nocedal and Wright 2006, section 7.1.
"""

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.solvers.responses.conjugate_gradients import (
    Preconditioner,
    by_diagonal,
    conjugate_gradients,
    rounding_floor,
)
from sparsesolve.solvers.responses.paired import PairedCurvature

STANDARDISED_PRODUCT = costs.rounding.STANDARDISED_PRODUCT
# The most conjugate gradient steps for a direction; after these, a new direction is cheaper.
STEPS = 60
OLD_PRECONDITIONER = costs.responses.OLD_PRECONDITIONER
GAINED = costs.responses.GAINED
LEAST_RESIDUAL = costs.responses.LEAST_RESIDUAL
CURVATURE = costs.rounding.CURVATURE
FORCING = costs.newton.FORCING


class NewtonDirection:
    """The state that is kept from one Newton direction to the next."""

    def __init__(self):
        self.preconditioner = Preconditioner(single=True)
        self.slow = False  # True if the last direction took many steps
        self.steps = 0  # conjugate gradient steps so far
        self.at_new_level()

    def at_new_level(self):
        """Reset the precision at a new lam, where single precision is worth another try."""
        self.single, self.left = True, np.inf

    def of(self, d, lam, mask, rest, goal):
        """Return the direction (K, m) for the columns of a ResponseDescent, and its step length.

        The direction is zero outside the mask. The length is 1; if the direction has no curvature,
        it is the distance to the first coefficient that becomes zero. `goal` is the gap to reach,
        and it sets the accuracy. A gradient of size r that remains shrinks the dual point by about
        r / lam, which adds about r |B|_1 to the gap.
        """
        step = np.zeros_like(rest)
        if d.shared.scattered and not d.net.grouped:
            step[mask], length = self._separately(d, lam, mask, rest[mask], goal)
            return step, length
        places = np.flatnonzero(np.logical_or.reduce(mask, axis=0)).astype(np.intc)
        step[:, places], length = self._iterate(
            d, lam, places, mask.take(places, axis=1), rest.take(places, axis=1), goal
        )
        return step, length

    def _separately(self, d, lam, mask, rest, goal):
        """Return direction and length for single coefficients of sparse columns, on the mask."""
        curvature = PairedCurvature(d.columns, mask, *d.loss.curvature_parts(d.u))
        l1, l2 = (lam * np.asarray(x) for x in (d.net.l1, d.net.l2))
        diagonal, ridge = curvature.diagonal(), np.broadcast_to(l2, mask.shape)[mask]
        diagonal = np.maximum(diagonal, CURVATURE * diagonal.max())
        inverse = 1.0 / (diagonal + ridge)
        loose = np.flatnonzero(mask.all(axis=0) & (l1 > 0.0) & (l2 == 0.0) & d.loss.symmetric)
        places = np.zeros(mask.shape, dtype=np.intp)
        places[mask] = np.arange(len(rest))
        places = places[:, loose]
        level = diagonal[places].mean(axis=0)

        def product(x):
            out = curvature.product(x) + ridge * x
            out[places] += level * x[places].mean(axis=0)
            return out

        enough = max(_enough(d, rest, goal) * np.vdot(rest, inverse * rest),
                     STANDARDISED_PRODUCT**2 * inverse.sum())
        step, count, flat = conjugate_gradients(product, lambda x: inverse * x, rest, enough, STEPS)
        self.steps += count
        return step, _to_the_first_zero(d.B[mask], step) if flat else 1.0

    def _iterate(self, d, lam, places, mask, rest, goal):
        most = np.abs(rest).max()
        self.single = self.single and most < GAINED * self.left
        self.left = most
        l1, l2 = (lam * np.asarray(x)[places] for x in (d.net.l1, d.net.l2))
        scales, diagonal = d.scales(), d.shared.squares[places]
        B, unit, curvature = d.B.take(places, axis=1), None, 0.0
        if d.net.grouped:
            norms = np.sqrt((B**2).sum(axis=0))
            norms[norms == 0.0] = 1.0
            unit, curvature = B / norms, l1 / norms
        # If a softmax row is in the mask for all responses, F is constant along (1, ..., 1), and
        # the l1 norm is linear. The objective has no curvature there, so `level` adds that of the
        # model along this direction and thereby bounds the step.
        loose = mask.all(axis=0) & (l1 > 0.0) & (l2 == 0.0)
        loose = loose & (d.loss.symmetric and not d.net.grouped)
        penalty, level = (l2 + curvature, unit, curvature), scales.mean() * diagonal * loose
        if d.shared.scattered:
            precondition = by_diagonal(d.columns.some(places).squares(d.diagonal), unit, l2,
                                       curvature)
        elif d.net.grouped:
            precondition = self.preconditioner.grouped(
                d.shared.gram, places, scales, unit, l2, curvature, self.slow
            )
        else:
            precondition = self.preconditioner.separate(d.shared.gram, places, mask, scales, l2)
        product = _product(d, places, mask, self.single, penalty, level)
        enough = max(
            _enough(d, rest, goal) * np.vdot(rest, precondition(rest)),
            rounding_floor(mask, scales, diagonal),
        )
        step, count, flat = conjugate_gradients(product, precondition, rest, enough, STEPS)
        self.steps += count
        self.slow = count > OLD_PRECONDITIONER
        return step, _to_the_first_zero(B, step) if flat else 1.0


def _enough(d, rest, goal):
    """Return the relative square of the residual at which conjugate gradients may stop."""
    digits = 0.2 * goal / max(np.abs(d.B[:, d.which >= 0]).sum(), 1e-300)
    most = np.abs(rest).max()
    return min(max(digits / most if most > digits else 1.0, LEAST_RESIDUAL), FORCING) ** 2


def _product(d, places, mask, single, penalty, level):
    """Return the map D -> (Z'F''(eta)Z + lam Omega'') D on the mask.

    `level` is added to the curvature along (1, ..., 1).
    """
    part = d.columns.some(places, single)
    ridge, unit, curvature = penalty

    def product(D):
        image = d.loss.curvature_product(d.eta, part.combine(D))
        out = part.correlate(image) + ridge * D
        out += level * D.mean(axis=0)
        if unit is not None:
            out -= unit * (curvature * (unit * D).sum(axis=0))
        out *= mask
        return out

    return product


def _to_the_first_zero(B, step):
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(step * B < 0.0, -B / step, np.inf)
    return min(lengths.min(initial=np.inf), 1e6)

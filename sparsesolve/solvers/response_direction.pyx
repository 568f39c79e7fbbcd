"""Newton directions for K responses, on the coefficients at work: those whose penalty is smooth.

    (Z'F''(eta)Z + lam Omega''(B)) D = rest,   D = 0 off the mask

by conjugate gradients with products of the true curvature, in single precision while that gains.
"""

import numpy as np

from sparsesolve.solvers.response_hessian import whole_step
from sparsesolve.solvers.response_newton import (
    Preconditioner,
    conjugate_gradients,
    rounding_floor,
)

STEPS = 60
SLOW = 20  # steps that tell that the preconditioner is too old
GAINED = 0.5  # of what was left before the last direction: it was worth its single precision
DIGITS = 1e-3  # what to leave of the residual: for less the quadratic is too far from F
DIRECT = 150  # coefficients up to which their Hessian is factored as it is
LOOSE = 0.1  # and for more another direction is cheaper


class NewtonDirection:
    """What is kept from one direction to the next."""

    def __init__(self):
        self.preconditioner = Preconditioner(single=True)
        self.slow = False  # whether the last one took many steps
        self.steps = 0  # of conjugate gradients, so far
        self.at_new_level()

    def at_new_level(self):
        """Another lam: single precision is worth a try again."""
        self.single, self.left = True, np.inf

    def of(self, d, lam, places, mask, rest, digits):
        """The direction (K, count) for the columns `places` of a ResponseDescent, and its length.

        The length is 1, or where nothing bends along it the way to the first zero.
        """
        most = np.abs(rest).max()
        self.single = self.single and most < GAINED * self.left
        self.left = most
        l1, l2 = (lam * np.asarray(x)[places] for x in (d.net.l1, d.net.l2))
        scales, diagonal = d.scales(), d.shared.squares[places]
        B, unit, bent = d.B.take(places, axis=1), None, 0.0
        if d.net.grouped:
            norms = np.sqrt((B**2).sum(axis=0))
            norms[norms == 0.0] = 1.0
            unit, bent = B / norms, l1 / norms
        # A row at work in all responses of a softmax moves freely along (1, ..., 1), but for its
        # l1 norm, which is a line there: that direction is bounded as it is in the model.
        loose = mask.all(axis=0) & (l1 > 0.0) & (l2 == 0.0)
        loose = loose & (d.loss.symmetric and not d.net.grouped)
        penalty, level = (l2 + bent, unit, bent), scales.mean() * diagonal * loose
        if np.count_nonzero(mask) <= DIRECT:
            part = d.columns.some(places)
            step = whole_step(d.loss, d.eta, part, mask, rest, *penalty, level)
            if step is not None:
                self.steps += 1
                return step, 1.0
        if d.net.grouped:
            precondition = self.preconditioner.grouped(
                d.shared.gram, places, scales, unit, l2, bent, self.slow
            )
        else:
            precondition = self.preconditioner.separate(d.shared.gram, places, mask, scales, l2)
        product = _product(d, places, mask, self.single, penalty, level)
        enough = min(max(digits / most if most > digits else 1.0, DIGITS), LOOSE) ** 2
        enough = max(
            enough * np.vdot(rest, precondition(rest)), rounding_floor(mask, scales, diagonal)
        )
        step, count, flat = conjugate_gradients(product, precondition, rest, enough, STEPS)
        self.steps += count
        self.slow = count > SLOW
        return step, _to_the_first_zero(B, step) if flat else 1.0


def _product(d, places, mask, single, penalty, level):
    """D -> (Z'F''(eta)Z + Omega'') D on the mask; `level` is added along (1, ..., 1)."""
    part = d.columns.some(places, single)
    kind = np.float32 if single else np.float64
    ridge, unit, bent = penalty

    def product(D):
        image = d.loss.curvature_product(d.eta, part.combine(D.astype(kind)))
        out = part.correlate(image.astype(kind)) + ridge * D
        out += level * D.mean(axis=0)
        if unit is not None:
            out -= unit * (bent * (unit * D).sum(axis=0))
        out *= mask
        return out

    return product


def _to_the_first_zero(B, step):
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(step * B < 0.0, -B / step, np.inf)
    return min(lengths.min(initial=np.inf), 1e6)

"""Newton directions for K responses, on the coefficients at which the penalty is smooth.

    solve H D = G,   H = Z'F''(eta)Z + lam Omega''(B),   D = 0 outside the mask

Given: a ResponseDescent, a mask of coefficients and the gradient G there. Returned: D and a
step length. The method is preconditioned conjugate gradients with products of the true curvature.
Invariant: D = 0 outside the mask, and residual = G - H D.
The preconditioner is the diagonal of H; a grouped penalty has it along the rows' directions and
across them. Factors of a Gram matrix in its place cost as much as the steps that they save.
Reference: Nocedal and Wright 2006, section 7.1.
"""

import numpy as np

from sparsesolve.solvers.tolerances import FORCING


def conjugate_gradients(product, precondition, rhs, enough, most):
    """Solve until the preconditioned square of the residual is at most `enough`.

    Return (D, steps, flat). `flat` is True if the first direction has no curvature; D is then this
    direction.
    """
    solution, residual = np.zeros_like(rhs), rhs.copy()
    ahead = precondition(residual)
    square = np.vdot(residual, ahead)
    step = ahead
    for count in range(most):
        if square <= enough:
            return solution, count, False
        image = product(step)
        curvature = np.vdot(step, image)
        # columns depend on one another along it
        if curvature <= 1e-9 * square:
            return (solution, count, False) if count else (step, 1, True)
        length = square / curvature
        solution += length * step
        residual -= length * image
        ahead = precondition(residual)
        previous, square = square, np.vdot(residual, ahead)
        step = ahead + (square / previous) * step
    return solution, most, False


def rounding_floor(mask, scales, diagonal):
    """Return the preconditioned square of a residual of mere rounding, for gradients near 1."""
    places = np.maximum(diagonal, 1e-300) * np.maximum(scales, 1e-300)[:, None]
    # rounding of a product with a standardised column
    return 2e-16**2 * (mask / places).sum()


def by_diagonal(diagonal, unit, ridge, curvature):
    """Return a preconditioner from the diagonal (K, count) of the curvature.

    It suits columns that are nearly orthogonal. The rows have directions `unit`, and the penalty's
    curvature is ridge + curvature (I - unit unit').
    """
    along = np.maximum((unit**2 * diagonal).sum(axis=0) + ridge, 1e-30)
    across = np.maximum(diagonal + ridge + curvature, 1e-30)

    def apply(x):
        length = (unit * x).sum(axis=0)
        apart = (x - unit * length) / across
        return apart + unit * (length / along - (unit * apart).sum(axis=0))

    return apply


def newton_direction(d, lam, mask, gradient, goal):
    """Return the direction (K, m) for the columns of a ResponseDescent, its step length, and the
    number of conjugate gradient steps.

    The direction is zero outside the mask. The length is 1; if the direction has no curvature,
    it is the distance to the first coefficient that becomes zero. `goal` is the gap to reach,
    and it sets the accuracy. A gradient of size r that remains shrinks the dual point by about
    r / lam, which adds about r |B|_1 to the gap.
    """
    places = np.flatnonzero(np.logical_or.reduce(mask, axis=0)).astype(np.intc)
    B, mask, gradient = (x.take(places, axis=1) for x in (d.B, mask, gradient))
    l1, l2 = (lam * np.asarray(x)[places] for x in (d.net.l1, d.net.l2))
    scales, squares = d.scales(), d.shared.squares[places]
    unit, curvature = np.zeros_like(B), 0.0  # of coefficients one by one
    if d.net.grouped:
        norms = np.sqrt((B**2).sum(axis=0))
        norms[norms == 0.0] = 1.0
        unit, curvature = B / norms, l1 / norms
    # If a softmax row is in the mask for all responses, F is constant along (1, ..., 1), and
    # the l1 norm is linear. The objective has no curvature there, so `added` adds that of the
    # model along this direction and thereby bounds the step.
    linear = mask.all(axis=0) & (l1 > 0.0) & (l2 == 0.0)
    linear = linear & (d.loss.symmetric and not d.net.grouped)
    penalty, added = (l2 + curvature, unit, curvature), scales.mean() * squares * linear
    diagonal = np.outer(scales, squares)
    if d.shared.scattered:
        diagonal = d.columns.some(places).squares(d.diagonal)
    precondition = by_diagonal(diagonal, unit, l2, curvature)
    product = _product(d, places, mask, penalty, added)
    enough = max(
        _enough(d, gradient, goal) * np.vdot(gradient, precondition(gradient)),
        rounding_floor(mask, scales, squares),
    )
    # After 60 steps a new direction is cheaper.
    found, count, flat = conjugate_gradients(product, precondition, gradient, enough, 60)
    step = np.zeros_like(d.B)
    step[:, places] = found
    return step, _to_the_first_zero(B, found) if flat else 1.0, count


def _enough(d, gradient, goal):
    """Return the relative square of the residual at which conjugate gradients may stop."""
    digits = 0.2 * goal / max(np.abs(d.B[:, d.which >= 0]).sum(), 1e-300)
    most = np.abs(gradient).max()
    # The least relative residual of a direction: for less the quadratic is too far from F.
    return min(max(digits / most if most > digits else 1.0, 1e-3), FORCING) ** 2


def _product(d, places, mask, penalty, added):
    """Return the map D -> (Z'F''(eta)Z + lam Omega'') D on the mask.

    `added` is curvature that is added along (1, ..., 1).
    """
    part = d.columns.some(places)
    ridge, unit, curvature = penalty

    def product(D):
        image = d.loss.curvature_product(d.eta, part.combine(D))
        out = part.correlate(image) + ridge * D
        out += added * D.mean(axis=0)
        if np.ndim(curvature):
            out -= unit * (curvature * (unit * D).sum(axis=0))
        out *= mask
        return out

    return product


def _to_the_first_zero(B, step):
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(step * B < 0.0, -B / step, np.inf)
    return min(lengths.min(initial=np.inf), 1e6)

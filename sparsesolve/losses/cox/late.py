"""How far Cox's partial likelihood lies above a supporting line where some enter late.

Then F' is not to be inverted event by event, and the point of contact is looked for.
"""

from functools import partial

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg

EPSILON = np.finfo(np.float64).eps
STEPS, HALVINGS = 50, 40  # Newton's, and of one of them
CLOSE = 1e-4  # relative residual of a step
DONE = 1e-14  # gain of a step, of the loss


def excess(loss, eta, u):
    """F(eta) + F*(-u) + eta'u = max over d of F(eta) - F(eta + d) - u'd, by Newton's steps.

    What one more step would add is added, or where rounding leaves none what the rest of the slope
    may cost; inf where the steps do not end.
    """
    eta, u, n = np.array(eta), np.array(u), len(eta)
    here, slope = loss.at(eta)
    if not u.any():
        return here - loss.saturated
    value, moved = here, np.zeros(n)
    for _ in range(STEPS):
        point, pull = eta + moved, slope - u
        above = max(here - value - float(u @ moved), 0.0)
        cost = float(np.abs(pull) @ (1.0 + np.abs(point)))
        if cost <= DONE * (1.0 + abs(here)):
            return above + cost
        step = _newton(loss, point, pull)
        gain = 0.5 * abs(float(pull @ step))
        if gain <= DONE * (1.0 + abs(here)):
            return above + 2.0 * gain
        t = 1.0
        for _ in range(HALVINGS):
            reached, slope = loss.at(point + t * step)
            if reached + t * float(u @ step) < value:
                break
            t *= 0.5
        else:
            return above + cost
        moved, value = moved + t * step, reached
    return np.inf


def _newton(loss, point, pull):
    """The step that takes the pull away, but where a risk is all but 0."""
    h = loss.curvature_at(point)
    bent = h > EPSILON * h.max(initial=0.0)
    inverse = sparse.diags_array(np.where(bent, 1.0 / np.where(bent, h, 1.0), 0.0))
    second = LinearOperator((len(h), len(h)), partial(loss.curvature_product, point))
    return cg(second, np.where(bent, pull, 0.0), rtol=CLOSE, maxiter=5 * len(h), M=inverse)[0]

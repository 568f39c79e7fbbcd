"""How far Cox's partial likelihood lies above a supporting line where some enter late.

Then F' is not to be inverted event by event, and the point of contact is looked for.
"""

from functools import partial

import numpy as np

EPSILON = np.finfo(np.float64).eps
STEPS, HALVINGS = 50, 40  # Newton's, and of one of them
SHORT, LOST = 0.01, 4  # of a step, and so many in a row after which the maximum is nowhere near
DONE = 1e-14  # gain of a step, of the loss, or what n additions may lose
CLOSE = 1e-7  # of a step's gain: what may be missing of it
LOOK = 5  # conjugate directions that have to gain less for that
FLAT = 1e-13  # curvature along a direction, over the diagonal's: less is rounding


def excess(loss, eta, u):
    """F(eta) + F*(-u) + eta'u = max over d of F(eta) - F(eta + d) - u'd, by Newton's steps.

    What one more step would add is added, or where rounding leaves none what the rest of the slope
    may cost; inf where the steps do not end, or stay short, as where F* is infinite, and far from
    eta: the bound would be large, and of no use.
    """
    eta, u, n = np.array(eta), np.array(u), len(eta)
    here, slope = loss.at(eta)
    if not u.any():
        return here - loss.saturated
    value, moved, short = here, np.zeros(n), 0
    done = max(DONE, n * EPSILON) * (1.0 + abs(here))
    for _ in range(STEPS):
        point, pull = eta + moved, slope - u
        above = max(here - value - float(u @ moved), 0.0)
        cost = float(np.abs(pull) @ (1.0 + np.abs(point)))
        if cost <= done:
            return above + cost
        h = loss.curvature_at(point)
        bent = h > EPSILON * h.max(initial=0.0)
        step = _newton(partial(loss.curvature_product, point), np.where(bent, h, 0.0),
                       np.where(bent, pull, 0.0), 0.1 * done)  # fmt: skip
        gain = 0.5 * abs(float(pull @ step))
        if gain <= done:
            return above + 2.0 * gain + float(np.abs(pull) @ (~bent * (1.0 + np.abs(point))))
        t = 1.0
        for _ in range(HALVINGS):
            reached, slope = loss.at(point + t * step)
            if reached + t * float(u @ step) < value:
                break
            t *= 0.5
        else:
            return above + cost
        moved, value = moved + t * step, reached
        short = short + 1 if t < SHORT else 0
        if short == LOST:
            break
    return np.inf


def _newton(second, h, pull, nothing):
    """The step that takes the pull away, `second` multiplying by F'', whose diagonal is h.

    Conjugate gradients, scaled by the diagonal, until they gain no more than `nothing` or all but
    nothing. Along directions in which F'' is flat the pull is rounding, and no way leads far
    enough: one is taken only where there is no other.
    """
    inverse = np.divide(1.0, h, out=np.zeros_like(h), where=h > 0.0)
    step, along, gains, total, before = np.zeros_like(h), np.zeros_like(h), [], 0.0, 1.0
    for _ in range(len(h)):
        scaled = inverse * pull
        square = float(pull @ scaled)
        along = scaled + square / before * along
        image = second(along)
        bend, least = float(along @ image), FLAT * float(h @ along**2)
        if square == 0.0 or (bend <= least and gains):
            break
        t = square / max(bend, least)
        step += t * along
        pull = pull - t * image
        gains.append(0.5 * t * square)
        total += gains[-1]
        small = len(gains) >= LOOK and sum(gains[-LOOK:]) <= max(CLOSE * total, nothing)
        if small or bend <= least:
            break
        before = square
    return step

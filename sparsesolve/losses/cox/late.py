"""The Fenchel-Young gap of Cox's partial likelihood if some samples enter late.

F' then cannot be inverted event by event, so the point of contact is found by Newton's method.
"""

from functools import partial

import numpy as np

# The machine epsilon, of which bounds on rounding errors are multiples.
EPSILON = np.finfo(np.float64).eps
# If LOST steps in a row are shorter than SHORT times the Newton step, the maximum is far away.
SHORT, LOST = 0.01, 4
# The search ends if a step gains at most this relative to the loss, or as much as the rounding
# error of n additions.
DONE = 1e-14
# Conjugate gradients stop if the missing gain is at most this share of the gain of the step.
CLOSE = 1e-7
# The gain of the last LOOK conjugate directions estimates the missing gain.
LOOK = 5
# A curvature along a direction below this multiple of the diagonal's is rounding error.
FLAT = 1e-13


def excess(loss, eta, u, capped=False):
    """Return F(eta) + F*(-u) + eta'u = max over d of F(eta) - F(eta + d) - u'd, by Newton steps.

    The possible gain of one more step is added. If rounding leaves none, the possible cost of the
    remaining slope is added instead. Returns infinity if the steps do not end or stay short, as
    they do if F* is infinite, and also far from eta, where the bound would be large and useless.

    capped: the caller has the dual point 0 too, where the excess is the loss itself. Return
    infinity once this one is found to be larger, or a step's model promises that it is.
    """
    eta, u, n = np.array(eta), np.array(u), len(eta)
    here, slope = loss.at(eta)
    if not u.any():
        return here - loss.saturated
    value, moved, short = here, np.zeros(n), 0
    most = here - loss.saturated if capped else np.inf
    done = max(DONE, n * EPSILON) * (1.0 + abs(here))
    for _ in range(50):
        point, pull = eta + moved, slope - u
        above = max(here - value - float(u @ moved), 0.0)
        if above > most:
            return np.inf
        cost = float(np.abs(pull) @ (1.0 + np.abs(point)))
        if cost <= done:
            return above + cost
        h = loss.curvature_at(point)
        curved = h > EPSILON * h.max(initial=0.0)
        step = _newton(partial(loss.curvature_product, point), np.where(curved, h, 0.0),
                       np.where(curved, pull, 0.0), 0.1 * done, most - above)  # fmt: skip
        if step is None:
            return np.inf
        gain = 0.5 * abs(float(pull @ step))
        if gain <= done:
            return above + 2.0 * gain + float(np.abs(pull) @ (~curved * (1.0 + np.abs(point))))
        t = 1.0
        for _ in range(40):
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


def _newton(second, h, pull, nothing, most):
    """Return a Newton step for the gradient `pull`; `second` multiplies by F'', with diagonal h.

    Return None once the model gains more than `most`.

    Conjugate gradients, preconditioned by the diagonal, run until the missing gain is at most
    `nothing` or negligible. Along directions in which F'' is flat the gradient is rounding error,
    so such a direction is used only if there is no other.
    """
    inverse = np.divide(1.0, h, out=np.zeros_like(h), where=h > 0.0)
    step, along, gains, total, before = np.zeros_like(h), np.zeros_like(h), [], 0.0, 1.0
    for _ in range(len(h)):
        scaled = inverse * pull
        square = float(pull @ scaled)
        along = scaled + square / before * along
        image = second(along)
        curvature, least = float(along @ image), FLAT * float(h @ along**2)
        if square == 0.0 or (curvature <= least and gains):
            break
        t = square / max(curvature, least)
        step += t * along
        pull = pull - t * image
        gains.append(0.5 * t * square)
        total += gains[-1]
        if total > most:
            return None
        small = len(gains) >= LOOK and sum(gains[-LOOK:]) <= max(CLOSE * total, nothing)
        if small or curvature <= least:
            break
        before = square
    return step

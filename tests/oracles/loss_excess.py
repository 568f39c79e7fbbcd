"""F(eta) + F*(-u) + u'eta >= 0: what a dual point leaves of a loss whose conjugate has no formula.

By a search in an interval, sample by sample, for the slope of the loss; for Cox's likelihood by
relative entropies of risk sets. It shares no line with the package.
"""

import numpy as np
from scipy.special import logsumexp


def separable(loss, y, w, eta, u):
    """sum_i w_i sup_t [l(eta_i) - l(t) + v_i (t - eta_i)],  v = -u / w."""
    return w @ above(loss, y, eta, -u / w)


def above(loss, y, eta, v):
    """l(eta) less the line of slope v that touches it, sample by sample; inf where none does."""
    if not v.any():
        return loss.value(y, eta) - loss.saturated(y)
    low, high = eta.copy(), eta.copy()
    for k in range(12):
        short, far = loss.slope(y, high) < v, loss.slope(y, low) > v
        if not (short | far).any():
            break
        high, low = np.where(short, high + 2.0**k, high), np.where(far, low - 2.0**k, low)
    bounded = (loss.slope(y, high) >= v) & (loss.slope(y, low) <= v)
    at = np.clip(eta, low, high)
    for _ in range(80):
        off = loss.slope(y, at) - v
        low, high = np.where(off < 0, at, low), np.where(off < 0, high, at)
        with np.errstate(all="ignore"):
            step = at - off / loss.bend(y, at)
        inside = (step > low) & (step < high)
        new = np.where(off == 0, at, np.where(inside, step, 0.5 * (low + high)))
        if (abs(new - at) <= 1e-16 * (1 + abs(at))).all():
            break
        at = new
    lost = loss.value(y, eta) - loss.value(y, at) + v * (at - eta)
    lost = np.where(v == 0, loss.value(y, eta) - loss.saturated(y), lost)
    return np.where(bounded | (v == 0), np.maximum(lost, 0.0), np.inf)


def cox(y, w, eta, s, at):
    """The same of u = -s F'(at) for Breslow's likelihood.

    At each time of death the weights of those who die are to be met by q, the shares of those at
    risk. A multiple s of the slope q - a is that of s q + (1 - s) a, and what is lost the relative
    entropy of that and q.
    """
    time, died, log_w = y[:, 0], y[:, 1] > 0, np.log(w)
    total = 0.0
    for t in np.unique(time[died]):
        risk = time >= t
        level, other = log_w[risk] + eta[risk], log_w[risk] + at[risk]
        log_q, log_p = level - logsumexp(level), other - logsumexp(other)
        dead = np.where(died & (time == t), w, 0.0)[risk]
        mixed = s * np.exp(log_p) + (1 - s) * dead / dead.sum()
        log_mixed = np.log(np.where(mixed > 0, mixed, 1.0)) if s < 1 else log_p
        total += dead.sum() * (mixed @ np.where(mixed > 0, log_mixed - log_q, 0.0))
    return max(total, 0.0)

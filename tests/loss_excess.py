"""What a dual point leaves of a loss whose conjugate has no formula: F(eta) + F*(-u) + u'eta >= 0.

By bisection, sample by sample, for the slope of the loss; for Cox's partial likelihood by relative
entropies of risk sets. It shares no line with the package.
"""

import numpy as np


def separable(loss, y, w, eta, u):
    """sum_i w_i sup_t [l(eta_i) - l(t) + v_i (t - eta_i)],  v = -u / w."""
    v = -u / w
    low, high = eta.copy(), eta.copy()
    for k in range(12):
        high = np.where(loss.slope(y, high) < v, high + 2.0**k, high)
        low = np.where(loss.slope(y, low) > v, low - 2.0**k, low)
    bounded = (loss.slope(y, high) >= v) & (loss.slope(y, low) <= v)
    for _ in range(80):
        middle = 0.5 * (low + high)
        below = loss.slope(y, middle) < v
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    lost = loss.value(y, eta) - loss.value(y, high) + v * (high - eta)
    lost = np.where(v == 0, loss.value(y, eta) - loss.saturated(y), lost)
    return w @ np.where(bounded | (v == 0), np.maximum(lost, 0.0), np.inf)


def cox(y, w, eta, s):
    """The same of u = -s F'(eta) for Breslow's likelihood.

    At each time of death the weights of those who die are to be met by q, the shares of those at
    risk. A multiple s of the slope q - a is that of s q + (1 - s) a, and what is lost the relative
    entropy of that and q.
    """
    time, died = y[:, 0], y[:, 1] > 0
    total = 0.0
    for t in np.unique(time[died]):
        risk = time >= t
        rate = w[risk] * np.exp(eta[risk] - eta[risk].max())
        q, dead = rate / rate.sum(), np.where(died & (time == t), w, 0.0)[risk]
        log_q = np.log(w[risk] / rate.sum()) + eta[risk] - eta[risk].max()
        mixed = s * q + (1 - s) * dead / dead.sum()
        log_mixed = np.log(np.where(mixed > 0, mixed, 1.0)) if s < 1 else log_q
        total += dead.sum() * (mixed @ np.where(mixed > 0, log_mixed - log_q, 0.0))
    return max(total, 0.0)

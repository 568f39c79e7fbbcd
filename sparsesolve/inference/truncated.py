"""Truncated normal laws, plain and after added noise: distribution functions and intervals.

    selective   T ~ N(theta, v)  given  lo <= T <= hi
    carved      T ~ N(theta, v)  given  lo <= T + W <= hi, where W ~ N(0, d) is independent of T

Given: the observed x of T. Returned: the logit of F_theta(x), which is nearly linear in theta and
holds both tails to full precision, and the two theta at which F is 1 - a/2 and a/2.

Masses are taken relative to the density at x, so that the squares of far arguments cancel: with
z = (x - theta) / sqrt(v), the mass left of x is that density times G(z, (x - lo) / sqrt(v)),

    G(z, w) = integral over u from 0 to w of exp(z u - u^2 / 2),

and the mass right of x is that of G(-z, (hi - x) / sqrt(v)).

References: Lee, Sun, Sun, Taylor (2016), "Exact post-selection inference, with application to the
lasso"; Fithian, Sun, Taylor (2014), "Optimal inference after model selection" (carving).
"""

from functools import cached_property

import numpy as np
from scipy import special

# Gauss-Legendre nodes on [0, 1], for ranges over which the exponent changes by a few units, and
# for half of a carved density. 128 of them over REACH integrate exp(-c u) up to c = 40 fully.
NODES, WEIGHTS = ((a + b) / 2 for a, b in zip(special.roots_legendre(20), (1.0, 0.0), strict=True))
HALF, HALF_WEIGHTS = ((a + b) / 2 for a, b in zip(special.roots_legendre(128), (1.0, 0.0),
                                                  strict=True))  # fmt: skip
# A normal density has less than 1e-31 of its mass beyond this many standard deviations.
REACH = 12.0
ROOT_HALF_PI, HALF_ROOT, LOG_ROOT_2PI = np.sqrt(np.pi / 2), np.sqrt(0.5), np.log(2 * np.pi) / 2


def log_partial(z, w):
    """Return log G(z, w) and its derivative in z, for any z and any w > 0, also infinite ones."""
    z, w = np.broadcast_arrays(np.asarray(z, float), np.asarray(w, float))
    found, slope = np.empty(z.shape), np.empty(z.shape)
    short = w * (np.abs(z) + w) <= 4.0
    for which, part in ((short, _short_partial), (~short, _long_partial)):
        found[which], slope[which] = part(z[which], w[which])
    return found, slope


def _short_partial(z, w):
    u = w[:, None] * NODES
    parts = WEIGHTS * np.exp(u * (z[:, None] - u / 2))
    whole = parts.sum(axis=1)
    with np.errstate(divide="ignore"):
        return np.log(w) + np.log(whole), (parts * u).sum(axis=1) / whole


def _long_partial(z, w):
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        end = np.where(np.isinf(w), -np.inf, w * (z - w / 2))  # the exponent at w
        far = z - w
        # The exponent falls all the way, rises all the way, or has its top between.
        falling = special.erfcx(-z * HALF_ROOT) - np.exp(end) * special.erfcx(
            -np.minimum(far, 0.0) * HALF_ROOT)  # fmt: skip
        rising = special.erfcx(far * HALF_ROOT) - np.exp(-end) * special.erfcx(z * HALF_ROOT)
        between = z * z / 2 + np.log(2.0) + np.log1p(-special.ndtr(-z) - special.ndtr(far))
        found = np.select(
            [z <= 0.0, far >= 0.0], [np.log(falling), end + np.log(rising)], between
        ) + np.log(ROOT_HALF_PI)
        return found, z + np.exp(-found) - np.exp(end - found)


def log_mass(a, b):
    """Return log(Phi(b) - Phi(a)) for a < b; -inf where a >= b."""
    a, b = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float))
    flip = a > -b  # the end nearer to 0 becomes b, at most half of the mass is beyond it
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    found, tail, both = np.full(a.shape, -np.inf), (b > a) & (b <= 0.0), (b > a) & (b > 0.0)
    found[tail] = log_partial(b[tail], (b - a)[tail])[0] - b[tail] ** 2 / 2 - LOG_ROOT_2PI
    found[both] = np.log1p(-special.ndtr(a[both]) - special.ndtr(-b[both]))
    return found


class Truncated:
    """The laws of m estimates x (m,) of variance v (m,) given lo <= T <= hi (m,)."""

    def __init__(self, x, v, lo, hi):
        self.x, self.sd = x, np.sqrt(v)
        self.left, self.right = (x - lo) / self.sd, (hi - x) / self.sd

    def logit(self, theta):
        """Return the logit of F(x) at means theta (..., m), and its derivative."""
        z = (self.x - theta) / self.sd
        (below, up), (above, down) = log_partial(z, self.left), log_partial(-z, self.right)
        return below - above, -(up + down) / self.sd


class Carved:
    """The laws of m estimates x (m,) of variance v (m,) given lo <= T + W <= hi (m,).

    W has variance d (m,). The weight of T = t is the probability of the W that are left, a
    log-concave function. It does not depend on theta, so it is computed once, on both sides of x.
    """

    def __init__(self, x, v, lo, hi, d):
        self.x, self.sd, self.noise, self.lo, self.hi = x, np.sqrt(v), np.sqrt(d), lo, hi

    @cached_property
    def halves(self):
        """Logs of the weights (2, m, N) times those of the nodes, left and right of x."""
        more = np.log(REACH * HALF_WEIGHTS) - (REACH * HALF) ** 2 / 2
        u = REACH * np.concatenate([-HALF, HALF])
        return np.moveaxis(self._log_weight(u).reshape(-1, 2, len(HALF)), 1, 0) + more

    def _log_weight(self, u):
        """Return the log-probability (m, N) of the W that are left at T = x + u sd."""
        t = self.x[:, None] + self.sd[:, None] * u
        return log_mass(*((end[:, None] - t) / self.noise[:, None] for end in (self.lo, self.hi)))

    def logit(self, theta):
        """Return the logit of F(x) at means theta (..., m), and its derivative."""
        z, u = ((self.x - theta) / self.sd)[..., None], REACH * HALF
        left, mean, at = _log_sum(self.halves[0] + z * u, u)
        right, other, to = _log_sum(self.halves[1] - z * u, u)
        found, slope = left - right, -(mean + other) / self.sd
        for place in np.argwhere(HALF[np.maximum(at, to)] > 0.5):  # mass beyond the nodes
            place, j = tuple(place), place[-1]
            step = 1e-4 * self.sd[j]
            found[place] = self._far(j, theta[place])
            slope[place] = (self._far(j, theta[place] + step) - found[place]) / step
        return found, slope

    def _far(self, j, theta):
        """Return the logit where most of the mass is many standard deviations from x.

        All of it is that of T + W between the limits; the smaller part is near x.
        """
        one = Carved(*(part[j : j + 1] for part in (
            self.x, self.sd**2, self.lo, self.hi, self.noise**2)))  # fmt: skip
        z = (one.x[0] - theta) / one.sd[0]
        width = np.sqrt(z * z + 80.0) - abs(z)  # over which that part falls by exp(-40)
        u = width * HALF
        part = _log_sum(one._log_weight(np.sign(z) * u)[0] + np.log(width * HALF_WEIGHTS)
                        - abs(z) * u - u * u / 2, u)[0]  # fmt: skip
        spread = np.hypot(one.sd, one.noise)
        whole = log_mass((one.lo - theta) / spread, (one.hi - theta) / spread)[0]
        whole += z * z / 2 + LOG_ROOT_2PI  # relative to the density at x
        return -np.sign(z) * (part - whole - np.log1p(-np.exp(min(part - whole, -1e-300))))


def _log_sum(logs, u):
    """Return the logs of the sums of exp(logs) along the last axis, the mean u, and the place of
    the largest.
    """
    at = logs.argmax(axis=-1)
    top = np.take_along_axis(logs, at[..., None], axis=-1)
    parts = np.exp(logs - np.where(np.isfinite(top), top, 0.0))
    whole = parts.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(whole) + top[..., 0], parts @ u / whole, at


def pivots(law, theta):
    """Return F(x) (m,) at means theta: uniform given the event, where these are the true ones."""
    return special.expit(law.logit(theta + 0.0 * law.x)[0])


def p_values(law, theta=0.0):
    """Return two-sided p-values 2 min(F, 1 - F) of means theta."""
    return np.minimum(1.0, 2.0 * special.expit(-np.abs(law.logit(theta + 0.0 * law.x)[0])))


def intervals(law, level):
    """Return the ends (m,), (m,) of intervals of equal tails for the means.

    The logit falls in theta and is nearly linear: Newton's method, and a bisection where a step
    leaves the bracket of the ends seen so far.
    """
    tails = np.array([[1.0], [-1.0]])
    target, x, sd = special.logit(0.5 + level / 2) * tails, law.x, law.sd
    theta = x - tails * special.ndtri(0.5 + level / 2) * sd
    least, most = np.full(theta.shape, -np.inf), np.full(theta.shape, np.inf)
    for _ in range(300):
        value, slope = law.logit(theta)
        value, right = value - target, value > target  # the end is on the right of theta
        least, most = np.where(right, theta, least), np.where(right, most, theta)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            new, middle = theta - value / slope, (least + most) / 2
        farther = theta + np.where(right, 2.0, -2.0) * (np.abs(theta - x) + sd)
        new = np.where((least < new) & (new < most), new,
                       np.where(np.isfinite(middle), middle, farther))  # fmt: skip
        new = np.where(np.abs(value) <= 1e-11 * np.abs(target), theta, new)
        beyond = np.abs(new - x) > 2.0**60 * sd
        settled = np.abs(new - theta) <= 1e-13 * (np.abs(new) + sd)
        theta = new
        if (settled | beyond).all():
            break
    return np.where(beyond, np.copysign(np.inf, theta - x), theta)

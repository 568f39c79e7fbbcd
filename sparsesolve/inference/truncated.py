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
# Brackets of an end grow up to this many standard deviations.
FARTHEST = 2.0**60
# Ends are found to this relative error of the logit.
CLOSE = 1e-11
ROOT_HALF_PI = np.sqrt(np.pi / 2.0)


def log_partial(z, w):
    """Return log G(z, w) for any z and any w > 0, infinite ones included."""
    z, w = np.broadcast_arrays(np.asarray(z, float), np.asarray(w, float))
    found = np.empty(z.shape)
    short = w * (np.abs(z) + w) <= 4.0
    u = np.where(short, w, 0.0)[..., None] * NODES
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        found = np.log(w) + np.log((WEIGHTS * np.exp(z[..., None] * u - u * u / 2)).sum(axis=-1))
        end = np.where(np.isinf(w), -np.inf, w * (z - w / 2))  # the exponent at w
        far = z - w
        # The exponent falls all the way, rises all the way, or has its top between.
        falling = special.erfcx(-z / np.sqrt(2.0)) - np.exp(end) * special.erfcx(
            -np.minimum(far, 0.0) / np.sqrt(2.0))  # fmt: skip
        rising = special.erfcx(far / np.sqrt(2.0)) - np.exp(-end) * special.erfcx(
            z / np.sqrt(2.0))  # fmt: skip
        between = z * z / 2 + np.log(2.0) + np.log1p(-special.ndtr(-z) - special.ndtr(far))
        longer = np.select(
            [z <= 0.0, far >= 0.0], [np.log(falling), end + np.log(rising)], between
        ) + np.log(ROOT_HALF_PI)
    return np.where(short, found, longer)


def log_mass(a, b):
    """Return log(Phi(b) - Phi(a)) for a < b; -inf where a >= b."""
    a, b = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float))
    flip = a > -b  # the end nearer to 0 becomes b, at most half of the mass is beyond it
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        tail = log_partial(np.minimum(b, 0.0), b - a) - b * b / 2 - 0.5 * np.log(2.0 * np.pi)
        both = np.log1p(-special.ndtr(a) - special.ndtr(-b))
    return np.where(b > a, np.where(b > 0.0, both, tail), -np.inf)


class Truncated:
    """The laws of m estimates x (m,) of variance v (m,) given lo <= T <= hi (m,)."""

    def __init__(self, x, v, lo, hi):
        self.x, self.sd = x, np.sqrt(v)
        self.left, self.right = (x - lo) / self.sd, (hi - x) / self.sd

    def logit(self, theta):
        """Return the logit of F(x) at means theta (..., m)."""
        z = (self.x - theta) / self.sd
        return log_partial(z, self.left) - log_partial(-z, self.right)


class Carved:
    """The laws of m estimates x (m,) of variance v (m,) given lo <= T + W <= hi (m,).

    W has variance d (m,). The weight of T = t is the probability of the W that are left, a
    log-concave function. It does not depend on theta, so it is computed once, on both sides of x.
    """

    def __init__(self, x, v, lo, hi, d):
        self.x, self.sd, self.noise, self.lo, self.hi = x, np.sqrt(v), np.sqrt(d), lo, hi

    @cached_property
    def halves(self):
        """Logs of the weights (m, N) times those of the nodes, left and right of x."""
        more = np.log(REACH * HALF_WEIGHTS) - (REACH * HALF) ** 2 / 2
        return tuple(self._log_weight(sign * REACH * HALF) + more for sign in (-1.0, 1.0))

    def _log_weight(self, u):
        """Return the log-probability (m, N) of the W that are left at T = x + u sd."""
        t = self.x[:, None] + self.sd[:, None] * u
        return log_mass(*((end[:, None] - t) / self.noise[:, None] for end in (self.lo, self.hi)))

    def logit(self, theta):
        """Return the logit of F(x) at means theta (..., m)."""
        slope = ((self.x - theta) / self.sd)[..., None] * (REACH * HALF)
        (left, at), (right, to) = (_log_sum(self.halves[0] + slope),
                                   _log_sum(self.halves[1] - slope))  # fmt: skip
        found = left - right
        for place in np.argwhere(HALF[np.maximum(at, to)] > 0.5):  # mass beyond the nodes
            found[tuple(place)] = self._far(place[-1], theta[tuple(place)])
        return found

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
                        - abs(z) * u - u * u / 2)[0]  # fmt: skip
        spread = np.hypot(one.sd, one.noise)
        whole = log_mass((one.lo - theta) / spread, (one.hi - theta) / spread)[0]
        whole += z * z / 2 + 0.5 * np.log(2.0 * np.pi)  # relative to the density at x
        return -np.sign(z) * (part - whole - np.log1p(-np.exp(min(part - whole, -1e-300))))


def _log_sum(logs):
    """Return the logs of the sums of exp(logs) along the last axis, and where the largest is."""
    at = logs.argmax(axis=-1)
    top = np.take_along_axis(logs, at[..., None], axis=-1)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(logs - top).sum(axis=-1)) + top[..., 0], at


def p_values(law, theta=0.0):
    """Return two-sided p-values 2 min(F, 1 - F) of means theta."""
    return np.minimum(1.0, 2.0 * special.expit(-np.abs(law.logit(theta + 0.0 * law.x))))


def intervals(law, level):
    """Return the ends (m,), (m,) of intervals of equal tails for the means."""
    target = special.logit(0.5 + level / 2)
    return _roots(law, np.array([[target], [-target]]), np.array([[-1.0], [1.0]]))


def _roots(law, target, side):
    """Return the means (2, m) at which the logit is `target` (2, 1), from x towards `side`.

    The logit falls in theta and is nearly linear: false position, with the Illinois weights, and
    a bisection now and then for ends next to a limit.
    """
    near, far = _bracket(law, target, side)
    value, beyond = law.logit(near) - target, law.logit(far) - target
    unbounded, kept = beyond * side > 0.0, np.zeros(near.shape)
    for k in range(300):
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.nan_to_num(value / (value - beyond), nan=0.5) if k % 4 < 3 else 0.5
        middle = near + np.clip(share, 0.0, 1.0) * (far - near)
        found = law.logit(middle) - target
        if ((np.abs(found) <= CLOSE * np.abs(target)) | unbounded
                | (np.abs(far - near) <= 1e-13 * (np.abs(middle) + law.sd))).all():  # fmt: skip
            break
        same = found * side > 0.0
        beyond = np.where(same, beyond * np.where(kept > 0, 0.5, 1.0), found)
        value = np.where(same, found, value * np.where(kept < 0, 0.5, 1.0))
        near, far = np.where(same, middle, near), np.where(same, far, middle)
        kept = np.where(same, 1.0, -1.0)
    return np.where(unbounded, side * np.inf, middle)


def _bracket(law, target, side):
    """Return means (2, m) before and beyond the ends that are looked for, seen from x."""
    guess = law.x + side * law.sd
    near, far = guess.copy(), guess.copy()
    passed = (law.logit(guess) - target) * side < 0.0  # the guess is beyond the end
    for end, wanted in ((near, 1.0), (far, -1.0)):
        missing, step = passed == (wanted > 0.0), np.broadcast_to(law.sd, guess.shape).copy()
        while missing.any():
            other = far if wanted > 0.0 else near
            other[missing] = end[missing]
            end[missing] -= (wanted * side * step)[missing]
            step[missing] *= 2.0
            missing &= ((law.logit(end) - target) * side * wanted < 0.0) & (
                step <= FARTHEST * law.sd)  # fmt: skip
    return near, far

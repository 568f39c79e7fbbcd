"""ConcavePenalty: a penalty concave in sizes, in the units of a Problem.

    slope of phi(|b_g| 2^power; lam 2^unit) over lam 2^unit

is what a weight in inner units is, whatever the units: the power cancels with that of the loss.
"""

import numpy as np


class ConcavePenalty:
    """What `solvers/reductions/reweighting.py` asks of a penalty of ``concave.py``.

    Parameters
    ----------
    given : Concave, for the features of the problem
    power : int
        The user's standardised coefficients are the inner ones times 2**power.
    """

    has_blocks = has_groups = limited = False
    alpha = 1.0

    def __init__(self, given, power):
        self.given, self.power = given, power
        self.of, self.d, self.label = given.of, given.d, type(given).__name__

    def lengths(self, b):
        """The length of each group, (G,)."""
        return self.given.lengths(b)

    def slopes(self, b, lam, unit):
        """Weights w_g of the tangent at b, (G,), for a Problem of that unit."""
        with np.errstate(over="ignore"):
            return self.given.slopes(np.ldexp(b, self.power), float(np.ldexp(lam, unit)))

    def slopes_of(self, sizes, which, lam, unit):
        """The same for features `which` alone, each a group of one, of these sizes."""
        d = self.d[self.of[which]]
        level = float(np.ldexp(lam, unit)) * d
        held = level > 0.0
        level[~held] = 1.0
        slope = self.given._slope(np.ldexp(sizes, self.power), level)
        return np.where(held, d * slope / level, 0.0)

    def flat_at(self, which, values, lam, unit):
        """Features (m,) that the penalty does not hold back at this point: its slope is 0."""
        b = np.zeros(len(self.of))
        b[which] = values
        return np.flatnonzero(self.slopes(b, lam, unit)[self.of] == 0.0)

    def value(self, b, lam, unit):
        """The penalty in inner units."""
        with np.errstate(over="ignore"):
            own = self.given.value(np.ldexp(b, self.power), float(np.ldexp(lam, unit)))
        return float(np.ldexp(own, -(self.power + unit)))

    def entry_levels(self, z):
        """The least lam at which 0 is stationary against z, (1,)."""
        return np.array([self.given.dual_norm(np.asarray(z, dtype=float))])

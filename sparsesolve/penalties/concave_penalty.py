"""ConcavePenalty: a concave penalty of sizes with a ridge part, in the units of a Problem.

    sum_g phi(|b_g|; alpha lam d_g) + lam (1 - alpha) |b|^2 / 2

A weight is the slope of phi(|b_g| 2^power; alpha lam 2^unit) over lam 2^unit, whatever the units:
the power cancels with that of the loss.
"""

import numpy as np


class ConcavePenalty:
    """A penalty of ``concave.py`` as `solvers/reductions/reweighting.py` uses it.

    Parameters
    ----------
    given : Concave, for the features of the problem
    power : int
        The user's standardised coefficients are the inner ones times 2**power.
    alpha : float in (0, 1]
    """

    has_blocks = has_groups = limited = False
    concave = True

    def __init__(self, given, power, alpha=1.0):
        self.given, self.power, self.alpha = given, power, alpha
        self.of, self.d, self.label = given.of, given.d, type(given).__name__
        self.ridge = float(np.ldexp(1.0 - alpha, power))

    def lengths(self, b):
        """Return the length of each group, (G,)."""
        return self.given.lengths(b)

    def slopes(self, b, lam, unit):
        """Return the weights w_g of the tangent at b, (G,), for a Problem of that unit."""
        with np.errstate(over="ignore"):
            level = self._level(lam, unit)
            return self.alpha * self.given.slopes(np.ldexp(b, self.power), level)

    def derivatives_of(self, sizes, groups, lam, unit):
        """Return slopes and second derivatives of phi (m,) of these groups at these lengths.

        Slopes are lam times the weights of the tangents.
        """
        level = self._level(lam, unit) * self.d[groups]
        held = level > 0.0
        level[~held] = 1.0
        x = np.ldexp(sizes, self.power)
        slope = np.where(held, np.ldexp(self.given._slope(x, level), -unit), 0.0)
        second = np.ldexp(self.given._second_derivative(x, level), self.power - unit)
        return slope, np.where(held, second, 0.0)

    def values_of(self, sizes, groups, lam, unit):
        """Return the penalty on these groups alone, without its ridge part."""
        level = self._level(lam, unit) * self.d[groups]
        held = level > 0.0
        own = self.given._phi(np.ldexp(sizes[held], self.power), level[held]).sum()
        return float(np.ldexp(own, -(self.power + unit)))

    def flat_at(self, which, values, lam, unit):
        """Return the features (m,) at which the slope of the penalty is 0 at this point."""
        b = np.zeros((*np.shape(values)[:-1], len(self.of)))
        b[..., which] = values
        flat = self.slopes(b, lam, unit)[self.of] == 0.0
        return np.flatnonzero(flat & (self.ridge == 0.0))

    def value(self, b, lam, unit):
        """Return the penalty in inner units."""
        with np.errstate(over="ignore"):
            own = self.given.total(np.ldexp(b, self.power), self._level(lam, unit))
        own = float(np.ldexp(own, -(self.power + unit)))
        return own + 0.5 * lam * self.ridge * float(np.vdot(b, b)) if self.ridge > 0.0 else own

    def entry_levels(self, z):
        """Return the least lam at which 0 is stationary against z, (1,)."""
        z = np.asarray(z, dtype=float)
        z = z if len(z) == len(self.of) else z.reshape(-1, len(self.of))
        at_zero = self.given.dual_norm(z)
        return np.array([at_zero / self.alpha])

    def _level(self, lam, unit):
        return float(np.ldexp(self.alpha * lam, unit))

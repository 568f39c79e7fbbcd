"""LastPolar: the polar of a penalty, cached for the last vector.

A duality gap needs the polar of z several times, and that of multiples of z; for a norm polar(s
z) = s polar(z). An iterative polar (``polar_near``) starts from the end of the last one. Its
bound may be as loose as the comparison with a level allows.
"""

import numpy as np

# Relative difference up to which two vectors count as multiples of one another.
MULTIPLE = 1e-15
# Relative difference up to which two levels count as equal.
SAME = 1e-9


class LastPolar:
    """Evaluate ``polar(z)`` of a penalty; with a level, a bound that decides whether z exceeds
    it.
    """

    def __init__(self, omega):
        self.omega, self.iterative = omega, hasattr(omega, "polar_near")
        self.is_norm = not hasattr(omega, "conjugate")
        self.last = self.near = None
        self.largest = 0  # place of the largest entry of the last vector

    def __call__(self, z, level=0.0):
        known = self._known(z, level) if self.is_norm and self.last is not None else None
        if known is not None:
            return known
        if self.iterative:
            found, self.near = self.omega.polar_near(z, self.near, level)
        else:
            found = float(self.omega.polar(z))
        self.last = np.array(z), level, found
        self.largest = int(np.argmax(np.abs(z))) if z.size else 0
        return found

    def _known(self, z, level):
        """Return what follows from the last answer, or None."""
        last, asked, known = self.last
        k = self.largest
        if last.shape != z.shape or not last.size or last.flat[k] == 0.0:
            return None
        s = float(z.flat[k] / last.flat[k])
        if abs(z.flat[-1] - s * last.flat[-1]) > MULTIPLE * abs(s * last.flat[-1]):
            return None  # usually decided by this entry alone
        enough = not self.iterative or s * known <= level or abs(s * asked - level) <= SAME * level
        if s > 0.0 and enough:
            multiple = s * last
            if (np.abs(z - multiple) <= MULTIPLE * np.abs(multiple)).all():
                return s * known
        return None

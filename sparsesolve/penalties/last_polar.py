"""LastPolar: the polar of a penalty, kept for the vector that was asked for last.

A duality gap asks for the polar of z several times over, and for that of multiples of z: of a norm
polar(s z) = s polar(z). Where a polar is iterative (``polar_near``) it goes on from where the last
one ended, and may be a bound that is as loose as the level with which it is compared allows.
"""

import numpy as np

MULTIPLE = 1e-15  # relative: a multiple but for rounding
SAME = 1e-9  # relative: two levels that are one


class LastPolar:
    """``polar(z)`` of a penalty; with a level a bound that tells how z compares with it."""

    def __init__(self, omega):
        self.omega, self.iterative = omega, hasattr(omega, "polar_near")
        self.is_norm = not hasattr(omega, "conjugate")
        self.last = self.near = None

    def __call__(self, z, level=0.0):
        known = self._known(z, level) if self.is_norm and self.last is not None else None
        if known is not None:
            return known
        if self.iterative:
            found, self.near = self.omega.polar_near(z, self.near, level)
        else:
            found = float(self.omega.polar(z))
        self.last = np.array(z), level, found
        return found

    def _known(self, z, level):
        """What follows from the last answer, or None."""
        last, asked, known = self.last
        if last.shape != z.shape or not last.any():
            return None
        k = int(np.argmax(np.abs(last)))
        s = float(z.flat[k] / last.flat[k])
        enough = not self.iterative or s * known <= level or abs(s * asked - level) <= SAME * level
        if s > 0.0 and enough:
            multiple = s * last
            if (np.abs(z - multiple) <= MULTIPLE * np.abs(multiple)).all():
                return s * known
        return None

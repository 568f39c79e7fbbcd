"""Nonnegative: a norm that depends on sizes alone, for coefficients that are not negative.

    Omega(b) if b >= 0, else infinity

Such a norm grows with sizes. So its prox at v is that at the positive part of v, and the level
that keeps b at 0 is the dual norm of the positive part of z.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011), section 3.4.
"""

import numpy as np

from sparsesolve.penalties.rows import over_responses


class Nonnegative:
    """The norm `omega` of b >= 0, on vectors (p,) or arrays (K, p) as `omega` is."""

    nonnegative = True

    def __init__(self, omega):
        self.omega = omega
        for name in ("prox_near", "polar_near", "dual_of_prox"):
            if hasattr(omega, name):  # iterative: each call starts where the last one ended
                setattr(self, name, getattr(self, f"_{name}"))

    def _prox_near(self, v, t, near):
        b, ended = self.omega.prox_near(np.maximum(v, 0.0), t, None if near is None else near[0])
        return b, (ended, np.minimum(v, 0.0))

    def _polar_near(self, z, near, level):
        return self.omega.polar_near(np.maximum(z, 0.0), near, level)

    def _dual_of_prox(self, near, t):
        """Return a point of t times the dual ball, near what the prox that ended there subtracted.

        The negative part of v may be added: polar sees positive parts alone.
        """
        return self.omega.dual_of_prox(near[0], t) + near[1]

    def value(self, b):
        """Return Omega(b), infinity where an entry is negative."""
        return float("inf") if (np.asarray(b) < 0.0).any() else self.omega.value(b)

    def prox(self, v, t):
        """Return the prox of the positive part, a new array."""
        return self.omega.prox(np.maximum(v, 0.0), t)

    def prox_rows(self, V, t):
        """Return the prox of each row of V (N, p) at its own t (N,)."""
        V = np.maximum(V, 0.0)
        if hasattr(self.omega, "prox_rows"):
            return self.omega.prox_rows(V, t)
        return np.stack([self.omega.prox(v, level) for v, level in zip(V, t, strict=True)])

    def polar(self, z):
        """Return the dual norm of the positive part."""
        return self.omega.polar(np.maximum(z, 0.0))

    def part(self, which):
        """Return the penalty on the features `which` alone, or None if the norm has no parts."""
        own = getattr(self.omega, "part", lambda which: None)(which)
        return None if own is None else Nonnegative(own)

    def over_responses(self, n_responses):
        """Return the penalty on arrays (K, p)."""
        return Nonnegative(over_responses(self.omega, n_responses))

"""SumOfTerms: prox of a sum of norms whose proxes are known one by one.

    argmin_b |b - v|^2 / 2 + t sum_k Omega_k(b)

The dual problem is min |v - sum_k z_k|^2 / 2 over z_k in t times the unit ball of the dual norm of
Omega_k. With all others fixed, the best z_k is what the prox of Omega_k takes from v - sum of the
others: steps go round, and from a point carried on along the last round until the dual objective
would rise. Each round has a duality gap, of what its last prox returned:

    t Omega(b) - z'b + |b - (v - z)|^2 / 2,      z = sum_k z_k.

Given: terms with value, prox and polar on arrays of the shape of v. Returned: b, and the z_k.
Reference: Dykstra's algorithm as in Boyle, Dykstra (1986); Chambolle, Pock, "A remark on
accelerated block coordinate descent for computing the proximity operators of a sum of convex
functions" (2015).
"""

import numpy as np

ROUNDS = 1000
QUICK = 40  # rounds of a bound that the next one improves
BETWEEN = 5  # rounds from one gap to the next
NEAR = 1e-14  # of |v|^2: a gap that is rounding
PATIENCE = 3  # gaps that do not fall any more, once they are near rounding
NEARLY = 1e-12  # of |v|^2: near rounding
ORTHOGONAL = 1e-10  # of the length of z: its part along a kernel that is rounding
EPSILON = 1e-12  # relative: values that are one


class SumOfTerms:
    """Omega = sum of the terms, for arrays of one shape.

    Parameters
    ----------
    terms : list of penalties
    kernels : list of (p, k) with orthonormal columns, or None for a term that has no kernel
    """

    close = 1e-9  # relative: bounds of a dual norm that agree
    # Proxes for a bound that is compared with a level. Each is slow; the next bound, of a z near
    # this one, goes on from where this one ended.
    rounds_at_level = 2

    def __init__(self, terms, kernels=None):
        self.terms, self.kernels = terms, kernels or [None] * len(terms)

    def value(self, b):
        """Omega(b)."""
        return sum(float(term.value(b)) for term in self.terms)

    def total(self, parts):
        """sum_k z_k."""
        return sum(parts)

    def prox(self, v, t, near=None, quick=False):
        """b, and the parts z_k, from a first guess of these; `quick`: by few rounds at most."""
        parts = [np.zeros_like(v) for _ in self.terms] if near is None else self._within(near, t)
        last, ahead, momentum, fallen = parts, parts, 1.0, np.inf
        best, least, waited, size = (np.zeros_like(v), parts), np.inf, 0, float(np.vdot(v, v))
        for k in range(QUICK if quick else ROUNDS):
            b, new = self._round(v, t, ahead)
            rest = v - self.total(new)
            objective = float(np.vdot(rest, rest))
            if objective > fallen and momentum > 1.0:  # begin again without what carries on
                momentum, ahead, fallen = 1.0, last, np.inf
                continue
            if k % BETWEEN == 0:
                gap = t * self.value(b) - float(np.vdot(v - rest, b))
                gap += 0.5 * float(np.vdot(b - rest, b - rest))
                waited = 0 if gap < 0.5 * least or gap > NEARLY * size else waited + 1
                if gap < least:
                    best, least = (b, new), gap
                if gap <= NEAR * size or waited >= PATIENCE:
                    break
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            along = (momentum - 1.0) / following
            ahead = [x + along * (x - y) for x, y in zip(new, last, strict=True)]
            last, momentum, fallen = new, following, objective
        return self._or_zero(v, t, best[0]), best[1]

    def _round(self, v, t, parts):
        """The last prox's answer, and the parts after one round."""
        parts = list(parts)
        rest = v - self.total(parts)
        b = rest
        for k, term in enumerate(self.terms):
            without = rest + parts[k]
            b = term.prox(without, t)
            parts[k] = without - b
            rest = b
        return b, parts

    def _within(self, parts, t):
        out = []
        for k, z in enumerate(parts):
            level = self._polar(k, z)
            out.append(z if level <= t else z * (t / level if level < np.inf else 0.0))
        return out

    def _or_zero(self, v, t, b):
        """b, or 0 where that is as good."""
        zero = float(np.vdot(v, b)) <= t * self.value(b) * (1.0 + EPSILON)
        return np.zeros_like(v) if zero else b

    def _polar(self, k, z):
        """Of term k, inf where z is not orthogonal to its kernel."""
        kernel = self.kernels[k]
        if kernel is not None and np.linalg.norm(z @ kernel) > ORTHOGONAL * np.linalg.norm(z):
            return np.inf
        return float(self.terms[k].polar(z))

    def upper(self, z, parts):
        """A bound of the dual norm: what the parts leave of z goes to the term that it suits."""
        left = z - self.total(parts)
        levels = [self._polar(k, part) for k, part in enumerate(parts)]
        found = np.inf
        for k in range(len(self.terms)):
            own = self._polar(k, parts[k] + left)
            found = min(found, max([own, *levels[:k], *levels[k + 1 :]]))
        return found

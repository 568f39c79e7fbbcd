"""SumOfTerms: the prox of a sum of norms from the proxes of its terms.

    argmin_b |b - v|^2 / 2 + t sum_k Omega_k(b)

The dual problem is min |v - sum_k z_k|^2 / 2 over z_k in t times the unit ball of the dual norm
of Omega_k. With all others fixed, the best z_k is x minus the prox of Omega_k at x, where x is v
minus the sum of the others. Steps go round the terms, and each round starts from an extrapolation
of the last one until the dual objective would rise. Each round has a duality gap, which is that
of the value returned by its last prox:

    t Omega(b) - z'b + |b - (v - z)|^2 / 2,      z = sum_k z_k.

Given: terms with value, prox and polar on arrays of the shape of v. Returned: b, and the z_k.
Reference: Dykstra's algorithm as in Boyle, Dykstra (1986); Chambolle, Pock, "A remark on
accelerated block coordinate descent for computing the proximity operators of a sum of convex
functions" (2015).
"""

import numpy as np

# Most rounds of a prox. It usually ends before, when its gap is below NEAR.
ROUNDS = 1000
# The prox for a dual-norm bound has at most this many rounds. The bound is valid after any number,
# and the next one continues from there.
QUICK = 40
# The gap is evaluated once in this many rounds, since it needs a value of the norm.
BETWEEN = 5
# A gap below this fraction of |v|^2 is rounding.
NEAR = 1e-14
# Once the gap is near rounding, stop after this many evaluations without a decrease.
PATIENCE = 3
# A gap below this fraction of |v|^2 counts as near rounding.
NEARLY = 1e-12
# The part of z along a kernel counts as rounding below this fraction of the length of z.
ORTHOGONAL = 1e-10
# Relative difference up to which two values count as equal.
EPSILON = 1e-12


class SumOfTerms:
    """Omega = sum of the terms, for arrays of one shape.

    Parameters
    ----------
    terms : list of penalties
    kernels : list of (p, k) with orthonormal columns, or None for a term that has no kernel
    """

    # Relative distance at which the two bounds of a dual norm agree. Above it, more rounds follow.
    close = 1e-9
    # Most proxes for a bound that is compared with a level. Each is slow; the bound of the next
    # z, which is near this one, continues from where this one ended.
    rounds_at_level = 2

    def __init__(self, terms, kernels=None):
        self.terms, self.kernels = terms, kernels or [None] * len(terms)

    def value(self, b):
        """Return Omega(b)."""
        return sum(float(term.value(b)) for term in self.terms)

    def total(self, parts):
        """Return sum_k z_k."""
        return sum(parts)

    def prox(self, v, t, near=None, quick=False):
        """Return b and the parts z_k, from a first guess of the parts; `quick` limits the rounds.
        """
        parts = [np.zeros_like(v) for _ in self.terms] if near is None else self._within(near, t)
        last, ahead, momentum, fallen = parts, parts, 1.0, np.inf
        best, least, waited, size = (np.zeros_like(v), parts), np.inf, 0, float(np.vdot(v, v))
        for k in range(QUICK if quick else ROUNDS):
            b, new = self._round(v, t, ahead)
            rest = v - self.total(new)
            objective = float(np.vdot(rest, rest))
            if objective > fallen and momentum > 1.0:  # restart without momentum
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
        """Return the answer of the last prox, and the parts after one round."""
        parts = list(parts)
        rest = v - self.total(parts)
        b = rest
        for k, term in enumerate(self.terms):
            without = rest + parts[k]
            b = term.prox(without, t)
            parts[k] = without - b
            rest = b
        return b, parts

    def feasible_total(self, parts, t):
        """Return the sum of parts, scaled into t times their dual balls: a dual point."""
        return self.total(self._within(parts, t))

    def _within(self, parts, t):
        out = []
        for k, z in enumerate(self._seen(parts)):
            level = float(self.terms[k].polar(z))
            out.append(z if level <= t else z * (t / level))
        return out

    def _seen(self, parts):
        """Return the parts without what is along the kernel of their term, which is rounding."""
        return [z if N is None else z - (z @ N) @ N.T
                for z, N in zip(parts, self.kernels, strict=True)]  # fmt: skip

    def _or_zero(self, v, t, b):
        """Return b, or 0 where that is as good."""
        zero = float(np.vdot(v, b)) <= t * self.value(b) * (1.0 + EPSILON)
        return np.zeros_like(v) if zero else b

    def _polar(self, k, z):
        """Return the polar of term k, inf where z is not orthogonal to its kernel."""
        kernel = self.kernels[k]
        if kernel is not None and np.linalg.norm(z @ kernel) > ORTHOGONAL * np.linalg.norm(z):
            return np.inf
        return float(self.terms[k].polar(z))

    def upper(self, z, parts):
        """Return an upper bound of the dual norm.

        What the parts leave of z is given to the term for which the bound is lowest. What is
        along the kernel of that term is given to the first term without a kernel.
        """
        parts = self._seen(parts)
        left = z - self.total(parts)
        levels = [float(term.polar(part)) for term, part in zip(self.terms, parts, strict=True)]
        norms = [j for j, kernel in enumerate(self.kernels) if kernel is None]
        found = np.inf
        for k, kernel in enumerate(self.kernels):
            own, more = list(levels), left
            if kernel is not None and norms:
                along = (left @ kernel) @ kernel.T
                own[norms[0]], more = self._polar(norms[0], parts[norms[0]] + along), left - along
            own[k] = self._polar(k, parts[k] + more)
            found = min(found, max(own))
        return found

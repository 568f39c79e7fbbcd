"""Safe screening of kernels: bounds of s_m(u) = sqrt(u'K_m u) without a product for each.

Along a path u moves little, mostly within the span of the last few u. An orthonormal basis V of
such vectors is kept, with V'K_mV for each kernel. With c = V'u the bound

    s_m(u) <= sqrt(c'(V'K_mV)c) + sqrt(largest eigenvalue of K_m) |u - Vc|

costs nothing that grows with n, except c. A kernel that this bound cannot exclude is multiplied by
the part of u outside V. That part joins the basis, and s_m is exact then. A kernel that was
excluded while vectors joined is bounded by the vectors it was multiplied by. It is multiplied by
the others once the bound no longer excludes it.

A kernel close to one of low rank (`mkl/low_rank_cache.py`) needs no basis. Its few rows are
multiplied by every u; a kernel that this does not exclude is multiplied by u itself.
"""

import numpy as np

# The basis has at most this many vectors.
MOST = 24
# The products of one step have at most this many numbers, which bounds their memory.
TOGETHER = 1 << 22
# A part of u outside the basis below this share of |u| is rounding.
ROUNDING = 1e-12


class Screening:
    """Bounds for the M kernels of a problem and vectors u of shape (q, n)."""

    def __init__(self, kernels, shape):
        self.kernels, self.shape = kernels, shape
        self.basis = np.empty((MOST, shape[0] * shape[1]))
        self.count = 0
        self.known = np.zeros((kernels.size, MOST), dtype=bool)
        self.grams = np.zeros((kernels.size, MOST, MOST))
        self.products = 0  # number of products of a kernel and a vector so far

    def sizes(self, u, which, level):
        """Return s_m(u) of each kernel in `which` (k,), or a bound that is at most its level."""
        near, found = self.kernels.near, np.empty(len(which))
        small = near.known[which]
        found[~small] = self._sizes_by_basis(u, which[~small], level[~small])
        mine = which[small]
        found[small] = np.sqrt(near.squares(u)[mine] + near.errors[mine] * np.sum(u * u))
        violating = np.flatnonzero(small & (found > level))
        found[violating] = self.kernels.sizes(which[violating], u)
        self.products += len(violating)
        return found

    def estimates(self, u, which):
        """Return an estimate of s_m for each kernel in `which` (k,), without new products."""
        near = self.kernels.near
        mine = self.known[which, : self.count] * self._coordinates(u)[0]
        found, small = self._inside(which, mine), near.known[which]
        found[small] = np.sqrt(near.squares(u)[which[small]])
        return found

    def _sizes_by_basis(self, u, which, level):
        c, apart = self._coordinates(u)
        bounds = self._bounds(which, c, apart)
        candidates = bounds > level
        if candidates.any():
            new = self._join(u, c)
            c, apart = self._coordinates(u) if new else (c, apart)
            self._learn(which[candidates])
            bounds[candidates] = self._bounds(which[candidates], c, apart)
        return bounds

    def _coordinates(self, u):
        """Return c (count,) and the square of u's part outside the basis."""
        flat = u.ravel()
        V = self.basis[: self.count]
        c = V @ flat
        rest = flat - c @ V
        return c, float(rest @ rest)

    def _bounds(self, which, c, apart):
        known = self.known[which, : self.count]
        outside = apart + (~known * c**2).sum(axis=1)
        return self._inside(which, known * c) + self.kernels.bounds[which] * np.sqrt(outside)

    def _inside(self, which, mine):
        grams = self.grams[which, : self.count, : self.count]
        return np.sqrt(np.maximum(np.einsum("ki,kij,kj->k", mine, grams, mine), 0.0))

    def _join(self, u, c):
        """Add the part of u outside the basis to it; returns whether there is any."""
        flat = u.ravel()
        size = np.linalg.norm(flat)
        if self.count == MOST:
            self._forget(int(np.argmin(np.abs(c))))
        rest = flat.copy()
        for _ in range(2):  # the second time removes the rounding of the first
            V = self.basis[: self.count]
            rest -= (V @ rest) @ V
        length = np.linalg.norm(rest)
        if length <= ROUNDING * size:
            return False
        self.basis[self.count] = rest / length
        self.known[:, self.count] = False
        self.grams[:, self.count] = self.grams[:, :, self.count] = 0.0
        self.count += 1
        return True

    def _forget(self, place):
        """Remove the vector at a place; the last one moves there."""
        last = self.count - 1
        self.basis[place] = self.basis[last]
        self.known[:, place] = self.known[:, last]
        self.grams[:, place] = self.grams[:, last]
        self.grams[:, :, place] = self.grams[:, :, last]
        self.count = last

    def _learn(self, which):
        """Multiply kernels by the vectors of the basis with which they have no product yet."""
        missing = ~self.known[which, : self.count]
        patterns, groups = np.unique(missing, axis=0, return_inverse=True)
        groups = groups.ravel()
        for g, pattern in enumerate(patterns):
            places, chosen = np.flatnonzero(pattern), which[groups == g]
            if len(places):
                step = max(1, TOGETHER // (len(places) * self.basis.shape[1]))
                for first in range(0, len(chosen), step):
                    self._multiply(chosen[first : first + step], places)

    def _multiply(self, which, places):
        q, n = self.shape
        vectors = self.basis[places].reshape(-1, n)
        products = self.kernels.times(which, vectors).reshape(len(which), len(places), q * n)
        self.products += len(which) * len(places)
        self.known[np.ix_(which, places)] = True
        inner = products @ self.basis[: self.count].T
        both = self.known[which, None, : self.count]
        inner = np.where(both, inner, 0.0)
        for k, place in enumerate(places):
            self.grams[which, place, : self.count] = inner[:, k]
            self.grams[which, : self.count, place] = inner[:, k]

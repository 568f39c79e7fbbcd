"""Safe screening of kernels: bounds of s_m(u) = sqrt(u'K_m u) without a product for each.

Along a path u moves little, mostly within the span of the last few u. An orthonormal basis V of
such vectors is kept, with V'K_mV for each kernel. With c = V'u the bound

    s_m(u) <= sqrt(c'(V'K_mV)c) + sqrt(largest eigenvalue of K_m) |u - Vc|

costs nothing that grows with n, except c. A kernel that this bound cannot exclude is multiplied by
the part of u outside V. That part joins the basis, and s_m is exact then. A kernel that was
excluded while vectors joined is bounded by the vectors it was multiplied by. It is multiplied by
the others once the bound no longer excludes it.

A kernel of one column, or a smooth kernel, is L'L + E, where L has few rows and |E| is measured.
It needs no basis: |u'K u - |L u|^2| <= |E| |u|^2, and the product L u reads a few rows, while K u
reads n. A kernel that this does not exclude is multiplied by u itself. A small E also shows that
no eigenvalue of K is far below 0.
"""

import queue
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sparsesolve.linalg.factors.low_rank import distance, low_rank_rows
from sparsesolve.mkl.symmetric import Symmetric

# The basis has at most this many vectors.
MOST = 24
# The products of one step have at most this many numbers, which bounds their memory.
TOGETHER = 1 << 22


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
        if length <= 1e-12 * size:  # rounding
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


# Most rows of L; a sixteenth of the samples if that is more. With more rows the product L u costs
# too much.
MOST_ROWS = 40


def near_factors(items, allowed, n_threads):
    """Return for each dense kernel in items (k,) its (L, |E|), or None if |E| > allowed[k]."""
    if not items:
        return []
    n = len(items[0])
    rooms = queue.SimpleQueue()
    workers = min(n_threads, len(items))
    for _ in range(workers):
        rooms.put(np.empty((n, n)))

    def factor(item, most):
        room, stack = rooms.get(), Symmetric([item])
        try:
            stack.total([0], np.ones(1), room)
            trace = float(np.trace(room))
            rows = low_rank_rows(room, max(MOST_ROWS, n // 16), most / (2 * n))
            rounding = 1e-15 * n * trace
            error = np.inf if rows is None else distance(room, rows) + rounding
            return (rows.copy(), error) if error <= most else None
        finally:
            rooms.put(room)

    if workers == 1:
        return list(map(factor, items, allowed))
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(factor, items, allowed))


class LowRankCache:
    """Quadratic forms of the kernels, out of M, that have such a factor.

    Parameters
    ----------
    factors : list of M, (L, error) or None each
    n : int
    """

    def __init__(self, factors, n):
        known = [m for m, factor in enumerate(factors) if factor is not None]
        self.known = np.zeros(len(factors), dtype=bool)
        self.known[known] = True
        self.errors = np.full(len(factors), np.inf)
        self.errors[known] = [factors[m][1] for m in known]
        self.owner = np.repeat(known, [len(factors[m][0]) for m in known]).astype(np.intp)
        self.rows = np.concatenate([np.empty((0, n)), *(factors[m][0] for m in known)])

    def factor(self, m):
        """Return (L, |E|) of kernel m, or None."""
        return (self.rows[self.owner == m], self.errors[m]) if self.known[m] else None

    def squares(self, u):
        """Return the sums of |L_m v|^2 over the rows v of u (q, n), (M,); 0 without a factor."""
        products = self.rows @ u.T
        return np.bincount(
            self.owner, np.einsum("rq,rq->r", products, products), minlength=len(self.known)
        )

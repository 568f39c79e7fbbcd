"""Weighted moments of a set of rows, updated while rows enter and leave.

    M = sum over i in F of  w_i a_i a_i',      s = sum over i in F of  w_i a_i,      W = sum of w_i

Given: a RidgeDual and row weights w. Returned for a set F: M, s and W about the common centre.
Invariant: the sums are kept about 0; the centre is subtracted from what is returned.

Few rows change from one Newton step to the next, so that only these are added or subtracted.
Rounding adds up: the sums are computed again after CHANGES_BEFORE_SUMS changes, and where most
rows change.

Reference: Li, Sun, Toh (2018), section 3.3, for the matrix that they make.
"""

import numpy as np

from sparsesolve.solvers.costs.margin import CHANGED_ROWS, CHANGES_BEFORE_SUMS


class Moments:
    """M (k, k), s (k,) and W of the rows of a mask.

    Parameters
    ----------
    dual : RidgeDual
    weights : (n,), of rows
    """

    def __init__(self, dual, weights):
        self.dual, self.w = dual, weights
        self.dense = dual.rows.stored == dual.rows.n * dual.rows.p
        self.mask, self.changes = None, 0

    def rows(self, inside):
        """Return these rows of A as columns (k, f), before the centre is subtracted."""
        part = self.dual.rows.part(inside.astype(np.intc))
        which = np.arange(len(inside), dtype=np.intc)
        return part.unpacked(which) if self.dense else part.stored_columns(which)[0]

    def of(self, mask):
        """Return (M, s, W) of the rows where `mask` (n,) is True."""
        changed = np.flatnonzero(mask != self.mask) if self.mask is not None else None
        again = changed is None or self.changes >= CHANGES_BEFORE_SUMS
        if again or len(changed) > CHANGED_ROWS * mask.sum():
            self.gram, self.first, self.total = self._sums(np.flatnonzero(mask), self.w)
            self.changes = 0
        elif len(changed):
            signed = np.where(mask, self.w, -self.w)
            gram, first, total = self._sums(changed, signed)
            self.gram, self.first = self.gram + gram, self.first + first
            self.total, self.changes = self.total + total, self.changes + 1
        self.mask = mask
        m = self.dual.centre
        met = np.outer(self.first, m)
        gram = self.gram - met - met.T + self.total * np.outer(m, m)
        return gram, self.first - self.total * m, self.total

    def _sums(self, which, weights):
        w, rows = weights[which], self.rows(which)
        weighted = rows * w if self.dense else rows.multiply(w).tocsc()
        gram = weighted @ rows.T
        gram = gram if self.dense else np.asarray(gram.todense())
        return gram, np.asarray(rows @ w), float(w.sum())

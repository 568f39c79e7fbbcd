"""Weights of cutting planes: a quadratic programme on the simplex, by an active set.

    maximise over alpha   b'alpha - |A alpha|^2 / (2 lam)      with  alpha >= 0,  sum alpha = 1

Given: planes <a_t, w> + b_t, one at a time, which bound a convex function of w from below.
Returned: the weights, the point w = -A alpha / lam, and the maximum, which is the minimum over w
of lam |w|^2 / 2 + max_t <a_t, w> + b_t.
Invariant: the weights are feasible, so that the value at them is a lower bound whatever rounding
does. The Cholesky factor is that of A'A + k 11' on the support: adding k 11' changes nothing on
the simplex, and the factor exists wherever the planes are affinely independent. lam is not in the
factor, so that the planes serve another lam as they are.
Reference: Wolfe, "Finding the nearest point in a polytope" (1976); Teo, Vishwanathan, Smola, Le,
"Bundle methods for regularized risk minimization" (2010), algorithm 2.
"""

import numpy as np

from sparsesolve.linalg.factors.cholesky import Cholesky
from sparsesolve.solvers.tolerances import LAST_DIGITS

FREE = -1  # in `idle`: the slot holds no plane


class Planes:
    """Cutting planes and their weights.

    Parameters
    ----------
    p : int
        Length of w.
    lam : float > 0
    patience : int
        A plane without weight in so many programmes in a row is dropped.

    Attributes
    ----------
    lower : float
        The maximum found last.
    count : int
        Slots that hold a plane, or held one.
    """

    def __init__(self, p, lam, patience=50):
        self.lam, self.patience, self.lower, self.count = lam, patience, -np.inf, 0
        self.factor, self.constant = Cholesky(), 0.0  # k
        self.rows, self.gram = np.zeros((0, p)), np.zeros((0, 0))  # a slot a row
        self.offset, self.weight = np.zeros((2, 0))
        self.idle = np.zeros(0, dtype=int)  # programmes without weight
        self.support = np.zeros(0, dtype=int)  # slots in the order of the factor

    @property
    def weights(self):
        """Weights alpha by slot (count,), 0 at free ones."""
        return self.weight[: self.count].copy()

    @property
    def point(self):
        """The point w = -A alpha / lam, (p,)."""
        return -(self.weight[self.support] @ self.rows[self.support]) / self.lam

    def at_lambda(self, lam):
        """Continue at another lam, with the weights that are best there."""
        self.lam = lam
        if len(self.support):
            self.solve()

    def add(self, a, b):
        """Add the plane <a, w> + b and find the weights again; return its slot."""
        slot = self._free_slot()
        self.rows[slot], self.offset[slot], self.weight[slot], self.idle[slot] = a, b, 0.0, 0
        products = self.rows @ self.rows[slot]
        self.gram[slot] = self.gram[:, slot] = products
        if self.constant == 0.0:
            self.constant = products[slot] if products[slot] > 0.0 else 1.0
        if not len(self.support):
            self._append(slot)
            self.weight[slot] = 1.0
        self.solve()
        return slot

    def _free_slot(self):
        self.idle[self.idle >= self.patience] = FREE
        if not (self.idle == FREE).any():
            more = max(self.count, 32)
            self.rows, self.gram = (
                np.pad(self.rows, ((0, more), (0, 0))),
                np.pad(self.gram, (0, more)),
            )
            self.offset, self.weight = np.pad([self.offset, self.weight], ((0, 0), (0, more)))
            self.idle = np.pad(self.idle, (0, more), constant_values=FREE)
        slot = int((self.idle == FREE).argmax())
        self.count = max(self.count, slot + 1)
        return slot

    def solve(self):
        """Find the best weights, starting from the current ones; return the maximum."""
        self._best_on_support()
        for _ in range(10 * self.count + 100):
            slot = self._most_violated()
            if slot is None:
                break
            self._enter(slot)
            self._best_on_support()
            if self.weight[slot] == 0.0:  # It left at once: its violation is rounding.
                break
        self.idle[self.idle != FREE] += 1
        self.idle[self.support] = 0
        # b'alpha - |A alpha|^2 / (2 lam)
        self.lower = 0.5 * float(self.weight @ (self._values() + self.offset))
        return self.lower

    def _values(self):
        """Return the value of every plane at w, b - A'A alpha / lam."""
        return self.offset - self.gram @ (self.weight / self.lam)

    def _most_violated(self):
        """Return the plane that lies highest above the support's at w, or None."""
        values = self._values()
        above = values - self.weight @ values
        above[(self.idle == FREE) | (self.weight > 0.0)] = -np.inf
        best = int(above.argmax())
        sizes = np.abs(self.offset) + np.abs(self.offset - values)
        size = max(sizes[best], sizes[self.support].max())
        return best if above[best] > LAST_DIGITS * (1 + len(self.support)) * size else None

    def _append(self, slot):
        """Add a plane to the support's factor; return False if it depends on the support."""
        support = np.append(self.support, slot)
        row = self.gram[slot, support] + self.constant
        # rounding: the column depends on others
        accepted = self.factor.add(row[None], 1e-11)[0]
        if accepted:
            self.support = support
        return accepted

    def _remove(self, k):
        """Take the k-th plane out of the support."""
        self.weight[self.support[k]] = 0.0
        self.support = np.delete(self.support, k)
        self.factor.drop(k)

    def _enter(self, slot):
        """Bring a plane into the support.

        If it depends on the support, weight moves to it along the direction that keeps A alpha,
        until a plane of the support has none left and leaves.
        """
        weight = 0.0
        while not self._append(slot):
            along = self.factor.solution(self.gram[slot, self.support] + self.constant)
            own = self.weight[self.support]
            ends = np.divide(own, along, out=np.full(len(own), np.inf), where=along > 0.0)
            leaves = int(ends.argmin())
            self.weight[self.support] = own - ends[leaves] * along
            weight += ends[leaves]
            self._remove(leaves)
        self.weight[slot] = weight

    def _best_on_support(self):
        """Set the weights to the best on the support; planes whose weight ends leave it.

        They stay feasible in the last digits.
        """
        while len(self.support):
            own = self.weight[self.support]
            best = self.factor.solution(self.offset[self.support])
            ones = self.factor.solution(np.ones(len(own)))
            multiplier = (best.sum() - 1.0 / self.lam) / ones.sum()  # of sum alpha = 1
            best = self.lam * (best - multiplier * ones)
            if not best.min() < 0.0:
                self.weight[self.support] = best
                break
            ends = np.divide(own, own - best, out=np.ones(len(own)), where=best < 0.0)
            leaves = int(ends.argmin())
            self.weight[self.support] = own + ends[leaves] * (best - own)
            self._remove(leaves)
        self.weight = np.maximum(self.weight, 0.0)
        self.weight /= self.weight.sum()

"""Weights of cutting planes: a quadratic programme on the simplex, by an active set.

    maximise over alpha   b'alpha - |A alpha|^2 / (2 lam)      with  alpha >= 0,  sum alpha = 1

Given: planes <a_t, w> + b_t, one at a time, which bound a convex function of w from below.
Returned: the weights, the point w = -A alpha / lam, and the maximum, which is the minimum over w of
lam |w|^2 / 2 + max_t <a_t, w> + b_t.
Invariant: the weights are feasible, so that the value at them is a lower bound whatever rounding
does. The Cholesky factor is that of A'A + k 11' on the support: adding k 11' changes nothing on
the simplex, and the factor exists wherever the planes are affinely independent. lam is not in the
factor, so that the planes serve another lam as they are.
Reference: Wolfe, "Finding the nearest point in a polytope" (1976); Teo, Vishwanathan, Smola, Le,
"Bundle methods for regularized risk minimization" (2010), algorithm 2.
"""
from libc.math cimport INFINITY, fabs

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.factors.cholesky cimport Cholesky

cdef double LAST_DIGITS = tolerances.LAST_DIGITS
# Planes for which there is room at first; the room doubles.
cdef int START = 32
# In `idle`: the slot holds no plane.
cdef int FREE = -1


def _grown(array, shape):
    """Return a larger array of zeros that begins with the old one."""
    new = np.zeros(shape, dtype=array.dtype)
    new[tuple(slice(size) for size in array.shape)] = array
    return new


cdef class Planes:
    """Cutting planes and their weights.

    Parameters
    ----------
    p : int
        Length of w.
    lam : float > 0
    patience : int
        A plane without weight in so many programmes in a row is dropped.
    """

    cdef readonly double lam, lower         # The level, and the maximum found last.
    cdef readonly int count                 # Slots, some of which may be free.
    cdef readonly object rows               # (capacity, p): the a_t, a slot a row.
    cdef int patience, size                 # `size` planes are in the support.
    cdef double constant                    # k
    cdef Cholesky factor
    cdef double[:, ::1] gram                # (capacity, capacity)
    cdef double[::1] offset, weight, value  # (capacity,); value: b - A'A alpha / lam
    cdef double[::1] cross, target, ones    # (capacity,) workspace
    cdef int[::1] support, idle             # slots in the order of the factor; programmes unused

    def __init__(self, Py_ssize_t p, double lam, int patience=50):
        self.lam, self.patience, self.constant = lam, patience, 0.0
        self.lower, self.count, self.size = -INFINITY, 0, 0
        self.factor = Cholesky(START)
        self.rows, self.gram = np.zeros((START, p)), np.zeros((START, START))
        self.offset, self.weight, self.value = np.zeros((3, START))
        self.cross, self.target, self.ones = np.zeros((3, START))
        self.support, self.idle = np.zeros((2, START), dtype=np.intc)

    def _reserve(self, int capacity):
        self.rows = _grown(self.rows, (capacity, self.rows.shape[1]))
        self.gram = _grown(np.asarray(self.gram), (capacity, capacity))
        self.offset = _grown(np.asarray(self.offset), capacity)
        self.weight = _grown(np.asarray(self.weight), capacity)
        self.support = _grown(np.asarray(self.support), capacity)
        self.idle = _grown(np.asarray(self.idle), capacity)
        self.value, self.cross = np.zeros((2, capacity))
        self.target, self.ones = np.zeros((2, capacity))
        self.factor.reserve(capacity)

    @property
    def weights(self):
        """Weights alpha by slot (count,), 0 at free ones."""
        return np.array(self.weight[:self.count])

    @property
    def point(self):
        """The point w = -A alpha / lam, (p,)."""
        cdef object slots = np.array(self.support[:self.size])
        return -(np.asarray(self.weight)[slots] @ self.rows[slots]) / self.lam

    def at_lambda(self, double lam):
        """Continue at another lam, with the weights that are best there."""
        self.lam = lam
        if self.size:
            self.solve()

    def add(self, a, double b):
        """Add the plane <a, w> + b and find the weights again; return its slot."""
        cdef int slot = self._free_slot(), j
        cdef double[::1] products
        self.rows[slot], self.offset[slot] = a, b
        self.weight[slot], self.idle[slot] = 0.0, 0
        products = self.rows[:self.count] @ self.rows[slot]
        for j in range(self.count):
            self.gram[slot, j] = products[j]
            self.gram[j, slot] = products[j]
        if self.constant == 0.0:
            self.constant = products[slot] if products[slot] > 0.0 else 1.0
        if self.size == 0:
            self._append(slot)
            self.weight[slot] = 1.0
        self.solve()
        return slot

    cdef int _free_slot(self) except -1:
        cdef int j
        for j in range(self.count):
            if self.idle[j] >= self.patience:
                self.idle[j] = FREE
        for j in range(self.count):
            if self.idle[j] == FREE:
                return j
        if self.count == self.rows.shape[0]:
            self._reserve(2 * self.count)
        self.count += 1
        return self.count - 1

    def solve(self):
        """Find the best weights, starting from the current ones; return the maximum."""
        cdef int j, k
        self._best_on_support()
        for _ in range(10 * self.count + 100):
            j = self._most_violated()
            if j < 0:
                break
            self._enter(j)
            self._best_on_support()
            if self.weight[j] == 0.0:       # It left at once: its violation is rounding.
                break
        for j in range(self.count):
            if self.idle[j] != FREE:
                self.idle[j] += 1
        for k in range(self.size):
            self.idle[self.support[k]] = 0
        self.lower = self._maximum()
        return self.lower

    cdef double _maximum(self) noexcept:
        """Return the value at the weights."""
        cdef double total = 0.0
        cdef int k
        self._evaluate()
        for k in range(self.size):          # b'alpha - |A alpha|^2 / (2 lam), with value = b - ..
            total += 0.5 * self.weight[self.support[k]] * (
                self.value[self.support[k]] + self.offset[self.support[k]])
        return total

    cdef void _evaluate(self) noexcept nogil:
        """Compute the value of every plane at w."""
        cdef int j, k, slot
        cdef double rate
        for j in range(self.count):
            self.value[j] = self.offset[j]
        for k in range(self.size):
            slot = self.support[k]
            rate = self.weight[slot] / self.lam
            for j in range(self.count):
                self.value[j] -= rate * self.gram[slot, j]

    cdef int _most_violated(self) noexcept nogil:
        """Return the plane that lies highest above the support's at w, or -1."""
        cdef int j, k, best = -1
        cdef double level = 0.0, size = 0.0, highest
        self._evaluate()
        for k in range(self.size):
            j = self.support[k]
            level += self.weight[j] * self.value[j]
            size = max(size, fabs(self.offset[j]) + fabs(self.offset[j] - self.value[j]))
        highest = level
        for j in range(self.count):
            if self.idle[j] != FREE and self.weight[j] == 0.0 and self.value[j] > highest:
                best, highest = j, self.value[j]
        if best >= 0:
            size = max(size, fabs(self.offset[best]) + fabs(self.offset[best] - highest))
        return best if highest - level > LAST_DIGITS * (1 + self.size) * size else -1

    cdef bint _append(self, int slot) noexcept nogil:
        """Add a plane to the support's factor; False if it depends on the support."""
        cdef int k, accepted = 0
        cdef double corner = self.gram[slot, slot] + self.constant, scale = corner
        for k in range(self.size):
            self.cross[k] = self.gram[slot, self.support[k]] + self.constant
        # rounding: the column depends on others
        self.factor.append(1, &self.cross[0], &corner, &scale, 1e-11, &accepted)
        if accepted:
            self.support[self.size] = slot
            self.size += 1
        return accepted

    cdef void _remove(self, int k) noexcept nogil:
        """Take the k-th plane out of the support."""
        cdef int j
        self.weight[self.support[k]] = 0.0
        self.factor.remove(k)
        self.size -= 1
        for j in range(k, self.size):
            self.support[j] = self.support[j + 1]

    cdef void _enter(self, int slot) noexcept nogil:
        """Bring a plane into the support.

        If it depends on the support, weight moves to it along the direction that keeps A alpha,
        until a plane of the support has none left and leaves.
        """
        cdef int k, leaves
        cdef double step, weight = 0.0
        while not self._append(slot):
            for k in range(self.size):
                self.target[k] = self.gram[slot, self.support[k]] + self.constant
            self.factor.solve(&self.target[0])
            step, leaves = INFINITY, -1
            for k in range(self.size):
                if self.target[k] > 0.0 and self.weight[self.support[k]] < step * self.target[k]:
                    step, leaves = self.weight[self.support[k]] / self.target[k], k
            for k in range(self.size):
                self.weight[self.support[k]] -= step * self.target[k]
            weight += step
            self._remove(leaves)
        self.weight[slot] = weight
        self._normalise()

    cdef void _best_on_support(self) noexcept nogil:
        """Set the weights to the best on the support; planes whose weight ends leave it."""
        cdef int k, leaves
        cdef double total, share, step, rate
        while self.size > 0:
            for k in range(self.size):
                self.target[k] = self.offset[self.support[k]]
                self.ones[k] = 1.0
            self.factor.solve(&self.target[0])
            self.factor.solve(&self.ones[0])
            total = share = 0.0
            for k in range(self.size):
                total += self.target[k]
                share += self.ones[k]
            share = (total - 1.0 / self.lam) / share        # the multiplier of sum alpha = 1
            step, leaves = 1.0, -1
            for k in range(self.size):
                self.target[k] = self.lam * (self.target[k] - share * self.ones[k])
                rate = self.weight[self.support[k]] - self.target[k]
                if self.target[k] < 0.0 and self.weight[self.support[k]] < step * rate:
                    step, leaves = self.weight[self.support[k]] / rate, k
            for k in range(self.size):
                self.weight[self.support[k]] += step * (
                    self.target[k] - self.weight[self.support[k]])
            if leaves < 0:
                break
            self._remove(leaves)
        self._normalise()

    cdef void _normalise(self) noexcept nogil:
        """Keep the weights feasible in the last digits."""
        cdef int k
        cdef double total = 0.0
        for k in range(self.size):
            self.weight[self.support[k]] = max(self.weight[self.support[k]], 0.0)
            total += self.weight[self.support[k]]
        for k in range(self.size):
            self.weight[self.support[k]] /= total

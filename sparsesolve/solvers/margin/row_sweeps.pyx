"""Sweeps of coordinate ascent over the rows of a ridge problem with kinks.

    maximise over u   sum_i u_i (c_i - b0) - eps |u_i| - d_i u_i^2 / 2
                      -  |A'u|^2 / (2 lam)  -  rho (1'u)^2 / 2         with low <= u <= high

Given: rows of A as the columns of a Design, less a common centre m; d of a quadratic loss, 0 of
one with kinks; a multiplier b0 and rho, 0 without an intercept. A step maximises in u_i exactly:
with r = c_i - b0 - rho 1'u - d_i u_i - a_i'A'u / lam and q = |a_i|^2 / lam + rho + d_i

    u_i <- clip(soft(q u_i + r, eps) / q, low_i, high_i).

Returned: u, changed in place, and what the dual gained. A row that presses against its bound by
more than the last sweep's largest violation is left out until the caller takes all rows in again.

Invariant: G = A~'u for the rows A~ as they are stored, so that A'u = G - (1'u) m. As m'G, m'm and
a~_i'm are kept, centred rows cost no more than stored ones.

Reference: Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual coordinate descent method for
large-scale linear SVM" (2008), algorithms 1 and 3.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp, fabs, sqrt

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design


cdef class RowSweeps:
    """u (n,) and A'u, changed in place by `sweep`.

    Parameters
    ----------
    rows : Design (k, n)
    centre : (k,), subtracted from each row
    target, low, high, diagonal : (n,)
        c, the bounds and d.
    width : float, eps
    seed : int, of the order in which rows are visited
    """

    cdef Design rows
    cdef readonly Py_ssize_t active         # Rows that a sweep visits, the first ones of `order`.
    cdef readonly double total              # Sum of u.
    # The last sweep's gain of the dual, and its largest violation.
    cdef readonly double gain, worst
    cdef double width, shared, along
    cdef object centre
    cdef const double[::1] target, low, high, diagonal, meeting, square
    cdef double[::1] u, G
    cdef int[::1] order
    cdef unsigned long long random_state

    def __init__(self, Design rows, centre, target, low, high, diagonal, double width,
                 unsigned long long seed=1):
        cdef Py_ssize_t i
        self.rows, self.width, self.random_state = rows, width, 88172645463325252 + seed
        self.target, self.low, self.high, self.diagonal = target, low, high, diagonal
        # a~_i'm, |a~_i - m|^2 and m'm.
        self.shared = float(centre @ centre)
        meeting = rows.products(centre) if centre.any() else np.zeros(rows.p)
        square = np.empty(rows.p)
        cdef double[::1] out = square
        for i in range(rows.p):
            out[i] = _square(&rows.columns[i])
        self.meeting = meeting
        self.square = np.maximum(square - 2.0 * meeting + self.shared, 0.0)
        self.u, self.G = np.zeros(rows.p), np.zeros(rows.n)
        self.centre = centre
        self.order = np.empty(rows.p, dtype=np.intc)
        self.take_all()

    def squares(self):
        """Return |a_i|^2 of each row, (n,)."""
        return np.asarray(self.square)

    def dual_point(self):
        """Return a copy of u (n,)."""
        return np.array(self.u)

    def set(self, u, z=None):
        """Continue from u (n,), with z = A'u if it is known."""
        u = np.ascontiguousarray(u, dtype=float)
        self.u, self.total = u.copy(), float(u.sum())
        if z is None:
            which = np.flatnonzero(u).astype(np.intc)
            self.G = self.rows.combination(which, u[which])
        else:
            self.G = z + self.total * self.centre
        self.along = float(np.asarray(self.G) @ self.centre)

    def take_all(self):
        """Let the next sweep visit all rows that can move."""
        which = np.flatnonzero(np.less(self.low, self.high))
        self.active = len(which)
        np.asarray(self.order)[:self.active] = which
        self.worst = INFINITY

    cdef void _shuffle(self) noexcept nogil:
        """Bring the active rows into a random order."""
        cdef Py_ssize_t k, other
        cdef int i
        for k in range(self.active - 1, 0, -1):
            self.random_state ^= self.random_state << 13
            self.random_state ^= self.random_state >> 7
            self.random_state ^= self.random_state << 17
            other = ((self.random_state >> 32) * <unsigned long long> (k + 1)) >> 32
            i = self.order[other]
            self.order[other] = self.order[k]
            self.order[k] = i

    def sweep(self, double lam, double b0, double rho):
        """Visit the active rows once, in random order; return a lower bound of the dual's gain."""
        cdef double gain = 0.0, worst = 0.0, bar = self.worst, excess
        cdef double q, r, x, new, step, violated, per = 1.0 / lam
        cdef Py_ssize_t k = 0
        cdef int i
        cdef double* G = &self.G[0]
        PyErr_CheckSignals()
        with nogil:
            self._shuffle()
            while k < self.active:
                i = self.order[k]
                if k + 1 < self.active:  # In random order the processor cannot foresee it.
                    col.prefetch(&self.rows.columns[self.order[k + 1]])
                r = col.dot(&self.rows.columns[i], G, 0.0) - self.total * self.meeting[i]
                r -= self.along - self.total * self.shared
                x = self.u[i]
                r = self.target[i] - b0 - rho * self.total - per * r - self.diagonal[i] * x
                # The distance of the slope of the dual at u_i from 0, or from the range that its
                # bound allows.
                if x >= self.high[i] and x > 0.0:
                    violated, excess = max(self.width - r, 0.0), r - self.width
                elif x <= self.low[i] and x < 0.0:
                    violated, excess = max(r + self.width, 0.0), -r - self.width
                elif x == 0.0:
                    excess = INFINITY
                    violated = 0.0
                    if self.high[i] > 0.0:
                        violated, excess = max(r - self.width, 0.0), self.width - r
                    if self.low[i] < 0.0:
                        violated = max(violated, -r - self.width)
                        excess = min(excess, r + self.width)
                else:
                    violated = fabs(r - self.width if x > 0.0 else r + self.width)
                    excess = -INFINITY
                if excess > bar:
                    self.active -= 1
                    self.order[k] = self.order[self.active]
                    self.order[self.active] = i
                    continue
                k += 1
                if violated == 0.0:
                    continue
                worst = max(worst, violated)
                q = self.square[i] * per + rho + self.diagonal[i]
                if q > 0.0:
                    r += q * x
                    r = (r - self.width if r > self.width
                         else r + self.width if r < -self.width else 0.0)
                    new = min(max(r / q, self.low[i]), self.high[i])
                else:
                    new = self.high[i] if r > 0.0 else self.low[i]
                step = new - x
                if step != 0.0:
                    gain += 0.5 * q * step * step
                    self.u[i] = new
                    self.total += step
                    self.along += step * self.meeting[i]
                    col.axpy(&self.rows.columns[i], step, G)
        self.gain, self.worst = gain, worst
        return gain


cdef class EntropicSweeps(RowSweeps):
    """Sweeps of a logistic loss: the entropy of p_i = (high_i - u_i) / (high_i - low_i), times
    high_i - low_i, takes the place of -d_i u_i^2 / 2.

    A step solves eta_i = log(p_i / (1 - p_i)) for the log odds: with the weight w = high_i -
    low_i, and eta_i at the current u,

        t + q w sigma(t) = eta_i + q w p_i,      u_i <- high_i - w sigma(t).
    """

    def sweep(self, double lam, double b0, double rho):
        """Visit the active rows once, in random order; return a lower bound of the dual's gain."""
        cdef double gain = 0.0, worst = 0.0, eta, ratio, q, w, step, per = 1.0 / lam
        cdef Py_ssize_t k
        cdef int i
        cdef double* G = &self.G[0]
        PyErr_CheckSignals()
        with nogil:
            self._shuffle()
            for k in range(self.active):
                i = self.order[k]
                eta = col.dot(&self.rows.columns[i], G, 0.0) - self.total * self.meeting[i]
                eta -= self.along - self.total * self.shared
                eta = b0 + rho * self.total + per * eta - self.target[i]
                w, q = self.high[i] - self.low[i], self.square[i] * per + rho
                ratio = (self.high[i] - self.u[i]) / w
                step = w * (ratio - _ratio_at_balance(eta, ratio, q * w))
                worst = max(worst, fabs(step) * (q + 4.0 / w))
                if step != 0.0:
                    gain += 0.5 * (q + 4.0 / w) * step * step
                    self.u[i] = min(max(self.u[i] + step, self.low[i]), self.high[i])
                    self.total += step
                    self.along += step * self.meeting[i]
                    col.axpy(&self.rows.columns[i], step, G)
        self.gain, self.worst = gain, worst
        return gain


cdef double _ratio_at_balance(double eta, double ratio, double c) noexcept nogil:
    """Return sigma(t) for the root t of t + c sigma(t) = eta + c ratio, by Newton steps from eta
    within a bracket.
    """
    cdef double t = eta, rhs = eta + c * ratio, low = rhs - c, high = rhs, e, p, off
    cdef int k
    # Steps after which bisections alone would have ended.
    for k in range(60):
        e = exp(-fabs(t))
        p = 1.0 / (1.0 + e) if t > 0.0 else e / (1.0 + e)
        off = t - rhs + c * p
        if off > 0.0:
            high = t
        else:
            low = t
        off /= 1.0 + c * e / ((1.0 + e) * (1.0 + e))
        if fabs(off) <= 1e-9 * (1.0 + fabs(t)):
            break
        t -= off
        if not low < t < high:
            t = 0.5 * (low + high)
    return p


cdef double _square(const col.Column* x) noexcept nogil:
    cdef Py_ssize_t k
    cdef double total = 0.0, value
    for k in range(x.size):
        value = col.stored(x, k)
        total += value * value
    return total


def pegasos_steps(const int[::1] start, const int[::1] column, const double[::1] value,
                  const double[::1] y, const int[::1] order, double lam, double radius,
                  double[::1] v, double scale, long long t, long long[::1] violations):
    """Take a subgradient step on each row of `order`, for the hinge loss; return (scale, t).

    Rows are in CSR form, labels y are -1 and 1. Changed in place are v and `violations`, how often
    each row was on the wrong side of its margin. w = scale v is never multiplied as a whole, so
    that a step costs the entries of its row. Reference: Shalev-Shwartz, Singer, Srebro, "Pegasos"
    (2007), figure 1 with k = 1.
    """
    cdef Py_ssize_t k, e, j, i
    cdef double margin, rate, square, length = 0.0
    for j in range(v.shape[0]):
        length += v[j] * v[j]
    length *= scale * scale  # The square of |w|, once a call, so that it cannot drift.
    for k in range(order.shape[0]):
        i = order[k]
        t += 1
        margin = 0.0
        for e in range(start[i], start[i + 1]):
            margin += value[e] * v[column[e]]
        margin *= y[i] * scale
        if t == 1:                              # 1 - 1/t = 0: w is forgotten.
            for j in range(v.shape[0]):
                v[j] = 0.0
            scale, length, margin = 1.0, 0.0, 0.0
        else:
            scale *= 1.0 - 1.0 / t
            length *= (1.0 - 1.0 / t) ** 2
        # The scale below which v is multiplied by it, long before it underflows.
        if scale < 1e-120:
            for j in range(v.shape[0]):
                v[j] *= scale
            scale = 1.0
        if margin < 1.0:
            violations[i] += 1
            rate = y[i] / (lam * t)
            square = 0.0
            for e in range(start[i], start[i + 1]):
                square += value[e] * value[e]
                v[column[e]] += rate / scale * value[e]
            # |w + rate x|^2, w'x from the margin at the old w times 1 - 1/t
            length += 2.0 * rate * (margin * y[i] * (1.0 - 1.0 / t)) + rate * rate * square
        if length > radius * radius:
            scale *= radius / sqrt(length)
            length = radius * radius
    return scale, t

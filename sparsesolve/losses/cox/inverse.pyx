"""The gradient of Cox's partial likelihood inverted, event by event, if nobody enters late.

Given the expected deaths e_i = w_i status_i - u_i, find risks r with F' = -u. Let A be the
cumulative hazard before an event time; then everything at this time can be computed in turn. The
expected deaths of all at risk consist of their contribution to A and of what remains for the
deaths from now on. This gives

    (R + E) A  =  B  =  sum of u_i over those gone before     (the scale of r is free if it is 0)
    E (A + g)  =  M  =  sum of e_i over the deaths now,    g = sum_l d_l c_l / (R + c_l E)

and A grows by h = sum_l d_l / (R + c_l E), in the notation of likelihood.pyx. With x = E / (R +
E) the second line is an equation in x alone whose left side is convex and increasing.
"""
from libc.math cimport INFINITY, fabs, log, log1p

import numpy as np

from sparsesolve.losses.entropy cimport price

# The rest that earlier deaths leave counts as 0 if it is at most this multiple of the deaths now.
cdef double NOTHING = 1e-60
# A is kept below the square of LARGE.
cdef double LARGE = 1e100
cdef double LOG_LARGE = log(1e100)
# Newton's method for x takes at most this many steps.
cdef int STEPS = 100


cdef class RiskInverse:
    """Inverts the gradient for risk sets that nobody enters late."""

    def __init__(self, RiskSets sets):
        self.sets = sets
        self.expected, self.log_risk = np.zeros((2, max(sets.n, 1)))
        self.level, self.by_time = np.zeros(max(sets.m, 1)), np.zeros((5, max(sets.m, 1)))

    cdef double solve(self, const double* u, const double* eta) noexcept nogil:
        """Compute risks and levels if the risk sets allow u; return the cost of rounding outside
        the domain.

        Returns INFINITY if u is outside by more than rounding.
        """
        cdef Py_ssize_t j, t
        cdef double e, dead, cost = 0.0, before = 0.0, A = 0.0, k = 0.0, x, h, g
        cdef double least = INFINITY, most = -INFINITY, spread
        # Sum of u over the samples that are at risk here for the last time.
        cdef double* gone = &self.by_time[0, 0]
        cdef double* dying = &self.by_time[1, 0]        # M
        cdef double* after = &self.by_time[2, 0]        # A + h, and A + g, times LARGE ** -k
        cdef double* own = &self.by_time[3, 0]
        cdef double* power = &self.by_time[4, 0]        # k log(LARGE)
        # 1. Expected deaths of each sample, summed by the times at which samples leave and die.
        for t in range(self.sets.m):
            gone[t] = dying[t] = 0.0
        for j in range(self.sets.n):
            least, most = min(least, eta[self.sets.sample[j]]), max(most, eta[self.sets.sample[j]])
        spread = most - least
        for j in range(self.sets.n):
            dead, t = self.sets.w[j] if self.sets.event[j] >= 0 else 0.0, self.sets.last[j]
            e = dead - u[self.sets.sample[j]]
            if e < 0.0 or t < 0:
                cost += price(fabs(e), eta[self.sets.sample[j]])
                e = 0.0
            self.expected[j] = e
            if t >= 0:
                gone[t] += dead - e
            if self.sets.event[j] >= 0:
                dying[t] += e
        # 2. Levels from the first time to the last; sums stay in range by powers of LARGE.
        for t in range(self.sets.m):
            if t > 0 and self.sets.time_stratum[t] != self.sets.time_stratum[t - 1]:
                if fabs(before) > self.sets.rounding:
                    return INFINITY
                cost += price(fabs(before), spread)
                before, A, k = 0.0, 0.0, 0.0
            if before < -self.sets.rounding:
                return INFINITY
            cost += price(-before, spread)
            x = self._share(t, max(before, 0.0), dying[t])
            h, g = self._hazard(t, x, False), self._hazard(t, x, True)
            self.level[t] = self._level(t, x)
            if A > 0.0 and before > NOTHING * h:
                if A > LARGE:
                    A, k = A / LARGE, k + LOG_LARGE
                self.level[t] += self.sets.deaths[t] * (log(before / A) - k)
                own[t] = A * (1.0 + g / before)
                A *= 1.0 + h / before
            else:
                own[t], A, k = g, h, 0.0
            after[t], power[t] = A, k
            before += gone[t]
        if fabs(before) > self.sets.rounding:
            return INFINITY
        cost += price(fabs(before), spread)
        # 3. Risks from the levels.
        for j in range(self.sets.n):
            if self.expected[j] > 0.0:
                t = self.sets.last[j]
                h = own[t] if self.sets.event[j] >= 0 else after[t]
                self.log_risk[j] = log(self.expected[j]) - log(h) - power[t]
        return cost

    cdef double _share(self, Py_ssize_t t, double before, double dying) noexcept nogil:
        """Solve x (B + g(x)) = M by Newton steps from above, which do not overshoot.

        g is the hazard of the deaths at event time t.
        """
        cdef double x = 1.0, left, slope, c, d = self.sets.deaths[t] / self.sets.n_terms[t]
        cdef Py_ssize_t l
        cdef int k
        for k in range(STEPS):
            left, slope = x * before - dying, before
            for l in range(self.sets.n_terms[t]):
                c = <double> l / self.sets.n_terms[t]
                left += d * (1.0 - c) * x / (1.0 - c * x)
                slope += d * (1.0 - c) / ((1.0 - c * x) * (1.0 - c * x))
            if not left > 0.0 or x - left / slope == x:
                break
            x = max(x - left / slope, 0.0)
        return x

    cdef double _hazard(self, Py_ssize_t t, double x, bint own) noexcept nogil:
        """Return (R + E) h, or (R + E) g, the hazard of the deaths themselves, if `own` is True.
        """
        cdef double c, total = 0.0
        cdef Py_ssize_t l
        for l in range(self.sets.n_terms[t]):
            c = <double> l / self.sets.n_terms[t]
            total += (1.0 - c if own else 1.0) / (1.0 - c * x)
        return total * self.sets.deaths[t] / self.sets.n_terms[t]

    cdef double _level(self, Py_ssize_t t, double x) noexcept nogil:
        """Return sum_l d_l log(R + c_l E) for R + E = 1."""
        cdef double total = 0.0
        cdef Py_ssize_t l
        for l in range(1, self.sets.n_terms[t]):
            total += log1p(-x * l / self.sets.n_terms[t])
        return total * self.sets.deaths[t] / self.sets.n_terms[t]

"""RiskSets: who is at risk at each event time, who dies at it, and the sums of their risks.

At risk at t are the samples of its stratum with start < t <= stop. The event times that a sample
survives are an interval, so all sums run over intervals (linalg/factors/intervals.pyx). Their
terms are positive and of any size (linalg/kernels/wide.pxd). A sample that dies is also at risk
at its own event time.

`RiskInverse` inverts the gradient, event by event, if nobody enters late. Given the expected deaths
e_i = w_i status_i - u_i, find risks r with F' = -u. Let A be the cumulative hazard before an event
time; then everything at this time can be computed in turn. The expected deaths of all at risk
consist of their contribution to A and of what remains for the deaths from now on. This gives

    (R + E) A  =  B  =  sum of u_i over those gone before     (the scale of r is free if it is 0)
    E (A + g)  =  M  =  sum of e_i over the deaths now,    g = sum_l d_l c_l / (R + c_l E)

and A grows by h = sum_l d_l / (R + c_l E), in the notation of likelihood.pyx. With x = E / (R +
E) the second line is an equation in x alone whose left side is convex and increasing.

`ChainedRoot` and `FilledRoot` are roots of the Hessian, in O(n), or in O(n^3) if someone enters
late. F'' = sum over the terms of d (diag(shares) - shares shares').
"""
from libc.math cimport INFINITY, exp, fabs, log, log1p
from libc.string cimport memcmp, memcpy

import numpy as np

from sparsesolve.linalg.factors.intervals cimport Intervals
from sparsesolve.linalg.kernels.wide cimport BAND, Wide, add, exponential, in_band, nothing
from sparsesolve.losses.entropy cimport SS_BEYOND, price

cdef double EPSILON = np.finfo(float).eps
WIDE = np.dtype([("f", float), ("k", float)])


cdef class RiskSets:
    """Risk sets of samples of positive weight, in an order of their own, with risks for one eta
    at a time.

    Parameters
    ----------
    y, w, ties : as in Cox
    """

    def __init__(self, y, w, ties):
        y, w = np.asarray(y, dtype=float), np.asarray(w, dtype=float)
        kept, self.unseen = np.flatnonzero(w > 0.0), np.flatnonzero(w == 0.0)
        stratum = np.unique(y[kept, 3], return_inverse=True)[1].ravel()
        order = self._place(y[kept], stratum)
        self.sample, self.stratum, self.w = kept[order], stratum[order], w[kept[order]]
        self.log_w = np.log(self.w)
        event = np.asarray(self.event)
        first, last = np.asarray(self.survival.first), np.asarray(self.survival.last)
        self.last = np.where(event >= 0, event, np.where(first <= last, last, -1))
        dead, n, m = event >= 0, max(self.n, 1), max(self.m, 1)
        self.deaths = np.bincount(event[dead], np.asarray(self.w)[dead], m).astype(float)
        # negative expected deaths that count as 0, n additions being rounded
        self.rounding = max(SS_BEYOND, n * EPSILON) * np.sum(self.deaths)
        efron = ties == "efron"
        self.n_terms = np.bincount(event[dead],
                                   minlength=m).astype(np.intp) if efron else np.ones(m, np.intp)
        self.known, self.eta = False, np.empty(len(y))
        self.risk = np.zeros(n, WIDE)
        self.R, self.E, self.band = np.zeros((3, m))
        self.survivors, self.dying = np.zeros((2, m), WIDE)

    def _place(self, y, stratum):
        """Find event times, who survives and who dies at each; return the order of the samples."""
        start, stop, status = y[:, 0], y[:, 1], y[:, 2] > 0.0
        moments = np.unique(stop[status])
        begin, end = (stratum * (len(moments) + 1)
                      + np.searchsorted(moments, t, side="right") for t in (start, stop))
        # ascending within strata, strata one after another
        events, index = np.unique(end[status], return_index=True)
        self.n, self.m = len(y), len(events)
        self.times, self.strata = stop[status][index], y[status][index, 3]
        self.time_stratum = stratum[status][index].astype(np.intp)
        first, gone = (np.searchsorted(events, t, side="right") for t in (begin, end))
        after = gone - status
        root, end = (np.searchsorted(self.time_stratum, stratum, side=side)
                     for side in ("left", "right"))
        self.survival = Intervals(first, after, root, end, len(events))
        self.late = bool(np.any((root < first) & (first < gone)))
        order = self.survival.order
        self.event = np.where(status, after, -1)[order].astype(np.intp)
        return order

    cdef bint allows(self, const double* u) noexcept nogil:
        """Return True if the expected deaths w status - u are nonnegative up to rounding.

        They must also be 0 for samples that are never at risk.
        """
        cdef Py_ssize_t j
        cdef double e
        for j in range(self.unseen.shape[0]):
            if u[self.unseen[j]] != 0.0:
                return False
        for j in range(self.n):
            e = (self.w[j] if self.event[j] >= 0 else 0.0) - u[self.sample[j]]
            if e < -self.rounding or (self.last[j] < 0 and e > self.rounding):
                return False
        return True

    cdef bint take_weights(self, const double* eta) noexcept nogil:
        """Compute risks and their sums at eta; return False if they are cached."""
        cdef Py_ssize_t t, j
        cdef double level
        if self.known and memcmp(&self.eta[0], eta, self.eta.shape[0] * sizeof(double)) == 0:
            return False
        memcpy(&self.eta[0], eta, self.eta.shape[0] * sizeof(double))
        self.known = True
        for j in range(self.n):
            self.risk[j] = exponential(self.eta[self.sample[j]] + self.log_w[j])
        self.gather(&self.risk[0], &self.survivors[0], &self.dying[0])
        for t in range(self.m):
            level = (self.survivors[t].k if self.survivors[t].k > self.dying[t].k
                     else self.dying[t].k)
            self.R[t], self.E[t] = in_band(self.survivors[t], level), in_band(self.dying[t], level)
            self.band[t] = level
        return True

    cdef void gather(self, const Wide* x, Wide* survivors, Wide* dying) noexcept nogil:
        """Sum x over the survivors of each event time, and over those who die at it."""
        cdef Py_ssize_t t, j
        self.survival.gather(x, survivors)
        for t in range(self.m):
            dying[t] = nothing()
        for j in range(self.n):
            if self.event[j] >= 0:
                add(&dying[self.event[j]], x[j])

    cdef double share_left(self, Py_ssize_t t, Py_ssize_t before) noexcept nogil:
        """Return the ratio of the sum of risks at an event time to that at an earlier one.

        Both are of one stratum.
        """
        cdef double left = (self.R[t] + self.E[t]) / (self.R[before] + self.E[before])
        return left * exp(BAND * (self.band[t] - self.band[before]))


# The rest that earlier deaths leave counts as 0 if it is at most this multiple of the deaths now.
cdef double NOTHING = 1e-60
# A is kept below the square of LARGE.
cdef double LARGE = 1e100
cdef double LOG_LARGE = log(1e100)


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
        for k in range(100):  # it ends far sooner
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
        """Return (R + E) h, or (R + E) g, the hazard of the deaths themselves, if `own`."""
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


cdef class ChainedRoot(Semiseparable):
    """The factor of F'' with Breslow's ties, whatever the ties are, if nobody enters late.

    All numbers are relative to the current risk set, and so to its last event time, so risks may
    differ by any factor.
    """

    def __init__(self, RiskSets sets):
        stratum = np.asarray(sets.stratum)
        self.sets, self.leaving = sets, np.lexsort((sets.last, stratum))
        blocks = np.diff(stratum[self.leaving], prepend=-1) > 0
        super().__init__(np.asarray(sets.sample)[self.leaving], blocks, len(sets.eta))
        self.hazard, self.curvature = np.zeros((2, max(sets.m, 1)))
        self.chain = np.zeros((5, max(sets.n, 1)))

    cdef void take(self, double floor) noexcept nogil:
        cdef Py_ssize_t t, j, place, before = -1
        cdef double share, hazard = 0.0, curvature = 0.0
        for t in range(self.sets.m):
            if t == 0 or self.sets.time_stratum[t] != self.sets.time_stratum[t - 1]:
                hazard = curvature = 0.0
            else:
                share = self.sets.share_left(t, t - 1)
                hazard, curvature = hazard * share, curvature * share * share
            hazard += self.sets.deaths[t]
            curvature += self.sets.deaths[t]
            self.hazard[t], self.curvature[t] = hazard, curvature
        for j in range(self.sets.n):
            place = self.leaving[j]
            t = self.sets.last[place]
            self.chain[0, j] = self.chain[1, j] = self.chain[2, j] = 0.0
            self.chain[3, j] = self.sets.share_left(t, before) if t >= 0 and before >= 0 else 1.0
            self.chain[4, j] = floor * self.sets.w[place]
            if t >= 0:
                share = in_band(self.sets.risk[place],
                                self.sets.band[t]) / (self.sets.R[t] + self.sets.E[t])
                self.chain[0, j], self.chain[1, j] = share * self.hazard[t], share
                self.chain[2, j] = self.curvature[t]
            before = t
        self.factor(&self.chain[0, 0], &self.chain[1, 0], &self.chain[2, 0], &self.chain[3, 0],
                    &self.chain[4, 0])


cdef class FilledRoot(DenseRoot):
    """The factor of F'' itself, if someone enters late."""

    def __init__(self, RiskSets sets):
        super().__init__(sets.sample, len(sets.eta))
        self.sets = sets
        self.sharing, self.share = np.empty(max(sets.n, 1), dtype=np.intp), np.empty(max(sets.n, 1))

    cdef bint take(self, double floor) noexcept nogil:
        cdef Py_ssize_t t, l, i, j, k, count
        cdef double d
        for j in range(self.sets.n):
            for i in range(self.sets.n):
                self.L[i, j] = 0.0
            self.L[j, j] = floor * self.sets.w[j]
        for t in range(self.sets.m):
            d = self.sets.deaths[t] / self.sets.n_terms[t]
            for l in range(self.sets.n_terms[t]):
                count = self._share_out(t, 1.0 - <double> l / self.sets.n_terms[t])
                for k in range(count):
                    j = self.sharing[k]
                    self.L[j, j] += d * self.share[k] * (1.0 - self.share[k])
                    for i in range(k + 1, count):
                        self.L[self.sharing[i], j] -= d * self.share[k] * self.share[i]
        return self.factor()

    cdef Py_ssize_t _share_out(self, Py_ssize_t t, double c) noexcept nogil:
        """List those at risk at t and their shares if deaths count c each; return their number."""
        cdef Py_ssize_t j, count = 0
        cdef double own
        for j in range(self.sets.n):
            own = c if self.sets.event[j] == t else 1.0
            if (self.sets.event[j] == t
                    or self.sets.survival.first[j] <= t <= self.sets.survival.last[j]):
                self.share[count] = own * in_band(self.sets.risk[j], self.sets.band[t]) / (
                    self.sets.R[t] + c * self.sets.E[t])
                self.sharing[count] = j
                count += 1
        return count

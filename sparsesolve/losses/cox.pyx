"""Cox's partial likelihood: Breslow's and Efron's ties, (start, stop] intervals, strata."""
from libc.math cimport INFINITY, ceil, exp, log
from libc.string cimport memcmp, memcpy

import numpy as np

from sparsesolve.linalg.intervals cimport Intervals
from sparsesolve.linalg.root cimport DenseRoot
from sparsesolve.linalg.semiseparable cimport Semiseparable
from sparsesolve.linalg.wide cimport BAND, Wide, add, exponential, in_band, nothing
from sparsesolve.losses.base cimport Loss
from sparsesolve.losses.cox_inverse cimport RiskInverse
from sparsesolve.losses.cox_late import excess


cdef class Cox(Loss):
    """Minus the log partial likelihood, with weights that sum to 1.

    An event time t with m deaths of weights w_i, D their sum, gives the terms

        sum_l d_l log(R + c_l E)  -  sum_deaths w_i eta_i,    R, E = sum of w_i exp(eta_i) over survivors, deaths at t:

    Breslow one of d = D, c = 1; Efron m of d_l = D / m, c_l = 1 - l / m, l = 0 .. m - 1.  At risk at t are the samples
    of its stratum with start < t <= stop.  Survivors of t are an interval of event times, so that all is done by sums
    over intervals (linalg/intervals.pyx), of positive terms alone and of any size (linalg/wide.pxd); a death is in E at
    its own time besides.  What depends on eta alone is kept for the next question about the same eta: one call at a
    time.

    Parameters
    ----------
    y : (n, 4) start (-inf where there is none), stop, status 0 or 1, stratum
    w : (n,) weights that sum to 1; a sample of weight 0 takes no part
    ties : "breslow" or "efron"
    """

    cdef readonly object times              # (m,) of events, ascending within strata
    cdef readonly object strata             # (m,) theirs, as y has them, ascending
    cdef Intervals survival                 # of samples: the event times that they survive
    cdef Py_ssize_t[::1] sample             # (q,) at each place of `survival`, in whose order the next are
    cdef Py_ssize_t[::1] stratum            # (q,) 0, 1, ...
    cdef Py_ssize_t[::1] event              # (q,) index of the event time at which it dies, or -1
    cdef Py_ssize_t[::1] unseen             # samples of weight 0
    cdef double[::1] w, log_w               # (q,)
    cdef Py_ssize_t[::1] time_stratum       # (m,)
    cdef Py_ssize_t[::1] n_terms            # (m,)
    cdef double[::1] deaths                 # (m,) D
    cdef double[::1] eta                    # (n,) what the following belong to, once `known`
    cdef readonly bint late                 # whether anyone enters after an event of its stratum
    cdef bint known
    cdef double value
    cdef double[::1] reference              # (strata,) whole numbers: `risk` is exp(theta - reference)
    cdef double[:, ::1] risk                # (q, 2) w exp(eta)
    cdef double[:, ::1] sums                # (m, 3) R, E and the band of both
    cdef double[::1] expected               # (q,) expected deaths: F' = expected - w status
    cdef RiskInverse inverse                # where nobody enters late
    cdef Semiseparable chained              # the root where nobody enters late
    cdef DenseRoot filled                   # the root where someone does, once asked for
    cdef Py_ssize_t[::1] leaving            # (q,) the samples, as places, in that order
    cdef Py_ssize_t[::1] last               # (q,) last event time at risk, in that order; -1 where there is none
    cdef double[:, ::1] chain               # (5, q) what `chained` is factored from
    cdef double[:, ::1] by_sample, by_time, by_death    # (q, 2), (m, 2), (m, 2) work

    def __init__(self, y, w, ties="breslow"):
        y, w = np.asarray(y, dtype=float), np.asarray(w, dtype=float)
        self.n, self.n_responses, self.shift_invariant, self.known = len(y), 1, True, False
        self.coupled = True
        kept, self.unseen = np.flatnonzero(w > 0.0), np.flatnonzero(w == 0.0)
        stratum = np.unique(y[kept, 3], return_inverse=True)[1].ravel()
        order = self._place(y[kept], stratum)
        self.sample, self.stratum = kept[order], stratum[order]
        self.w = w[kept[order]]
        self.log_w = np.log(self.w)
        self.eta, self.reference = np.empty(self.n), np.empty(stratum.max(initial=0) + 1)
        q, m = max(len(kept), 1), max(len(self.times), 1)
        self.risk, self.expected, self.by_sample = np.zeros((q, 2)), np.zeros(q), np.zeros((q, 2))
        self.sums, self.by_time, self.by_death = np.zeros((m, 3)), np.zeros((m, 2)), np.zeros((m, 2))
        dead = np.asarray(self.event) >= 0
        at = np.asarray(self.event)[dead]
        self.deaths = np.bincount(at, np.asarray(self.w)[dead], m).astype(float)
        efron = ties == "efron"
        self.n_terms = np.bincount(at, minlength=m).astype(np.intp) if efron else np.ones(m, np.intp)
        self._saturate()
        if not self.late:
            self._arrange()

    def _place(self, y, stratum):
        """Find event times, who survives which and who dies at which; return the order of the samples."""
        start, stop, status = y[:, 0], y[:, 1], y[:, 2] > 0.0
        moments = np.unique(stop[status])
        begin, end = (stratum * (len(moments) + 1) + np.searchsorted(moments, t, side="right") for t in (start, stop))
        events, index = np.unique(end[status], return_index=True)       # ascending within strata, strata apart
        self.times, self.strata = stop[status][index], y[status][index, 3]
        self.time_stratum = stratum[status][index].astype(np.intp)
        first, gone = (np.searchsorted(events, t, side="right") for t in (begin, end))
        after = gone - status
        root, end = (np.searchsorted(self.time_stratum, stratum, side=side) for side in ("left", "right"))
        self.survival = Intervals(first, after, root, end, len(events))
        self.late = bool(np.any((root < first) & (first < gone)))
        order = self.survival.order
        self.event = np.where(status, after, -1)[order].astype(np.intp)
        return order

    def _arrange(self):
        """Find the order in which samples leave the risk sets, stratum by stratum: for the root, and F' inverted."""
        event, stratum = np.asarray(self.event), np.asarray(self.stratum)
        q = len(event)
        first, last = np.asarray(self.survival.first), np.asarray(self.survival.last)
        last = np.where(event >= 0, event, np.where(first <= last, last, -1))
        self.inverse = RiskInverse(self.sample, self.w, self.event, last, self.deaths, self.n_terms, self.time_stratum)
        self.leaving = np.lexsort((last, stratum))
        self.last = last[self.leaving]
        blocks = np.diff(stratum[self.leaving], prepend=-1) > 0
        self.root = self.chained = Semiseparable(np.asarray(self.sample)[self.leaving], blocks, self.n)
        self.chain = np.zeros((5, max(q, 1)))

    cdef void _saturate(self) noexcept:
        """The limit of F as risks fall steeply from each event time to the next and deaths at one time share theirs."""
        cdef Py_ssize_t t, l
        self.saturated = 0.0
        for t in range(self.survival.m):
            for l in range(self.n_terms[t]):
                self.saturated += self.deaths[t] / self.n_terms[t] * log(
                    self.deaths[t] * (1.0 - <double> l / self.n_terms[t]))

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        cdef Py_ssize_t j
        self._at(eta)
        for j in range(self.n):
            u[j] = 0.0
        for j in range(self.survival.n):
            u[self.sample[j]] = (self.w[j] if self.event[j] >= 0 else 0.0) - self.expected[j]
        return self.value

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        """expected less the sum of its squares over the terms; 0 where rounding leaves less."""
        cdef Py_ssize_t t, l, j
        cdef double c, q, r
        cdef Wide* again = <Wide*> &self.by_time[0, 0]
        cdef Wide* own = <Wide*> &self.by_death[0, 0]
        cdef Wide* inside = <Wide*> &self.by_sample[0, 0]
        cdef Wide x
        self._at(eta)
        for t in range(self.survival.m):
            again[t].f, own[t].f = 0.0, 0.0
            again[t].k = own[t].k = -2.0 * self.sums[t, 2]
            for l in range(self.n_terms[t]):
                c = 1.0 - <double> l / self.n_terms[t]
                q = self.sums[t, 0] + c * self.sums[t, 1]
                r = self.deaths[t] / self.n_terms[t] / (q * q)
                again[t].f += r
                own[t].f += r * c * c
        self.survival.spread(again, inside)
        for j in range(self.n):
            h[j] = 0.0
        for j in range(self.survival.n):
            x = self._risk(j)
            x.f, x.k = x.f * x.f, 2.0 * x.k
            r = self.expected[j] - times(x, inside[j])
            if self.event[j] >= 0:
                r -= times(x, own[self.event[j]])
            h[self.sample[j]] = r if r > 0.0 else 0.0

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        """expected v less, over the terms, the share of each sample times the mean of v under the shares of all."""
        cdef Py_ssize_t t, l, j
        cdef double c, q, r, mean
        cdef Wide* part = <Wide*> &self.by_time[0, 0]
        cdef Wide* own = <Wide*> &self.by_death[0, 0]
        cdef Wide* inside = <Wide*> &self.by_sample[0, 0]
        self._at(eta)
        for j in range(self.survival.n):
            inside[j] = self._risk(j)
            inside[j].f *= v[self.sample[j]]
        self._gather(inside, part, own)
        for t in range(self.survival.m):
            part[t].f, own[t].f = in_band(part[t], self.sums[t, 2]), in_band(own[t], self.sums[t, 2])
            mean = r = 0.0
            for l in range(self.n_terms[t]):
                c = 1.0 - <double> l / self.n_terms[t]
                q = self.sums[t, 0] + c * self.sums[t, 1]
                q = self.deaths[t] / self.n_terms[t] / q * ((part[t].f + c * own[t].f) / q)
                mean += q
                r += q * c
            part[t].f, own[t].f = mean, r
            part[t].k = own[t].k = -self.sums[t, 2]
        self.survival.spread(part, inside)
        for j in range(self.n):
            out[j] = 0.0
        for j in range(self.survival.n):
            r = self.expected[j] * v[self.sample[j]] - times(self._risk(j), inside[j])
            if self.event[j] >= 0:
                r -= times(self._risk(j), own[self.event[j]])
            out[self.sample[j]] = r

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        """As a sum over event times, less one over samples, of differences from the risks whose slope is -u."""
        cdef Py_ssize_t t, l, j
        cdef double cost, theta
        cdef long double total
        if self.late:
            return self._fenchel_young_of_late(eta, u)
        for j in range(self.unseen.shape[0]):
            if u[self.unseen[j]] != 0.0:
                return INFINITY
        cost = self.inverse.solve(u, eta)
        if cost == INFINITY:
            return INFINITY
        self._at(eta)
        total = cost
        for t in range(self.survival.m):
            total += self.deaths[t] * BAND * self.sums[t, 2] - self.inverse.level[t]
            for l in range(self.n_terms[t]):
                total += self.deaths[t] / self.n_terms[t] * log(
                    self.sums[t, 0] + (1.0 - <double> l / self.n_terms[t]) * self.sums[t, 1])
        for j in range(self.survival.n):
            if self.inverse.expected[j] > 0.0:
                theta = self.eta[self.sample[j]] + self.log_w[j] - self.reference[self.stratum[j]]
                total -= self.inverse.expected[j] * (theta - self.inverse.log_risk[j])
        return max(<double> total, 0.0)

    cdef double _fenchel_young_of_late(self, const double* eta, const double* u) noexcept with gil:
        if self.pending is not None:
            return INFINITY
        try:
            return excess(self, <const double[:self.n]> eta, <const double[:self.n]> u)
        except BaseException as error:      # Ctrl-C, say: an infinite gap until raise_pending raises it
            self.pending = error
            return INFINITY

    cdef bint take_root(self, const double* eta, double floor, bint dense) noexcept nogil:
        """Of F'' with Breslow's ties, whatever they are; where someone enters late of F'' itself, if `dense`.

        All is relative to the risk set at hand, and so to its last event time: risks may be any distance apart.
        """
        cdef Py_ssize_t t, j, place, before = -1
        cdef double total, share, hazard = 0.0, bend = 0.0
        cdef double* time_hazard = &self.by_time[0, 0]
        cdef double* time_bend = &self.by_death[0, 0]
        if self.late:
            return dense and self._fill_root(eta, floor)
        self._at(eta)
        for t in range(self.survival.m):
            if t == 0 or self.time_stratum[t] != self.time_stratum[t - 1]:
                hazard = bend = 0.0
            else:
                share = self._share_left(t, t - 1)
                hazard, bend = hazard * share, bend * share * share
            hazard += self.deaths[t]
            bend += self.deaths[t]
            time_hazard[t], time_bend[t] = hazard, bend
        for j in range(self.survival.n):
            place, t = self.leaving[j], self.last[j]
            self.chain[0, j] = self.chain[1, j] = self.chain[2, j] = 0.0
            self.chain[3, j] = self._share_left(t, before) if t >= 0 and before >= 0 else 1.0
            self.chain[4, j] = floor * self.w[place]
            if t >= 0:
                total = self.sums[t, 0] + self.sums[t, 1]
                share = in_band(self._risk(place), self.sums[t, 2]) / total
                self.chain[0, j], self.chain[1, j], self.chain[2, j] = share * time_hazard[t], share, time_bend[t]
            before = t
        self.chained.factor(&self.chain[0, 0], &self.chain[1, 0], &self.chain[2, 0], &self.chain[3, 0], &self.chain[4, 0])
        return True

    cdef bint _fill_root(self, const double* eta, double floor) noexcept nogil:
        """Sum F'' over the terms, d (diag(shares) - shares shares'), and factor it."""
        cdef Py_ssize_t t, l, i, j, k, count
        cdef double c, d, own
        cdef double* share = &self.by_sample[0, 0]
        cdef double[::1, :] A
        cdef Py_ssize_t[::1] sharing
        with gil:
            if self.filled is None:
                self.root = self.filled = DenseRoot(self.sample, self.n)
            A, sharing = self.filled.L, np.empty(max(self.survival.n, 1), dtype=np.intp)
            A[:, :] = 0.0
        self._at(eta)
        for j in range(self.survival.n):
            A[j, j] = floor * self.w[j]
        for t in range(self.survival.m):
            for l in range(self.n_terms[t]):
                c, d = 1.0 - <double> l / self.n_terms[t], self.deaths[t] / self.n_terms[t]
                count = 0
                for j in range(self.survival.n):
                    own = c if self.event[j] == t else 1.0
                    if self.event[j] == t or self.survival.first[j] <= t <= self.survival.last[j]:
                        share[count] = own * in_band(self._risk(j), self.sums[t, 2]) / (
                            self.sums[t, 0] + c * self.sums[t, 1])
                        sharing[count] = j
                        count += 1
                for k in range(count):
                    j = sharing[k]
                    A[j, j] += d * share[k] * (1.0 - share[k])
                    for i in range(k + 1, count):
                        A[sharing[i], j] -= d * share[k] * share[i]
        return self.filled.factor()

    cdef inline double _share_left(self, Py_ssize_t t, Py_ssize_t before) noexcept nogil:
        """The sum of risks at an event time over that at an earlier one of its stratum."""
        cdef double left = (self.sums[t, 0] + self.sums[t, 1]) / (self.sums[before, 0] + self.sums[before, 1])
        return left * exp(BAND * (self.sums[t, 2] - self.sums[before, 2]))

    def hazard_at(self, eta):
        """Log of the baseline hazard at each of `times`: sum_l d_l / (R + c_l E), at linear predictors (n,)."""
        cdef const double[::1] e = self._flat(eta)
        cdef double[::1] out = np.empty(self.survival.m)
        cdef const Wide* hazard = <const Wide*> &self.by_time[0, 0]
        cdef Py_ssize_t t
        self.known = False                  # by_time holds the hazard only as long as nobody else has used it
        self._at(&e[0])
        for t in range(self.survival.m):
            out[t] = log(hazard[t].f) + BAND * hazard[t].k - self.reference[self.time_stratum[t]]
        return np.asarray(out)

    cdef inline Wide _risk(self, Py_ssize_t j) noexcept nogil:
        return (<Wide*> &self.risk[0, 0])[j]

    cdef void _gather(self, const Wide* x, Wide* survivors, Wide* dead) noexcept nogil:
        """Sums of x over the survivors of each event time, and over those who die at it."""
        cdef Py_ssize_t t, j
        self.survival.gather(x, survivors)
        for t in range(self.survival.m):
            dead[t] = nothing()
        for j in range(self.survival.n):
            if self.event[j] >= 0:
                add(&dead[self.event[j]], x[j])

    cdef void _at(self, const double* eta) noexcept nogil:
        """Risks, their sums, F and expected deaths at eta, unless they are there already."""
        if self.known and memcmp(&self.eta[0], eta, self.n * sizeof(double)) == 0:
            return
        memcpy(&self.eta[0], eta, self.n * sizeof(double))
        self.known = True
        self._weigh()
        self._value_and_hazard()

    cdef void _weigh(self) noexcept nogil:
        """risk = w exp(eta), relative to the largest of the stratum."""
        cdef Py_ssize_t j
        cdef double theta
        cdef Wide* risk = <Wide*> &self.risk[0, 0]
        for j in range(self.reference.shape[0]):
            self.reference[j] = -INFINITY
        for j in range(self.survival.n):
            theta = self.eta[self.sample[j]] + self.log_w[j]
            if theta > self.reference[self.stratum[j]]:
                self.reference[self.stratum[j]] = theta
        for j in range(self.reference.shape[0]):
            self.reference[j] = ceil(self.reference[j])
        for j in range(self.survival.n):
            theta = self.eta[self.sample[j]] + self.log_w[j]
            risk[j] = exponential(theta, self.reference[self.stratum[j]])

    cdef void _value_and_hazard(self) noexcept nogil:
        cdef Py_ssize_t t, l, j
        cdef double c, q, d, level
        cdef long double value = 0.0        # steps are judged by small differences of it
        cdef Wide* hazard = <Wide*> &self.by_time[0, 0]
        cdef Wide* own = <Wide*> &self.by_death[0, 0]
        cdef Wide* inside = <Wide*> &self.by_sample[0, 0]
        self._gather(<const Wide*> &self.risk[0, 0], hazard, own)
        for t in range(self.survival.m):
            level = hazard[t].k if hazard[t].k > own[t].k else own[t].k
            self.sums[t, 0], self.sums[t, 1] = in_band(hazard[t], level), in_band(own[t], level)
            self.sums[t, 2] = level
            hazard[t].f, own[t].f = 0.0, 0.0
            hazard[t].k = own[t].k = -level
            d = self.deaths[t] / self.n_terms[t]
            for l in range(self.n_terms[t]):
                c = 1.0 - <double> l / self.n_terms[t]
                q = self.sums[t, 0] + c * self.sums[t, 1]
                value += d * log(q)
                hazard[t].f += d / q
                own[t].f += d * c / q
        self.survival.spread(hazard, inside)
        for j in range(self.survival.n):
            self.expected[j] = times(self._risk(j), inside[j])
            if self.event[j] >= 0:
                t = self.event[j]
                self.expected[j] += times(self._risk(j), own[t])
                level = self.reference[self.stratum[j]] + BAND * self.sums[t, 2]
                value += self.w[j] * (level - self.eta[self.sample[j]])
        self.value = value


cdef inline double times(Wide x, Wide y) noexcept nogil:
    """x y, where it is a number of the size of doubles."""
    return x.f * y.f if x.k + y.k == 0.0 else x.f * y.f * exp(BAND * (x.k + y.k))

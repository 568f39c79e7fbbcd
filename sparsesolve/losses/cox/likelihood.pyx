"""Cox's partial likelihood: value, slope, curvature, root and gap."""
from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, exp, fabs, log

import numpy as np

from sparsesolve.linalg.kernels.wide cimport BAND, Wide, in_band, nothing
from sparsesolve.losses.base cimport Loss
from sparsesolve.losses.cox.late import excess
from sparsesolve.losses.cox.risk_sets import WIDE
from sparsesolve.losses.cox.risk_sets cimport ChainedRoot, FilledRoot, RiskInverse, RiskSets


cdef class Cox(Loss):
    """Minus the log partial likelihood, with weights that sum to 1.

    An event time t with m deaths of weights w_i and total weight D contributes

        sum_l d_l log(R + c_l E)  -  sum_deaths w_i eta_i,

    where R and E are the sums of w_i exp(eta_i) over survivors of t and over deaths at t.
    Breslow's ties have one term, d = D and c = 1. Efron's have m terms, d_l = D / m and c_l = 1 -
    l / m, l = 0 .. m - 1. Intermediate results that depend on eta alone are cached for the next
    call with the same eta, so only one call may run at a time.

    Parameters
    ----------
    y : (n, 4) start (-inf if there is none), stop, status 0 or 1, stratum
    w : (n,) weights that sum to 1; a sample of weight 0 takes no part
    ties : "breslow" or "efron"
    """

    cdef readonly RiskSets sets
    cdef RiskInverse inverse                # used if nobody enters late
    cdef double value                       # this and the next three belong to the eta of `sets`
    cdef double[::1] expected               # (q,) expected deaths: F' = expected - w status
    # (m,) sum_l d_l / (R + c_l E), and the hazard of the deaths themselves, with c_l d_l for d_l.
    cdef Wide[::1] hazard, own_hazard
    cdef Wide[::1] inside, part, own        # (q,), (m,), (m,) workspace

    def __init__(self, y, w, ties="breslow"):
        self.sets = sets = RiskSets(y, w, ties)
        self.n, self.n_responses, self.shift_invariant, self.coupled = len(y), 1, True, True
        n, m = max(sets.n, 1), max(sets.m, 1)
        self.expected, self.inside = np.zeros(n), np.zeros(n, WIDE)
        self.hazard, self.own_hazard, self.part, self.own = np.zeros((4, m), WIDE)
        self._saturate()
        if not sets.late:
            self.inverse, self.root = RiskInverse(sets), ChainedRoot(sets)

    cdef void _saturate(self) noexcept:
        """Set the infimum of F.

        It is the limit as risks fall steeply from each event time to the next and deaths at one
        time share theirs.
        """
        cdef Py_ssize_t t, l
        self.saturated = 0.0
        for t in range(self.sets.m):
            for l in range(self.sets.n_terms[t]):
                self.saturated += self.sets.deaths[t] / self.sets.n_terms[t] * log(
                    self.sets.deaths[t] * (1.0 - <double> l / self.sets.n_terms[t]))

    cdef void _at(self, const double* eta) noexcept nogil:
        """Compute risks, hazards, expected deaths and F at eta, unless they are cached."""
        cdef Py_ssize_t t, l, j
        cdef double c, q, d
        cdef long double value = 0.0        # line searches compare small differences of it
        if not self.sets.take_weights(eta):
            return
        for t in range(self.sets.m):
            self.hazard[t].f = self.own_hazard[t].f = 0.0
            self.hazard[t].k = self.own_hazard[t].k = -self.sets.band[t]
            d = self.sets.deaths[t] / self.sets.n_terms[t]
            for l in range(self.sets.n_terms[t]):
                c = 1.0 - <double> l / self.sets.n_terms[t]
                q = self.sets.R[t] + c * self.sets.E[t]
                value += d * log(q)
                self.hazard[t].f += d / q
                self.own_hazard[t].f += d * c / q
        self.sets.survival.spread(&self.hazard[0], &self.inside[0])
        for j in range(self.sets.n):
            self.expected[j] = times(self.sets.risk[j], self.inside[j])
            t = self.sets.event[j]
            if t >= 0:
                self.expected[j] += times(self.sets.risk[j], self.own_hazard[t])
                value += self.sets.w[j] * (BAND * self.sets.band[t]
                                           - self.sets.eta[self.sets.sample[j]])
        self.value = value

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        cdef Py_ssize_t j
        self._at(eta)
        for j in range(self.n):
            u[j] = 0.0
        for j in range(self.sets.n):
            u[self.sets.sample[j]] = (self.sets.w[j] if self.sets.event[j] >= 0
                                      else 0.0) - self.expected[j]
        return self.value

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        """h is `expected` minus the sum of its squares over the terms, but at least 0."""
        cdef Py_ssize_t t, l, j
        cdef double c, q, r
        cdef Wide x
        self._at(eta)
        for t in range(self.sets.m):
            self.part[t].f = self.own[t].f = 0.0
            self.part[t].k = self.own[t].k = -2.0 * self.sets.band[t]
            for l in range(self.sets.n_terms[t]):
                c = 1.0 - <double> l / self.sets.n_terms[t]
                q = self.sets.R[t] + c * self.sets.E[t]
                r = self.sets.deaths[t] / self.sets.n_terms[t] / (q * q)
                self.part[t].f += r
                self.own[t].f += r * c * c
        self.sets.survival.spread(&self.part[0], &self.inside[0])
        for j in range(self.n):
            h[j] = 0.0
        for j in range(self.sets.n):
            x = self.sets.risk[j]
            x.f, x.k = x.f * x.f, 2.0 * x.k
            r = self.expected[j] - times(x, self.inside[j])
            if self.sets.event[j] >= 0:
                r -= times(x, self.own[self.sets.event[j]])
            h[self.sets.sample[j]] = r if r > 0.0 else 0.0

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        """out is `expected` v minus, over the terms, each sample's share times the mean of v.

        The mean is under the shares of all samples.
        """
        cdef Py_ssize_t t, l, j
        cdef double c, q, r, mean, survivors, dying
        self._at(eta)
        for j in range(self.sets.n):
            self.inside[j] = self.sets.risk[j]
            self.inside[j].f *= v[self.sets.sample[j]]
        self.sets.gather(&self.inside[0], &self.part[0], &self.own[0])
        for t in range(self.sets.m):
            survivors = in_band(self.part[t], self.sets.band[t])
            dying = in_band(self.own[t], self.sets.band[t])
            mean = r = 0.0
            for l in range(self.sets.n_terms[t]):
                c = 1.0 - <double> l / self.sets.n_terms[t]
                q = self.sets.R[t] + c * self.sets.E[t]
                q = self.sets.deaths[t] / self.sets.n_terms[t] / q * ((survivors + c * dying) / q)
                mean += q
                r += q * c
            self.part[t].f, self.own[t].f = mean, r
            self.part[t].k = self.own[t].k = -self.sets.band[t]
        self.sets.survival.spread(&self.part[0], &self.inside[0])
        for j in range(self.n):
            out[j] = 0.0
        for j in range(self.sets.n):
            r = self.expected[j] * v[self.sets.sample[j]] - times(self.sets.risk[j], self.inside[j])
            if self.sets.event[j] >= 0:
                r -= times(self.sets.risk[j], self.own[self.sets.event[j]])
            out[self.sets.sample[j]] = r

    def curvature_bound(self, eta, Py_ssize_t most):
        """Return h (n,) and C (k, n) with F''(eta) <= diag(h) - C'C, k at most `most`.

        Event times are divided into k parts, of about as many deaths each. If e_b are the
        expected deaths (n,) of part b and d_b its deaths, h = sum_b e_b and c_b = e_b / sqrt(d_b).
        F'' has the shares s_t of each time in their place: diag(h) - sum_t d_t s_t s_t', and
        sum_t d_t s_t s_t' >= c_b c_b' over a part (Jensen), with little between: the covariates'
        means among those at risk change little from one time to the next.
        """
        deaths = np.asarray(self.sets.deaths)[:self.sets.m]
        place = np.floor(np.cumsum(deaths) * (most / deaths.sum()) - 1e-9)
        part = np.unique(place, return_inverse=True)[1]
        cdef const double[::1] e = self._flat(eta)
        cdef const Py_ssize_t[::1] of = part.astype(np.intp)
        cdef double[:, ::1] out = np.zeros((of[self.sets.m - 1] + 1, self.n))
        cdef Py_ssize_t k, t, j
        self._at(&e[0])
        for k in range(out.shape[0]):
            for t in range(self.sets.m):
                self.part[t] = self.hazard[t] if of[t] == k else nothing()
            self.sets.survival.spread(&self.part[0], &self.inside[0])
            for j in range(self.sets.n):
                out[k, self.sets.sample[j]] = times(self.sets.risk[j], self.inside[j])
        for j in range(self.sets.n):
            t = self.sets.event[j]
            if t >= 0:
                out[of[t], self.sets.sample[j]] += times(self.sets.risk[j], self.own_hazard[t])
        C = np.asarray(out)
        h = C.sum(axis=0)
        C /= np.sqrt(np.bincount(of, deaths))[:, None]
        return h, C

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        """Sum differences from the risks whose slope is -u, over event times and over samples.

        The terms may be far larger than the sum, so a bound on their rounding error is added: the
        machine epsilon times the sum of their absolute values.
        """
        cdef Py_ssize_t t, l, j
        cdef double cost, theta, level, term, size = 0.0
        cdef long double total
        if not self.sets.allows(u):
            return INFINITY
        if self.sets.late:
            return self._fenchel_young_of_late(eta, u, True)
        cost = self.inverse.solve(u, eta)
        if cost == INFINITY:
            return INFINITY
        self._at(eta)
        total = cost
        for t in range(self.sets.m):
            level = BAND * self.sets.band[t]
            total += self.sets.deaths[t] * level - self.inverse.level[t]
            size += self.sets.deaths[t] * fabs(level) + fabs(self.inverse.level[t])
            for l in range(self.sets.n_terms[t]):
                term = self.sets.deaths[t] / self.sets.n_terms[t] * log(
                    self.sets.R[t] + (1.0 - <double> l / self.sets.n_terms[t]) * self.sets.E[t])
                total += term
                size += fabs(term)
        for j in range(self.sets.n):
            if self.inverse.expected[j] > 0.0:
                theta = self.sets.eta[self.sets.sample[j]] + self.sets.log_w[j]
                total -= self.inverse.expected[j] * (theta - self.inverse.log_risk[j])
                size += self.inverse.expected[j] * (fabs(theta) + fabs(self.inverse.log_risk[j]))
        return max(<double> total, 0.0) + DBL_EPSILON * size

    def fenchel_young_at(self, eta, u):
        """Return F(eta) + F*(-u) + eta'u, also where it is larger than the loss."""
        cdef const double[::1] e = self._flat(eta)
        cdef const double[::1] x = self._flat(u)
        if not self.sets.late or not self.sets.allows(&x[0]):
            return Loss.fenchel_young_at(self, eta, u)
        cdef double found = self._fenchel_young_of_late(&e[0], &x[0], False)
        self.raise_pending()
        return found

    cdef double _fenchel_young_of_late(self, const double* eta, const double* u,
                                       bint capped) noexcept with gil:
        if self.pending is not None:
            return INFINITY
        try:
            return excess(self, <const double[:self.n]> eta, <const double[:self.n]> u, capped)
        # Ctrl-C, for example: the gap is infinite until raise_pending raises it.
        except BaseException as error:
            self.pending = error
            return INFINITY

    cdef bint take_root(self, const double* eta, double floor, bint dense) noexcept nogil:
        """Factor F'' with Breslow's ties, whatever the ties are; if someone enters late, F''
        itself.

        The latter requires `dense`.
        """
        if self.sets.late and not dense:
            return False
        self._at(eta)
        if not self.sets.late:
            (<ChainedRoot> self.root).take(floor)
            return True
        if self.root is None:
            self._make_root()
        return self.root is not None and (<FilledRoot> self.root).take(floor)

    cdef void _make_root(self) noexcept with gil:
        try:
            self.root = FilledRoot(self.sets)
        # n by n numbers may not fit in memory: there is no root until raise_pending raises it.
        except BaseException as error:
            self.pending = error

    def hazard_at(self, eta):
        """Return the log of the baseline hazard at each event time, at linear predictors (n,)."""
        cdef const double[::1] e = self._flat(eta)
        cdef double[::1] out = np.empty(self.sets.m)
        cdef Py_ssize_t t
        self._at(&e[0])
        for t in range(self.sets.m):
            out[t] = log(self.hazard[t].f) + BAND * self.hazard[t].k
        return np.asarray(out)


cdef inline double times(Wide x, Wide y) noexcept nogil:
    """Return x y, if it is in the range of doubles."""
    return x.f * y.f if x.k + y.k == 0.0 else x.f * y.f * exp(BAND * (x.k + y.k))

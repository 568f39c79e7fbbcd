"""The elastic net on single working columns: certificate, violations and the cost of a step.

    Omega(b) = sum_j l1_j |b_j| + l2_j b_j^2 / 2,   lower_j <= b_j <= upper_j
"""
from libc.math cimport INFINITY, copysign, fabs, sqrt

from sparsesolve.solvers import costs
from sparsesolve.penalties.elastic_net cimport ElasticNet, feasible_scale, fenchel_young, value
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef double NO_PENALTY = costs.rounding.NO_PENALTY


cdef inline bint within(double z, double slack, double square, double level) noexcept nogil:
    """Return True if |z| + slack * sqrt(square) <= level."""
    cdef double room = level - fabs(z)
    return room >= 0.0 and room * room >= slack * slack * square


cdef class NetCoefficients(WorkingCoefficients):

    cdef int take_penalty(self, ElasticNet penalty, int first) noexcept:
        """Set the factors and limits of the working columns from `first` on."""
        cdef int k, j
        for k in range(first, self.size):
            j = self.index[k]
            self.l1[k], self.l2[k] = penalty.l1[j], penalty.l2[j]
            self.lower[k], self.upper[k] = penalty.lower[j], penalty.upper[j]
            self.plain = (self.plain and self.l2[k] == 0.0 and self.lower[k] == -INFINITY
                          and self.upper[k] == INFINITY)
        return 0

    cdef bint free(self, int j, double lam) noexcept nogil:
        cdef double level = lam * self.l1[j]
        return (level * level <= NO_PENALTY * NO_PENALTY * self.diag[j]
                and lam * self.l2[j] <= NO_PENALTY * self.diag[j]
                and not (self.b[j] >= self.upper[j] and self.g[j] >= 0.0)
                and not (self.b[j] <= self.lower[j] and self.g[j] <= 0.0))

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        cdef double s = 1.0, limit
        cdef int j
        for j in range(self.size):
            if not (within(self.g[j], self.unpenalised_norm, self.diag[j], lam * self.l1[j])
                    or NetCoefficients.free(self, j, lam)):
                limit = self.upper[j] if self.g[j] > 0 else -self.lower[j]
                if strict and (self.b[j] if self.g[j] > 0 else -self.b[j]) < limit:
                    limit = INFINITY
                s = min(s,
                        feasible_scale(fabs(self.g[j]) + self.unpenalised_norm * sqrt(self.diag[j]),
                                       lam * self.l1[j],
                                          0.0 if strict else lam * self.l2[j], 0.0, limit))
        return s

    cdef double penalty_value(self, double lam) noexcept nogil:
        cdef double total = 0.0
        cdef int j
        for j in range(self.size):
            total += value(self.b[j], lam * self.l1[j], lam * self.l2[j])
        return total

    cdef double column_gap(self, double lam, double scale) noexcept nogil:
        cdef double total = 0.0, z, off
        cdef int j
        for j in range(self.size):
            if self.b[j] == 0.0 and within(scale * self.g[j], scale * self.unpenalised_norm,
                                           self.diag[j], lam * self.l1[j]):
                continue
            if NetCoefficients.free(self, j, lam):       # the dual point is orthogonal to it
                total += value(self.b[j], lam * self.l1[j], lam * self.l2[j])
                continue
            z = scale * self.g[j]
            off = (scale * self.unpenalised_norm * sqrt(self.diag[j]) if self.unpenalised_norm > 0.0
                   else 0.0)
            total += fenchel_young(self.b[j], z + copysign(off, z), z * self.b[j] - off * fabs(
                    self.b[j]), lam * self.l1[j], lam * self.l2[j], self.lower[j], self.upper[j])
        return max(total, 0.0)      # a negative total is rounding

    cdef double charge(self, const double* before, double lam) noexcept nogil:
        cdef int k
        cdef double total = 0.0, old, new
        for k in range(self.size):
            old, new = before[k], self.b[k]
            total += (lam * self.l1[k] * (fabs(new) - fabs(old)) + 0.5 * lam * self.l2[k]
                      * (new - old) * (new + old))
        return total

    cdef bint extrapolate(self, int count, const double* change, double lam) noexcept nogil:
        cdef int k
        cdef double old, new, stop
        cdef bint whole = True
        for k in range(count):
            old = self.b[k]
            new = old + change[k]
            stop = min(max(new, self.lower[k]), self.upper[k])
            if old * stop <= 0.0 and self.l1[k] > 0.0:
                stop = 0.0
            self.b[k] = stop
            whole = whole and stop == new
        return whole

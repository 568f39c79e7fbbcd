"""The duality gap of a problem with K responses, over all coefficients or the working ones.

    minimise over B (K, p)   F(offset + ZB) + lam sum_j Omega_j(B_j)

    gap = F(eta) + F*(-s u') + eta's u' + sum_j [lam Omega_j(B_j) + (lam Omega_j)*(s Z_j'u')
          - s B_j'Z_j'u']

Given: the current point of ResponseCoefficients and a level lam. Returned: an upper bound on the
suboptimality over all coefficients, or an estimate of it over the working ones. The dual point is
a multiple of u' = u - F''(eta) Z_f C. A Newton step C on the unpenalised columns Z_f makes u'
orthogonal to them; `certificate` has the details. Invariant: no term of the sum is negative.
Reference: Bach et al. 2012, section 1.4.
"""
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

import numpy as np

from sparsesolve.linalg.factors.span import Spans
from sparsesolve.penalties.elastic_net cimport conjugate, feasible_scale
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers import costs
from sparsesolve.solvers.certificate.dual_point import clear
from sparsesolve.solvers.certificate.gap cimport assembled
from sparsesolve.solvers.state import NULL_LEVEL
from sparsesolve.solvers.responses.certificate cimport clear_of_one
from sparsesolve.solvers.responses.coefficients cimport ResponseCoefficients
from sparsesolve.solvers.responses.inactive cimport InactiveRows
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef double ORTHOGONAL = costs.rounding.ORTHOGONAL


cdef class ResponseDual(ResponseCoefficients):

    def __init__(self, problem, int n_threads=1):
        design, net = problem.design, ElasticNetRows(problem.penalty, problem.grouped)
        self.inactive = InactiveRows(design, net, problem.loss.n_responses, n_threads)
        self.inactive.leave(~problem.open_columns)
        self.beyond, self.nearby = np.empty((2, design.p + 1), dtype=np.intc)
        self.spans = Spans(design, np.sqrt(problem.weights), problem.centred)
        self.loose = (INFINITY if problem.null_value is None
                      else costs.working_set.LOOSE_GAP * problem.null_value)
        ResponseCoefficients.__init__(self, problem, n_threads)
        self.ones, self.room = np.ones(self.n), np.empty((self.K + 4) * self.n
                                                         + self.K * (self.K + 1))

    def correlations(self):
        """Return the size of each column's products with the dual point, (p,).

        The size is the largest absolute value, or the l2 norm for a grouped penalty.
        """
        self._make_dual(NULL_LEVEL)
        self._look(0.0)
        return np.array(self.inactive.size)

    cdef double working_gap(self, double lam) noexcept nogil:
        """Return an estimate of the gap over the working coefficients, at multiples of u.

        Unpenalised coefficients add the expected gain of a Newton step on them.
        """
        cdef int t, k
        cdef double level = 1.0 / self.s, best = INFINITY, scale, last = -1.0, missing
        cdef Py_ssize_t i
        for t in range(self.quadratic.size):
            self.quadratic.g[t] = self.quadratic.g[t] * level
        self.quadratic.estimate_unpenalised_norm(lam * level)
        for k in range(1 if self.quadratic.plain else 2):
            scale = self.quadratic.scale(lam * level, k)
            if scale == last:
                continue
            last = scale
            memcpy(&self.trial[0, 0], &self.u[0, 0], self.K * self.n * sizeof(double))
            for i in range(self.K * self.n):
                (&self.trial[0, 0])[i] *= scale
            missing = 0.5 * (scale * self.quadratic.unpenalised_norm) ** 2
            best = assembled(self.loss.fenchel_young(&self.eta[0, 0], &self.trial[0, 0]),
                    self.s * self.quadratic.column_gap(lam * level, scale), self.s * missing, best)
        self.quadratic.unpenalised_norm = 0.0
        for t in range(self.quadratic.size):
            self.quadratic.g[t] = self.quadratic.g[t] * self.s
        return best

    cdef int _make_dual(self, double lam) except -1:
        """Set the dual point: u, made orthogonal to the unpenalised columns."""
        cdef int t, count = 0
        cdef bint plain = self.with_intercept
        cdef WorkingCoefficients quadratic = self.quadratic
        self.missing = 0.0
        for t in range(quadratic.size):
            if quadratic.free(t, lam):
                count += 1
                plain = plain and quadratic.index[t] // self.K == self.q - 1
        if plain and count == self.K:       # usually the intercepts alone
            clear_of_one(self.loss, &self.u[0, 0], &self.ones[0], &self.dual[0, 0], &self.room[0])
        elif count > 0:
            free = [quadratic.index[t] for t in range(quadratic.size) if quadratic.free(t, lam)]
            rows, places = np.unique(np.array(free) // self.K, return_inverse=True)
            mask = np.zeros((self.K, len(rows)), dtype=bool)
            mask[np.array(free) % self.K, places] = True
            rows[rows == self.design.p] = -1        # stands for the intercepts
            columns, mask = self.spans.apart_in_each(rows, mask)
            dual, self.missing = clear(self.loss, np.asarray(self.eta), np.asarray(self.u), columns,
                                       mask)
            np.asarray(self.dual)[:] = dual
        else:
            self.dual[:] = self.u
        return 0

    cdef int _look(self, double lam) except -1:
        """Set C, the products with the dual point, for all rows near or beyond their threshold.

        List in `beyond` the rows that exceed their threshold at lam.
        """
        cdef Py_ssize_t i, j, k
        cdef double[:, ::1] products = self.inactive.find(self.dual, lam)
        self.n_beyond = 0
        for i in range(self.inactive.n_looked):
            j = self.inactive.looked[i]
            for k in range(self.K):
                self.C[j, k] = products[k, i]
            if not self.inactive.size[j] <= lam * self.net.l1[j]:    # True for NaN, too
                self.beyond[self.n_beyond] = <int> j
                self.n_beyond += 1
        return 0

    cdef double whole_gap(self, double lam) except *:
        """Return the gap over all coefficients, the least at some multiples of the dual point."""
        cdef WorkingCoefficients quadratic = self.quadratic
        cdef int t
        cdef double best, rounding = 0.0
        self._make_dual(lam)
        self._look(lam)
        quadratic.unpenalised_norm = 0.0
        self.hessian.correlate(&self.dual[0, 0], quadratic.g)
        for t in range(quadratic.size):
            if quadratic.free(t, lam):
                if fabs(quadratic.g[t]) > ORTHOGONAL:
                    return self.gap_at(lam, 0.0)
                rounding += fabs(quadratic.g[t] * quadratic.b[t])
        best = self.gap(lam) + rounding + self.missing
        if quadratic.penalty_value(lam) < best:     # otherwise the dual point 0 cannot be better
            best = min(best, self.gap_at(lam, 0.0))
        return best

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        """Return the largest s <= 1 for which s times the dual point is feasible.

        With `strict`, return the factor of the lasso without limits.
        """
        cdef double s = self.quadratic.scale(lam, strict), l1, l2, limit
        cdef Py_ssize_t i, j, k
        for i in range(self.n_beyond):
            j = self.beyond[i]
            l1, l2 = lam * self.net.l1[j], 0.0 if strict else lam * self.net.l2[j]
            if self.grouped:
                if not self.working[j * self.K]:
                    s = min(s, feasible_scale(self.inactive.size[j], l1, l2, 0.0,
                                              self.net.upper[j]))
                continue
            for k in range(self.K):
                if not self.working[j * self.K + k]:
                    limit = self.net.upper[j] if self.C[j, k] > 0.0 else -self.net.lower[j]
                    s = min(s, feasible_scale(fabs(self.C[j, k]), l1, l2, 0.0,
                                              INFINITY if strict and limit > 0.0 else limit))
        return s

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        cdef double total, l1, l2
        cdef Py_ssize_t i, j, k
        if scale == 0.0:
            total = self.quadratic.penalty_value(lam)
        else:
            total = self.quadratic.column_gap(lam, scale)
            for i in range(self.n_beyond):
                j = self.beyond[i]
                l1, l2 = lam * self.net.l1[j], lam * self.net.l2[j]
                if self.grouped:
                    if not self.working[j * self.K]:
                        total += conjugate(scale * self.inactive.size[j], l1, l2, 0.0,
                                           self.net.upper[j])
                    continue
                for k in range(self.K):
                    if not self.working[j * self.K + k]:
                        total += conjugate(scale * self.C[j, k], l1, l2, self.net.lower[j],
                                           self.net.upper[j])
        for i in range(self.K * self.n):
            (&self.trial[0, 0])[i] = scale * (&self.dual[0, 0])[i]
        return assembled(self.loss.fenchel_young(&self.eta[0, 0], &self.trial[0, 0]), total, 0.0,
                         INFINITY)

"""The duality gap of a problem with K responses, over all coefficients or the working ones.

    minimise over B (K, p)   F(offset + ZB) + lam sum_j Omega_j(B_j)

    gap = F(eta) + F*(-s u') + eta's u' + sum_j [lam Omega_j(B_j) + (lam Omega_j)*(s Z_j'u')
          - s B_j'Z_j'u']

Given: the current point, a ResponseCoefficients, and a level lam. Returned: an upper bound on the
suboptimality over all coefficients, or an estimate of it over the working ones. The dual point is
a multiple of u' = u - F''(eta) Z_f C. A Newton step C on the unpenalised columns Z_f makes u'
orthogonal to them; `certificate` has the details. Invariant: no term of the sum is negative.
Reference: Bach et al. 2012, section 1.4.
"""
from libc.math cimport INFINITY, fabs

import numpy as np

from sparsesolve.linalg.factors.span import Spans
from sparsesolve.penalties.elastic_net cimport conjugate, feasible_scale
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers import costs
from sparsesolve.solvers.certificate.dual_point import clear
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled
from sparsesolve.solvers.screening.inactive import farthest, most_entering
from sparsesolve.solvers.responses.certificate cimport clear_of_one
from sparsesolve.solvers.responses.coefficients cimport ResponseCoefficients
from sparsesolve.solvers.responses.inactive cimport InactiveRows
from sparsesolve.solvers.state import NULL_LEVEL
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef double ORTHOGONAL = costs.rounding.ORTHOGONAL
cdef double VIOLATION = costs.rounding.VIOLATION


cdef class ResponseDual(ScaledDual):
    """The dual point that belongs to a point, its gap, and the coefficients that violate.

    Parameters
    ----------
    problem : Problem
        A problem with K responses.
    point : ResponseCoefficients
        The point of that problem.
    """

    def __init__(self, problem, ResponseCoefficients point, int n_threads=1):
        cdef Py_ssize_t n = point.n, p = problem.design.p
        cdef int K = point.K
        net = ElasticNetRows(problem.penalty, problem.grouped)
        self.point, self.inactive = point, InactiveRows(problem.design, net, K, n_threads)
        self.inactive.leave(~problem.open_columns)
        self.beyond, self.nearby = np.empty(p * K, np.intc), np.empty(p + 1, np.intc)
        self.spans = Spans(problem.design, np.sqrt(problem.weights), problem.centred)
        self.u, self.ones = np.zeros((K, n)), np.ones(n)
        self.room = np.empty((K + 4) * n + K * (K + 1))

    def correlations(self):
        """Return the size of each column's products with the dual point, (p,).

        The size is the largest absolute value, or the l2 norm for a grouped penalty.
        """
        self._make_dual(NULL_LEVEL)
        self._look(0.0)
        return np.array(self.inactive.size)

    cdef double working_gap(self, double lam) noexcept:
        """Return an estimate of the gap over the working coefficients, at multiples of -F'(eta).

        Unpenalised coefficients add the expected gain of a Newton step on them.
        """
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int t, k
        cdef double s = self.point.s, level = 1.0 / s, best = INFINITY, scale, last = -1.0, missing
        for t in range(quadratic.size):
            quadratic.g[t] = quadratic.g[t] * level
        quadratic.estimate_unpenalised_norm(lam * level)
        for k in range(1 if quadratic.plain else 2):
            scale = quadratic.scale(lam * level, k)
            if scale == last:
                continue
            last = scale
            missing = 0.5 * (scale * quadratic.unpenalised_norm) ** 2
            best = assembled(self._samples_gap(self.point.u, scale),
                             s * quadratic.column_gap(lam * level, scale), s * missing, best)
        quadratic.unpenalised_norm = 0.0
        for t in range(quadratic.size):
            quadratic.g[t] = quadratic.g[t] * s
        return best

    cdef double whole_gap(self, double lam) except *:
        """Return the gap over all coefficients, the least at some multiples of the dual point."""
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int t
        cdef double best, missing = self._make_dual(lam), rounding = 0.0
        self._look(lam)
        quadratic.unpenalised_norm = 0.0
        self.point.hessian.correlate(&self.u[0, 0], quadratic.g)
        for t in range(quadratic.size):
            if quadratic.free(t, lam):
                if fabs(quadratic.g[t]) > ORTHOGONAL:
                    return self.gap_at(lam, 0.0)
                rounding += fabs(quadratic.g[t] * quadratic.b[t])
        best = self.gap(lam) + rounding + missing
        if quadratic.penalty_value(lam) < best:     # otherwise the dual point 0 cannot be better
            best = min(best, self.gap_at(lam, 0.0))
        return best

    cdef double _make_dual(self, double lam) except *:
        """Set the dual point: -F'(eta), made orthogonal to the unpenalised columns.

        Return the gain that a step on these columns might still bring.
        """
        cdef ResponseCoefficients point = self.point
        cdef WorkingCoefficients quadratic = point.quadratic
        cdef int t, count = 0
        cdef Py_ssize_t p = point.design.p
        cdef double missing
        cdef bint plain = True
        for t in range(quadratic.size):
            if quadratic.free(t, lam):
                count += 1
                plain = plain and quadratic.index[t] // point.K == p
        if count == 0:
            self.u[:] = point.u
            return 0.0
        if plain and count == point.K:      # usually the intercepts alone
            clear_of_one(point.loss, &point.u[0, 0], &self.ones[0], &self.u[0, 0], &self.room[0])
            return 0.0
        free = [quadratic.index[t] for t in range(quadratic.size) if quadratic.free(t, lam)]
        rows, places = np.unique(np.array(free) // point.K, return_inverse=True)
        mask = np.zeros((point.K, len(rows)), dtype=bool)
        mask[np.array(free) % point.K, places] = True
        rows[rows == p] = -1        # stands for the intercepts
        columns, mask = self.spans.apart_in_each(rows, mask)
        dual, missing = clear(point.loss, np.asarray(point.eta), np.asarray(point.u), columns, mask)
        np.asarray(self.u)[:] = dual
        return missing

    cdef int _look(self, double lam) except -1:
        """Set the point's C, the products with the dual point, for all rows near their threshold.

        List in `beyond` the coefficients that exceed it at lam and are not in the working set.
        """
        cdef Py_ssize_t i, j, k, c
        cdef ResponseCoefficients point = self.point
        cdef double[:, ::1] products = self.inactive.find(self.u, lam)
        self.n_beyond = 0
        for i in range(self.inactive.n_looked):
            j = self.inactive.looked[i]
            for k in range(point.K):
                point.C[j, k] = products[k, i]
            for k in range(1 if point.net.grouped else point.K):
                c = j * point.K + k
                # True for NaN, too
                if not (self._size(c) <= lam * point.net.l1[j] or point.working[c]):
                    self.beyond[self.n_beyond] = <int> c
                    self.n_beyond += 1
        return 0

    cdef double _size(self, Py_ssize_t c) noexcept nogil:
        """Return the size of a coefficient's product, or of its row's products if grouped."""
        if self.point.net.grouped:
            return self.inactive.size[c // self.point.K]
        return fabs((&self.point.C[0, 0])[c])

    cdef double _limit(self, Py_ssize_t c) noexcept nogil:
        """Return how far a coefficient may go in the direction of its product."""
        cdef Py_ssize_t j = c // self.point.K
        if self.point.net.grouped or (&self.point.C[0, 0])[c] > 0.0:
            return self.point.net.upper[j]
        return -self.point.net.lower[j]

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        """Return the largest s <= 1 for which s times the dual point is feasible.

        With `strict`, return the factor of the lasso without limits.
        """
        cdef double s = self.point.quadratic.scale(lam, strict), l2, limit
        cdef Py_ssize_t i, j
        for i in range(self.n_beyond):
            j, limit = self.beyond[i] // self.point.K, self._limit(self.beyond[i])
            l2 = 0.0 if strict else lam * self.point.net.l2[j]
            s = min(s, feasible_scale(self._size(self.beyond[i]), lam * self.point.net.l1[j], l2,
                                      0.0, INFINITY if strict and limit > 0.0 else limit))
        return s

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        cdef double total
        cdef Py_ssize_t i, j
        if scale == 0.0:
            total = self.point.quadratic.penalty_value(lam)
        else:
            total = self.point.quadratic.column_gap(lam, scale)
            for i in range(self.n_beyond):
                j = self.beyond[i] // self.point.K
                total += conjugate(scale * self._size(self.beyond[i]), lam * self.point.net.l1[j],
                                   lam * self.point.net.l2[j], 0.0, self._limit(self.beyond[i]))
        return assembled(self._samples_gap(self.u, scale), total, 0.0, INFINITY)

    cdef double _samples_gap(self, const double[:, ::1] u, double scale) noexcept nogil:
        """Return what the samples add to the gap at `scale` times u."""
        cdef Py_ssize_t i
        for i in range(u.shape[0] * u.shape[1]):
            self.room[i] = scale * (&u[0, 0])[i]
        return self.point.loss.fenchel_young(&self.point.eta[0, 0], &self.room[0])

    cdef Py_ssize_t[::1] violators(self, double near, double lam):
        """Return coefficients to add: their last known products pass `near`, or they are
        unpenalised at lam.

        If there are many, these are the ones that exceed their thresholds most, grouped rows whole.
        """
        cdef ResponseCoefficients point = self.point
        cdef Py_ssize_t i, j, k, c, count = 0
        cdef double level
        cdef int rows = self.inactive.list_near(near, lam, &self.nearby[0])
        cdef Py_ssize_t[::1] which = np.empty(rows * <Py_ssize_t> point.K, dtype=np.intp)
        for i in range(rows):
            j = self.nearby[i]
            level = near * point.net.l1[j] * (1.0 + VIOLATION)
            for k in range(point.K):
                c = j * point.K + k
                if not point.working[c] and self._size(c) > level and self._limit(c) > 0.0:
                    which[count] = c
                    count += 1
        which, most = which[:count], most_entering(point.quadratic.size)
        if count <= most:
            return which
        l1 = np.asarray(point.net.l1)[np.asarray(which) // point.K]
        size = np.array([self._size(c) for c in which])
        ratio = np.divide(size, l1, out=np.full(count, np.inf), where=l1 > 0.0)
        chosen = farthest(ratio, np.ones(count), most)
        return np.asarray(which)[ratio >= ratio[chosen].min()]

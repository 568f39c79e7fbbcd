"""The duality gap of a problem with K responses, over all columns.

    minimise over B (K, p)   F(offset + ZB) + lam sum_j Omega_j(B_j)

Given: a point B with eta = offset + ZB and u = -F'(eta), and lam. Returned: an upper bound
on the suboptimality of B, and the columns that violate their bound. The dual point is s u', where

    u' = u - F''(eta) Z_f C

is orthogonal to the unpenalised columns Z_f, such as the intercept. C is a Newton step on these
columns alone. To first order, u' is thus the u of a point that solves for them, and it usually
stays in the domain of F*. A factor s <= 1 makes the dual point feasible. The gap is

    gap = F(eta) + F*(-s u') + eta's u'
          + sum_j [lam Omega_j(B_j) + (lam Omega_j)*(s Z_j'u') - s B_j'Z_j'u'].

Invariant: no term of this sum is negative. The least gap is taken over three factors: the largest
feasible s <= 1, the one that is feasible for the lasso without limits, and s = 0. If no u' is
found, only s = 0 remains. Reference: Bach et al. 2012, section 1.4.

`ResponseDual` serves the Newton steps on single coefficients; `certify` serves `descent`, whose
working columns have coefficients for all responses.

Products Z_j'u are computed where bounds do not exclude them. Their size, the l2 norm or the
largest entry, grows by at most |z_j| times the change of u, or of the response that changes most
(Cauchy-Schwarz). While this stays below lam l1_j, no product is needed (screening/inactive).
"""

from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy, memset

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.factors.span import Spans, told_apart
from sparsesolve.linalg.kernels.small cimport small_factor, small_solve
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.elastic_net cimport conjugate, feasible_scale
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers import tolerances
from sparsesolve.solvers.certificate.dual_point import clear
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled
from sparsesolve.solvers.certificate.gap import least_gap
from sparsesolve.solvers.quadratic.coefficients cimport WorkingCoefficients
from sparsesolve.solvers.quadratic.coefficients import rounding_of_products
from sparsesolve.solvers.responses.descent import conjugate_gradients, rounding_floor
from sparsesolve.solvers.responses.response_coefficients cimport ResponseCoefficients
from sparsesolve.solvers.screening.inactive import farthest, most_entering
from sparsesolve.solvers.screening.inactive cimport SafeBalls
from sparsesolve.solvers.state import NULL_LAMBDA

cdef double LAST_DIGITS = tolerances.LAST_DIGITS
cdef double ROUNDING = tolerances.ROUNDING
# A product with an unpenalised column beyond this is more than rounding: no dual point.
cdef double ORTHOGONAL = 1e-10


cdef class InactiveRows:
    """Hold all features of a design until they leave."""

    def __init__(self, Design design, ElasticNetRows net, int n_responses, int n_threads):
        self.design, self.net, self.n_threads = design, net, n_threads
        self.size, self.looked = np.zeros(design.p), np.empty(design.p + 1, dtype=np.intc)
        self.least = np.maximum(net.l1, net.l2).min(initial=INFINITY)
        norms = design.norms(np.ones(design.n), n_threads)
        self.safe_balls = SafeBalls(design.n, norms, net.l1, n_responses, net.grouped)

    def near(self, double entry, double lam):
        """Return features whose last size exceeds entry l1_j, or that are unpenalised at lam."""
        cdef int[::1] which = np.empty(self.size.shape[0] + 1, dtype=np.intc)
        return np.array(which[:self.list_near(entry, lam, &which[0])])

    cdef int list_near(self, double entry, double lam, int* out) noexcept nogil:
        """List the features of `near` in `out`; return their number."""
        cdef bint all_held = lam * self.least > LAST_DIGITS
        cdef Py_ssize_t i, j
        cdef int count = 0
        for i in range(self.n_looked if all_held else self.size.shape[0]):
            j = self.looked[i] if all_held else i
            if not self.safe_balls.dropped(j) and (self.size[j] > entry * self.net.l1[j]
                    or lam * max(self.net.l1[j], self.net.l2[j]) <= LAST_DIGITS):
                out[count] = <int> j
                count += 1
        return count

    def leave(self, which):
        """Remove the features `which` from the inactive ones."""
        cdef Py_ssize_t j
        for j in np.arange(self.size.shape[0])[which]:
            self.safe_balls.drop(j)

    cdef double[:, ::1] find(self, const double[:, ::1] u, double lam):
        """Store the candidate features in `looked`; return their products."""
        cdef double[:, ::1] products
        cdef Py_ssize_t i, j
        self.safe_balls.move(&u[0, 0])
        # beyond this fraction of lambda a feature may enter at the next one
        self.n_looked = <int> self.safe_balls.candidates(0.92 * lam, &self.looked[0])
        products = self.design.meet(u, &self.looked[0], self.n_looked, self.n_threads)
        for i in range(self.n_looked):
            j = self.looked[i]
            self.size[j] = self.net.row_polar(products, i, j)
            self.safe_balls.certify(j, self.size[j])
        return products

    def examine(self, const double[:, ::1] u, double lam):
        """Return features beyond lam l1_j at u (K, n), their products (K, count) and sizes."""
        products = np.asarray(self.find(u, lam))
        which = np.array(self.looked[:self.n_looked])
        found = np.asarray(self.size)[which]
        beyond = np.flatnonzero(found > lam * np.asarray(self.net.l1)[which])
        return which.take(beyond), products.take(beyond, axis=1), found.take(beyond)


cdef class ResponseDual(ScaledDual):
    """The dual point that belongs to a point of a Problem, its gap, and what violates."""

    def __init__(self, problem, ResponseCoefficients point, int n_threads=1):
        cdef Py_ssize_t n = point.n, p = problem.design.p
        cdef int K = point.K
        net = ElasticNetRows(problem.penalty, problem.grouped)
        self.point, self.inactive = point, InactiveRows(problem.design, net, K, n_threads)
        self.inactive.leave(~problem.open_columns)
        self.beyond, self.nearby = np.empty(p * K, np.intc), np.empty(p + 1, np.intc)
        self.spans = Spans(problem.design, np.sqrt(problem.weights), problem.centred)
        self.norms, self.square = problem.norms, 2.0 * problem.null_value
        self.u, self.ones = np.zeros((K, n)), np.ones(n)
        self.scratch = np.empty((K + 4) * n + K * (K + 1))

    def correlations(self):
        """Return the size of each column's products with the dual point, (p,).

        The size is the largest absolute value, or the l2 norm for a grouped penalty.
        """
        self._make_dual(NULL_LAMBDA)
        self.rounding = 0.0
        self._look(0.0)
        return np.array(self.inactive.size)

    cdef double working_gap(self, double lam) noexcept:
        """Return an estimate of the gap over the working coefficients, at multiples of -F'(eta).

        Unpenalised coefficients add the expected gain of a Newton step on them.
        """
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int t, k
        cdef double s = self.point.s, inverse_s = 1.0 / s, best = INFINITY, last = -1.0
        cdef double scale, missing
        for t in range(quadratic.size):
            quadratic.g[t] = quadratic.g[t] * inverse_s
        quadratic.estimate_unpenalised_norm(lam * inverse_s)
        for k in range(1 if quadratic.plain else 2):
            scale = quadratic.scale(lam * inverse_s, k)
            if scale == last:
                continue
            last = scale
            missing = 0.5 * (scale * quadratic.unpenalised_norm) ** 2
            best = assembled(self._samples_gap(self.point.u, scale),
                             s * quadratic.column_gap(lam * inverse_s, scale), s * missing, best)
        quadratic.unpenalised_norm = 0.0
        for t in range(quadratic.size):
            quadratic.g[t] = quadratic.g[t] * s
        return best

    cdef double whole_gap(self, double lam) except *:
        """Return the gap over all coefficients, the least at some multiples of the dual point."""
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int t
        cdef double best, missing = self._make_dual(lam), rounding = 0.0
        self.rounding = rounding_of_products(self.square, np.max(self.norms, initial=0.0), lam)
        self._look(lam)
        quadratic.unpenalised_norm = self.rounding * self._longer()
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

    cdef double _longer(self) noexcept:
        """Return how much longer a working column may be than its curvature tells."""
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int t, end = <int> self.norms.shape[0] * self.point.K
        cdef double most = 0.0
        for t in range(quadratic.size):
            if quadratic.index[t] < end and quadratic.diag[t] > 0.0:
                most = max(most, self.norms[quadratic.index[t] // self.point.K]
                           / sqrt(quadratic.diag[t]))
        return most

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
            clear_of_one(point.loss, &point.u[0, 0], &self.ones[0], &self.u[0, 0], &self.scratch[0])
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
        # Bounds on products do not know of rounding.
        cdef double[:, ::1] products = self.inactive.find(self.u, lam if self.rounding == 0.0
                                                          else 0.0)
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
        """Return the size of a coefficient's product, or of its row's products if grouped.

        What rounding may hide is added.
        """
        cdef Py_ssize_t j = c // self.point.K
        cdef double size = self.inactive.size[j]
        if not self.point.net.grouped:
            size = fabs((&self.point.C[0, 0])[c])
        return size + self.rounding * self.norms[j]

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
            self.scratch[i] = scale * (&u[0, 0])[i]
        return self.point.loss.fenchel_young(&self.point.eta[0, 0], &self.scratch[0])

    cdef Py_ssize_t[::1] violators(self, double near, double lam):
        """Return coefficients to add: their last known products pass `near`, or they are
        unpenalised at lam.

        If there are many, these are the ones that exceed their thresholds most, grouped rows whole.
        """
        cdef ResponseCoefficients point = self.point
        cdef Py_ssize_t i, j, k, c, count = 0
        cdef double bound
        cdef int rows = self.inactive.list_near(near, lam, &self.nearby[0])
        cdef Py_ssize_t[::1] which = np.empty(rows * <Py_ssize_t> point.K, dtype=np.intp)
        for i in range(rows):
            j = self.nearby[i]
            bound = near * point.net.l1[j] * (1.0 + ROUNDING)
            for k in range(point.K):
                c = j * point.K + k
                if not point.working[c] and self._size(c) > bound and self._limit(c) > 0.0:
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


def working_gap(d, double lam):
    """Return an estimate of the gap over the working columns of a ResponseDescent.

    Each unpenalised coefficient adds the expected gain of a Newton step on it.
    """
    free = d.net.unpenalised_each(d.B, d.g, lam)
    curvature = np.outer(d.scales(), np.maximum(d.shared.squares, 1e-300))
    gains = 0.5 * (d.g[free] ** 2 / curvature[free]).sum()
    at = {d.net.scale_at(d.B, d.g, lam, strict) for strict in (True, False)}
    return least_gap(d.loss, d.eta, d.u, at, lambda s: d.net.excess(d.B, d.g, lam, s), gains)


def dual_point(d, double lam):
    """Return u' (K, n), and a basis of the unpenalised columns or None.

    A basis is returned if these columns are nearly dependent. Products with the columns themselves
    would then not show that u' is orthogonal to their span.
    """
    free = d.net.unpenalised_each(d.B, d.g, lam)
    places = np.flatnonzero(free.any(axis=0))
    if not len(places):
        return d.u, None
    part, free = d.columns.some(places), free.take(places, axis=1)
    if len(places) == 1 and free.all():     # usually the intercept alone
        return _orthogonal_to_one(d.loss, d.u, part.combine(np.ones((1, 1)))[0]), None
    gram = np.asarray(part.gram(d.shared.h), dtype=float)
    if told_apart(gram):
        return _orthogonal_to_many(d, part, places, free, gram), None
    basis = d.spans.apart_in_each(d.which[places], free)
    return clear(d.loss, d.eta, d.u, *basis)[0], basis


def _orthogonal_to_one(Loss loss, const double[:, ::1] u, const double[::1] z):
    cdef Py_ssize_t K = u.shape[0], n = u.shape[1]
    cdef double[:, ::1] out = np.empty((K, n))
    cdef double[::1] scratch = np.empty((K + 4) * n + K * (K + 1))
    clear_of_one(loss, &u[0, 0], &z[0], &out[0, 0], &scratch[0])
    return np.asarray(out)


cdef void clear_of_one(Loss loss, const double* u, const double* z, double* out,
                       double* scratch) noexcept nogil:
    """Set `out` (K, n) to the u' of one unpenalised column z.

    `scratch` has space for (K + 4) n + K (K + 1) values. The K x K curvature of the column is
    factored. If the loss ignores a constant added to all responses, the curvature along this
    constant is only rounding, so the last response keeps its coefficient.
    """
    cdef Py_ssize_t K = loss.n_responses, n = loss.n, m = K - loss.symmetric, k, l, i, tries
    cdef double* A = scratch
    cdef double* r = A + K * n
    cdef double* square = r + n
    cdef double* image = square + n
    cdef double* along = image + n
    cdef double* curvature = along + n
    cdef double* c = curvature + K * K
    loss.parts(u, A, r)
    memcpy(out, u, K * n * sizeof(double))
    memset(c, 0, K * sizeof(double))
    for i in range(n):
        square[i] = z[i] * z[i]
    for k in range(m):
        for i in range(n):
            image[i] = r[i] * square[i] * A[k * n + i]
        for l in range(m):
            curvature[k * m + l] = -dot(n, image, A + l * n)
        curvature[k * m + k] += dot(n, square, A + k * n)
    small_factor(<int> m, curvature, ROUNDING)
    for tries in range(2):      # the second pass removes what rounding left
        memset(along, 0, n * sizeof(double))
        for k in range(m):
            c[k] = dot(n, z, out + k * n)
        small_solve(<int> m, curvature, c)
        for k in range(m):
            axpy(n, c[k], A + k * n, along)
        for k in range(K):
            for i in range(n):
                out[k * n + i] -= z[i] * A[k * n + i] * (c[k] - r[i] * along[i])


def _orthogonal_to_many(d, part, places, free, gram):
    """Return u' for several unpenalised columns, by conjugate gradients.

    The preconditioner is the inverse of the Gram matrix that all responses share.
    """
    u, scales = d.u, np.asarray(d.scales())
    factor = cho_factor(gram)
    enough = rounding_floor(free, scales, d.shared.squares[places])

    def product(C):
        return free * part.correlate(d.loss.curvature_product(d.eta, part.combine(C)))

    def precondition(x):
        return free * (cho_solve(factor, x.T).T / scales[:, None])

    most = 20 + 4 * int(free.sum())
    for _ in range(2):      # the second pass removes what rounding left
        gradient = free * part.correlate(u)
        C, count, flat = conjugate_gradients(product, precondition, gradient, enough, most)
        if flat or not count:
            break
        u = u - d.loss.curvature_product(d.eta, part.combine(C))
    return u


def certify(d, double lam, outside):
    """Return the gap over all columns, and the columns of `outside` that violate their bound.

    `outside` is an InactiveRows. If u' has left the domain of F*, the gap is taken at u instead,
    provided that u is orthogonal to the unpenalised columns.
    """
    u, basis = dual_point(d, lam)
    gap, which = _certify_at(u, basis, d, lam, outside)
    if gap == np.inf:
        gap, which = _certify_at(d.u, basis, d, lam, outside)
    value = d.net.value(d.B, lam)
    if value < gap:     # otherwise the dual point 0 cannot be better
        gap = min(gap, d.loss.fenchel_young_at(d.eta, 0.0 * d.u) + value)
    return gap, which


def _certify_at(u, basis, d, double lam, outside):
    """Return the least gap at nonzero multiples of u, and the columns that violate their bound.

    The gap is infinite unless u is orthogonal to the unpenalised columns and to the basis.
    """
    # What rounding may hide is added to all products; bounds on products do not know of it.
    hidden = rounding_of_products(d.square, d.norms.max(initial=0.0), lam) * d.norms
    which, beyond, sizes = outside.examine(u, 0.0 if hidden.any() else lam)
    products = d.columns.correlate(u)
    net, zero = d.net_of_all.take(which), np.zeros_like(beyond)
    longer, longer_outside = hidden[d.which], hidden[which]
    free = d.net.unpenalised_each(d.B, d.g, lam)
    violation, gap = np.abs(products[free]).max(initial=0.0), np.inf
    if basis is not None:
        violation = np.abs((u @ basis[0])[basis[1]]).max(initial=violation)
    if violation <= ORTHOGONAL:
        rounding = np.abs(d.B[free] * products[free]).sum()
        at = {min(d.net.scale_at(d.B, products, lam, strict, longer),
                  net.scale_at(zero, beyond, lam, strict, longer_outside))
              for strict in (False, True)}
        gap = least_gap(d.loss, d.eta, u, at, lambda s: d.net.excess(d.B, products, lam, s, longer)
                        + net.excess(zero, beyond, lam, s, longer_outside), rounding)
    return gap, which[sizes > lam * np.asarray(net.l1) * (1.0 + ROUNDING)] if len(which) else which

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

Products Z_j'u are computed where bounds do not exclude them. Their size, the l2 norm or the
largest entry, grows by at most |z_j| times the change of u, or of the response that changes most
(Cauchy-Schwarz). While this stays below lam l1_j, no product is needed (screening/safe_balls).
"""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.factors.span import told_apart
from sparsesolve.linalg.kernels.small cimport small_factor, small_solve
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers import tolerances
from sparsesolve.solvers.certificate.dual_point import clear
from sparsesolve.solvers.certificate.gap import least_gap
from sparsesolve.solvers.quadratic.coefficients import rounding_of_products
from sparsesolve.solvers.responses.direction import conjugate_gradients, rounding_floor
from sparsesolve.solvers.screening.safe_balls cimport SafeBalls

cdef double LAST_DIGITS = tolerances.LAST_DIGITS
cdef double ROUNDING = tolerances.ROUNDING

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

    def look(self, const double[:, ::1] u, double lam):
        """Return features that may be near or beyond lam l1_j at u (K, n).

        Also return their products (K, count) and sizes.
        """
        products = np.asarray(self.find(u, lam))
        which = np.array(self.looked[:self.n_looked])
        return which, products, np.asarray(self.size)[which]

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
        """Return features beyond lam l1_j, with products and sizes; see `look`."""
        which, products, found = self.look(u, lam)
        beyond = np.flatnonzero(found > lam * np.asarray(self.net.l1)[which])
        return which.take(beyond), products.take(beyond, axis=1), found.take(beyond)


def working_gap(d, double lam):
    """Return an estimate of the gap over the working columns of a ResponseDescent.

    Each unpenalised coefficient adds the expected gain of a Newton step on it.
    """
    cdef ElasticNetRows net = d.net
    cdef const double[:, ::1] B = d.B, g = d.g
    cdef const double[::1] squares = d.shared.squares, scales = d.scales()
    cdef double total = 0.0
    cdef Py_ssize_t j, k
    for j in range(B.shape[1]):
        for k in range(B.shape[0]):
            if net.is_unpenalised(j, B[k, j], g[k, j], lam):
                total += 0.5 * g[k, j] * g[k, j] / (scales[k] * max(squares[j], 1e-300))
    at = {net.scale_at(B, g, lam, strict) for strict in (True, False)}
    return least_gap(d.loss, d.eta, d.u, at, lambda s: d.net.excess(d.B, d.g, lam, s), total)


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
        return orthogonal_to_one(d.loss, d.u, part.combine(np.ones((1, 1)))[0]), None
    gram = np.asarray(part.gram(d.shared.h), dtype=float)
    if told_apart(gram):
        return _orthogonal_to_many(d, part, places, free, gram), None
    basis = d.spans.apart_in_each(d.which[places], free)
    return clear(d.loss, d.eta, d.u, *basis)[0], basis


def orthogonal_to_one(Loss loss, const double[:, ::1] u, const double[::1] z):
    """Return u' for one unpenalised column z."""
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
    cdef ElasticNetRows own = d.net
    cdef const double[:, ::1] B = d.B, g = d.g, C
    cdef double rounding = 0.0, violation = 0.0, gap = np.inf
    cdef Py_ssize_t j, k
    # What rounding may hide is added to all products; bounds on products do not know of it.
    hidden = rounding_of_products(d.square, d.norms.max(initial=0.0), lam) * d.norms
    which, beyond, sizes = outside.examine(u, 0.0 if hidden.any() else lam)
    products = d.columns.correlate(u)
    net, zero, C = d.net_of_all.take(which), np.zeros_like(beyond), products
    longer, longer_outside = hidden[d.which], hidden[which]
    if basis is not None:
        violation = np.abs((u @ basis[0])[basis[1]]).max(initial=0.0)
    for j in range(B.shape[1]):
        for k in range(B.shape[0]):
            if own.is_unpenalised(j, B[k, j], g[k, j], lam):
                violation = max(violation, fabs(C[k, j]))
                rounding += fabs(B[k, j] * C[k, j])
    # not feasible, beyond rounding
    if violation <= 1e-10:
        at = {min(own.scale_at(B, C, lam, strict, longer),
                  net.scale_at(zero, beyond, lam, strict, longer_outside))
              for strict in (False, True)}
        gap = least_gap(d.loss, d.eta, u, at, lambda s: d.net.excess(d.B, products, lam, s, longer)
                        + net.excess(zero, beyond, lam, s, longer_outside), rounding)
    return gap, which[sizes > lam * np.asarray(net.l1) * (1.0 + ROUNDING)] if len(which) else which

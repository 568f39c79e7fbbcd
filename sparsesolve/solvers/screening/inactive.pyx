"""Inactive columns: screening by bounds, and their part in the certificate.

Invariant: columns that `examine` does not multiply are below their thresholds at that residual
and lam.
"""
from libc.math cimport INFINITY, fabs

import numpy as np

from sparsesolve.solvers.screening.bounds cimport correlations
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.penalties.elastic_net cimport ElasticNet, conjugate, feasible_scale

# relative to lam
cdef double VIOLATION = 1e-12
# Columns that may enter in one round, however small the working set is.
ENTERING = 256


def most_entering(int working):
    """The largest number of violators that enter in one round: the working set at most doubles."""
    return max(ENTERING, working)


def farthest(level, columns, most):
    """The violators that enter first: those of the highest levels, and all without a penalty.

    `most` bounds their columns. Where a path begins far below its first lambda, nearly all
    columns violate, and few of them will be wanted.
    """
    order = np.argsort(-np.asarray(level), kind="stable")
    level, columns = np.asarray(level)[order], np.asarray(columns)[order]
    before = np.cumsum(columns) - columns
    return np.sort(order[(before < most) | np.isinf(level)])


cdef class Inactive:
    """What a working set asks of the inactive columns; r stands for sqrt(w) times a residual."""

    def certified(self, const double[::1] r, double lam, double scale):
        """Return both scales of r, and what these columns add to the gap at `scale`, for tests."""
        self.examine(&r[0], lam)
        return self.scale(lam, False), self.scale(lam, True), self.gap(lam, scale)

    def violating(self, const double[::1] r, double lam, int most):
        """Return the columns (m,) that violate their thresholds at r, about `most` of them."""
        self.examine(&r[0], lam)
        return np.array(self.violators(lam, most))

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        """Multiply the columns that no bound keeps below lam times their threshold; returns how
        many.
        """
        return 0

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        """The largest s <= 1 that makes s r dual feasible on these columns.

        With `strict` the answer is that of a norm without limits but those at which coefficients
        are.
        """
        return 1.0

    cdef double gap(self, double lam, double scale) noexcept nogil:
        """What they add to the gap at the dual point scale * r."""
        return 0.0

    cdef double promise(self, double lam) noexcept nogil:
        """The decrease of the objective to expect from adding the violators; 0 where it is not
        asked.
        """
        return 0.0

    cdef int[::1] violators(self, double lam, int most):
        """Examined columns whose products pass their threshold, about `most`, the farthest first.
        """
        return np.empty(0, dtype=np.intc)

    cdef int[::1] predict_violators(self, const double* r, double lam, double forward):
        """Columns that will almost violate at a coming residual r, by what earlier products tell.

        r is the last residual, extrapolated by `forward` times its change since the one before.
        """
        return np.empty(0, dtype=np.intc)

    cdef int[::1] unpenalised(self):
        """Columns without a penalty, which are working from the start; those that cannot move are
        dropped.
        """
        return np.empty(0, dtype=np.intc)

    cdef int[::1] together(self, which):
        """These columns and those that enter together with them."""
        return which

    cdef void leave(self, const int[::1] which) noexcept:
        """Stop screening these columns: they are working from now on."""

    cdef products(self, const double* r):
        """z_j'r of every column, (p,)."""


cdef class InactiveColumns(Inactive):
    """Columns under the elastic net, of which only violators contribute to gap and scale."""

    def __init__(self, Design design, double[::1] root_w, ElasticNet penalty, int n_threads):
        self.penalty = penalty
        self.bounds = correlations(design, root_w, penalty.l1, n_threads)
        self.over, self.found = np.zeros((2, design.p + 1), dtype=np.intc)

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        cdef int k, count = self.bounds.examine(r, lam)
        self.n_over = 0
        for k in range(count):
            # NaN, too
            if not fabs(self.bounds.exact[k]) <= lam * self.penalty.l1[self.bounds.undecided[k]]:
                self.over[self.n_over] = k
                self.n_over += 1
        return count

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        cdef double scale = 1.0
        cdef int i, k, j
        for i in range(self.n_over):
            k, j = self.over[i], self.bounds.undecided[self.over[i]]
            scale = min(scale, feasible_scale(
                self.bounds.exact[k], lam * self.penalty.l1[j],
                0.0 if strict else lam * self.penalty.l2[j],

                -INFINITY if strict and self.penalty.lower[j] < 0.0 else self.penalty.lower[j],
                INFINITY if strict and self.penalty.upper[j] > 0.0 else self.penalty.upper[j]))
        return scale

    cdef double gap(self, double lam, double scale) noexcept nogil:
        cdef double total = 0.0
        cdef int i, k, j
        for i in range(self.n_over):
            k, j = self.over[i], self.bounds.undecided[self.over[i]]
            total += conjugate(scale * self.bounds.exact[k], lam * self.penalty.l1[j],
                    lam * self.penalty.l2[j], self.penalty.lower[j], self.penalty.upper[j])
        return total

    cdef double promise(self, double lam) noexcept nogil:
        cdef int i, k, j
        cdef double over, total = 0.0
        for i in range(self.n_over):
            k, j = self.over[i], self.bounds.undecided[self.over[i]]
            over = fabs(self.bounds.exact[k]) - lam * self.penalty.l1[j]
            total += over * over / (self.bounds.norm[j] ** 2 + lam * self.penalty.l2[j])
        return 0.5 * total

    cdef int[::1] violators(self, double lam, int most):
        cdef int i, k, j, count = 0
        cdef double[::1] level
        for i in range(self.n_over):
            k, j = self.over[i], self.bounds.undecided[self.over[i]]
            if fabs(self.bounds.exact[k]) > lam * self.penalty.l1[j] * (1 + VIOLATION):
                self.found[count] = j
                count += 1
        if count <= most:
            return self.found[:count]
        level, count = np.empty(count), 0
        for i in range(self.n_over):
            k, j = self.over[i], self.bounds.undecided[self.over[i]]
            if fabs(self.bounds.exact[k]) > lam * self.penalty.l1[j] * (1 + VIOLATION):
                level[count] = (fabs(self.bounds.exact[k]) / self.penalty.l1[j]
                                if self.penalty.l1[j] > 0.0 else INFINITY)
                count += 1
        return np.asarray(self.found)[farthest(level, np.ones(count), most)]

    cdef int[::1] predict_violators(self, const double* r, double lam, double forward):
        return self.found[:self.bounds.predict_violators(r, lam, forward, &self.found[0])]

    cdef int[::1] unpenalised(self):
        penalty = self.penalty
        shut = (np.asarray(penalty.lower) == 0) & (np.asarray(penalty.upper) == 0)
        shut |= self.bounds.norms() == 0
        self.leave(np.flatnonzero(shut).astype(np.intc))
        free = (np.asarray(penalty.l1) == 0) & (np.asarray(penalty.l2) == 0) & ~shut
        return np.flatnonzero(free).astype(np.intc)

    cdef void leave(self, const int[::1] which) noexcept:
        cdef Py_ssize_t k
        for k in range(which.shape[0]):
            self.bounds.leave(which[k])

    cdef products(self, const double* r):
        self.bounds.multiply_all(r)
        return self.bounds.products_seen()

"""The certificate of a loss with kinks: of the returned coefficients, from multipliers.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam Omega(b),      F with kinks

Given: coefficients, an intercept, and a dual point u within the slopes of F. Returned: a duality
gap over all columns of the problem with kinks itself.

Invariant: u is within the slopes and orthogonal to the unpenalised columns. The samples between
their ends give that where they suffice; else u is projected.

Reference: Bach et al. 2012, section 1.4.
"""

import numpy as np

from sparsesolve.linalg.kernels.box_hyperplane import project
from sparsesolve.solvers.certificate.dual_point import clear
from sparsesolve.solvers.costs.rounding import PROJECTED, SHIFT
from sparsesolve.solvers.first_order.first_order import FirstOrder, Point


class KinkedCertificate(FirstOrder):
    """Point and gap of a Problem whose loss has kinks; `envelope` gives the curvature of
    clearing.
    """

    def __init__(self, problem, envelope, n_threads):
        super().__init__(problem, n_threads)
        self.envelope, self.shift = envelope, 0.0

    def place(self, which, values, intercept):
        """Move to these coefficients, with the best intercept for them; return eta."""
        b = np.zeros(self.design.p)
        b[which] = values
        c = np.zeros(self.basis.shape[1])
        eta = self.offset + (intercept + self.design.combination(which.astype(np.intc), values))
        value, _ = self.loss.at(eta)
        self.shift = 0.0
        if self.with_intercept:
            shift = self.loss.best_shift(eta)
            moved = self.loss.at(eta + shift)[0]
            if moved < value - SHIFT * abs(value):
                eta, value, self.shift = eta + shift, moved, shift
            c[0] = intercept + self.shift
        self.point = Point(b, c, eta, value, None)
        return eta

    def certify(self, lam, u):
        """Return the gap at the current point with the dual point u (n,), clipped to its domain.
        """
        self.point = self.point._replace(u=np.clip(u, *self.loss.ends))
        return self.gap(lam)

    def _coefficients(self):
        return self.point.b

    def objective(self, lam, point=None):
        """F and the penalty; unpenalised columns have none."""
        point = point or self.point
        held = np.where(self.unpenalised, 0.0, point.b)
        return point.value - self.loss.saturated + self.penalty.value(held, lam)

    def span_rounding(self):
        return 0.0  # eta was made from the coefficients, not from those of the basis.

    def dual_point(self, lam):
        point = self.point
        free, basis = self.unpenalised_basis.which, self.basis
        if not self.unpenalised_basis.same_at(lam):
            free, basis, _ = self.unpenalised_basis.at(point.b, self.products(point.u), lam)
        if basis.shape[1] == 0:
            return point.u, free, 0.0
        dual, missing = clear(self.envelope, point.eta - self.shift, point.u, basis)
        if basis.shape[1] == 1:
            within = np.clip(dual, *self.loss.ends)
            return self._on_hyperplane(within, basis[:, 0], missing), free, 0.0
        return dual, free, missing

    def _on_hyperplane(self, u, column, missing):
        """Return u if it is orthogonal to the one column, else its projection within the slopes.
        """
        if missing < np.inf and abs(column @ u) <= PROJECTED * (np.abs(column) @ np.abs(u)):
            return u
        column = np.ascontiguousarray(column)
        return project(u, *self.loss.ends, column, 0.0, np.ones(len(u)))


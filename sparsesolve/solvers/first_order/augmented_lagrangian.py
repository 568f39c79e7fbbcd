"""The augmented Lagrangian by semismooth Newton steps: penalties and columns of any size.

    minimise over b, s_k   F(Zb) + lam sum_k P_k(s_k)    subject to  b = s_k for every term k

Proximal gradient steps move a coefficient by at most its gradient over the largest curvature, so
that columns a thousand times smaller than others take a million times as many steps. Multipliers
y_k lie in lam times the dual ball of P_k whatever the sizes of columns, and one round over them,

    (b, s) <- argmin F(Zb) + sum_k lam P_k(s_k) + rho |b + w_k - s_k|^2 / 2,      w_k = y_k / rho
    y_k    <- rho (b + w_k - s_k),

is a proximal step of the dual problem. With s_k = prox(b + w_k, lam / rho) its objective is
smooth in b. Newton's method solves it with the generalised Hessian

    Z'F''Z + rho sum_k (I - J_k),      J_k = T (T'T + lam C / rho)^-1 T',

where T and C are the directions and the curvature of P_k's tangent at s_k (penalties/tangent.py).
Given: a TangentNewton state. Returned: s_k, and the residual at b, whose products with columns are
sum_k y_k and so feasible. Invariant: what FirstOrder keeps.

Reference: Li, Sun, Toh, "A highly efficient semismooth Newton augmented Lagrangian method for
solving lasso problems" (2018); damping as in Levenberg and Marquardt.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from sparsesolve.losses.gaussian import Gaussian
from sparsesolve.losses.multigaussian import Multigaussian
from sparsesolve.solvers.certificate.dual_point import Curvature

# The first rho lets a round end at this share of the gap; rho grows by the second number a round.
FIRST_SHARE, RHO_GROWTH = 0.2, 10.0
# A round aims at this share of the gap, and no lower than at LEAST_AIM of the target.
ROUND_SHARE, LEAST_AIM = 0.1, 0.5
# Damping, as a share of rho, shrinks by the first factor after a step that lowers the objective
# by GOOD of what was foretold, and grows by the second after one that lowers it by less than FAIR.
DAMPING_DOWN, DAMPING_UP, LEAST_DAMPING = 0.1, 30.0, 1e-13
GOOD, FAIR = 0.25, 0.01
# Dampings of one step that are tried, and doublings of one.
TRIES = 20


class Split(NamedTuple):
    """A point b with the terms' s_k, and the objective of a round."""

    point: object  # Point of b
    parts: list  # s_k
    value: float


class AugmentedLagrangian:
    """Rounds for a TangentNewton state `own`, whose `terms` are the P_k."""

    def __init__(self, own):
        self.own, self.terms = own, own.terms
        self.y = self.images = self.gram = None
        self.damping, self.lam = 0.0, None
        self.constant = isinstance(own.loss, Gaussian | Multigaussian)
        self.begin()

    def begin(self):
        """Forget rho and the dual point of the last lam."""
        self.rho = self.dual = None
        self.settled = True  # the last round reached its aim

    def round(self, lam, gap, target, limit):
        """Take a round, and move the state to the lowest of its points."""
        own = self.own
        gap = min(gap, own.objective(lam))  # inf where the dual point is none
        self.choose_rho(lam, gap)
        self.aim = max(ROUND_SHARE * gap, LEAST_AIM * target)
        w = [y / self.rho for y in self.y]
        at = self.split(lam, own.point.b, own.point.c, w)
        self.settled = False
        # Newton steps of a round: 3 to 20 suffice, and a later round goes on where one ended.
        for _ in range(min(60, limit - own.iterations)):
            new = self._newton_step(lam, at, w)
            if new is None:
                break
            own.iterations, at = own.iterations + 1, new
        self.y = self.multipliers(at, w)
        self.dual = at.point
        found = [own.at(s, at.point.c) for s in at.parts]
        found += [at.point] if len(found) > 1 else []
        own.point = min(found, key=lambda point: own.objective(lam, point))

    def choose_rho(self, lam, gap):
        """Set rho, and multipliers for the first round of a lam."""
        if self.rho is not None:
            self.rho *= RHO_GROWTH if self.settled else 1.0
            return
        own = self.own
        z, _ = own.downhill(own.point.u)
        if self.y is None:
            start = own.penalty.feasible_scale(z, lam) * z / len(self.terms)
            self.y = [start for _ in self.terms]
        elif self.lam > lam:
            self.y = [y * (lam / self.lam) for y in self.y]
        self.lam = lam
        size = sum(float(np.vdot(y, y)) for y in self.y)
        size = max(size, 1e-6 * float(np.vdot(z, z)), 1e-300)
        self.rho = size / (FIRST_SHARE * max(gap, 1e-15))

    def split(self, lam, b, c, w):
        """Return the Split at b and c."""
        point, parts = self.own.at(b, c), []
        total = point.value - self.own.loss.saturated
        for term, own_w in zip(self.terms, w, strict=True):
            v = b + own_w
            s = term.prox(v, lam / self.rho)
            parts.append(s)
            total += term.value(s, lam) + 0.5 * self.rho * float(np.vdot(v - s, v - s))
        return Split(point, parts, total if np.isfinite(total) else np.inf)

    def multipliers(self, at, w):
        """Return the next multipliers y_k."""
        return [self.rho * (at.point.b + k - s) for k, s in zip(w, at.parts, strict=True)]

    def _newton_step(self, lam, at, w):
        """Return the end of a damped Newton step; None where the aim is reached, or none falls."""
        own, b, c = self.own, at.point.b, at.point.c
        f, m = own.n_apart, b.size
        y = self.multipliers(at, w)
        pull = at.point.u @ own.basis[:, :f]
        rest = own.products(at.point.u) - sum(y)
        slope = np.concatenate([rest.ravel(), np.ravel(pull)])
        H = self.hessian(lam, at, y)
        if not (np.isfinite(H).all() and np.isfinite(slope).all()):
            return None
        near = np.abs(rest).max(initial=0.0) <= lam * self.aim / max(at.value, 1e-300)
        rounding = own.rounding(at.value)
        for _ in range(TRIES):
            damped = H.copy()
            damped[np.arange(m), np.arange(m)] += self.damping * self.rho
            d = solved(damped, slope)
            foretold = float(d @ slope)
            if near and not foretold > ROUND_SHARE * self.aim:
                self.settled = True
                return None
            step, across = d[:m].reshape(b.shape), np.zeros_like(c)
            across[..., :f] = d[m:].reshape(np.shape(pull))
            new = self.split(lam, b + step, c + across, w)
            fell = at.value - new.value
            if fell >= GOOD * foretold - rounding:
                small = self.damping <= LEAST_DAMPING
                self.damping = 0.0 if small else DAMPING_DOWN * self.damping
                # A step that falls by more than this share has met no curvature, and is doubled
                # while that pays.
                far = fell > 0.75 * foretold + rounding
                return self._doubled(lam, at, new, step, across, w) if far else new
            if fell >= FAIR * foretold - rounding:
                return new
            self.damping = max(DAMPING_UP * self.damping, 10.0 * LEAST_DAMPING)
            # Beyond this damping a step is rounding, and the round ends.
            if self.damping > 1e6:
                break
        self.damping = 0.0
        return None

    def _doubled(self, lam, at, new, step, across, w):
        """Return the end of the step, doubled while the objective goes on falling."""
        t, least = 2.0, FAIR * (at.value - new.value)
        for _ in range(TRIES):
            far = self.split(lam, at.point.b + t * step, at.point.c + t * across, w)
            if not far.value < new.value - least:
                break
            new, t = far, 2.0 * t
        return new

    def hessian(self, lam, at, y):
        """Return the generalised Hessian, of the coefficients and then of the intercepts."""
        own, m = self.own, at.point.b.size
        if self.images is None:
            self.images = own.images_of(sparse.eye_array(m, format="csc"))
        if self.gram is None or not self.constant:
            self.gram = self.images @ own.times_hessian(self.images, at.point.eta).T
        H = self.gram.copy()
        for term, s, own_y in zip(self.terms, at.parts, y, strict=True):
            H[np.arange(m), np.arange(m)] += self.rho
            tangent = term.tangent(s)
            if tangent is not None and len(tangent.gradient):
                H[:m, :m] -= self.rho * self._jacobian(tangent, own_y, lam)
        return H

    def _jacobian(self, tangent, y, lam):
        """Return the derivative J (m, m) of a prox from the tangent at its end."""
        T = tangent.directions
        A = (T.T @ T).toarray()
        if tangent.curvature is not None:
            C = tangent.curvature(y / lam)
            A = A + (0.5 * lam / self.rho) * (C + C.T)
        back = T.T.toarray()
        return T @ solved(A, back)


def solved(H, right):
    """Return the solution of H d = right, 0 along flat directions and upward curvature."""
    size = np.sqrt(np.maximum(np.diag(H), 0.0))
    size[size == 0.0] = 1.0
    scaled = H / np.outer(size, size)
    # along flat directions a step is as long as rounding makes it
    scaled[np.diag_indices(len(H))] += 1e-13
    by = size if right.ndim == 1 else size[:, None]
    try:
        return cho_solve(cho_factor(scaled, lower=True), right / by) / by
    except LinAlgError:
        found = Curvature(H)
        return np.stack([found.solve(column) for column in np.atleast_2d(right.T)]).T.reshape(
            right.shape
        )

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

where T and C are the directions and the curvature of P_k's tangent at s_k (penalties/forms.py).
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

# The first rho lets a round end at this part of the gap; rho grows by the second number a round.
FIRST_SHARE, RHO_GROWTH = 0.2, 10.0


class Split(NamedTuple):
    """A point b with the terms' s_k, and the objective of a round."""

    point: object  # Point of b
    parts: list  # s_k
    value: float


class AugmentedLagrangian:
    """Rounds for a TangentNewton state `own`, whose `terms` are the P_k."""

    def __init__(self, own):
        self.own, self.terms = own, own.terms
        self.y = self.images = self.gram = self.lam = None
        self.constant = isinstance(own.loss, Gaussian | Multigaussian)
        self.begin()

    def begin(self):
        """Forget rho and the dual point of the last lam."""
        self.rho = self.dual = None
        self.reached = True  # the last round reached its minimum

    def round(self, lam, gap, target, limit):
        """Take a round, and move the state to the lowest of its points."""
        own = self.own
        gap = min(gap, own.objective(lam))  # inf where the dual point is none
        self.choose_rho(lam, gap)
        w = [y / self.rho for y in self.y]
        at = self.split(lam, own.point.b, own.point.c, w)
        # to a tenth of the gap, and to no less than .3 of the target
        at = self.minimise(lam, at, w, max(0.1 * gap, 0.3 * target), limit)
        self.y, self.dual = self.multipliers(at, w), at.point
        found = [own.at(s, at.point.c) for s in at.parts]
        found += [at.point] if len(found) > 1 else []
        own.point = min(found, key=lambda point: own.objective(lam, point))

    def choose_rho(self, lam, gap):
        """Set rho, and multipliers for the first round of a lam."""
        if self.rho is not None:
            self.rho *= RHO_GROWTH if self.reached else 1.0
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

    def minimise(self, lam, at, w, goal, limit, most_curvature=0.0):
        """Return the minimum of a round, by damped Newton steps with a search along each.

        `reached` tells whether no more than `goal` of the objective is left. Damping is relative
        to the largest curvature met, or `most_curvature` (n,) of F if that is more.
        """
        own, m, damping, self.reached = self.own, at.point.b.size, 1e-10, False
        # damping falls tenfold a step, to 1e-13 of the largest curvature of the round
        largest = 0.0  # of each diagonal entry of the Hessian, at all points of the round
        for _ in range(max(min(60, limit - own.iterations), 1)):  # 3 to 20 are usual
            y = self.multipliers(at, w)
            slope, H = self._slope(at, y), self.hessian(lam, at, y)
            if not (np.isfinite(H).all() and np.isfinite(slope).all()):
                break
            bound = np.square(self.images) @ (most_curvature + np.zeros(self.images.shape[1]))
            bound[:m] += self.rho * len(at.parts)
            largest = np.maximum(largest, np.maximum(bound, H.diagonal()))
            d, falls, damping = _damped(H, slope, damping, largest, at.value)
            near = np.abs(slope[:m]).max() <= lam * goal / max(at.value, 1e-300)
            flat = np.abs(slope[m:]).max(initial=0.0) <= 1e-9
            self.reached = falls <= goal and near and flat
            if self.reached:
                break
            new, t = self._search(lam, at, d, slope, w)
            if new is None:
                break
            at, own.iterations = new, own.iterations + 1
            longer = min(max(1.0 / t, 10.0), 1e4)
            damping = max(0.1 * damping, 1e-13) if t > 0.1 else min(longer * damping, 1.0)
        return at

    def _slope(self, at, y):
        """Return the gradient of a round's objective in the coefficients and the intercepts."""
        own, u = self.own, at.point.u
        z = own.products(u) - sum(y)
        return -np.concatenate([z.ravel(), np.ravel(u @ own.basis[:, : own.n_apart])])

    def _search(self, lam, at, d, slope, w):
        """Return a point along d where the objective is lower and flat, and its step t.

        The objective is convex, so that its slope along d grows with t. Where the fall is
        rounding, the whole step is taken if it halves the gradient.
        """
        b, across, f, m = at.point.b, np.zeros_like(at.point.c), self.own.n_apart, at.point.b.size
        across[..., :f] = d[m:].reshape(across[..., :f].shape)

        def moved(t):
            point = self.split(lam, b + t * d[:m].reshape(b.shape), at.point.c + t * across, w)
            finite = np.isfinite(point.value)
            return point, self._slope(point, self.multipliers(point, w)) if finite else np.inf * d

        begin, t, high = float(slope @ d), 1.0, None
        if -begin <= 1e-14 * abs(at.value):
            new, end = moved(1.0)
            return new if np.abs(end).max() <= 0.5 * np.abs(slope).max() else None, 1.0
        low, rounding = (0.0, begin), 1e-15 * abs(at.value)
        for k in range(60):
            new, end = moved(t)
            rise = float(end @ d) if np.isfinite(new.value) else np.inf
            least = 1e-4 * t * begin if rise > 0.0 else 0.0
            if new.value <= at.value + least + rounding and abs(rise) <= 0.3 * abs(begin):
                return new, t
            if rise < 0.0:
                low = t, rise
            else:
                high = t, rise
            if high is None:
                t *= 4.0
            elif k % 3 == 2 or not np.isfinite(high[1]):
                t = 0.5 * (low[0] + high[0])
            else:
                part = -low[1] / (high[1] - low[1])
                t = low[0] + min(max(part, 0.1), 0.9) * (high[0] - low[0])
        return None, 0.0

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


def _damped(H, slope, damping, largest, most):
    """Return a Newton step d, its fall -slope'd, and the damping, at which d falls by at most
    `most`: no step lowers an objective by more than itself.
    """
    while True:
        damped = H.copy()
        damped[np.diag_indices(len(H))] += damping * np.maximum(largest, 1e-300)
        d = solved(damped, -slope)
        falls = -float(slope @ d)
        if 0.0 < falls <= most or damping >= 1.0:
            return d, falls, damping
        damping *= 100.0


def solved(H, right):
    """Return the solution of H d = right, 0 along flat directions and upward curvature."""
    size = np.sqrt(np.maximum(np.diag(H), 0.0))
    size[size == 0.0] = 1.0
    scaled = H / np.outer(size, size)
    # along flat directions a step is as long as rounding makes it
    scaled[np.diag_indices(len(H))] += 1e-13
    if not np.isfinite(scaled).all():  # beyond floats no step is known
        return np.zeros_like(right)
    by = size if right.ndim == 1 else size[:, None]
    try:
        return cho_solve(cho_factor(scaled, lower=True), right / by) / by
    except LinAlgError:
        found = Curvature(H)
        return np.stack([found.solve(column) for column in np.atleast_2d(right.T)]).T.reshape(
            right.shape
        )

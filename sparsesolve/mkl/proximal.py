"""First-order methods on the functions of all kernels: proximal gradients and block descent.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Given: a KernelProblem and decreasing lam. Returned: a Point whose gap is below a target.
Invariant: f_m = K_m a_m, with a_m and K_m a_m known for every kernel.

With u = -F' the gradient of F in the RKHS of kernel m is -K_m u, and in terms of a_m it is -u. So
a step is a_m + t u. The proximal operator of t lam phi acts on the vector of norms and rescales
each function. One product for each kernel gives both the step and the certificate, whose dual
point is u. Towards the end the single kernel sum_m n_m / (lam phi_m'(n)) K_m gives one dual vector
for all kernels, which defines the result. Its objective is no larger, and its gap is the one that
is reported.
Reference: Bach et al. (2012), sections 3 and 9, lemmas 9.5 to 9.9; Beck and Teboulle (2009), with
the restarts of O'Donoghue and Candes (2015).
"""

from types import SimpleNamespace

import numpy as np

from sparsesolve.mkl.problem import gap_at, make_point
from sparsesolve.mkl.single_kernel import INSIDE, shares_of, solve_single
from sparsesolve.mkl.state import HALVINGS, ROUNDING, WorkingState
from sparsesolve.results.status import Status

# The single dual vector is computed once the gap is this share of the target.
FINISH = 0.5
# It is also computed every so many steps, whatever the gap.
ANYWAY = 100
# Factors of the step size after a success and after a failure.
LONGER, SHORTER = 1.25, 0.5


def _shrunk(norm, coefs, values, d, t):
    """Return coefficients and values (k, q n) of functions after the prox of t phi, and norms."""
    norms = np.sqrt(np.maximum(np.einsum("mi,mi->m", coefs, values), 0.0))
    shrunk = norm.prox(norms, d, t)
    factors = np.divide(shrunk, norms, out=np.zeros_like(norms), where=norms > 0.0)[:, None]
    return coefs * factors, values * factors, shrunk


class Proximal(WorkingState):
    """Accelerated proximal gradients; see the top of this file."""

    def __init__(self, problem):
        super().__init__(problem)
        q, n = problem.shape
        self.coefs, self.values = np.zeros((2, len(self.all), q * n))
        self.norms = np.zeros(len(self.all))
        top = problem.curvature(problem.offset + problem.null_intercept[:, None]).max()
        squares = problem.kernels.bounds[self.all] ** 2
        self.first_step = 1.0 / max(top * squares.max(initial=0.0), 1e-300)
        self.step = self.first_step
        self.weights_d = problem.factors[self.all]

    def solve(self, lam, target, budget):
        gap, since = np.inf, 0
        self._restart()
        for count in range(budget + 1):
            if count == budget or self.bound <= FINISH * target or since >= ANYWAY:
                gap, since = self._finish(lam, target), 0
                if gap <= target:
                    return Status.CONVERGED, gap
            if count == budget:
                break
            self._step(lam)
            self.iterations += 1
            since += 1
        return Status.MAX_ITER, gap

    def _restart(self):
        self.bound, self.momentum = np.inf, 1.0
        self.before = self.coefs.copy(), self.values.copy()

    def _total(self, values):
        return values.sum(axis=0).reshape(self.problem.shape)

    def _step(self, lam):
        """Take one accelerated step; `bound` is the gap at its end."""
        problem = self.problem
        later = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * self.momentum**2))
        share = (self.momentum - 1.0) / later
        start = [now + share * (now - old) for now, old in
                 zip((self.coefs, self.values), self.before, strict=True)]  # fmt: skip
        f = self._total(start[1])
        loss, u, _, near = problem.fitted(f, self.point.intercepts)
        u = self.sum_to_zero(u)
        products = problem.kernels.times(self.all, u).reshape(self.coefs.shape)
        for _ in range(HALVINGS):
            coefs, values, norms = self._moved(start, u, products, lam)
            new_f = self._total(values)
            new_loss, _, eta, near = problem.fitted(new_f, near)
            distance = float(np.vdot(coefs - start[0], values - start[1]))
            model = loss - float(np.vdot(u, new_f - f)) + 0.5 * distance / self.step
            if new_loss <= model + self._rounding(loss):
                break
            self.step *= SHORTER
        else:
            self.step = self.first_step
        back = np.vdot(start[0] - coefs, values - self.values)
        self.before = (self.coefs, self.values)
        self.coefs, self.values, self.norms = coefs, values, norms
        self.momentum = 1.0 if back > 0.0 else later
        if self.momentum == 1.0:
            self.before = (coefs, values)
            self.step *= LONGER
        self.bound = self._gap(lam, eta, near, u, products)

    def _rounding(self, loss):
        """Return the amount by which rounding may raise the loss above a model of it."""
        return ROUNDING * self.null + 1e-15 * (abs(self.problem.loss.saturated) + abs(loss))

    def _moved(self, start, u, products, lam):
        """Return coefficients, values and norms after a gradient step and shrinkage."""
        coefs, values = start[0] + self.step * u.ravel(), start[1] + self.step * products
        return _shrunk(self.problem.norm, coefs, values, self.weights_d, self.step * lam)

    def _gap(self, lam, eta, intercepts, u, products):
        """Return the gap of the functions at the dual vector u with its products."""
        s = np.sqrt(np.maximum(products @ u.ravel(), 0.0))
        used = self.norms > 0.0
        along = np.divide(self.values @ u.ravel(), self.norms, out=np.zeros_like(s), where=used)
        point = SimpleNamespace(n=self.norms, which=self.all, eta=eta, intercepts=intercepts)
        return gap_at(self.problem, lam, point, u, s, along)

    def _finish(self, lam, target):
        """Make the point of one dual vector for all kernels; return its gap."""
        problem = self.problem
        active = (self.norms > 0.0) | problem.norm.whole
        which = self.all[active]
        f = self._total(self.values)
        _, u, _, near = problem.fitted(f, self.point.intercepts)
        u = self.sum_to_zero(u)
        products = problem.kernels.times(which, u)
        point = make_point(problem, which, self.norms[active], u, products, near)
        eta = shares_of(problem, point, lam)
        point = solve_single(problem, which, eta, u, near, INSIDE * target)
        self.point = point
        rest = np.setdiff1d(self.all, which)
        d = problem.factors[rest]
        s = problem.kernels.sizes(rest, point.u) / d if len(rest) else np.zeros(1)
        return point.gap(problem, lam, float(s.max()))


class BlockDescent(Proximal):
    """Block descent: a gradient step on one f_m, shrunk, while all others stay."""

    def __init__(self, problem):
        super().__init__(problem)
        top = problem.curvature(problem.offset + problem.null_intercept[:, None]).max()
        bounds = problem.kernels.bounds[self.all]
        self.first_steps = 1.0 / np.maximum(top * bounds**2, 1e-300)
        self.steps = self.first_steps.copy()

    def _step(self, lam):
        """Evaluate all kernels for the certificate, and sweep over those that matter."""
        problem = self.problem
        f = self._total(self.values)
        loss, u, eta, near = problem.fitted(f, self.point.intercepts)
        u = self.sum_to_zero(u)
        products = problem.kernels.times(self.all, u).reshape(self.coefs.shape)
        self.bound = self._gap(lam, eta, near, u, products)
        s = np.sqrt(np.maximum(products @ u.ravel(), 0.0))
        d = self.weights_d
        violating = s > problem.norm.inactive_level(self.norms, s, d, lam) * d
        for k in np.flatnonzero((self.norms > 0.0) | violating):
            f, loss, u, near = self._visit(k, lam, f, loss, u, near)

    def _visit(self, k, lam, f, loss, u, near):
        """Improve the function of one kernel; return f and the loss, u and intercepts at it."""
        problem = self.problem
        product = problem.kernels.times(self.all[k : k + 1], u)
        old = self.coefs[k].copy(), self.values[k].copy()
        for _ in range(HALVINGS):
            coefs, values, norm = _shrunk(
                problem.norm, (old[0] + self.steps[k] * u.ravel())[None],
                old[1] + self.steps[k] * product.reshape(1, -1), self.weights_d[k : k + 1],
                self.steps[k] * lam,
            )  # fmt: skip
            moved = (values[0] - old[1]).reshape(problem.shape)
            new_loss, residual, _, new_near = problem.fitted(f + moved, near)
            distance = float(np.vdot(coefs[0] - old[0], values[0] - old[1]))
            model = loss - float(np.vdot(u, moved)) + 0.5 * distance / self.steps[k]
            if new_loss <= model + self._rounding(loss):
                break
            self.steps[k] *= SHORTER
        else:
            self.steps[k] = self.first_steps[k]
        self.coefs[k], self.values[k], self.norms[k] = coefs[0], values[0], norm[0]
        self.steps[k] *= LONGER
        return f + moved, new_loss, self.sum_to_zero(residual), new_near

"""Bundle methods (BMRM), Pegasos and Pragam: ridge problems whose loss has kinks.

    minimise over w   J(w) = lam |w|^2 / 2 + R(w),      R convex

Given: an oracle w -> (R(w), a, b, tag) whose plane <a, .> + b lies below R and touches it at w.
Returned: the best w so far, J there, and a lower bound of the minimum, which never exceeds it.
MarginRisk is the oracle of a Problem, with w the coefficients g of ridge_dual.py:

    R(w) = min over b0 of  F(offset + b0 + A w)

States take the package's gap at the coefficients returned; a method's own bound says when to look.

A model of R keeps all planes (margin/planes.py, qp-BMRM; `PenalisedPlanes` for other penalties);
or one aggregate plane, which a line search moves towards the new one (ls-BMRM); or the mean a of
all planes (Pegasos), with w = -a / lam but for a ball that holds the minimiser. Pragam is
Nesterov's excessive gap technique on the dual. Its invariant is J_mu(w_k) <= D(u_k), where J_mu
takes mu |u - centre|^2 / 2 off the maximum over u, so that J(w_k) - D(u_k) <= mu_k D2 with D2 the
largest |u - centre|^2 / 2. The proof starts at the centre.

References: Teo, Vishwanathan, Smola, Le, "Bundle methods for regularized risk minimization"
(2010), algorithm 1; Saha, Zhang, Vishwanathan, "Lower bounds for BMRM and faster rates for
training SVMs" (2010), sections 2 and 4; Shalev-Shwartz, Singer, Srebro, "Pegasos" (2007);
Nesterov, "Excessive gap technique in nonsmooth convex minimization" (2005).
"""

import numpy as np

from sparsesolve.linalg.kernels.box_hyperplane import project
from sparsesolve.penalties.prox.balls import project_simplex
from sparsesolve.solvers.margin import ridge_dual
from sparsesolve.solvers.margin.planes import Planes
from sparsesolve.solvers.margin.ridge_dual import RidgeDual
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, Reduced
from sparsesolve.solvers.tolerances import LAST_DIGITS, PROGRESS

# Iterations without progress of the gap before a method is given up at a lambda, or twice as many
# as were made before the last progress: gaps that fall as 1 / t halve when t doubles.
PATIENCE = 500


class MarginRisk:
    """R of the Problem of a RidgeDual, with products of A, and planes that touch it.

    A plane is made of a dual point u within the slopes, which sums to 0 if there is an intercept.
    The plane -A'u, with the offset that F's conjugate gives at -u, then lies below R whatever
    rounding does to its point of contact. `products` counts passes over the data.
    """

    def __init__(self, dual):
        self.dual, self.products = dual, 0
        self.h, self.low, self.high = dual.target, dual.low, dual.high
        self.total = 0.0 if dual.with_intercept else None

    def forward(self, w):
        """Return A w (n,)."""
        self.products += 1
        return self.dual.predictor(w)

    def back(self, u):
        """Return A'u (k,)."""
        self.products += 1
        return self.dual.products(u)

    def value(self, moved):
        """Return R for A w = `moved`, and the intercept."""
        eta, dual = self.dual.offset + moved, self.dual
        shift = dual.loss.best_shift(eta) if dual.with_intercept else 0.0
        return dual.loss.at(eta + shift)[0], shift

    def __call__(self, w):
        """Return (R(w), a, b, u): the value, the plane <a, .> + b, and its dual point."""
        moved = self.forward(w)
        value, shift = self.value(moved)
        u = self.dual.subgradient(self.dual.offset + moved + shift)
        constant = float(self.h @ u) - self.dual.loss.width * float(np.abs(u).sum())
        return value, -self.back(u), constant, u


class CuttingPlanes:
    """A method of cutting planes step by step; J(w_t) may rise, so the best point is kept.

    Parameters
    ----------
    oracle : callable w -> (risk, a, b, tag or None)
        `tag` is an array that describes a plane, as a dual point does.
    lam : float > 0
    start : (p,) the first w
    model : Planes, Aggregate, Mean or PenalisedPlanes
    penalty : object with value(w, lam), or None for |w|^2 / 2
    """

    def __init__(self, oracle, lam, start, model, penalty=None):
        self.oracle, self.lam, self.model, self.penalty = oracle, lam, model, penalty
        self.tags, self.mixed, self.best_mixed = {}, None, None
        self.w, self.best, self.least, self.objective = start, start, np.inf, np.inf
        self.lower = -np.inf
        self._evaluate()

    def _evaluate(self):
        """Call the oracle at w, and keep w if it is the best."""
        risk, *self.plane = self.oracle(self.w)
        self.objective = risk + (
            0.5 * self.lam * float(self.w @ self.w) if self.penalty is None
            else self.penalty.value(self.w, self.lam))  # fmt: skip
        if self.objective < self.least:
            self.best, self.least = self.w, self.objective

    def step(self):
        """Add the plane at w, move to the model's minimum and evaluate J there."""
        a, b, tag = self.plane
        slot = self.model.add(a, b)
        if tag is not None and slot is not None:
            self.tags[slot] = tag
        elif tag is not None:
            t = self.model.step_length
            self.mixed = tag if self.mixed is None else self.mixed + t * (tag - self.mixed)
        if self.model.lower > self.lower:
            self.lower, self.best_mixed = self.model.lower, self.mixed
        self.w = self.model.point
        self._evaluate()

    def mixed_tag(self):
        """Return the combination of the tags that gives the lower bound; None before a step."""
        if not self.tags:
            return self.best_mixed
        return sum(weight * self.tags[slot]
                   for slot, weight in enumerate(self.model.weights) if weight > 0.0)  # fmt: skip

    def at_lambda(self, lam):
        """Continue at another lam: the planes belong to R, and are kept."""
        self.lam, self.least = lam, np.inf
        self.model.at_lambda(lam)
        self.lower, self.best_mixed = self.model.lower, self.mixed
        if self.lower > -np.inf:
            self.w = self.model.point
        self._evaluate()


class Aggregate:
    """One aggregate plane <a, w> + b in place of all, a convex combination of them.

        maximise over s in [0, 1]   b + s (b_t - b) - |a + s (a_t - a)|^2 / (2 lam)

    It is coordinate ascent on the dual of all planes, by the Gauss-Southwell rule; the bound never
    falls. `step_length` is the last step's s.
    """

    def __init__(self, p, lam):
        self.lam, self.a, self.b, self.step_length = lam, np.zeros(p), -np.inf, 1.0

    @property
    def lower(self):
        """Lower bound, -inf before the first plane."""
        return self.b - float(self.a @ self.a) / (2.0 * self.lam)

    @property
    def point(self):
        """The point w = -a / lam."""
        return -self.a / self.lam

    def at_lambda(self, lam):
        """Continue at another lam."""
        self.lam = lam

    def add(self, a, b):
        """Step towards the plane <a, w> + b."""
        if self.b == -np.inf:
            self.a, self.b, self.step_length = a.copy(), b, 1.0
            return
        towards = a - self.a
        self.step_length = self._step_length(towards, b)
        self.a = self.a + self.step_length * towards
        self.b += self.step_length * (b - self.b)

    def _step_length(self, towards, b):
        curvature = float(towards @ towards) / self.lam
        gain = b - self.b - float(self.a @ towards) / self.lam
        if curvature > 0.0:
            return min(max(gain / curvature, 0.0), 1.0)
        return float(gain > 0.0)


class PenalisedPlanes:
    """Planes under any convex Omega, for a risk of at least 0, whose plane 0 is the first.

        minimise over w   lam Omega(w) + max_t (a_t'w + b_t)

    Proximal steps, w <- argmin of this plus |w - c|^2 / (2 sigma) from the last w = c, each by
    accelerated gradients on the weights: at weights alpha its w is prox(c - sigma A'alpha), and
    the gradient holds the values of the planes there. Any weights prove the bound
    s b'alpha - (lam Omega)*(-s A'alpha), with what is left of 1 on the plane 0.
    """

    def __init__(self, p, lam, penalty):
        self.lam, self.penalty, self.sigma = lam, penalty, 1.0
        self.A, self.b, self.idle = np.zeros((1, p)), np.zeros(1), np.zeros(1, dtype=int)
        self.weights, self.point, self.lower = np.ones(1), np.zeros(p), -np.inf

    def add(self, a, b):
        """Add the plane <a, w> + b, and minimise again; idle planes are dropped."""
        excess = float(a @ self.point) + b - float((self.A @ self.point + self.b).max())
        size = abs(b) + float(np.linalg.norm(a) * np.linalg.norm(self.point))
        # a plane without weight in 50 minimisations in a row is dropped, as planes.py does
        kept = (self.idle < 50) | (self.b == 0.0)
        self.A, self.b = np.vstack([self.A[kept], a]), np.append(self.b[kept], b)
        self.idle, self.weights = np.append(self.idle[kept], 0), np.append(self.weights[kept], 0.0)
        self.weights /= self.weights.sum()
        if len(self.b) == 2 and a.any():
            self.sigma = max(abs(b), excess) / float(a @ a) or 1.0
        # looser models need more planes, tighter ones more products
        self._minimise(max(0.3 * excess, LAST_DIGITS * size))
        self.idle = np.where(self.weights > 0.0, 0, self.idle + 1)
        return len(self.b) - 1

    def _minimise(self, goal):
        """Make proximal steps until the model's gap is at most `goal`."""
        square = float(np.linalg.norm(self.A, 2)) ** 2
        for _ in range(3):
            if self._proximal_step(square, goal) <= goal:
                return
            self.sigma *= 2.0
        self.sigma *= 0.5**3

    def _proximal_step(self, square, goal):
        """Make one step; return the gap of the model at its end."""
        centre, sigma, gap = self.point, self.sigma, np.inf
        alpha = near = self.weights
        t, length = 1.0, 1.0 / (sigma * square) if square > 0.0 else 1.0
        for k in range(200):
            w = self.penalty.prox(centre - sigma * (near @ self.A), sigma * self.lam)
            values = self.A @ w + self.b
            if k % 5 == 0:
                gap = self._gap(w, values, near)
                if gap <= goal or values.max() - near @ values <= min(0.1 * gap, goal):
                    break
            last, alpha = alpha, project_simplex(near + length * values)
            t_last, t = t, 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
            if values @ (alpha - last) < 0.0:
                t_last = t = 1.0
            near = alpha + (t_last - 1.0) / t * (alpha - last)
        self.point = w
        return gap

    def _gap(self, w, values, near):
        """Return the gap at w and these weights, and keep what bounds the minimum best."""
        weights = np.maximum(near, 0.0)
        weights = weights / weights.sum()
        z = -(weights @ self.A)
        s = self.penalty.feasible_scale(z, self.lam)
        bound = s * float(weights @ self.b) - self.penalty.conjugate(s * z, self.lam)
        self.lower, self.weights = max(self.lower, bound), weights
        return self.penalty.value(w, self.lam) + float(values.max()) - self.lower


class Mean(Aggregate):
    """The mean of all planes, which is Pegasos; w shrinks into the ball |w| <= radius."""

    def __init__(self, p, lam, radius):
        super().__init__(p, lam)
        self.radius, self.t, self.w = radius, 0, np.zeros(p)

    @property
    def point(self):
        """The point w after so many steps."""
        return self.w

    def add(self, a, b):
        """Take a step of length 1 / (lam t) along -a - lam w."""
        self.t += 1
        super().add(a, b)
        self.w = (1.0 - self.step_length) * self.w - (self.step_length / self.lam) * a
        size = float(np.sqrt(self.w @ self.w))
        self.w = self.w * min(self.radius / max(size, 1e-300), 1.0)

    def _step_length(self, towards, b):
        return 1.0 / self.t


class ExcessiveGap:
    """Nesterov's excessive gap technique, step by step.

        maximise over u    D(u) = h'u - |A'u|^2 / (2 lam),      low <= u <= high, sum u = total

    With the true L = |A|^2 / lam, mu_0 = 2 L and steps 2 / (k + 3) give mu_k = 4 L / ((k + 1)
    (k + 2)). With backtracking L grows until the quadratic bound of D holds along the step, mu_0 =
    L, and the step solves tau^2 = (1 - tau) mu / L. D is quadratic, so that this test is exact.

    Parameters
    ----------
    risk : MarginRisk, or what has its products and its box
        `total` None: u has no given sum. For another set than a box it has `project`, and as
        `radius` the largest |u - centre|^2 / 2.
    lam, L : float > 0
    backtracking : bool
        L is a first guess.
    centre : (n,), within the box
    """

    def __init__(self, risk, lam, L, backtracking, centre):
        self.risk, self.h, self.lam = risk, risk.h, lam
        self.L, self.backtracking, self.centre, self.k = L, backtracking, centre, 0
        z = risk.back(centre)
        self.w = z / lam
        self.eta = risk.forward(self.w)
        self._ascend(centre, z, self.eta)
        self.mu = self.L if backtracking else 2.0 * self.L

    @property
    def dual_value(self):
        """The dual objective D(u)."""
        return float(self.h @ self.u) - float(self.z @ self.z) / (2.0 * self.lam)

    @property
    def radius(self):
        """D2 of the box alone."""
        if hasattr(self.risk, "radius"):
            return self.risk.radius
        far = np.maximum(self.centre - self.risk.low, self.risk.high - self.centre)
        return 0.5 * float(far @ far)

    def _project(self, u):
        if hasattr(self.risk, "project"):
            return self.risk.project(u)
        low, high, total = self.risk.low, self.risk.high, self.risk.total
        if total is None:
            return np.clip(u, low, high)
        one = np.ones(len(u))
        return project(u, low, high, one, total, one)

    def _ascend(self, beta, z, eta):
        """Set u and A'u: a projected gradient step from beta; z is A'beta, eta is A w(beta)."""
        while True:
            self.u = self._project(beta + (self.h - eta) / self.L)
            self.z = self.risk.back(self.u)
            if not self.backtracking:
                return
            # rounding
            size = np.linalg.norm(self.u - beta) + 1e-13 * np.linalg.norm(self.u)
            if np.linalg.norm(self.z - z) <= np.sqrt(self.lam * self.L) * size:
                return
            self.L *= 2.0

    def step(self):
        """Move from (w_k, u_k) to (w_k+1, u_k+1)."""
        best = self._project(self.centre + (self.h - self.eta) / self.mu)  # of the smoothed J
        z_best, start, L = self.risk.back(best), (self.u, self.z), None
        while self.L != L:
            L, tau = self.L, self._tau()
            beta = (1.0 - tau) * start[0] + tau * best
            z = (1.0 - tau) * start[1] + tau * z_best
            eta = self.risk.forward(z / self.lam)
            self._ascend(beta, z, eta)
        self.w = (1.0 - tau) * self.w + tau * (z / self.lam)
        self.eta = (1.0 - tau) * self.eta + tau * eta
        self.mu *= 1.0 - tau
        self.k += 1

    def _tau(self):
        """Return 2 / (k + 3), or the largest tau with tau^2 <= (1 - tau) mu / L."""
        if not self.backtracking:
            return 2.0 / (self.k + 3.0)
        ratio = self.mu / self.L
        return 0.5 * (np.sqrt(ratio * (ratio + 4.0)) - ratio)


def squared_norm(forward, back, n, p):
    """Return an upper bound on |A|^2 for A (n, p), at most 1e-4 above it.

    It is Lanczos' value of the largest eigenvalue of A A' or A'A, whichever is smaller, plus the
    length of its residual, within which an eigenvalue lies: Parlett, "The Symmetric Eigenvalue
    Problem" (1980), theorem 4.5.1. The start is fixed, so that the result depends on A alone.
    """
    size = min(n, p)

    def apply(x):
        return forward(back(x)) if n <= p else back(forward(x))

    if size <= 12:  # Lanczos' method takes as many products.
        columns = np.reshape([apply(e) for e in np.eye(size)], (size, size))
        return float(np.linalg.eigvalsh(0.5 * (columns + columns.T)).max(initial=0.0))
    start = 1.0 + np.cos(np.arange(size))  # Fixed, with a part in any likely direction.
    if not apply(start).any():  # Lanczos' method has no residual to start from.
        return 0.0
    from scipy.sparse.linalg import LinearOperator, eigsh  # here, because it is slow to import

    operator = LinearOperator((size, size), matvec=lambda x: apply(x.ravel()), dtype=float)
    values, vectors = eigsh(operator, k=1, which="LA", tol=1e-6, v0=start)
    v = vectors[:, 0]
    return float(values[0] + np.linalg.norm(apply(v) - values[0] * v) / np.linalg.norm(v))


def suits_one_kink(problem, lambdas):
    """Return True for hinge and quantile losses, whose conjugates are linear on their slopes."""
    return ridge_dual.suits_kinks(problem, lambdas) and problem.loss.width == 0.0


class _MarginState(Reduced):
    """A solver state, see solvers/state.py. A subclass has `begin`, which makes `method`."""

    def __init__(self, problem, n_threads):
        self.dual = RidgeDual(problem, n_threads)
        super().__init__(self.dual)  # which answers for the point certified last
        self.risk, self.start, self.method = MarginRisk(self.dual), self.dual.u, None
        self.k = len(self.dual.which)

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        if not 0.0 < lam < NULL_LAMBDA:  # a grid has 0 where no column can lower the loss
            return CONVERGED, self.dual.certify(NULL_LAMBDA, self.start)
        self.begin(lam)
        limit, goal, made = self.iterations + budget, target, 0
        least, enough = np.inf, PATIENCE
        while True:
            own = self.method.least - self.method.lower
            if own < PROGRESS * least:
                least, enough = own, max(PATIENCE, 2 * made)
            ended = self.iterations >= limit or made >= enough
            if own <= goal or ended:
                gap = self.dual.certify(lam, self.dual.feasible(self.u()), self.method.best)
                if gap <= target:
                    return CONVERGED, gap
                if ended:
                    return MAX_ITER if self.iterations >= limit else STALLED, gap
                goal = 0.5 * min(own, goal)
            self.method.step()
            self.spent += 1
            made += 1

    def u(self):
        """Return the dual point (n,) of the method's lower bound."""
        mixed = self.method.mixed_tag()
        return self.start if mixed is None else mixed


class Bundle(_MarginState):
    """qp-BMRM: the planes are of the risk, and serve the next lambda too."""

    model: type = Planes

    def begin(self, lam):
        """Continue with the planes of the last lambda."""
        if self.method is None:
            self.method = CuttingPlanes(self.risk, lam, np.zeros(self.k), self.model(self.k, lam))
        else:
            self.method.at_lambda(lam)


class AggregateBundle(Bundle):
    """ls-BMRM: one aggregate plane."""

    model = Aggregate


class PegasosState(_MarginState):
    """Pegasos-n, from w = 0 at every lambda; its bound is loose, which the gap says."""

    def begin(self, lam):
        """Begin a new run. The ball holds the minimiser: lam |w|^2 is at most F at w = 0."""
        radius = np.sqrt(self.dual.problem.null_value / lam)
        self.method = CuttingPlanes(self.risk, lam, np.zeros(self.k), Mean(self.k, lam, radius))


class Pragam(_MarginState):
    """The excessive gap technique, its centre the last lambda's dual point."""

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        square = squared_norm(self.risk.forward, self.risk.back, problem.design.n, self.k)
        self.centre, self.square = self.start, square or 1.0

    def begin(self, lam):
        """Take a first step from the centre, with L as a first guess of |A|^2 / lam."""
        self.method = _BestOfGap(self.risk, lam, self.square / lam, True, self.centre)

    def u(self):
        """Return the dual point of the largest D."""
        self.centre = np.clip(self.method.best_dual, self.dual.low, self.dual.high)
        return self.method.best_dual


class _BestOfGap(ExcessiveGap):
    """The excessive gap technique that keeps its best points."""

    least, lower = np.inf, -np.inf

    def __init__(self, *given):
        super().__init__(*given)
        self._keep()

    def step(self):
        super().step()
        self._keep()

    def _keep(self):
        objective = self.risk.value(self.eta)[0] + 0.5 * self.lam * float(self.w @ self.w)
        if objective < self.least:
            self.best, self.least = self.w, objective
        if self.dual_value > self.lower:
            self.best_dual, self.lower = self.u, self.dual_value

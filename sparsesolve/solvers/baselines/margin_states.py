"""Bundle methods, Pragam and Pegasos as solver states along a path.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam sum_j l2_j b_j^2 / 2,      F with kinks

Given: a Problem with a loss with kinks, alpha = 0, every feature penalised, no limits. Returned
per lam: the best point so far, with the package's certificate of it (solvers/margin). The gap is
computed from the data at the coefficients returned. The bound that a method keeps itself only
says when to compute it. Invariant: `self.w` is the best iterate at this lam, `self.dual()` a dual
point within the slopes.

The methods minimise lam |w|^2 / 2 + R(w) in coordinates where the penalty is a length:

    R(w) = min over b0 of  F(offset + b0 + Z S w),      b = S w,  S = diag(l2)^(-1/2)

Reference: Teo, Vishwanathan, Smola, Le (2010), "Bundle methods for regularized risk
minimization"; Saha, Zhang, Vishwanathan (2010), "Lower bounds for BMRM and faster rates for
training SVMs".
"""

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from sparsesolve.linalg.kernels.box_hyperplane import project
from sparsesolve.losses.envelope import Envelope
from sparsesolve.solvers.baselines.cutting_planes import Aggregate, CuttingPlanes, Mean
from sparsesolve.solvers.baselines.excessive_gap import ExcessiveGap
from sparsesolve.solvers.costs.newton import PROGRESS
from sparsesolve.solvers.costs.rounding import BALANCED, NEAR_KINK
from sparsesolve.solvers.margin.multipliers import KinkedCertificate, kink_spread
from sparsesolve.solvers.margin.planes import Planes
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LEVEL, STALLED, State

# Iterations without progress of the gap before a method is given up at a lambda, at least: twice
# as many as were made before the last progress, if that is more. Gaps that fall as 1 / t halve
# when t doubles, so fewer would give up methods that still work; more only delays the verdict.
PATIENCE = 500
# Relative error at which Lanczos' method stops; the bound adds what is left.
CLOSE = 1e-6
# Rows or columns up to which the matrix itself is formed: Lanczos' method takes as many products.
DENSE = 12


def squared_norm(forward, back, n, p):
    """Return |A|^2 for A (n, p), and the number of products that it took.

    It is Lanczos' value of the largest eigenvalue of A A' or A'A, whichever is smaller, plus the
    length of its residual, within which an eigenvalue lies: Parlett, "The Symmetric Eigenvalue
    Problem" (1980), theorem 4.5.1. The start is fixed, so that the result depends on A alone.
    """
    used = [0]

    def apply(x):
        used[0] += 2
        return forward(back(x)) if n <= p else back(forward(x))

    size = min(n, p)
    if size <= DENSE:
        columns = np.stack([apply(e) for e in np.eye(size)], axis=1)
        return max(float(np.linalg.eigvalsh(0.5 * (columns + columns.T))[-1]), 0.0), used[0]
    operator = LinearOperator((size, size), matvec=lambda x: apply(x.ravel()), dtype=float)
    start = 1.0 + np.cos(np.arange(size))  # Fixed, with a part in any likely direction.
    if not apply(start).any():  # Lanczos' method has no residual to start from.
        return 0.0, used[0]
    values, vectors = eigsh(operator, k=1, which="LA", tol=CLOSE, v0=start)
    v = vectors[:, 0]
    residual = np.linalg.norm(apply(v) - values[0] * v) / np.linalg.norm(v)
    return float(values[0] + residual), used[0]


class MarginRisk:
    """R of a Problem, with products of A = Z S, and planes that touch it.

    A plane is made of a dual point u within the slopes, which sums to 0 if there is an intercept.
    The plane -S Z'u, with the offset that F's conjugate gives at -u, then lies below R whatever
    rounding does to its point of contact.
    """

    def __init__(self, problem, n_threads):
        self.problem, self.loss, self.n_threads = problem, problem.loss, n_threads
        self.design, self.offset = problem.design, np.asarray(problem.offset)
        l2 = np.asarray(problem.penalty.l2)
        usable = problem.open_columns & (l2 > 0.0)
        self.scale = np.divide(1.0, np.sqrt(l2), out=np.zeros_like(l2), where=usable)
        self.low, self.high = self.loss.ends
        self.centre = self.loss.pieces[0]
        self.h = self.centre - self.offset
        self.products = 0

    @property
    def shape(self):
        """Shape of A."""
        return len(self.h), len(self.scale)

    def forward(self, w):
        """Return A w (n,)."""
        b = self.scale * w
        which = np.flatnonzero(b).astype(np.intc)
        self.products += 1
        return self.design.combination(which, b[which])

    def back(self, u):
        """Return A'u (p,)."""
        self.products += 1
        return self.scale * self.design.products(u, self.n_threads)

    def squared_norm(self):
        """Return an upper bound of |A|^2, and the products that it took."""
        return squared_norm(self.forward, self.back, *self.shape)

    def value(self, moved):
        """Return R for A w = `moved`, and the intercept."""
        eta = self.offset + moved
        shift = self.loss.best_shift(eta) if self.problem.intercept else 0.0
        return self.loss.at(eta + shift)[0], shift

    def __call__(self, w):
        """Return (R(w), a, b, u): the value, the plane <a, .> + b, and its dual point."""
        moved = self.forward(w)
        value, shift = self.value(moved)
        u = self.dual_point(self.offset + moved + shift)
        return value, -self.back(u), self.constant(u), u

    def constant(self, u):
        """Return the plane's value at 0: minus the conjugate of F at -u, with the offset."""
        return float(self.h @ u) - self.loss.width * float(np.abs(u).sum())

    def dual_point(self, eta):
        """Return u = -F'(eta); with an intercept, samples at a kink are moved so that u sums to
        0.
        """
        u = np.asarray(self.loss.at(eta)[1])
        if not self.problem.intercept or abs(u.sum()) <= BALANCED * np.abs(u).sum():
            return u
        near = NEAR_KINK * (1.0 + np.abs(eta) + np.abs(self.centre))
        least, most = self.loss.at(eta + near)[1], self.loss.at(eta - near)[1]
        room = most - least
        total = float(room.sum())
        if total > 0.0:
            u = least + min(max(-float(least.sum()) / total, 0.0), 1.0) * room
        if abs(u.sum()) > BALANCED * np.abs(u).sum():
            one = np.ones(len(u))
            u = project(np.clip(u, self.low, self.high), self.low, self.high, one, 0.0, one)
        return u


def ridge_alone(problem, lambdas):
    """Return True if the penalty is a sum of squares of every coefficient, without limits."""
    if not problem.has_blocks or problem.has_groups or problem.penalty.alpha > 0.0:
        return False
    if problem.limited or (lambdas is not None and not np.all(np.greater(lambdas, 0.0))):
        return False
    held = np.asarray(problem.penalty.l2)[problem.open_columns]
    return problem.loss is not None and not problem.loss.smooth and bool((held > 0.0).all())


def ridge_of_one_kink(problem, lambdas):
    """Return True under such a penalty if the conjugate of the loss is linear on its slopes.

    These are the hinge and the quantile losses.
    """
    return ridge_alone(problem, lambdas) and problem.loss.width == 0.0


class _MarginState(State):
    """A solver state, see solvers/state.py. A subclass has `begin`, which makes `method`."""

    def __init__(self, problem, n_threads):
        self.problem, self.iterations = problem, 0
        self.risk = MarginRisk(problem, n_threads)
        self.spread = kink_spread(problem)
        envelope = Envelope(problem.loss, 1.0 / self.spread)
        self.certificate = KinkedCertificate(problem, envelope, n_threads)
        self.method, self.inner_intercept = None, 0.0
        self.w = np.zeros(self.risk.shape[1])
        self._place()
        self.start_dual = self.risk.dual_point(self.certificate.point.eta)

    @property
    def loss_value(self):
        """F less its least value."""
        return self.certificate.loss_value

    @property
    def intercept(self):
        """Intercept of the standardised problem."""
        return self.inner_intercept + self.certificate.shift

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients."""
        b = self.risk.scale * self.w
        which = np.flatnonzero(b).astype(np.intc)
        return which, b[which]

    def correlations(self):
        """Return z_j'u of every column (p,) at the null model's dual point."""
        return self.certificate.products(self.start_dual)

    def first_level(self):
        """Return a lambda above which the dual point stays that of the null model, see
        Multipliers.
        """
        moved = self.risk.forward(self.risk.back(self.start_dual))
        moved = np.abs(moved[np.asarray(self.problem.weights) > 0.0]).max(initial=0.0)
        return float(moved) / self.spread or None

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        if lam >= NULL_LEVEL:
            self.w = np.zeros_like(self.w)
            gap = self._certified(lam, self.start_dual)
            return CONVERGED if gap <= target else STALLED, gap
        self.begin(lam)
        limit, goal, made = self.iterations + budget, target, 0
        least, enough = np.inf, PATIENCE
        while True:
            own = self.method.least - self.method.lower
            if own < PROGRESS * least:
                least, enough = own, max(PATIENCE, 2 * made)
            ended = self.iterations >= limit or made >= enough
            if own <= goal or ended:
                self.w = self.method.best
                gap = self._certified(lam, self.dual())
                if gap <= target:
                    return CONVERGED, gap
                if ended:
                    return MAX_ITER if self.iterations >= limit else STALLED, gap
                goal = 0.5 * min(own, goal)
            self.method.step()
            self.iterations += 1
            made += 1

    def dual(self):
        """Return the dual point of the planes' weights, or None before any."""
        return self.method.mixed_tag()

    def _place(self):
        """Move the certificate to w."""
        _, self.inner_intercept = self.risk.value(self.risk.forward(self.w))
        self.certificate.place(*self.coefficients(), self.inner_intercept)

    def _certified(self, lam, dual):
        """Return the package's gap at w, with this dual point or none."""
        self._place()
        return self.certificate.certify(lam, self.start_dual if dual is None else dual)


class Bundle(_MarginState):
    """qp-BMRM: the planes are of the risk, and serve the next lambda too."""

    model = Planes

    def begin(self, lam):
        """Continue with the planes of the last lambda."""
        if self.method is None:
            p = self.risk.shape[1]
            self.method = CuttingPlanes(self.risk, lam, np.zeros(p), self.model(p, lam))
        else:
            self.method.at_level(lam)


class AggregateBundle(Bundle):
    """ls-BMRM: one aggregate plane."""

    model = Aggregate


class Pragam(_MarginState):
    """The excessive gap technique, its centre the last lambda's dual point."""

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        self.centre, self.square = self.start_dual, self.risk.squared_norm()[0]

    def begin(self, lam):
        """Take a first step from the centre, with the true L."""
        self.method = _Accelerated(self.risk, lam, self.square, self.centre)

    def dual(self):
        """Return the dual point of the largest D."""
        self.centre = np.clip(self.method.best_dual, self.risk.low, self.risk.high)
        return self.method.best_dual


class _Accelerated(ExcessiveGap):
    """Pragam that keeps its best points."""

    def __init__(self, risk, lam, square, centre):
        self.risk, self.least, self.lower = risk, np.inf, -np.inf
        super().__init__(
            risk.forward, risk.back, risk.h, risk.low, risk.high,
            0.0 if risk.problem.intercept else None, lam,
            (square if square > 0.0 else 1.0) / lam, True, centre,
        )  # fmt: skip
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


class PegasosState(_MarginState):
    """Pegasos-n, from w = 0 at every lambda; its bound is loose, which the gap says."""

    def begin(self, lam):
        """Begin a new run. The ball holds the minimiser, as lam |w|^2 is at most the null model's
        F.
        """
        p, radius = self.risk.shape[1], np.sqrt(self.problem.null_value / lam)
        self.method = CuttingPlanes(self.risk, lam, np.zeros(p), Mean(p, lam, radius))

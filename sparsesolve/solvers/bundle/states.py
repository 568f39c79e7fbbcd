"""Bundle methods, Pragam and Pegasos as solver states along a path.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam sum_j l2_j b_j^2 / 2,      F with kinks

Given: a Problem with a loss with kinks, alpha = 0, every feature penalised, no limits. Returned
per lam: the best point so far, with the package's certificate of it (solvers/margin). The gap is
computed from the data at the coefficients returned. The bound that a method keeps itself only
says when to compute it. Invariant: `self.w` is the best iterate at this lam, `self.dual()` a dual
point within the slopes.

Reference: Saha, Zhang, Vishwanathan, "Lower bounds for BMRM and faster rates for training SVMs"
(2010).
"""

import numpy as np

from sparsesolve.losses.envelope import Envelope
from sparsesolve.solvers.bundle.cutting_planes import CuttingPlanes
from sparsesolve.solvers.bundle.excessive_gap import ExcessiveGap
from sparsesolve.solvers.bundle.margin_risk import MarginRisk
from sparsesolve.solvers.bundle.pegasos import Pegasos
from sparsesolve.solvers.costs.bundle import BUNDLE_PATIENCE
from sparsesolve.solvers.costs.newton import PROGRESS
from sparsesolve.solvers.margin.certificate import KinkedCertificate
from sparsesolve.solvers.margin.multipliers import kink_spread
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LEVEL, STALLED, State


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
    """A solver state, see solvers/state.py. A subclass has `begin`, which makes `method`, and
    `dual`.
    """

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
        least, enough = np.inf, BUNDLE_PATIENCE
        while True:
            own = self.method.least - self.method.lower
            if own < PROGRESS * least:
                least, enough = own, max(BUNDLE_PATIENCE, 2 * made)
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

    line_search = False

    def begin(self, lam):
        """Continue with the planes of the last lambda."""
        if self.method is None:
            start = np.zeros(self.risk.shape[1])
            self.method = CuttingPlanes(self.risk, lam, start, self.line_search)
        else:
            self.method.at_level(lam)

    def dual(self):
        """Return the dual point of the planes' weights."""
        return self.method.mixed_tag() if self.method.lower > -np.inf else None


class AggregateBundle(Bundle):
    """ls-BMRM: one aggregate plane."""

    line_search = True


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
        radius = np.sqrt(self.problem.null_value / lam)
        self.method = Pegasos(self.risk, lam, radius, self.risk.shape[1])

    def dual(self):
        """Return the mean dual point of the best bound."""
        return self.method.best_dual if self.method.t else None

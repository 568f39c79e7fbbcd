"""First-order solvers: a point and its certificate; ISTA, FISTA, SpaRSA and PANOC.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam Omega(b)

Given: a Problem, any smooth loss, any penalty with a prox. With K responses b is (K, p), c (K,
f), eta and u are (K, n). The intercept and unpenalised columns are replaced by an orthonormal
basis Q of their span, with coefficients c: see UnpenalisedBasis. Returned per lam: a duality gap
over all columns, from u = -F'(eta) made orthogonal to Q and scaled until it is feasible.
Invariant: eta = offset + Qc + Zb and u = -F'(eta).

A step from y minimises F(y) + F'(y)'(b - y) + L |b - y|^2 / 2 + lam Omega(b), which is a prox. L
grows until that is no less than the objective at the step's end. ISTA steps from the current
point. FISTA steps from a point extrapolated along the last step, by a factor from a sequence t,
and restarts if the objective would rise. SpaRSA takes L from the change of the gradient along the
last step, and a step must end below the worst of the last few objectives.

References: Bach et al. 2012, sections 1.4 (gaps) and 3 (proximal methods); Beck and Teboulle
(2009), FISTA; O'Donoghue and Candes, "Adaptive restart for accelerated gradient schemes" (2015);
Wright, Nowak and Figueiredo, "Sparse reconstruction by separable approximation" (2009); Stella,
Themelis, Sopasakis, Patrinos, "A simple and efficient algorithm for nonlinear model predictive
control" (2017), PANOC.
"""

import logging
from typing import NamedTuple

import numpy as np

from sparsesolve.losses.gaussian import Gaussian
from sparsesolve.penalties.rows import on_rows
from sparsesolve.solvers.certificate.dual_point import FAR, UnpenalisedBasis, clear
from sparsesolve.solvers.certificate.gap import duality_gap
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, STALLED, State, used
from sparsesolve.solvers.tolerances import LAST_DIGITS, PROGRESS, ROUNDING

# After a step that was too long, L becomes this multiple of the curvature met along it, within a
# factor of 1.2 and 2, as one step may meet an unusual curvature.
MORE_CURVATURE = 1.02


class Point(NamedTuple):
    """The current point of a solver."""

    b: np.ndarray  # (p,) 0 at the columns in the span of Q
    c: np.ndarray  # (f,) of the basis Q, the intercept's first
    eta: np.ndarray  # (n,)
    value: float  # F(eta)
    u: np.ndarray  # (n,) -F'(eta)


class Best:
    """The lowest point at one lambda, with its own gap; of points that differ by rounding, that of
    the least gap.
    """

    def __init__(self, objective, gap, point):
        self.objective, self.gap, self.point = objective, gap, point
        self.lowest = objective

    def add(self, objective, gap, point, rounding):
        """Count a point; `rounding` is that of its objective."""
        self.lowest = min(self.lowest, objective)
        near = objective <= self.lowest + rounding
        if objective < self.objective - rounding or (near and gap < self.gap):
            self.objective, self.gap, self.point = objective, gap, point


class FirstOrder(State):
    """A solver state, see solvers/state.py. A subclass gives `step`."""

    between = 10  # iterations between two certificates
    patience = 100  # certificates without progress before the solver gives up
    recent = ()  # the last two residuals and their products, the newest first

    def __init__(self, problem, n_threads):
        self.design, self.n_threads, self.several = problem.design, n_threads, problem.n_responses
        self.penalty = problem.penalty
        if self.several:
            self.penalty = on_rows(self.penalty, problem.grouped)
        gaussian = problem.loss is None
        self.loss = Gaussian(problem.response, problem.weights) if gaussian else problem.loss
        self.offset = np.zeros(self.design.n) if gaussian else np.asarray(problem.offset)
        self.with_intercept = problem.intercept and not gaussian
        basis = UnpenalisedBasis(
            problem, self.penalty, self._zeros(self.design.p), self.with_intercept
        )
        self.unpenalised_basis, self.unpenalised = basis, basis.which
        self.alive, self.basis = basis.alive, basis.basis
        c = self._zeros(self.basis.shape[1])
        if self.with_intercept:
            c[..., 0] = problem.null_intercept
        self.point = self.at(self._zeros(self.design.p), c)
        self.iterations = 0

    def _zeros(self, count):
        return np.zeros((self.several, count) if self.several else count)

    # What the path asks for.

    @property
    def loss_value(self):
        """F at the current point, less its least value."""
        return self.point.value - self.loss.saturated

    @property
    def intercept(self):
        """Intercept of the standardised problem, whose columns are centred under the weights."""
        c = self.point.c[..., 0] if self.with_intercept else self._zeros(1)[..., 0]
        return c.copy() if self.several else float(c)

    def coefficients(self):
        """Return features with a nonzero coefficient, ascending, and their coefficients.

        With K responses the coefficients are (K, count).
        """
        return used(self._coefficients())

    def _coefficients(self):
        return self.unpenalised_basis.with_span(self.point.b, self.point.c)

    def start_at(self, which, values, intercept):
        """Continue from the coefficients `values`, (m,) or (K, m), of features `which` (m,)."""
        b, c = self._zeros(self.design.p), np.zeros_like(self.point.c)
        b[..., which] = values
        if self.unpenalised.any():
            in_span = np.where(self.unpenalised, b, 0.0)
            b[..., self.unpenalised] = 0.0
            c[..., int(self.with_intercept) :] = self.unpenalised_basis.parts(
                self.combination(in_span)
            )
        if self.with_intercept:
            c[..., 0] = intercept
        self.point = self.at(b, c)

    def correlations(self):
        """Return z_j'u of every column (p,), with u orthogonal to the unpenalised ones.

        With K responses these are the sizes of rows, or with groups Z'u as (K p,).
        """
        dual, free, _ = self.dual_at(FAR)
        z = self.unpenalised_basis.orthogonal_part(self.products(dual), free)
        return self.penalty.sizes(z) if self.several else z

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        limit, patience = self.iterations + budget, self.patience
        with np.errstate(over="ignore", invalid="ignore"):  # where a step goes too far
            self.begin(lam)
            gap = least = self.gap(lam)
            lowest = self.objective(lam)
            best = Best(lowest, gap, self.point)
            while not gap <= target:
                if self.iterations >= limit or patience == 0:
                    self.point = best.point
                    return MAX_ITER if self.iterations >= limit else STALLED, best.gap
                for _ in range(min(self.between, limit - self.iterations)):
                    self.iterations += 1
                    self.step(lam)
                self.loss.raise_pending()
                gap, value = self.gap(lam), self.objective(lam)
                fell = value < lowest - self.rounding(value) or gap < PROGRESS * least
                patience = self.patience if fell else patience - 1
                least, lowest = min(least, gap), min(lowest, value)
                best.add(value, gap, self.point, self.rounding(value))
        return CONVERGED, gap

    def begin(self, lam):
        """Forget what held at the last lam."""

    def step(self, lam):
        """Replace the point by a better one."""
        raise NotImplementedError

    def restart(self):
        """Continue from the coefficients after the loss has changed."""
        self.point = self.at(self.point.b, self.point.c)

    # The point.

    def at(self, b, c):
        """Return the Point of coefficients b and c."""
        eta = self.offset + c @ self.basis.T + self.combination(b)
        return Point(b, c, eta, *self.loss.at(eta))

    def combination(self, b):
        """Return Zb, (n,) or (K, n)."""
        which, values = used(b)
        if self.several:
            return np.stack([self.design.combination(which, row) for row in values])
        return self.design.combination(which, values)

    def objective(self, lam, point=None):
        """Return F less its least value, plus the penalty."""
        point = point or self.point
        return point.value - self.loss.saturated + self.penalty.value(point.b, lam)

    def rounding(self, objective):
        """Return the change of an objective that rounding alone may cause."""
        return LAST_DIGITS * (abs(self.loss.saturated) + abs(objective))

    def downhill(self, u):
        """Return minus the gradient of F in b (p,), 0 in the span of Q, and in c (f,)."""
        z = self.products(u)
        return self.unpenalised_basis.held_part(z, self.unpenalised), u @ self.basis

    def products(self, u):
        """Return z_j'u of every column, (p,) or (K, p); steps and gaps share the last answers."""
        pair = next((own for own in self.recent if own[0] is u), None)
        if pair is None and self.several:
            pair = u, self.design.response_products(u, None, self.n_threads)
        pair = pair or (u, self.design.products(u, self.n_threads))
        self.recent = (pair, *[other for other in self.recent if other is not pair][:1])
        return pair[1].copy()

    # The certificate.

    def gap(self, lam):
        """Return the duality gap over all columns."""
        dual, free, missing = self.dual_at(lam)
        z = self.products(dual) if missing < np.inf else None
        return self.gap_by(lam, dual, z, free, missing)

    def gap_by(self, lam, dual, z, free, missing):
        """Return the gap of a dual point with products z with the columns; `free` are
        unpenalised.
        """
        point = self.point
        if missing < np.inf:
            z = self.unpenalised_basis.orthogonal_part(z, free)
        gap = duality_gap(
            self.loss, self.penalty, lam, point.b, point.eta, point.value, dual, z, missing
        )
        return gap + self.span_rounding()

    def span_rounding(self):
        """Return how much worse coefficients of the span's columns are than those of its basis."""
        if not self.unpenalised_basis.span.Q.shape[1]:
            return 0.0
        moved = self.unpenalised_basis.error(self.point.c)
        return max(self.loss.at(self.point.eta + moved)[0] - self.point.value, 0.0)

    def dual_at(self, lam):
        """Return u made orthogonal to the unpenalised columns, a mask of these, and the gain that
        a step along them may still have.
        """
        own, point = self.unpenalised_basis, self.point
        if own.same_at(lam):
            free, basis, mask = own.which, own.basis, None
        else:
            free, basis, mask = own.at(self._coefficients(), self.products(point.u), lam)
        if basis.shape[1] == 0:
            return point.u, free, 0.0
        dual, missing = clear(self.loss, point.eta, point.u, basis, mask)
        return dual, free, missing


log = logging.getLogger(__name__)


class Ista(FirstOrder):
    """Proximal gradient steps; the objective never rises."""

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        # The huber loss has none far away.
        curvature = self.loss.curvature_at(self.point.eta).sum() or 1.0
        # 1 is for the intercept's column.
        self.L = float(curvature * np.max(problem.norms**2, initial=1.0))

    def begin(self, lam):
        self.L *= 0.5  # so that it may also fall

    def step(self, lam):
        self.point = self.descend(self.point, lam)

    def descend(self, start, lam):
        """Return the end of a step from `start`, with an L at which the model is no less there;
        `start` itself if none is found.
        """
        z, z_basis = self.descent_direction(start, lam)
        for _ in range(60):  # 2^60 ends any search
            new, moved = self.end(start, z, z_basis, self.L, lam)
            size = np.sum(start.b**2) + np.sum(start.c**2)
            curvature = 2.0 * divergence(start, new)
            # rounding
            if moved < np.inf and (curvature <= self.L * moved or moved <= 1e-30 * size):
                return new
            met = MORE_CURVATURE * curvature / moved
            most = 2.0 * self.L
            self.L = min(max(met, 1.2 * self.L), most) if met < most else most
        return start

    def descent_direction(self, start, lam):
        """Return minus the gradient of what a step has a model of, in b and in c."""
        return self.downhill(start.u)

    def end(self, start, z, z_basis, L, lam):
        """Return the end of the step for that L, and its squared length."""
        b, c = self.prox_step(start, z, L, lam), start.c + z_basis / L
        moved = np.sum((b - start.b) ** 2) + np.sum((c - start.c) ** 2)
        return self.at(b, c), float(moved)

    def prox_step(self, start, z, L, lam):
        """argmin_b -z'(b - start) + L |b - start|^2 / 2 + lam Omega(b)."""
        return self.penalty.prox(start.b + z / L, lam / L)


class Fista(Ista):
    """Accelerated steps, restarted if the objective would rise."""

    def begin(self, lam):
        super().begin(lam)
        self.t, self.last = 1.0, self.point

    def step(self, lam):
        t = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * self.t**2))
        ahead, start = (self.t - 1.0) / t, self.point
        if ahead > 0.0:  # beyond the end of the last step
            b, c, eta = (x + ahead * (x - y)
                         for x, y in zip(start[:3], self.last[:3], strict=True))  # fmt: skip
            start = Point(b, c, eta, *self.loss.at(eta))
        new = self.descend(start, lam)
        before = self.objective(lam)
        rise, rounding = self.objective(lam, new) - before, self.rounding(before)
        against = np.vdot(start.b - new.b, new.b - self.point.b)
        against += np.vdot(start.c - new.c, new.c - self.point.c)
        if ahead > 0.0 and not (rise <= rounding and (rise < -rounding or against <= 0.0)):
            log.debug("momentum restarts at an objective of %.9g", before)
            self.t, self.last = 1.0, self.point
            return
        self.t, self.last, self.point = t, self.point, new


class Sparsa(Ista):
    """Steps as long as the curvature along the last one allows; the objective may rise a little:
    one must end below the worst of the last five by .01 L |step|^2 / 2, as in the paper.
    """

    def begin(self, lam):
        self.objectives = [self.objective(lam)]
        self.most = self.L

    def step(self, lam):
        start, L = self.point, self.L
        z, z_basis = self.downhill(start.u)
        bar = max(self.objectives) + self.rounding(max(self.objectives))
        for _ in range(60):  # 2^60 ends any search
            new, moved = self.end(start, z, z_basis, L, lam)
            value = self.objective(lam, new)
            if value <= bar - 0.005 * L * moved:
                break
            L *= 2.0
        else:
            return
        self.point, self.objectives = new, [*self.objectives[-4:], value]
        size = float(np.vdot(start.b, start.b) + np.vdot(start.c, start.c))
        if moved > 1e-30 * size:  # rounding tells no curvature
            met = float(np.vdot(start.u - new.u, new.eta - start.eta)) / moved
            self.most = max(self.most, met)
            self.L = max(met, 1e-8 * self.most)


class Panoc(Ista):
    """Proximal gradient steps accelerated by L-BFGS; `point` is T(b) for the current b.

    The map T(b) = prox(b - F'(b) / L) has the solution as its fixed point. L-BFGS takes the
    residual r(b) = b - T(b) for a gradient and proposes d. The step goes to b + d if that lowers
    the forward-backward envelope

        phi(b) = F(b) + F'(b)'(T(b) - b) + L |T(b) - b|^2 / 2 + lam Omega(T(b)),

    else part of the way from T(b), and at last to T(b) itself, which always lowers it. This costs
    one product with X and one with X'.
    """

    memory = 20  # pairs that L-BFGS keeps; each costs four products of vectors

    def begin(self, lam):
        super().begin(lam)
        self._stand(self.point, lam)

    @property
    def point(self):
        """T(b), evaluated on demand."""
        if self._point is None:
            self._point = self.at(*self._apart(self.end_vector))
        return self._point

    @point.setter
    def point(self, point):
        self._point = point

    def step(self, lam):
        if self._point is not None and self._too_short():
            return self._stand(self.descend(self.base, lam), lam)
        d, envelope = self._direction(), self.envelope
        least = 1e-4 * self.L * self.length
        # Lengths of a PANOC step that are tried, each half as far, before the proximal step
        # itself, which always lowers the envelope.
        for k in range(4):
            t = 0.5**k
            goal = self.vector + t * d - (1.0 - t) * self.residual
            base = self.at(*self._apart(goal))
            if not np.isfinite(base.value):
                continue
            moved = self.square(goal - self.vector)
            curvature = 2.0 * divergence(self.base, base)
            if curvature > MORE_CURVATURE * self.L * moved:
                self.L = MORE_CURVATURE * curvature / moved
                return self._stand(self.base, lam)
            last = self.vector, self.residual
            kept = self.base, self.slope, self.end_vector, self.length
            self._arrive(base, goal, lam)
            # Below 0, the least value of an objective, L is too small for the curvature there.
            rounding = self.rounding(envelope)
            if -rounding <= self.envelope <= envelope - least + rounding:
                pair = self.vector - last[0], self.residual - last[1]
                self.pairs = [*self.pairs[1 - self.memory :], pair]
                return None
            (self.vector, self.residual), self.envelope = last, envelope
            self.base, self.slope, self.end_vector, self.length = kept
            self._point = None
        return self._stand(self.descend(self.base, lam), lam)

    def square(self, v):
        """Return the squared length of a vector of all coefficients; a subclass has its metric."""
        return float(v @ v)

    # The point of the iteration.

    def _stand(self, base, lam):
        """Begin at a Point, without pairs."""
        self.pairs = []
        self._arrive(base, self._joined(base.b, base.c), lam)

    def _arrive(self, base, vector, lam):
        """Take the proximal gradient step from a Point, with its residual and the envelope."""
        self.base, self.vector, L = base, vector, self.L
        z, z_basis = self.downhill(base.u)
        self.slope = self._joined(z, z_basis)
        b = self.prox_step(base, z, L, lam)
        self.end_vector = self._joined(b, base.c + z_basis / L)
        self.residual = vector - self.end_vector
        self.length = self.square(self.residual)
        down = float(self.slope @ self.residual) + 0.5 * L * self.length
        self.envelope = base.value - self.loss.saturated + down + self.penalty.value(b, lam)
        self._point = None

    def _too_short(self):
        """Return True if the curvature of the loss towards T(b) exceeds L."""
        moved = self.L * self.length
        return 2.0 * divergence(self.base, self._point) > MORE_CURVATURE * moved > 0.0

    def _direction(self):
        """Return minus the inverse of the residual's derivative times the residual, by two loops.

        On coordinates that T(b) sets to 0 the derivative of T vanishes. There it is minus the
        residual, and pairs are used on the other coordinates alone.
        """
        moving = self.end_vector != 0.0
        every = bool(moving.all())
        at = slice(None) if every else np.flatnonzero(moving)  # a slice copies nothing
        d, pairs = -self.residual[at], []
        for s, y in self.pairs:
            s, y = s[at], y[at]
            product, square = float(s @ y), float(y @ y)
            if product > ROUNDING * np.sqrt(float(s @ s) * square):
                pairs.append((s, y, 1.0 / product, product / square))
        alphas = []
        for s, y, inverse, _ in reversed(pairs):
            alphas.append(inverse * float(s @ d))
            d -= alphas[-1] * y
        if pairs:
            d *= pairs[-1][3]
        for (s, y, inverse, _), alpha in zip(pairs, reversed(alphas), strict=True):
            d += (alpha - inverse * float(y @ d)) * s
        if every:
            return d
        whole = -self.residual
        whole[at] = d
        return whole

    # Coefficients and those of the basis as one vector.

    def _joined(self, b, c):
        return np.concatenate([np.ravel(b), np.ravel(c)])

    def _apart(self, vector):
        b, c = self.base.b, self.base.c
        return vector[: b.size].reshape(b.shape), vector[b.size :].reshape(c.shape)


def divergence(start, new):
    """Return F(new) - F(start) - F'(start)'(new - start).

    It is at most the change of the slope, which suffers less from rounding.
    """
    change = new.eta - start.eta
    rise = new.value - start.value + float(np.vdot(start.u, change))
    return min(rise, float(np.vdot(start.u - new.u, change)))

"""Newton steps on the directions along which a penalty is smooth, between steps of SpaRSA.

    minimise over b   F(b) + lam Omega(b)

Proximal gradient steps soon find the pieces of a solution, and are slow to find the values of the
pieces. Once they have cost as much as a Newton step does, one is made: the penalty gives a basis T
of directions along which it is smooth at b, few of them, with its gradient q and its curvature C
there (``penalties/forms.py``). The step solves

    (T'Z'F''Z T + lam C) d = T'z - lam q,        z = -Z'F'(eta)

together with the unpenalised coefficients, and is halved until the objective does
not rise. The prox that follows moves coefficients to other pieces where that is better. Steps of
SpaRSA find the pieces in fewer proximal steps than those of FISTA, as their lengths follow the
curvature that was met.
Where columns differ much in size, or depend on one another, proximal steps may take for ever to
find the pieces. After some steps without an end rounds of the augmented Lagrangian take their
place (``augmented_lagrangian.py``). A sum of penalties, whose prox is no closed form, has these
alone.
Given: a Problem whose penalty, or each term of it, has tangents. Invariant: what FirstOrder keeps;
no step but a round ends above the worst of the last objectives, of which a Newton step keeps its
own alone.
Under the sorted l1 norm the place of a proximal step is taken by coordinate descent over clusters
of equal sizes, on the quadratic model of the loss (``quadratic/sweeps.pyx``).
Reference: Bareilles, Iutzeler, Malick, "Newton acceleration on manifolds identified by
proximal gradient methods" (2023).
"""

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.solvers.certificate.dual_point import clear, times_curvature
from sparsesolve.solvers.first_order.augmented_lagrangian import AugmentedLagrangian, solved
from sparsesolve.solvers.first_order.first_order import Sparsa
from sparsesolve.solvers.quadratic.sweeps import cluster_descent
from sparsesolve.solvers.state import NULL_LAMBDA

# Multiplications that the Python around a proximal step costs. A Newton step on a tangent waits
# until the proximal steps since the last one have cost as much as it will. 200 x 1,024, TreeL2
# with 900 nonzero coefficients, 50 lambdas: .4 s where Newton steps wait, 3.5 s where they do not.
PROXIMAL_STEP_OVERHEAD = 3e5
# Multiplications that the Python around a Newton step on a tangent costs: sparse directions, a
# factorisation, a line search. By benchmarks/structured/tangents.py (15 paths of trees, SLOPE,
# fused and overlapping norms) 6e6 took .5 to 1.0 of the time of 1e6 but for images and overlaps
# (1.2), and 1.5e7 .6 to 1.3 of that of 6e6.
NEWTON_STEP_OVERHEAD = 6e6
# Values of the columns of X in a tangent, up to which these are kept unpacked: one product of
# matrices in place of a call for each direction.
MOST_UNPACKED = 10_000_000
# Coefficients of all responses up to which the augmented Lagrangian is used: a step of it factors
# a matrix of so many rows. 500 rows take some 10 ms.
MOST_COEFFICIENTS = 500
# Proximal steps at one lambda before the first round, and the steps of a round at whose price
# rounds begin if that is later. Tables of scaled columns take some 20 proximal steps a lambda.
STEPS_BEFORE_ROUNDS, NEWTON_STEPS_OF_ROUNDS = 40, 3
# Rounds of descent over clusters between two gaps, and the share of the target by which a round
# lowers the model if another one follows at once. Shares of .1 and gaps after 2 or 4 rounds take
# longer.
MOST_DESCENTS, DESCENT_SHARE = 10, 0.01


class TangentNewton(Sparsa):
    """A solver state, see solvers/state.py."""

    between = 4

    def __init__(self, problem, n_threads):
        self.unpacked = np.empty(0, dtype=np.intc), None  # columns of X, kept from step to step
        self.size = 0  # directions of the last tangent
        self.terms = problem.penalty.terms()
        super().__init__(problem, n_threads)
        self.by_passes = isinstance(self.design, DistributedDesign)
        # Directions of the kernel are among those of the tangent: of Q the intercept's is left.
        kernel = self.unpenalised_basis.kernel is not None
        self.n_apart = int(self.with_intercept) if kernel else self.basis.shape[1]
        self.rounds = AugmentedLagrangian(self)
        self.last_gap, self.taken = np.inf, 0  # proximal steps at this lambda
        self.few = few_for_rounds(problem)
        self.weights = self._sorted_weights(problem)
        self.columns = None  # all of X unpacked, for descent over clusters
        self.needed = False  # whether rounds were needed at the last lambda

    def _sorted_weights(self, problem):
        """Return the weights (p,) of a sorted l1 norm for descent over clusters, or None."""
        small = self.design.n * self.design.p <= MOST_UNPACKED and not self.by_passes
        if not small or self.loss.coupled or self.several or self.unpenalised.any():
            return None
        return problem.penalty.sorted_weights()

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        self.target, self.limit = target, self.iterations + budget
        return super().solve(lam, target, budget)

    def begin(self, lam):
        super().begin(lam)
        self.rounds.begin()
        self.last_gap, self.taken = np.inf, 0
        self.since = 0  # proximal steps since the last Newton step
        self.still = DESCENT_SHARE * self.target
        if self.unpenalised_basis.kernel is not None and not self.point.b.any():
            self._newton_step(lam)  # to the null model, which no prox leaves above its lam

    def gap(self, lam):
        """Return the duality gap, the less of two dual points after a round.

        The dual norm of a sum is slow but at the dual point of a round, which tells its parts.
        """
        of_round = self.rounds.dual
        gap = super().gap(lam) if of_round is None or len(self.terms) == 1 else np.inf
        if of_round is not None:
            free, basis = self.unpenalised_basis.which, self.basis
            dual, missing = of_round.u, 0.0
            if basis.shape[1]:
                dual, missing = clear(self.loss, of_round.eta, dual, basis)
            if len(self.terms) > 1:
                self.penalty.begin_polar(of_round.b, self.rounds.y)
            z = self.products(dual) if missing < np.inf else None
            gap = min(gap, self.gap_by(lam, dual, z, free, missing))
        costly = self.weights is not None or self._rounds_are_due(lam)
        self.last_gap, self.between = gap, 1 if costly else type(self).between
        return gap

    def _rounds_are_due(self, lam):
        """Return True if rounds take the place of proximal steps."""
        if not self.few or lam >= NULL_LAMBDA or not lam > 0.0:
            return False
        return len(self.terms) > 1 or self.taken >= self._steps_before_rounds()

    def _steps_before_rounds(self):
        size = self.point.b.size
        if self.needed:
            return self._price(size)
        return max(STEPS_BEFORE_ROUNDS, NEWTON_STEPS_OF_ROUNDS * self._price(size))

    def _round(self, lam):
        """Take a round, and a Newton step on the pieces that it found."""
        self.needed = True
        self.iterations -= 1  # A round counts its own.
        self.rounds.round(lam, self.last_gap, self.target, self.limit)
        self.objectives = [self.objective(lam)]
        if len(self.terms) == 1:
            self._newton_step(lam)
            if not self.rounds.reached:  # Proximal steps may find other pieces.
                self.taken = 0

    def step(self, lam):
        if self._rounds_are_due(lam):
            self._round(lam)
            return
        self.taken += 1
        if not self._descend(lam):
            super().step(lam)
        if len(self.terms) > 1:
            return
        self.since += 1
        if self.since < self._price():
            return
        tangent = self.penalty.tangent(self.point.b)
        self.size = 0 if tangent is None else len(tangent.gradient)
        if self.since >= self._price():
            self.since = 0
            self._newton_step(lam)

    def _descend(self, lam):
        """Descend over clusters; return True if the objective fell by more than rounding."""
        if self.weights is None or not 0.0 < lam < NULL_LAMBDA:
            return False
        if self.columns is None:
            self.columns = self.design.unpacked(np.arange(self.design.p, dtype=np.intc))
        here, penalty, b, c = self.point, self.penalty, self.point.b.copy(), self.point.c.copy()
        rounds = min(MOST_DESCENTS, self.limit - self.iterations + 1)
        self.L, taken = cluster_descent(
            self.columns, self.basis, self.loss.curvature_at(here.eta), here.u, lam * self.weights,
            lam * penalty.ridge, b, c, lambda v, t: penalty.prox(v, lam * t), self.L, self.still,
            rounds,
        )  # fmt: skip
        self.iterations += taken - 1
        self.since += taken - 1
        if taken < rounds:
            self.still *= 0.1  # if the gap is not reached all the same
        return self._move(lam, lambda t: (here.b + t * (b - here.b), here.c + t * (c - here.c)))

    def _price(self, size=None):
        """Return the cost of a Newton step on so many directions, in proximal steps."""
        n, s = self.point.eta.size, self.size if size is None else size
        step = 2.0 * n * self.design.p + PROXIMAL_STEP_OVERHEAD
        return (s * s * (n + s / 3.0) + NEWTON_STEP_OVERHEAD) / step

    def _newton_step(self, lam):
        """Step along the tangent; return True if the objective fell by more than rounding."""
        tangent = self.penalty.tangent(self.point.b)
        # Directions of a tangent up to which Newton steps are made: a Hessian of so many rows is
        # formed and factored. Not timed beyond: 1,000 rows factor in some 30 ms.
        if tangent is None or not 0 < len(tangent.gradient) <= 1000:
            return False
        d, moved = self._direction(tangent, lam)
        if d is None:
            return False
        here = self.point

        def end(t):
            step = tangent.step(t * d).reshape(here.b.shape)
            return here.b + step, here.c + t * moved

        return self._move(lam, end)

    def _move(self, lam, end):
        """Move to end(t), for the first t of 1, 1/2, .. that does not raise the objective.

        Returns True if that fell by more than rounding.
        """
        before = self.objective(lam)
        rounding = self.rounding(before)
        # Halvings of a step, after which proximal steps go on.
        for k in range(8):
            new = self.at(*end(0.5**k))
            value = self.objective(lam, new)
            if value <= before + rounding:
                self.point, self.objectives = new, [value]
                return value < before - rounding
        return False

    def _direction(self, tangent, lam):
        """Return the Newton direction d (s,), and that of c; None if there is none."""
        images = self.images_of(tangent.directions)
        s = len(tangent.gradient)
        # Where the data do not see a direction, rounding would make a step along it long.
        unseen = np.zeros(len(images), dtype=bool)
        unseen[:s] = self.unpenalised_basis.spans.vanish(images[:s].T, tangent.directions)
        images[unseen] = 0.0
        H = images @ self.times_hessian(images, self.point.eta).T
        z, z_basis = self.products(self.point.u), self.point.u @ self.basis[:, : self.n_apart]
        if lam > 0.0:
            H[:s, :s] += lam * tangent.curvature(z / lam)
        slope = np.concatenate([
            tangent.directions.T @ z.ravel() - lam * tangent.gradient, np.ravel(z_basis)
        ])  # fmt: skip
        if not np.isfinite(H).all():
            return None, None
        slope[unseen] = 0.0
        found = solved(H, slope)
        if not found @ slope >= 0.0:
            return None, None
        moved = np.zeros_like(self.point.c)
        moved[..., : self.n_apart] = found[s:].reshape(np.shape(z_basis))
        return found[:s], moved

    def images_of(self, T):
        """Return the linear predictors (s + f, n), or (s + K f, K n), of the directions and of Q.
        """
        of_basis = self.basis.T[: self.n_apart]
        if not self.several:
            return np.concatenate([self._images_of_one(T), of_basis])
        K, p, n = self.several, self.design.p, self.design.n
        made = np.zeros((T.shape[1], K, n))
        for k in range(T.shape[1]):
            places, values = (x[T.indptr[k] : T.indptr[k + 1]] for x in (T.indices, T.data))
            of = places // p
            for response in np.unique(of):
                own = of == response
                made[k, response] = self._combined(places[own] % p, values[own])
        return np.concatenate([made.reshape(-1, K * n), np.kron(np.eye(K), of_basis)])

    def _images_of_one(self, T):
        """Return predictors (s, n) of one response, by the columns of X that take part if they
        fit in.
        """
        rows = np.unique(T.indices).astype(np.intc)
        if len(rows) * self.design.n <= MOST_UNPACKED and not self.by_passes:
            if not np.array_equal(rows, self.unpacked[0]):
                self.unpacked = rows, self.design.unpacked(rows)
            return T[rows].T @ self.unpacked[1].T
        made = [self._combined(T.indices[a:b], T.data[a:b])
                for a, b in zip(T.indptr[:-1], T.indptr[1:], strict=True)]  # fmt: skip
        return np.reshape(made, (-1, self.design.n))

    def _combined(self, which, values):
        order = np.argsort(which)
        which, values = which[order].astype(np.intc), np.ascontiguousarray(values[order])
        return self.design.combination(which, values)

    def times_hessian(self, images, eta):
        """Return F''(eta) times each row."""
        if not self.several:
            return times_curvature(self.loss, eta, images.T).T
        rows = [self.loss.curvature_product(eta, row.reshape(eta.shape)) for row in images]
        return np.reshape(rows, images.shape)


def few_for_rounds(problem):
    """Return True if coefficients and rows are few enough for the augmented Lagrangian."""
    K, design = problem.n_responses or 1, problem.design
    size, small = K * design.p, not isinstance(design, DistributedDesign)
    return small and size <= MOST_COEFFICIENTS and size * K * design.n <= MOST_UNPACKED

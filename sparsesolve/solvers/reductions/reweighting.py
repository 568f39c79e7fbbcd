"""Concave penalties by reweighting: weighted convex problems until the weights are stationary.

    minimise over b   F(o + b0 + Zb) + sum_g phi(|b_g|; lam d_g) + lam r |b|^2 / 2

Given: a Problem with a `ConcavePenalty`. With K responses b is (K, p), and a group has the
coefficients of its features in all of them. Returned: the duality gap of the convex problem at
the weights of the point itself, which is 0 if the point is stationary. It does not exclude other
minima. Invariant: the objective does not rise from round to round.

phi is below its tangent at any point, so that a solution b' of

    minimise over b   F(o + b0 + Zb) + lam sum_g w_g |b_g| + lam r |b|^2 / 2,

at the weights w_g = phi'(|b_g|; lam d_g) / lam of b has no larger objective than b. Working
groups are solved for; the certificate examines the others. With one response the loss is replaced
by its quadratic model (`ConcaveModel`); with several a convex solver solves each weighted
problem.

References: Zou, Li (2008), one-step sparse estimates; Bach et al. 2012, section 5.
"""

from dataclasses import replace

import numpy as np
from scipy.linalg.lapack import dposv

from sparsesolve.penalties import GroupL2
from sparsesolve.penalties.elastic_net import ElasticNet
from sparsesolve.penalties.whole import NO_PENALTY
from sparsesolve.solvers.first_order.first_order import FirstOrder
from sparsesolve.solvers.quadratic.sweeps import weighted_sweeps
from sparsesolve.solvers.screening.inactive import farthest
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, State, used
from sparsesolve.solvers.tolerances import MODEL_FRACTION

# New weights of several responses from one certificate of all groups to the next.
WEIGHTS_BETWEEN_GAPS = 20
# A change of a group below this, relative, is none.
STILL = 1e-11


class Reweighting(State):
    """A solver state that begins at the null model.

    Parameters
    ----------
    problem : Problem with a ConcavePenalty
    choose : callable (Problem) -> state of a convex problem
    """

    def __init__(self, problem, choose):
        self.problem, self.choose, self.penalty = problem, choose, problem.penalty
        self.of, self.several, p = self.penalty.of, problem.n_responses, problem.design.p
        self.single = len(self.penalty.d) == p and not self.several
        self.b = np.zeros((self.several, p) if self.several else p)
        self.working = self.penalty.d == 0.0  # groups (G,)
        self.iterations = 0
        weights = np.ones(len(self.penalty.d))
        null = self.whole = FirstOrder(self._weighted(weights), 1)
        self._unpenalised = weights <= NO_PENALTY
        self.loss_value, self.intercept = null.loss_value, null.intercept
        self._correlations = null.correlations()
        self.loss, self.offset, self.with_intercept = null.loss, null.offset, null.with_intercept
        self._columns = np.empty(0, dtype=np.intc), np.empty((problem.design.n, 0))

    def correlations(self):
        """Return z_j'u of every feature (p,), or (K p,), at the last certificate."""
        return self._correlations

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients."""
        return used(self.b)

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        limit, last = self.iterations + budget, np.inf
        self.working = (self.penalty.d == 0.0) | (self.penalty.lengths(self.b) > 0.0)
        weights = self._weights(lam)
        self._take_in(lam, weights)
        # Rounds of new weights at one lambda.
        for _ in range(200):
            self._solve_convex(lam, weights, MODEL_FRACTION * target, limit)
            weights = self._weights(lam)
            gap = self._certify(lam, weights)
            if gap <= target:
                return CONVERGED, gap
            if self.iterations >= limit:
                return MAX_ITER, gap
            entered = self._take_in(lam, weights)
            if not entered and gap >= last * (1.0 - 1e-9) and self._still(lam, weights):
                return STALLED, gap
            last = gap
        return STALLED, gap

    def _weights(self, lam):
        return self.penalty.slopes(self.b, lam, self.problem.unit)

    def _still(self, lam, weights):
        """Return True if another round would find the same solution."""
        before = self.b.copy()
        self._solve_convex(lam, weights, 0.0, self.iterations + 1000)
        return np.allclose(before, self.b, rtol=1e-12, atol=1e-14)

    def _take_in(self, lam, weights):
        """Add groups whose products exceed their thresholds, the farthest first; return True if
        any were added."""
        if lam >= NULL_LAMBDA:
            return False
        size = self.penalty.lengths(self._correlations.reshape(self.b.shape))
        new = np.flatnonzero((size > lam * weights) & ~self.working & (size > 0.0))
        # The working groups at most double. Under a common factor nearly all features exceed their
        # thresholds at the first lambdas, and few stay: with 3,000 features of correlation .9 a
        # path took 12 times as long where all entered.
        if len(new) > (most := max(20, np.count_nonzero(self.working))):
            with np.errstate(divide="ignore"):
                ratios = size[new] / weights[new]
            new = new[farthest(ratios, np.ones(len(new)), most)]
        self.working[new] = True
        return len(new) > 0

    def _solve_convex(self, lam, weights, target, limit):
        """Replace b by the solution at these weights, on the working groups."""
        groups = self.working | (self.penalty.lengths(self.b) > 0.0)
        which = np.flatnonzero(groups[self.of]).astype(np.intc)
        if not len(which):
            return
        if not self.several and lam < NULL_LAMBDA:
            self._descend(lam, which[np.argsort(self.of[which], kind="stable")], limit)
            return
        for _ in range(WEIGHTS_BETWEEN_GAPS):
            state = self.choose(self._weighted(weights, which))
            state.solve(lam, target, max(limit - self.iterations, 1))
            self.iterations += max(int(state.iterations), 1)
            found, values = state.coefficients()
            self.b[:] = 0.0
            self.b[..., which[found]] = values
            self.loss_value, self.intercept = state.loss_value, state.intercept
            last, weights = weights, self._weights(lam)
            difference = lam * float(np.abs(weights - last) @ self.penalty.lengths(self.b))
            if difference <= target or self.iterations >= limit or lam >= NULL_LAMBDA:
                return

    def _descend(self, lam, which, limit):
        """Take Newton steps on these features, group by group, the penalty reweighted within
        each.
        """
        A, first = self._columns_of(which), int(self.with_intercept)
        theta = np.concatenate([np.full(first, self.intercept), self.b[which]])
        eta = self.offset + A @ theta
        model = ConcaveModel(self.problem, self.of[which], lam, first)
        objective = self.loss.at(eta)[0] + model.penalty_at(theta)
        quadratic = self.problem.loss is None
        # Newton steps at one lambda; the quadratic model has converged after ten.
        for _ in range(30):
            self.iterations += 1
            step, t = self._model_minimum(model, A, theta, eta) - theta, 1.0
            # A Newton step is halved no further than this.
            while t > 1e-6:
                there = eta + t * (A @ step)
                found = self.loss.at(there)[0] + model.penalty_at(theta + t * step)
                # A rise of the objective below this fraction of it is rounding.
                if found <= objective + 1e-15 * abs(objective):
                    break
                t *= 0.5
            else:
                break
            theta, eta, fell, objective = theta + t * step, there, objective - found, found
            # A fall of the objective below this fraction of it ends Newton's method.
            if quadratic or fell <= 1e-13 * abs(objective) or self.iterations >= limit:
                break
        self.b[:] = 0.0
        self.b[which] = theta[first:]
        self.loss_value = self.loss.at(eta)[0] - self.loss.saturated
        self.intercept = float(theta[0]) if first else self.intercept

    def _model_minimum(self, model, A, theta, eta):
        """Return a stationary point of the quadratic model with the penalty, near theta."""
        u = self.loss.at(eta)[1]
        if self.loss.coupled:
            weighted = np.stack([self.loss.curvature_product(eta, column) for column in A.T],
                                axis=1)
        else:
            weighted = self.loss.curvature_at(eta)[:, None] * A
        G = A.T @ weighted
        c = A.T @ u + G @ theta
        G[np.diag_indices(len(G))] += model.lam * self.penalty.ridge * (
            np.arange(len(G)) >= model.free
        )
        return model.stationary(G, c, theta)

    def _columns_of(self, which):
        """Return the columns `which`, kept from round to round, after a constant if there is one.
        """
        if not np.array_equal(which, self._columns[0]):
            columns = self.problem.design.unpacked(which)
            if self.with_intercept:
                columns = np.column_stack([np.ones(len(columns)), columns])
            self._columns = which, columns
        return self._columns[1]

    def _weighted(self, weights, which=None):
        """Return the convex Problem at these weights, of all features or of some."""
        net = self._net(self.of if which is None else self.of[which], weights)
        if which is None:
            return replace(self.problem, penalty=net, grouped=False)
        return replace(
            self.problem, design=self.problem.design.part(which), penalty=net, groups=None,
            factor=self.problem.factor[which], shift=self.problem.shift[which], grouped=False,
        )  # fmt: skip

    def _net(self, of, weights):
        """Return the penalty at these weights on features of the groups `of`."""
        ridge = self.penalty.ridge
        if self.single:
            net = ElasticNet(len(of), 1.0, weights[of])
            np.asarray(net.l2)[:] = ridge
        else:
            labels, place = np.unique(of, return_inverse=True)
            order = list(dict.fromkeys(place.tolist()))
            net = GroupL2(place, weights[labels][order]).over(len(of))
            np.asarray(net.ridge)[:] = ridge
            net = net if self.several is None else net.repeated(self.several)
        return net

    def _state_at(self, weights):
        """Return a state of the convex problem at these weights.

        It is made again only if other groups have no penalty than at the weights before.
        """
        unpenalised = weights <= NO_PENALTY
        if self.several or (unpenalised != self._unpenalised).any():
            self._unpenalised, self.whole = unpenalised, FirstOrder(self._weighted(weights), 1)
        else:
            self.whole.penalty = self._net(self.of, weights)
            self.whole.unpenalised_basis.penalty = self.whole.penalty
        return self.whole

    def _certify(self, lam, weights):
        """Return the gap of b in the convex problem at these weights, over all features."""
        state = self._state_at(weights)
        c = np.zeros_like(state.point.c)
        if state.with_intercept:
            c[..., 0] = self.intercept
        state.point = state.at(self.b.copy(), c)
        dual, free, missing = state.dual_at(lam)
        z = state.products(dual)
        self._correlations = z.copy().ravel()
        return state.gap_by(lam, dual, z, free, missing)


class ConcaveModel:
    """The quadratic model of a loss under the penalty, at one lam; it finds a stationary point.

        minimise over b   b'Gb / 2 - c'b + sum_g phi(|b_g|_2; lam d_g)

    Sweeps of block descent with the weights of the tangents alternate with new weights. That never
    raises the objective and finds which groups are 0. Newton's method on phi itself finds the
    values of the others, if that lowers the objective and reverses no group: along u = b_g / |b_g|
    the curvature of phi is phi'', across it phi' / |b_g|.

    Parameters
    ----------
    problem : Problem
    of : (k,) the groups of the features, equal ones side by side
    lam : float
    free : int
        Entries before those of the features, without a penalty: 1 for an intercept.
    """

    def __init__(self, problem, of, lam, free):
        self.penalty, self.unit = problem.penalty, problem.unit
        self.lam, self.free = lam, free
        first = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
        self.groups, self.first, self.single = of[first], first, len(first) == len(of)
        self.block = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(of))))
        # Entries without a penalty are blocks of one.
        ends = free + np.append(first, len(of))
        self.start = np.append(np.arange(free), ends).astype(np.intp)

    def stationary(self, G, c, start):
        """Return a stationary point of the model, no worse than `start`, (free + k,)."""
        G, b = np.ascontiguousarray(G), start.copy()
        curvature, thresholds = self._curvature(G), np.zeros(len(self.start) - 1)
        thresholds[self.free :] = self.penalty.levels_of(self.groups, self.lam, self.unit)
        units = 2.0**self.penalty.power, 2.0**-self.unit
        size = np.sqrt(np.abs(c @ b)) + np.sqrt(np.maximum(np.diag(G), 0.0)) @ np.abs(b)
        rounds, pause = 0, 1
        # New weights of the quadratic model; Newton steps end most searches within ten.
        while rounds < 1000:
            moved = weighted_sweeps(G, c, b, self.start, curvature, thresholds, self.penalty.form,
                                    STILL * size, pause, *units)  # fmt: skip
            if moved <= STILL * max(size, moved):
                break
            better, rounds = self._newton_step(G, c, b), rounds + pause
            pause = 1 if better is not None else 2 * pause
            b = b if better is None else better
        return b

    def _curvature(self, G):
        """Return the largest eigenvalue of each diagonal block."""
        if self.single:
            return np.diag(G).copy()
        first, sizes = self.start[:-1], np.diff(self.start)
        out = np.diag(G)[first].copy()
        for size in np.unique(sizes[sizes > 1]):
            some = np.flatnonzero(sizes == size)
            places = first[some][:, None] + np.arange(size)
            blocks = G[places[:, :, None], places[:, None, :]]
            out[some] = np.linalg.eigvalsh(blocks)[:, -1]
        return out

    def _newton_step(self, G, c, b):
        """Return b after one step on the nonzero groups, or None if it does not help."""
        some = np.flatnonzero(b)
        if not len(some):
            return None
        Gb = G @ b
        H, slope = G[np.ix_(some, some)], (c - Gb)[some]
        self._add_penalty(b, some, H, slope)
        _, step, failed = dposv(H, slope, overwrite_a=True, overwrite_b=True)
        if failed:
            return None
        new = b.copy()
        new[some] += step
        kept = (self._sums((new * b)[self.free :]) > 0.0) | (self._sizes(b) == 0.0)
        if not kept.all() or not self._value(G @ new, c, new) < self._value(Gb, c, b):
            return None
        return new

    def _add_penalty(self, b, some, H, slope):
        """Add the penalty's Hessian to H and subtract its gradient from `slope`.

        Both are of the entries `some`, of groups that are not 0.
        """
        held = np.searchsorted(some, self.free)
        block = self.block[some[held:] - self.free]
        slopes, curvatures = (x[block] for x in self._derivatives(b))
        sizes = self._sizes(b)[block]
        unit = b[some[held:]] / sizes
        slope[held:] -= slopes * unit
        diagonal = np.arange(held, len(H))
        if self.single:
            H[diagonal, diagonal] += curvatures
            return
        own = np.outer((curvatures - slopes / sizes) * unit, unit)
        own *= block[:, None] == block
        H[held:, held:] += own
        H[diagonal, diagonal] += slopes / sizes

    def penalty_at(self, b):
        """Return the penalty at b (free + k,), with its ridge part."""
        own = self.penalty.values_of(self._sizes(b), self.groups, self.lam, self.unit)
        return own + 0.5 * self.lam * self.penalty.ridge * float(np.square(b[self.free :]).sum())

    def _value(self, Gb, c, b):
        value = self.penalty.values_of(self._sizes(b), self.groups, self.lam, self.unit)
        return float(0.5 * (b @ Gb) - c @ b) + value

    def _derivatives(self, b):
        return self.penalty.derivatives_of(self._sizes(b), self.groups, self.lam, self.unit)

    def _sizes(self, b):
        """Return the length of each group."""
        if self.single:
            return np.abs(b[self.free :])
        return np.sqrt(self._sums(b[self.free :] ** 2))

    def _sums(self, x):
        """Return sums over the groups."""
        return x if self.single else np.add.reduceat(x, self.first)

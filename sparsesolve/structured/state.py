"""The solver of chains: PANOC in the metric of each label's curvature.

    minimise over W, t   F(X W + 1 t_0', t)  +  lam Omega(W, t)

Given: a ChainProblem. Returned: the answers of a solver state (solvers/state.py), certificate
included. Invariant: that of FirstOrder; L bounds the curvature of F relative to the metric.
Reference: Stella, Themelis, Sopasakis, Patrinos (2017), see first_order.py; metric.pyx.

With many features and a penalty that is sparse, on single coefficients or on groups of features,
it works on sets of features, and certifies all. A set holds features, or whole
groups; labels, transitions, start and stop scores are always in it. The rest of W is 0, so that
scores and slopes of the part are those of the whole, and only the certificate multiplies all
features. If the part is small enough, it is solved in the metric of its labels' curvature.
Invariant: that of few_features.py, which chooses the set.
Reference: Tibshirani et al. (2012), "Strong rules for discarding predictors in lasso-type
problems".
"""

import copy
import logging

import numpy as np

from sparsesolve.solvers.certificate.gap import duality_gap
from sparsesolve.solvers.first_order.first_order import Panoc, Point
from sparsesolve.solvers.reductions import few_features
from sparsesolve.structured.metric import LabelMetric

# Steps of chains in the metric of each label's curvature (structured/metric.pyx). Chosen by
# benchmarks/structured/chains.py on 5,353 letters with 128 pixels and 26 labels: l1 to gap 1e-4
# 2.8 s against 5.4 without the metric, a path of ten lambdas over groups 3.2 against 3.8.
# Take the curvatures again after so many steps: 20, 50 and 100 cost the same within 5 %.
REFRESH = 50
# Take them again once L exceeds this: at the optimum the Hessian was at most 4.8 times the metric.
STALE = 5.0
# Begin after a refresh with L no larger than this; a smaller one is found too small at once.
FRESH = 3.0
# Add this share of the largest curvature to all: labels that are all but certain have hardly any.
FLOOR = 1e-2
# Look at the certificate after so many steps, each of which costs twice as much as a plain one.
BETWEEN = 5
# Do without a metric of more than so many entries p p K (64 MB): it costs p p K for each step.
MOST_ENTRIES = 8e6
# Do without one that costs more to make than so many gradients, or more to multiply than this
# share of one. 300 features, 6 in a row, 1,800 rows of 5 labels and 3,000 of 12 (1.9 and .6 of a
# gradient): l1, groups and ridge take .2 to .9 of the time without it, 1.2 at c1 = .1, tol 1e-4.
MOST_GRADIENTS, MOST_OF_GRADIENT = 20, 0.3

log = logging.getLogger(__name__)

# With more coefficients than this, L-BFGS keeps fewer pairs: a pair takes 16 bytes per
# coefficient.
MANY = 1_000_000
# With more than MANY coefficients L-BFGS keeps this many pairs.
FEW_PAIRS = 6


def metric_pays(problem):
    """Return True if a LabelMetric costs no more than a few gradients, and a product with it less
    than one.
    """
    K, n, x = problem.K, problem.n, problem.rows.rows
    each = np.diff(x.indptr).astype(float)
    made = 0.5 * K * float(each @ each)
    gradient = 3.0 * n * K * K + 2.0 * K * float(each.sum())
    entries = problem.p**2 * K
    cheap = made <= MOST_GRADIENTS * gradient and entries <= MOST_OF_GRADIENT * gradient
    return entries <= MOST_ENTRIES and cheap


class CoupledState(Panoc):
    """A solver state of a Coupled problem, see solvers/state.py, which starts at zero.

    Parameters
    ----------
    problem : Coupled
    L : float
        The curvature of F to begin with.
    n_threads : int
    """

    def __init__(self, problem, L, n_threads=1):
        self.problem, self.n_threads, self.several = problem, n_threads, None
        self.penalty, self.loss = problem.penalty, problem.loss
        self.with_intercept, self.iterations, self.L = False, 0, L
        self.point = self.at(np.zeros(problem.n_coefficients), np.zeros(0))

    def at(self, b, c):
        eta = self.problem.scores(b, self.n_threads)
        return Point(b, c, eta, *self.loss.at(eta))

    def products(self, u):
        return self.problem.products(u, self.n_threads)

    def downhill(self, u):
        return self.products(u), np.zeros(0)

    def gap(self, lam):
        """Return the duality gap at -F', scaled until it is feasible: every coefficient has a
        penalty.
        """
        b, _, eta, value, u = self.point
        return duality_gap(self.loss, self.penalty, lam, b, eta, value, u, self.products(u))

    @property
    def intercept(self):
        """None: the intercepts of the labels are coefficients."""
        return 0.0

    def _coefficients(self):
        return self.point.b


class ChainState(CoupledState):
    """A solver state, see solvers/state.py, which starts at zero.

    If there are few enough features, steps are measured by the curvature of each label, see
    LabelMetric. The metric is refreshed at every lambda, after a number of steps, and when L has
    grown.
    """

    def __init__(self, problem, n_threads=1):
        squares = problem.rows.rows.power(2).sum(axis=1).max() + problem.intercept + 1.0
        super().__init__(problem, 0.5 * float(squares), n_threads)
        self.metric, self.age = None, 0
        if problem.n_coefficients > MANY:
            self.memory = FEW_PAIRS
        sparse = problem.penalty.features.alpha > 0.0  # ridge takes as many steps without it
        if sparse and metric_pays(problem):
            features = problem.penalty.features
            self.metric = LabelMetric(problem.p, problem.K, features.has_groups)
            self.L, self.between = 1.0, BETWEEN
        kind = "Euclidean steps" if self.metric is None else "steps in the labels' curvatures"
        log.debug("chains of %d rows, %d features, %d labels: %s", problem.n, problem.p,
                  problem.K, kind)  # fmt: skip

    def begin(self, lam):
        if self.metric is not None:
            self._refresh()
            self._stand(self.point, lam)
        else:
            super().begin(lam)

    def step(self, lam):
        if self.metric is not None and (self.age >= REFRESH or self.L > STALE and self.age):
            self._refresh()
            self._stand(self.point, lam)
        self.age += 1
        super().step(lam)

    def _refresh(self):
        """Refresh the metric with the curvatures at the current point."""
        problem, point = self.problem, self.point
        K, cut, x = problem.K, problem.n * problem.K, problem.rows.rows
        h = self.loss.curvature_at(point.eta)
        self.metric.refresh(x.indptr, x.indices, x.data, h[:cut].reshape(problem.n, K), FLOOR)
        # The expected number of each transition.
        pairs = problem.counts[: K * K] - point.u[cut : cut + K * K]
        tied = np.concatenate([pairs, h[cut + K * K :]])
        if problem.intercept:
            tied = np.concatenate([h[:cut].reshape(-1, K).sum(axis=0), tied])
        self.tied_curvature = np.maximum(tied, FLOOR * tied.max() or 1.0)
        self.age = 0
        self.L = min(self.L, FRESH)

    def square(self, v):
        if self.metric is None:
            return super().square(v)
        cut, K = self.penalty.cut, self.problem.K
        own, t = v[:cut].reshape(-1, K), v[cut:]
        return float(np.vdot(own, self.metric.times(own)) + t @ (self.tied_curvature * t))

    def prox_step(self, base, z, L, lam):
        if self.metric is None:
            return super().prox_step(base, z, L, lam)
        cut, K, penalty = self.penalty.cut, self.problem.K, self.penalty
        c = base.b[:cut].reshape(-1, K)
        b = self.metric.step(penalty.features, z[:cut].reshape(-1, K), c, lam, L)
        t = penalty.tied_prox(base.b[cut:], z[cut:], self.tied_curvature, lam, L)
        return np.concatenate([b.ravel(), t])

    def end(self, start, z, pull, L, lam):
        """Return the end of the step for that L, and its squared length."""
        b = self.prox_step(start, z, L, lam)
        return self.at(b, start.c), self.square(b - start.b)


def chain_state(problem, n_threads):
    """Return the solver state of a ChainProblem: a working set if it has many sparse features."""
    many = problem.p >= few_features.FEWEST_FEATURES
    if many and problem.penalty.features.alpha > 0.0 and not metric_pays(problem):
        return ChainWorkingSet(problem, n_threads)
    return ChainState(problem, n_threads)


class ChainWorkingSet(few_features.FewFeatures):
    """Solver state along a path, which starts at zero.

    Parameters
    ----------
    problem : ChainProblem
        Its penalty on features has alpha > 0.
    n_threads : int
    """

    def __init__(self, problem, n_threads=1):
        super().__init__(problem, lambda some: ChainState(some, n_threads))
        features, K = problem.penalty.features, problem.K
        self.groups = None  # the group of each feature, if the penalty has groups
        if features.has_groups:
            self.groups = np.asarray(features.of)[::K]
            self.members = np.asarray(features.member)[::K] // K  # group after group

    @property
    def point(self):
        """The current point of the whole problem."""
        return self.whole.point

    def _used(self):
        return self._in_use(self.whole.point.b)

    def _moved(self, lam):
        whole = self.whole
        z, _ = whole.downhill(whole.point.u)
        return self._in_use(whole.prox_step(whole.point, z, whole.L, lam))

    def _in_use(self, b):
        """Return the features, or groups, with a nonzero coefficient."""
        problem = self.problem
        used = b[: problem.penalty.cut].reshape(problem.p, problem.K).any(axis=1)
        if self.groups is None:
            return used
        return np.bincount(self.groups[used], minlength=problem.penalty.features.n_groups) > 0

    def _solve_part(self, which, lam, target, budget):
        """Solve for the features, or groups, `which` alone from the current point, and move
        there.
        """
        problem, whole, penalty = self.problem, self.whole, copy.copy(self.problem.penalty)
        features, K = which, problem.K
        if self.groups is not None:
            features = self.members[np.isin(self.groups[self.members], which)]
        if len(features) == problem.p:  # the set is the whole problem
            return whole.solve(lam, target, max(budget, 1))[0]
        places = (features[:, None] * K + np.arange(K)).ravel()
        penalty.features = penalty.features.part(which if self.groups is not None else places)
        penalty.cut = len(places)
        part = self.make(problem.part(features, penalty))
        here, cut = whole.point, problem.penalty.cut
        part.point = Point(np.append(here.b[places], here.b[cut:]), here.c, here.eta, here.value,
                           here.u)  # fmt: skip
        if part.metric is None:
            part.L = whole.L
        outcome, _ = part.solve(lam, target, max(budget, 1))
        self.spent += part.iterations
        end, b = part.point, np.zeros_like(here.b)
        b[places], b[cut:] = end.b[: penalty.cut], end.b[penalty.cut :]
        whole.point = Point(b, end.c, end.eta, end.value, end.u)
        if part.metric is None:
            whole.L = part.L
        return outcome

"""Working sets for chains with many features: solve for the active ones, certify all.

    minimise over W, t   F(X W + 1 t_0', t)  +  lam Omega(W, t)

Given: a ChainProblem whose penalty is sparse, on single coefficients or on groups of features.
Returned: a solver state, whose gap is that of the whole problem. A set holds features, or whole
groups; labels, transitions, start and stop scores are always in it. The rest of W is 0, so that
scores and slopes of the part are those of the whole, and only the certificate multiplies all
features. If the part is small enough, it is solved in the metric of its labels' curvature.
Invariant: that of few_features.py, which chooses the set.
Reference: Tibshirani et al. (2012), "Strong rules for discarding predictors in lasso-type
problems".
"""

import copy

import numpy as np

from sparsesolve.solvers.first_order.first_order import Point
from sparsesolve.solvers.reductions import few_features
from sparsesolve.structured.state import ChainState, metric_pays


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

"""Groups of one feature each: a norm of one number is a multiple of its size.

    sum_j v_j [alpha N_j(b_j) + (1 - alpha) d_j b_j^2 / 2]  =  sum_j l1_j |b_j| + l2_j b_j^2 / 2

For K responses b_j is a row of K coefficients. Its l2 norm is that of grouped rows.

Given: a Problem whose penalty is on groups. Returned: the same Problem with an ElasticNet, whose
solvers work feature by feature, or None where a group has several features. The coefficients, the
limits and the certificate are those of the problem asked.
"""

from dataclasses import replace

import numpy as np

from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.costs.rounding import ALIKE


def without_groups(problem):
    """Return the Problem with features in place of its groups of one, or None."""
    penalty, p, K = problem.penalty, problem.design.p, problem.n_responses
    if not problem.has_groups or penalty.n_groups != p:
        return None
    if K is not None and (problem.limited or not penalty.all_round()):
        return None  # Grouped rows know only lengths.
    of = np.asarray(penalty.of)[:p]
    weight, l1, l2 = (np.asarray(a)[of] for a in (penalty.weight, penalty.l1, penalty.ridge))
    ones = np.zeros((K or 1, p))
    ones[0] = 1.0
    ones = ones.ravel()
    value = penalty.unlimited(np.ones(len(ones), dtype=bool)).value(ones)
    if not abs(value - np.sum(weight + l1 + 0.5 * l2)) <= ALIKE * value:
        return None  # Another multiple of |b|, which this file does not know.
    limits = problem.limits if K is None else (None, None)
    net = ElasticNet(p, penalty.alpha, (weight + l1) / (penalty.alpha or 1.0), *limits)
    np.asarray(net.l1)[:], np.asarray(net.l2)[:] = weight + l1, l2
    return replace(problem, penalty=net, grouped=problem.grouped or K is not None)


class RowsAsGroups:
    """The state of grouped rows of K responses, in the shapes of groups of one feature."""

    def __init__(self, state, n_responses):
        self.state, self.n_responses = state, n_responses

    def __getattr__(self, name):
        return getattr(self.state, name)

    def correlations(self):
        """Return Z'u (K p,) as groups need it: rows of the same length, along the first response.
        """
        lengths = self.state.correlations()
        return np.concatenate([lengths, np.zeros((self.n_responses - 1) * len(lengths))])

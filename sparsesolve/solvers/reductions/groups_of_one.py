"""Groups of one feature each: a norm of one number is a multiple of its size.

    sum_j v_j [alpha N_j(b_j) + (1 - alpha) d_j b_j^2 / 2]  =  sum_j l1_j |b_j| + l2_j b_j^2 / 2

Given: a Problem of one response whose penalty is on groups. Returned: the same Problem with an
ElasticNet, whose solvers work column by column, or None where a group has several features. The
coefficients, the limits and the certificate are those of the problem asked.
"""

from dataclasses import replace

import numpy as np

from sparsesolve.penalties import ElasticNet

ALIKE = 1e-12  # relative difference of two penalties at b = 1: rounding


def without_groups(problem):
    """Return the Problem with features in place of its groups of one, or None."""
    penalty, p = problem.penalty, problem.design.p
    if not problem.has_groups or problem.n_responses is not None or penalty.n_groups != p:
        return None
    of = np.asarray(penalty.of)
    weight, l1, l2 = (np.asarray(a)[of] for a in (penalty.weight, penalty.l1, penalty.ridge))
    ones = np.ones(p)
    value = penalty.unlimited(ones.astype(bool)).value(ones)
    if not abs(value - np.sum(weight + l1 + 0.5 * l2)) <= ALIKE * value:
        return None  # another multiple of |b|, which this does not know
    net = ElasticNet(p, penalty.alpha, (weight + l1) / (penalty.alpha or 1.0), *problem.limits)
    np.asarray(net.l1)[:], np.asarray(net.l2)[:] = weight + l1, l2
    return replace(problem, penalty=net)

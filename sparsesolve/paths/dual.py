"""The dual point of a solution, for whoever wants to check its gap.

    D(u) = -F*(-u) - o'u - (lam Omega)*(Z'u),     D(u) <= P(b0, b) for every b0, b

Given: a Problem and the state that has solved it at lam. Returned: u (n,), feasible, in the user's
units. The solution is polished first: the gap at u is then of the coefficients that the path
returned, and not of what the residual lacks in accuracy.
Reference: Bach et al. 2012, section 1.4.
"""

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.solvers import kinked
from sparsesolve.solvers.certificate.gap import blocks_gap, least_gap, scales
from sparsesolve.solvers.first_order.first_order import FirstOrder

# The gap at which polishing ends, relative to the null objective. Below 1e-9 it is that at u.
POLISHED = 1e-12
# The same for a loss with kinks, whose dual point is that of its certificate.
POLISHED_WITH_KINKS = 1e-10


def dual_point(problem, state, lam, max_iter):
    """Return the dual point (n,), or (n, K) with K responses, at the inner level lam.

    Raises ValueError where X has no rows in memory, or no dual point is known.
    """
    if isinstance(problem.design, DistributedDesign):
        raise ValueError("X is a dask array, whose rows a dual point needs in memory; pass "
                         "X.compute() if it fits")  # fmt: skip
    with_kinks = kinked(problem, None)
    target = POLISHED_WITH_KINKS if with_kinks else POLISHED
    state.solve(lam, target * problem.null_value, max_iter)
    own = FirstOrder(problem, 1)
    own.start_at(*state.coefficients(), state.intercept)
    if with_kinks:
        dual, free, missing = state.dual_point(), own.unpenalised, 0.0
    else:
        dual, free, missing = own.dual_at(lam)
    if missing == np.inf:
        raise ValueError("No dual point is known here: what is not penalised tells responses with "
                         "certainty; choose a larger lambda, or penalise it")  # fmt: skip
    dual = _scaled(own, dual, own.unpenalised_basis.orthogonal_part(own.products(dual), free), lam)
    degree = 2 if problem.loss is None else problem.loss.degree
    return np.ldexp(dual, (degree - 1) * problem.exponent if degree else 0).T


def _scaled(own, dual, z, lam):
    """Return the multiple of the dual point, of products z, whose gap is the least."""
    penalty, point = own.penalty, own.point
    charge = penalty.value(point.b, lam)

    def gap(s):
        return least_gap(own.loss, point.eta, dual, [s],
                         lambda s: blocks_gap(penalty, lam, charge, point.b, s * z))

    return min(scales(penalty, z, lam), key=gap) * dual

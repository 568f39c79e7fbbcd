"""The duality gap of a problem over all kernels, from one dual vector.

With f_m = n_m K_m u / s_m, s_m = sqrt(u'K_m u) and the dual point c u, 0 < c <= 1,

    gap = F(eta) + F*(-c u) + eta'(c u) + lam phi(n) + (lam phi)*(c s) - c f'u,

a sum of two terms (Fenchel-Young of F and of phi) none of which is negative.
Reference: Bach et al. 2012, section 1.4.
"""

import numpy as np

from sparsesolve.solvers.certificate.gap import gap_of_terms


def gap_at(problem, lam, point, u, s, along, others=0.0):
    """The gap of a Point at the dual vector u (q, n).

    Parameters
    ----------
    s : (k,) sizes of the point's kernels at u
    along : (k,) products f_m'u / n_m, those sizes themselves where f_m is made of u
    others : float
        The largest s_m / d_m beyond these kernels; where kernels add to the conjugate one by one,
        all that do are among the point's.
    """
    norm, d, n = problem.norm, problem.factors[point.which], point.n
    value, inner = lam * norm.value(n, d), float(n @ along)
    if others > 0.0:
        s, d = np.append(s, others), np.append(d, 1.0)
    c = norm.scale(s, d, lam)
    left = abs(float(u.sum(axis=1) @ point.intercepts))  # rounding: u sums to 0
    blocks = value + norm.conjugate(c * s, d, lam) - c * inner
    return gap_of_terms(problem.young(point.eta, c * u), blocks, left)

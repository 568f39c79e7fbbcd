"""The duality gap of a problem over all kernels, from one dual vector.

Let f_m = n_m K_m u / s_m with s_m = sqrt(u'K_m u). The dual point c u with 0 < c <= 1 has the gap

    gap = F(eta) + F*(-c u) + eta'(c u) + lam phi(n) + (lam phi)*(c s) - c f'u,

a sum of two nonnegative terms, by the Fenchel-Young inequalities of F and of phi.
Reference: Bach et al. (2012), section 1.4.
"""

import numpy as np

from sparsesolve.solvers.certificate.gap import gap_of_terms


def gap_at(problem, lam, point, u, s, along, others=0.0):
    """Return the gap of a Point at the dual vector u (q, n).

    Parameters
    ----------
    s : (k,)
        s_m of the point's kernels at u.
    along : (k,)
        The products f_m'u / n_m; they equal s where f_m is computed from u.
    others : float
        The largest s_m / d_m of all other kernels. Where kernels add to the conjugate one by one,
        the point has all that do.
    """
    norm, d, n = problem.norm, problem.factors[point.which], point.n
    value, inner = lam * norm.value(n, d), float(n @ along)
    if others > 0.0:
        s, d = np.append(s, others), np.append(d, 1.0)
    c = norm.scale(s, d, lam)
    left = abs(float(u.sum(axis=1) @ point.intercepts))  # u sums to 0 up to rounding
    blocks = value + norm.conjugate(c * s, d, lam) - c * inner
    return gap_of_terms(problem.young(point.eta, c * u), blocks, left)

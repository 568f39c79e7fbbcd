"""Atoms with a penalty of their own, for given codes: block coordinate descent.

    minimise over D   1/2 tr(D'D A) - tr(D'B) + level sum_j Omega(d_j)     |d_j| <= 1

Given: A = sum a a' and B = sum y a' over codes a of signals y, and a penalty of vectors (m,) with
Omega(s d) = s Omega(d) for s >= 0. Returned: D, changed in place. Each atom moves to its
minimiser while the others stay: the prox of d_j + (b_j - D a_j) / A_jj, divided by its length if
that is above 1. This is exact, because a multiplier of the ball only scales the result of the
prox. An atom that no code uses becomes 0 and stays 0. Invariant: the objective never rises.
Reference: Jenatton, Obozinski, Bach, "Structured sparse principal component analysis" (2010); Bach
et al. 2012, section 19; Mairal, Bach, Ponce, Sapiro (2010), section 3.
"""

import numpy as np

# An atom whose A_jj is at most this share of the largest one is used by no code.
UNUSED = 1e-12


def update_structured_atoms(D, A, B, omega, level, sweeps=1):
    """Move all atoms of D (m, p) in place, `sweeps` times."""
    used = np.diagonal(A) > UNUSED * max(np.diagonal(A).max(), 1e-300)
    D[:, ~used] = 0.0
    for _ in range(sweeps):
        for j in np.flatnonzero(used):
            u = D[:, j] + (B[:, j] - D @ A[:, j]) / A[j, j]
            d = omega.prox(np.ascontiguousarray(u), level / A[j, j])
            D[:, j] = d / max(np.linalg.norm(d), 1.0)

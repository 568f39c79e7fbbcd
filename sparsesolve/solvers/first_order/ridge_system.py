"""The linear system of a ridge problem.

    (K + shift I) x = b,    K (m, m) symmetric and positive semidefinite, shift > 0

Given: K, which is overwritten, and b (m,) or (m, k). Returned: x. Invariant: the system that is
solved has no eigenvalue below shift. If K is so large that the shift is lost in its rounding, it
has no Cholesky factor, though in exact numbers it would. Then eigenvalues are computed, and those
that rounding made negative count as 0.

Reference: Golub, Van Loan (2013), "Matrix computations", section 4.2.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh


def solve_shifted(K, shift, b):
    """Return the solution x of (K + shift I) x = b; K is overwritten."""
    diagonal = K.diagonal().copy()
    K[np.diag_indices_from(K)] += shift
    try:
        return cho_solve(cho_factor(K), b)
    except LinAlgError:
        K[np.diag_indices_from(K)] = diagonal
        values, vectors = eigh(K)
        along = vectors.T @ b
        return vectors @ (along.T / (np.maximum(values, 0.0) + shift)).T

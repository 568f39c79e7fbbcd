"""Orthogonal matching pursuit of one signal from the atoms themselves.

    approximately  minimise over a   1/2 |y - D a|^2   with k nonzero coefficients

Given: the atoms D (m, p) and a signal y (m,), where two atoms differ by less than inner products
can tell (a millionth of their length), and that difference may explain much. Returned: the atoms
taken in order of entry, their least-squares coefficients and the certificate of `sparse_code`.
Invariant: that of `solvers.greedy.pursuit.project`, an orthonormal basis of the atoms taken.
Reference: Pati, Rezaiifar, Krishnaprasad (1993).
"""

import numpy as np

from sparsesolve.solvers.greedy.pursuit import ROUNDED, project
from sparsesolve.solvers.state import CONVERGED, STALLED

EPSILON = np.finfo(np.float64).eps


class Atoms:
    """The columns of a dictionary, as `project` asks for them."""

    def __init__(self, D):
        self.D, self.squares = D, np.einsum("ij,ij->j", D, D)
        self.rounding = ROUNDED * np.sqrt(self.squares)

    def columns(self, which):
        """The atoms which (k,), (m, k)."""
        return self.D[:, which]

    def correlations(self, r):
        """D'r."""
        return self.D.T @ r

    def gram(self, most):
        """No inner products: they do not tell these atoms apart."""


def pursue_columns(atoms, y, most, enough, tol):
    """Code y until `most` atoms are in or |y - D a|^2 <= enough.

    Returns (atoms in order of entry, coefficients, gap, |y - D a|^2, largest |d_j'r|, outcome).
    """
    which, values, r = [], np.empty(0), y
    for taken, b, _ in project(atoms, y, "omp", most):
        which, values = list(taken), b
        r = y - atoms.D[:, which] @ values
        if len(which) >= most or r @ r <= enough:
            break
    c, largest = np.abs(atoms.correlations(r)), np.abs(atoms.correlations(y)).max(initial=1e-300)
    size = np.sqrt(atoms.squares[which])
    rounding = EPSILON * float(np.abs(values) @ size) * size.max(initial=0.0)
    gap = (c[which].max(initial=0.0) + rounding) / largest
    rest = np.delete(c, which).max(initial=0.0)
    return which, values, gap, float(r @ r), rest, CONVERGED if gap <= tol else STALLED

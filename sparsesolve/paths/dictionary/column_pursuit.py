"""Orthogonal matching pursuit of one signal from the atoms themselves.

    approximately  minimise over a   1/2 |y - D a|^2   with k nonzero coefficients

Given: the atoms D (m, p) and a signal y (m,). The module is for atoms that differ by less than
inner products can resolve, a millionth of their length, because that difference may explain much
of the signal. Returned: the support in order of entry, its least-squares coefficients and the
certificate of `sparse_code`.
Invariant: that of `solvers.greedy.project`, an orthonormal basis of the support.
Reference: Pati, Rezaiifar, Krishnaprasad (1993).
"""

import numpy as np

from sparsesolve.solvers.greedy import project
from sparsesolve.solvers.state import CONVERGED, STALLED
from sparsesolve.solvers.tolerances import CENTRED

# The machine epsilon, of which bounds on rounding errors are multiples.
EPSILON = np.finfo(np.float64).eps


class Atoms:
    """The columns of a dictionary, with the methods that `project` uses."""

    def __init__(self, D):
        self.D, self.squares = D, np.einsum("ij,ij->j", D, D)
        self.rounding = CENTRED * np.sqrt(self.squares)

    def columns(self, which):
        """Return the atoms `which` (k,) as (m, k)."""
        return self.D[:, which]

    def correlations(self, r):
        """Return D'r."""
        return self.D.T @ r

    def gram(self, most):
        """Return None: inner products do not resolve these atoms."""


def pursue_columns(atoms, y, most, enough, tol):
    """Code y until the support has `most` atoms or |y - D a|^2 <= enough.

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

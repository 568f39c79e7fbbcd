"""What a penalty is on arrays (K, p) of K responses, and EachResponse, the sum over their rows."""

import numpy as np
from scipy import sparse

from sparsesolve.penalties.iterative import dual_of_part, ends_early, prox_of_part
from sparsesolve.penalties.rows import Rows
from sparsesolve.penalties.splitting import Side, Splitting, splitting_of
from sparsesolve.penalties.tangent import side_by_side


def over_responses(omega, n_responses):
    """Return Omega on arrays (K, p): what it is on all responses, or the sum over them.

    Blocks have their features in all rows.
    """
    if hasattr(omega, "over_responses"):
        return omega.over_responses(n_responses)
    if hasattr(omega, "repeated"):
        return Rows(omega.repeated(n_responses))
    return EachResponse(omega)


def degrees(omega, b):
    """Return the degrees of freedom at b (p,) or (K, p): the penalty's count, or the nonzeros."""
    if not hasattr(omega, "degrees"):
        return int(np.count_nonzero(b))
    together = hasattr(omega, "over_responses") and getattr(omega, "shape", None) is None
    if b.ndim == 1 or together:
        return int(omega.degrees(b))
    return sum(int(omega.degrees(row)) for row in b)


class EachResponse:
    """The sum over the rows of arrays (K, p) of a penalty on vectors (p,)."""

    def __init__(self, omega):
        self.omega = omega
        if hasattr(omega, "conjugate"):
            self.conjugate, self.feasible_scale = self._conjugate, self._feasible_scale
        if ends_early(omega):
            self.prox_near, self.dual_of_prox = self._prox_near, self._dual_of_prox

    def tangent(self, B):
        """Return the tangents of the rows as one, or None if a row has none."""
        found = [getattr(self.omega, "tangent", lambda b: None)(b) for b in B]
        if any(own is None for own in found):
            return None
        places = np.arange(B.size).reshape(B.shape)
        return side_by_side(list(zip(places, found, strict=True)), B.size)

    def splitting_over(self, shape):
        """Return the splittings of the rows, one below the other."""
        own, K = splitting_of(self.omega, shape[1]), shape[0]
        matrix = sparse.kron(sparse.eye_array(K), own.matrix, format="csr")
        return Splitting(matrix, Side([own.psi] * K, [own.matrix.shape[0]] * K))

    def value(self, B):
        """Return the sum of the values of the rows."""
        return sum(float(self.omega.value(b)) for b in B)

    def prox(self, V, t):
        """Return the prox of each row."""
        return np.stack([self.omega.prox(v, t) for v in V])

    def _prox_near(self, V, t, near):
        found = [
            prox_of_part(self.omega, v, t, None if near is None else near[k])
            for k, v in enumerate(V)
        ]
        return np.stack([b for b, _ in found]), [end for _, end in found]

    def _dual_of_prox(self, near, t):
        return np.stack([dual_of_part(self.omega, end, t) for end in near])

    def polar(self, Z):
        """Return the largest polar of the rows."""
        return max(float(self.omega.polar(z)) for z in Z)

    def _conjugate(self, Z, lam):
        return sum(float(self.omega.conjugate(z, lam)) for z in Z)

    def _feasible_scale(self, Z, lam):
        return min(float(self.omega.feasible_scale(z, lam)) for z in Z)

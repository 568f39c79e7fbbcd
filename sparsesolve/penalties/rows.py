"""Penalties on arrays (K, p) of K responses, and sums of penalties over rows or sets of features.

`Rows` is a view of a penalty on the K p coefficients, `EachResponse` the sum over rows, and
`Disjoint` that over sets of features in all rows.

Where the prox of a part is iterative, its dual says what is proved:

    (lam P)*(z) <= curvature |z / curvature - xi|^2 / 2,   xi in alpha / ridge times the ball

for P with a ridge part (``whole.py``). A prox that ends early is not the point at which a
conjugate is attained, so that its value is too small. What its dual point proves is never too
small (`dual_of_prox` in ``penalty.py``). A part with an exact prox has subtracted a point of the
ball itself.
"""

from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.penalties.forms import Side, Splitting, side_by_side, splitting_of


def on_rows(penalty, grouped):
    """Return the penalty of a Problem of K responses as one on arrays (K, p)."""
    if not penalty.has_blocks:
        return penalty
    return Rows(penalty) if penalty.has_groups else ElasticNetRows(penalty, grouped)


class Rows:
    """A view of any penalty on K p coefficients: row k of an array (K, p) is response k.

    It answers what the penalty answers; methods of ``penalty.py`` that are left out have no view.
    """

    def __init__(self, penalty):
        self.flat = penalty
        for name in ("conjugate", "feasible_scale", "prox_near", "polar_near", "dual_of_prox"):
            if hasattr(penalty, name):
                setattr(self, name, getattr(self, f"_{name}"))

    def sizes(self, C):
        """Return the products that the penalty's `entry_lambdas` takes, (K p,)."""
        return C.ravel()

    def value(self, B, *lam):
        """Return lam * Omega(B)."""
        return self.flat.value(B.ravel(), *lam)

    def prox(self, X, lam=1.0):
        """Return argmin_B |B - X|^2 / 2 + lam Omega(B)."""
        return self.flat.prox(X.ravel(), lam).reshape(X.shape)

    def polar(self, C):
        """Return the least lam with B = 0 optimal for the linear term -C'B."""
        return self.flat.polar(C.ravel())

    def tangent(self, B):
        """Return the directions along which Omega is smooth at B, or None."""
        return getattr(self.flat, "tangent", lambda b: None)(B.ravel())

    def splitting_over(self, shape):
        """Return the splitting of the penalty on K p coefficients."""
        return splitting_of(self.flat, shape[0] * shape[1])

    def _conjugate(self, C, lam=1.0):
        return self.flat.conjugate(C.ravel(), lam)

    def _feasible_scale(self, C, lam=1.0):
        return self.flat.feasible_scale(C.ravel(), lam)

    def _prox_near(self, X, lam, near):
        self.shape = X.shape
        b, near = self.flat.prox_near(X.ravel(), lam, near)
        return b.reshape(X.shape), near

    def _polar_near(self, C, near, level):
        near = None if near is None else (np.ravel(near[0]), near[1])
        return self.flat.polar_near(C.ravel(), near, level)

    def _dual_of_prox(self, near, t):
        return self.flat.dual_of_prox(near, t).reshape(self.shape)

    def unpenalised(self, B, C, lam=1.0):
        """Return a mask (p,) of features with an unpenalised coefficient that is free to move."""
        return self.unpenalised_each(B, C, lam).any(axis=0)

    def unpenalised_each(self, B, C, lam=1.0):
        """Return a mask (K, p) of the unpenalised coefficients that no limit stops."""
        return self.flat.unpenalised(B.ravel(), C.ravel(), lam).reshape(B.shape)


# Relative margin that keeps a scaled dual point feasible after rounding.
FEASIBLE = 1e-13
# A polar may differ by this factor when its sums are taken in another order.
ROUNDED = 1.0 + 2e-14


def ends_early(omega: Any) -> bool:
    """Return True if the prox of `omega` is iterative, and not exact."""
    return hasattr(omega, "dual_of_prox")


def prox_of_part(omega: Any, v: np.ndarray, t: float, near: Any) -> tuple[np.ndarray, Any]:
    """Return the prox of a part, and where it ended, from where the last one did or None."""
    if ends_early(omega):
        return omega.prox_near(v, t, near)
    if hasattr(omega, "prox_near"):
        b, start = omega.prox_near(v, t, None if near is None else near[1])
    else:
        b, start = omega.prox(v, t), None
    return b, (v - b, start)


def dual_of_part(omega: Any, near: Any, t: float) -> np.ndarray:
    """Return the point of t times the part's dual ball that the prox ended there tells."""
    return omega.dual_of_prox(near, t) if ends_early(omega) else near[0]


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


class Pieces:
    """The sum of penalties of the pieces of an array.

    A subclass takes an array to pieces in `_taken`, pairs of a penalty and a piece, and puts
    pieces together in `_joined`. Where an iterative prox ended is kept with its penalty.
    """

    def value(self, b):
        """Return the sum of the values of the pieces."""
        return sum(float(part.value(x)) for part, x in self._taken(b))

    def prox(self, v, t):
        """Return the prox of each piece."""
        return self._joined([part.prox(x, t) for part, x in self._taken(v)])

    def polar(self, z):
        """Return the largest polar of the pieces."""
        return max(float(part.polar(x)) for part, x in self._taken(z))

    def tangent(self, b):
        """Return the tangents of the pieces as one, or None if a piece has none."""
        found = [getattr(part, "tangent", lambda b: None)(x) for part, x in self._taken(b)]
        if any(own is None for own in found):
            return None
        places = self._taken(np.arange(b.size).reshape(b.shape))
        return side_by_side(
            [(at.ravel(), own) for (_, at), own in zip(places, found, strict=True)], b.size
        )

    def _prox_near(self, v, t, near):
        pieces = self._taken(v)
        starts = [None] * len(pieces) if near is None else [end for _, end in near]
        found = [prox_of_part(*piece, t, start)
                 for piece, start in zip(pieces, starts, strict=True)]  # fmt: skip
        ends = [(part, end) for (part, _), (_, end) in zip(pieces, found, strict=True)]
        return self._joined([b for b, _ in found]), ends

    def _dual_of_prox(self, near, t):
        return self._joined([dual_of_part(part, end, t) for part, end in near])


class EachResponse(Pieces):
    """The sum over the rows of arrays (K, p) of a penalty on vectors (p,)."""

    _joined = staticmethod(np.stack)

    def __init__(self, omega):
        self.omega = omega
        if hasattr(omega, "conjugate"):
            self.conjugate, self.feasible_scale = self._conjugate, self._feasible_scale
        if ends_early(omega):
            self.prox_near, self.dual_of_prox = self._prox_near, self._dual_of_prox

    def _taken(self, B):
        return [(self.omega, b) for b in B]

    def splitting_over(self, shape):
        """Return the splittings of the rows, one below the other."""
        own, K = splitting_of(self.omega, shape[1]), shape[0]
        matrix = sparse.kron(sparse.eye_array(K), own.matrix, format="csr")
        return Splitting(matrix, Side([own.psi] * K, [own.matrix.shape[0]] * K))

    def _conjugate(self, Z, lam):
        return sum(float(self.omega.conjugate(z, lam)) for z in Z)

    def _feasible_scale(self, Z, lam):
        return min(float(self.omega.feasible_scale(z, lam)) for z in Z)


class Disjoint(Pieces):
    """The sum of `parts`, pairs of features (m,) and a penalty on (m,) or (K, m).

    `others` says which parts are no norms; with one of them the sum has a conjugate.
    """

    def __init__(self, parts, others=()):
        self.parts, self.others = parts, others
        if any(others):
            self.conjugate, self.feasible_scale = self._conjugate, self._feasible_scale
        if any(ends_early(part) for _, part in parts):
            self.prox_near, self.dual_of_prox = self._prox_near, self._dual_of_prox

    def _taken(self, b):
        return [(part, np.ascontiguousarray(b[..., which])) for which, part in self.parts]

    def _joined(self, pieces):
        out = np.empty((*pieces[0].shape[:-1], sum(x.shape[-1] for x in pieces)))
        for (which, _), x in zip(self.parts, pieces, strict=True):
            out[..., which] = x
        return out

    def _conjugate(self, z, lam):
        total = 0.0
        for (part, own), other in zip(self._taken(z), self.others, strict=True):
            if other:
                total += float(part.conjugate(own, lam))
            elif float(part.polar(own)) > lam * ROUNDED:
                return np.inf
        return total

    def _feasible_scale(self, z, lam):
        least = 1.0
        for (part, own), other in zip(self._taken(z), self.others, strict=True):
            level = lam if other else float(part.polar(own))
            least = min(least, float(part.feasible_scale(own, lam)) if other else
                        1.0 if level <= lam else lam / level * (1.0 - FEASIBLE))  # fmt: skip
        return least

"""Preconditioned conjugate gradients for K responses.

    solve H D = rhs,   H = Z'F''(eta)Z + lam Omega''(B)

Given: products with H and a right-hand side, both of shape (K, m). Returned: D up to a given
residual, or a direction without curvature. Invariant: residual = rhs - H D.
The preconditioner is the Gram matrix that all responses share, factored over the working
coefficients. A coefficient-wise penalty has a factor for each response. A grouped penalty has one
factor along the rows' directions and one across them.
Reference: Nocedal and Wright 2006, section 7.1.
"""

import numpy as np
from scipy.linalg import lapack

from sparsesolve.linalg.kernels.single import solve_factored
from sparsesolve.solvers import costs

# The least pivot, which an excluded column has.
TINY = 1e-30


def conjugate_gradients(product, precondition, rhs, enough, most):
    """Solve until the preconditioned square of the residual is at most `enough`.

    Return (D, steps, flat). `flat` is True if the first direction has no curvature; D is then this
    direction.
    """
    solution, residual = np.zeros_like(rhs), rhs.copy()
    ahead = precondition(residual)
    square = np.vdot(residual, ahead)
    step = ahead
    for count in range(most):
        if square <= enough:
            return solution, count, False
        image = product(step)
        curvature = np.vdot(step, image)
        if curvature <= costs.rounding.FLAT_DIRECTION * square:
            return (solution, count, False) if count else (step, 1, True)
        length = square / curvature
        solution += length * step
        residual -= length * image
        ahead = precondition(residual)
        previous, square = square, np.vdot(residual, ahead)
        step = ahead + (square / previous) * step
    return solution, most, False


def rounding_floor(mask, scales, diagonal):
    """Return the preconditioned square of a residual of mere rounding, for gradients near 1."""
    places = np.maximum(diagonal, 1e-300) * np.maximum(scales, 1e-300)[:, None]
    return costs.rounding.STANDARDISED_PRODUCT**2 * (mask / places).sum()


def by_diagonal(diagonal, unit, ridge, curvature):
    """Return a preconditioner from the diagonal (K, count) of the curvature.

    It suits columns that are nearly orthogonal. The rows have directions `unit`, and the penalty's
    curvature is ridge + curvature (I - unit unit').
    """
    along = np.maximum((unit**2 * diagonal).sum(axis=0) + ridge, TINY)
    across = np.maximum(diagonal + ridge + curvature, TINY)

    def apply(x):
        length = (unit * x).sum(axis=0)
        rest = (x - unit * length) / across
        return rest + unit * (length / along - (unit * rest).sum(axis=0))

    return apply


class Preconditioner:
    """Factors of the shared Gram matrix, kept while the working coefficients stay the same.

    Parameters
    ----------
    single : bool
        Factor in single precision, which is enough for a preconditioner.
    """

    def __init__(self, single=False):
        self._factor_of = lapack.spotrf if single else lapack.dpotrf
        self._kind = np.float32 if single else np.float64
        self.forget()

    def forget(self):
        """Drop all factors, because the Gram matrix has changed."""
        self._known = {}  # response -> (key of the factored matrix, factor)
        self._rows = np.zeros(0, dtype=np.intp)  # the rows of the grouped factors
        self._added = costs.rounding.PRECONDITIONER

    def separate(self, gram, which, mask, scales, ridge):
        """Return a preconditioner for coefficient-wise penalties.

        For response k it is s_k G + diag(ridge), over the columns of `which` in row k of the mask.
        """
        inside = [np.flatnonzero(row) for row in mask]
        factors = [
            self._factor(k, gram, which[part], ridge[part] / scale)
            for k, (part, scale) in enumerate(zip(inside, scales, strict=True))
        ]

        def apply(x):
            out = np.zeros_like(x)
            for k, part in enumerate(inside):
                if len(part):
                    out[k, part] = _solved(factors[k], x[k : k + 1, part])[0] / scales[k]
            return out

        return apply

    def grouped(self, gram, which, scales, unit, ridge, curvature, renew):
        """Return a preconditioner for grouped penalties.

        The penalty of a row has the curvature ridge + curvature (I - unit unit'). There is one
        factor along the rows' directions `unit` (K, count) and one across them. With `renew`
        False, factors of an earlier curvature are reused if they cover nearly the same rows. Rows
        that only the old factors cover are left out; rows that they lack use their diagonal.
        """
        scale = scales.max()
        own = gram.diagonal()[which] * float(scale) + ridge
        known = np.zeros(0, dtype=which.dtype) if renew else self._rows
        shared = np.isin(which, known)
        different = np.count_nonzero(~shared) + len(known) - np.count_nonzero(shared)
        if different > costs.responses.SHARED_FACTOR * len(known):
            idle = np.where(unit.any(axis=0), 0.0, own)
            times = (unit.T * scales) @ unit
            self._along = self._factorise(gram, which, ridge + idle, times)
            self._across = self._factorise(gram, which, (ridge + curvature) / scale)
            self._rows, self._scale, shared = which, scale, np.ones(len(which), dtype=bool)
        places = np.searchsorted(self._rows, which[shared])

        def solve(factor, x):
            wide = np.zeros((len(x), len(self._rows)), dtype=self._kind)
            wide[:, places] = x[:, shared]
            return _solved(factor, wide)[:, places]

        def apply(x):
            length = (unit * x).sum(axis=0)
            rest = (x - unit * length) / np.maximum(own + curvature, TINY)
            rest[:, shared] = solve(self._across, x - unit * length) / self._scale
            along = length / np.maximum(own, TINY)
            along[shared] = solve(self._along, length[None])[0]
            return rest + unit * (along - (unit * rest).sum(axis=0))

        return apply

    def _factor(self, k, gram, which, ridge):
        key = (which.tobytes(), ridge.tobytes())
        if k not in self._known or self._known[k][0] != key:
            self._known[k] = key, self._factorise(gram, which, ridge)
        return self._known[k][1]

    def _factorise(self, gram, which, ridge, times=None):
        """Return the factor of the Gram matrix of `which` plus diag(ridge).

        The Gram matrix is first multiplied by `times`, element by element, if that is given.
        """
        matrix = np.asfortranarray(gram[which][:, which], dtype=self._kind)
        if times is not None:
            matrix *= times
        diagonal = matrix.diagonal().astype(float)
        largest = np.finfo(self._kind).max / 4
        while len(which):
            raised = diagonal * (1 + self._added) + ridge + TINY
            np.fill_diagonal(matrix, np.minimum(raised, largest))
            factor, info = self._factor_of(matrix, lower=1)
            if info == 0:
                return factor
            self._added *= 30
        return matrix


def _solved(factor, x):
    """Return x (K, m) times the inverse of the factored matrix."""
    if factor.dtype == np.float32:
        return solve_factored(factor, x)
    return lapack.dpotrs(factor, x.T, lower=1)[0].T

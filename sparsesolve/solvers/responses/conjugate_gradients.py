"""Conjugate gradients for K responses, and what preconditions them.

The preconditioner is the Gram matrix that all responses share, factored over the coefficients at
work: response by response, or for grouped rows once along and once across their directions.
Reference: Nocedal and Wright 2006, section 7.1.
"""

import numpy as np
from scipy.linalg import lapack

from sparsesolve.linalg.kernels.single import solve_factored
from sparsesolve.solvers import costs

# A pivot where there is nothing: the row of an excluded column.
TINY = 1e-30


def conjugate_gradients(product, precondition, rhs, enough, most):
    """Solve until the preconditioned square of the residual is `enough`; returns (D, steps, flat).

    `flat` says that a direction without curvature was met: D is that direction then.
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
    """Preconditioned square of a residual that is rounding, for gradients of the size of 1."""
    places = np.maximum(diagonal, 1e-300) * np.maximum(scales, 1e-300)[:, None]
    return costs.rounding.STANDARDISED_PRODUCT**2 * (mask / places).sum()


def by_diagonal(diagonal, unit, ridge, curvature):
    """The diagonal (K, count) of the curvature, where columns have little in common.

    For rows of directions `unit` and a penalty's curvature ridge + curvature (I - unit unit').
    """
    along = np.maximum((unit**2 * diagonal).sum(axis=0) + ridge, TINY)
    across = np.maximum(diagonal + ridge + curvature, TINY)

    def apply(x):
        length = (unit * x).sum(axis=0)
        rest = (x - unit * length) / across
        return rest + unit * (length / along - (unit * rest).sum(axis=0))

    return apply


class Preconditioner:
    """Factors of the shared Gram matrix, kept as long as the coefficients at work stay the same.

    Parameters
    ----------
    single : bool
        In single precision: what they are for is approximate anyway.
    """

    def __init__(self, single=False):
        self._factor_of = lapack.spotrf if single else lapack.dpotrf
        self._kind = np.float32 if single else np.float64
        self.forget()

    def forget(self):
        """The Gram matrix is another one."""
        self._known = {}  # response -> (what the factor is of, factor)
        self._rows = np.zeros(0, dtype=np.intp)  # what the factors of grouped rows are of
        self._added = costs.rounding.PRECONDITIONER

    def separate(self, gram, which, mask, scales, ridge):
        """For coefficient-wise penalties: s_k G + diag(ridge) over the mask's row k of `which`."""
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
        """For grouped penalties, whose curvature is ridge + curvature (I - unit unit') per row.

        One factor along the rows' directions `unit` (K, count), one across them. With `renew`
        False those of an earlier curvature serve, if they are of much the same rows: what is
        theirs alone is left out, what is missing is taken by its diagonal.
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
        """Factor of the Gram matrix of `which`, elementwise times something, plus diag(ridge)."""
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
    """x (K, m) times the inverse of what was factored."""
    if factor.dtype == np.float32:
        return solve_factored(factor, x)
    return lapack.dpotrs(factor, x.T, lower=1)[0].T

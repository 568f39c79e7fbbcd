"""Newton directions for K responses, on the coefficients at which the penalty is smooth.

    solve H D = rest,   H = Z'F''(eta)Z + lam Omega''(B),   D = 0 outside the mask

Given: a ResponseDescent, a mask of coefficients and the gradient `rest` there. Returned: D and a
step length. The method is preconditioned conjugate gradients with products of the true curvature.
Invariant: D = 0 outside the mask, and residual = rest - H D.
The preconditioner is the Gram matrix that all responses share, factored over the working
coefficients. A coefficient-wise penalty has a factor for each response. A grouped penalty has one
factor along the rows' directions and one across them.
Reference: Nocedal and Wright 2006, section 7.1.
"""

import numpy as np
from scipy.linalg import lapack

from sparsesolve.linalg.kernels.single import solve_factored
from sparsesolve.solvers.tolerances import FORCING

# The least pivot, which an excluded column has.
TINY = 1e-30
# The most conjugate gradient steps for a direction; after these, a new direction is cheaper.
STEPS = 60


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
        # columns depend on one another along it
        if curvature <= 1e-9 * square:
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
    # rounding of a product with a standardised column
    return 2e-16**2 * (mask / places).sum()


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
        # dependent columns do not break the factor, which need not be exact
        self._added = 1e-6

    def separate(self, metric, which, mask, scales, ridge):
        """Return a preconditioner for coefficient-wise penalties.

        `metric` is the SharedCurvature with the Gram matrix G. For response k it is
        s_k G + diag(ridge), over the columns of `which` in row k of the mask.
        """
        inside = [np.flatnonzero(row) for row in mask]
        factors = [
            self._factor(k, metric, which[part], ridge[part] / scale)
            for k, (part, scale) in enumerate(zip(inside, scales, strict=True))
        ]

        def apply(x):
            out = np.zeros_like(x)
            for k, part in enumerate(inside):
                if len(part):
                    out[k, part] = _solved(factors[k], x[k : k + 1, part])[0] / scales[k]
            return out

        return apply

    def grouped(self, metric, which, scales, unit, ridge, curvature, renew):
        """Return a preconditioner for grouped penalties.

        The penalty of a row has the curvature ridge + curvature (I - unit unit'). There is one
        factor along the rows' directions `unit` (K, count) and one across them. With `renew`
        False, factors of an earlier curvature serve the same rows.
        """
        scale = scales.max()
        if renew or not np.array_equal(which, self._rows):
            idle = np.where(unit.any(axis=0), 0.0, metric.squares[which] * float(scale) + ridge)
            times = (unit.T * scales) @ unit
            self._along = self._factorise(metric, which, ridge + idle, times)
            self._across = self._factorise(metric, which, (ridge + curvature) / scale)
            self._rows, self._scale = which, scale

        def apply(x):
            length = (unit * x).sum(axis=0)
            rest = _solved(self._across, x - unit * length) / self._scale
            along = _solved(self._along, length[None])[0]
            return rest + unit * (along - (unit * rest).sum(axis=0))

        return apply

    def _factor(self, k, metric, which, ridge):
        key = (which.tobytes(), ridge.tobytes())
        if k not in self._known or self._known[k][0] != key:
            self._known[k] = key, self._factorise(metric, which, ridge)
        return self._known[k][1]

    def _factorise(self, metric, which, ridge, times=None):
        """Return the factor of the Gram matrix of `which` plus diag(ridge).

        The Gram matrix is first multiplied by `times`, element by element, if that is given.
        """
        matrix = np.asfortranarray(metric.among(which), dtype=self._kind)
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


class NewtonDirection:
    """The state that is kept from one Newton direction to the next."""

    def __init__(self):
        self.preconditioner = Preconditioner(single=True)
        self.slow = False  # True if the last direction took many steps
        self.steps = 0  # conjugate gradient steps so far

    def of(self, d, lam, mask, rest, goal):
        """Return the direction (K, m) for the columns of a ResponseDescent, and its step length.

        The direction is zero outside the mask. The length is 1; if the direction has no curvature,
        it is the distance to the first coefficient that becomes zero. `goal` is the gap to reach,
        and it sets the accuracy. A gradient of size r that remains shrinks the dual point by about
        r / lam, which adds about r |B|_1 to the gap.
        """
        step = np.zeros_like(rest)
        places = np.flatnonzero(np.logical_or.reduce(mask, axis=0)).astype(np.intc)
        step[:, places], length = self._iterate(
            d, lam, places, mask.take(places, axis=1), rest.take(places, axis=1), goal
        )
        return step, length

    def _iterate(self, d, lam, places, mask, rest, goal):
        l1, l2 = (lam * np.asarray(x)[places] for x in (d.net.l1, d.net.l2))
        scales, diagonal = d.scales(), d.shared.squares[places]
        B = d.B.take(places, axis=1)
        unit, curvature = np.zeros_like(B), 0.0  # of coefficients one by one
        if d.net.grouped:
            norms = np.sqrt((B**2).sum(axis=0))
            norms[norms == 0.0] = 1.0
            unit, curvature = B / norms, l1 / norms
        # If a softmax row is in the mask for all responses, F is constant along (1, ..., 1), and
        # the l1 norm is linear. The objective has no curvature there, so `level` adds that of the
        # model along this direction and thereby bounds the step.
        loose = mask.all(axis=0) & (l1 > 0.0) & (l2 == 0.0)
        loose = loose & (d.loss.symmetric and not d.net.grouped)
        penalty, level = (l2 + curvature, unit, curvature), scales.mean() * diagonal * loose
        if d.shared.scattered:
            precondition = by_diagonal(
                d.columns.some(places).squares(d.diagonal), unit, l2, curvature
            )
        elif d.net.grouped:
            precondition = self.preconditioner.grouped(
                d.shared, places, scales, unit, l2, curvature, self.slow
            )
        else:
            precondition = self.preconditioner.separate(d.shared, places, mask, scales, l2)
        product = _product(d, places, mask, penalty, level)
        enough = max(
            _enough(d, rest, goal) * np.vdot(rest, precondition(rest)),
            rounding_floor(mask, scales, diagonal),
        )
        step, count, flat = conjugate_gradients(product, precondition, rest, enough, STEPS)
        self.steps += count
        self.slow = count > 20  # steps that tell an old preconditioner
        return step, _to_the_first_zero(B, step) if flat else 1.0


def _enough(d, rest, goal):
    """Return the relative square of the residual at which conjugate gradients may stop."""
    digits = 0.2 * goal / max(np.abs(d.B[:, d.which >= 0]).sum(), 1e-300)
    most = np.abs(rest).max()
    # The least relative residual of a direction: for less the quadratic is too far from F.
    return min(max(digits / most if most > digits else 1.0, 1e-3), FORCING) ** 2


def _product(d, places, mask, penalty, level):
    """Return the map D -> (Z'F''(eta)Z + lam Omega'') D on the mask.

    `level` is added to the curvature along (1, ..., 1).
    """
    part = d.columns.some(places)
    ridge, unit, curvature = penalty

    def product(D):
        image = d.loss.curvature_product(d.eta, part.combine(D))
        out = part.correlate(image) + ridge * D
        out += level * D.mean(axis=0)
        if np.ndim(curvature):
            out -= unit * (curvature * (unit * D).sum(axis=0))
        out *= mask
        return out

    return product


def _to_the_first_zero(B, step):
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(step * B < 0.0, -B / step, np.inf)
    return min(lengths.min(initial=np.inf), 1e6)

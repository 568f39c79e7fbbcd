"""Steps over the working columns of a problem with K responses, each lowering the objective.

    minimise over B (K, m)   F(offset + ZB) + lam Omega(B)

Given: a problem with K responses, working columns Z and lam. Returned: coefficients B with
a lower objective after each step. Invariant: eta = offset + ZB, value = F(eta), u = -F'(eta) and
g = Z'u. `eta_stale` is True if a coefficient has moved so far that rounding may show in these.

Block coordinate descent on a quadratic model (`model`) finds the nonzero coefficients. Newton
steps on these, by conjugate gradients preconditioned by the diagonal of the Hessian, then refine
them to high accuracy. For dense columns, the model uses
one Hessian Z'diag(h)Z for all responses (SharedCurvature). It comes from an earlier point and is
rescaled for each response. For columns with few stored values, the model uses the true Hessian.
Reference: Lee, Sun and Saunders 2014 (proximal Newton methods); Nocedal and Wright 2006, section
7.1 (inexact Newton steps).
"""

import numpy as np

from sparsesolve.linalg.design.response_columns import response_columns
from sparsesolve.linalg.factors.span import Spans
from sparsesolve.penalties.elastic_net_rows import centre
from sparsesolve.solvers.responses.model import DenseModel, SeparateModel, SparseModel
from sparsesolve.solvers.tolerances import FORCING, ROUNDING

# A model counts as solved once a sweep gains less than the first fraction of what all its sweeps
# have gained, or where the target is far, less than the second.
SOLVED_MODEL, LOOSE_MODEL = 1e-3, 0.3
# Sufficient decrease: a tiny share suffices, as a sweep minimises exactly in each row.
ARMIJO = 1e-4
# The most halvings of a step: a step 2^-12 as long gains less than another sweep.
HALVINGS = 12


class SharedCurvature:
    """The curvature of the columns of a ResponseDescent under weights h (n,)."""

    def __init__(self, columns, h):
        self.columns = columns
        self.renew(h)

    def renew(self, h):
        """Set new weights h, and drop everything computed with the old ones."""
        self.h = h
        self._gram, self._known = np.empty((16, 16), dtype=np.float32), 0
        self._rows, self._packed = np.empty((16, len(h)), dtype=np.float32), 0
        self._squares = np.zeros(0)

    @property
    def squares(self):
        """Return the diagonal of the curvature, (m,)."""
        known = len(self._squares)
        if known < self.columns.size:
            self._squares = np.append(self._squares, self.columns.squares(self.h, known))
        return self._squares

    @property
    def gram(self):
        """Return the weighted inner products of the columns, (m, m)."""
        size, first = self.columns.size, self._known
        if first < size:
            self._gram = _with_capacity(self._gram, size, first, size)
            block = self.columns.gram(self.h, first)
            self._gram[:size, first:size], self._gram[first:size, :size] = block, block.T
            self._known = size
        return self._gram[:size, :size]

    @property
    def wide(self):
        """Return True if a column, multiplied twice, is shorter than a row of inner products."""
        return self.columns.dense and self.columns.size > 1.5 * len(self.h)

    @property
    def scattered(self):
        """Return True if the columns have so few stored values that inner products do not pay."""
        columns = self.columns
        if columns.dense:
            return False
        # a stored value costs as much as 8 of a row of inner products
        return 8.0 * columns.matrix.nnz < columns.size**2

    def rows(self):
        """Return the arguments of a DenseModel: (rows, True if they are inner products)."""
        size, first = self.columns.size, self._packed
        if not self.wide:
            return self.gram, True
        if first < size:
            self._rows = _with_capacity(self._rows, size, first)
            self._rows[first:size] = self.columns.rows[first:] * np.sqrt(self.h)
            self._packed = size
        return self._rows[:size], False


def _with_capacity(table, size, used, wide=None):
    """Return the table, or a larger one with a copy of its `used` rows. `wide`: it is square."""
    if size <= len(table):
        return table
    larger = np.empty((2 * size, 2 * size if wide else table.shape[1]), dtype=table.dtype)
    columns = used if wide else table.shape[1]
    larger[:used, :columns] = table[:used, :columns]
    return larger


class ResponseDescent:
    """The coefficients, the working columns and the model of the curvature.

    Parameters
    ----------
    problem : Problem
        A problem with K responses.
    net : ElasticNetRows
        The penalty of the problem on all features.
    """

    def __init__(self, problem, net):
        design, loss, offset = problem.design, problem.loss, np.array(problem.offset, dtype=float)
        self.net_of_all, self.loss, self.offset = net, loss, offset
        self.spans = Spans(design, np.sqrt(problem.weights), problem.centred)
        self.norms, self.square = problem.norms, 2.0 * problem.null_value
        self.which = np.zeros(0, dtype=np.intc)  # features; -1: intercept
        self.net = net.take(self.which)
        self.columns = response_columns(design)
        self.B = np.zeros((loss.n_responses, 0))
        self.diagonal = loss.curvature_at(offset)  # (K, n) at eta
        self.shared = SharedCurvature(self.columns, self.diagonal.sum(axis=0))
        self.last_lam, self.solved = 0.0, (0.0, self.B)  # last lam; lam before, B
        self.damping = 1.0  # last true curvature over the model's
        self.moves = self.cg_steps = 0
        self.refresh()

    @property
    def iterations(self):
        """Return the number of steps so far, plus that of conjugate gradient steps."""
        return self.moves + self.cg_steps

    def add_to_working_set(self, which):
        """Add columns of the design to the working set, with coefficients of zero.

        The index -1 stands for the intercept, which must be added before all other columns.
        """
        self.which = np.concatenate([self.which, which]).astype(np.intc)
        self.net = self.net_of_all.take(self.which)
        self.columns.append(which)
        self.B = np.hstack([self.B, np.zeros((len(self.B), len(which)))])
        self.g = np.hstack([self.g, self.columns.correlate(self.u, self.g.shape[1])])

    def refresh(self):
        """Compute eta, the loss, its gradient and its curvature from the coefficients.

        Renew the shared Hessian, too, if its weights h have changed too much in shape.
        """
        self.eta = self.offset + self.columns.combine(self.B)
        self.value, self.u = self.loss.at(self.eta)
        self.eta_stale = False
        self.g = self.columns.correlate(self.u)
        self.diagonal = self.loss.curvature_at(self.eta)
        fresh, known = self.diagonal.sum(axis=0), self.shared.h
        total = fresh.sum()
        if np.abs(fresh - known * (total / known.sum())).sum() > 0.3 * total > 0:
            self.shared.renew(fresh)

    def scales(self):
        """Return the factor of the shared curvature for each response, (K,)."""
        scales = self.diagonal.sum(axis=1) / self.shared.h.sum()
        return np.maximum(scales, max(ROUNDING * scales.max(), 1e-300))

    # Steps.

    def extrapolate(self, lam):
        """Extrapolate the last two solutions linearly to lam, if this lowers the objective."""
        (before, earlier), self.solved = self.solved, (self.last_lam, self.B)
        last, self.last_lam = self.last_lam, lam
        if not before > last > lam > 0.0:
            return
        change = self.B.copy()
        change[:, : earlier.shape[1]] -= earlier
        change[(self.B == 0.0) & (np.asarray(self.net.l1) != 0.0)] = 0.0
        self._move_to(self._stopped((last - lam) / (before - last) * change, lam), lam, 0.0)

    def _stopped(self, step, lam):
        """Return the end of a step, which stops at limits and where signs would change."""
        target = np.clip(self.B + step, self.net.lower, self.net.upper)
        self.net.stop_at_zero(self.B, target, lam)
        return target

    def model_step(self, lam, fraction):
        """Minimise the model and search along the line to its minimiser.

        Return True if the objective fell. `fraction` of the gap may remain. The
        gap falls more slowly than the gain of a sweep, so the tolerance contains its square.
        """
        model = self._model()
        model.descend(self.net, lam, 40, min(max(LOOSE_MODEL * fraction**2, SOLVED_MODEL),
                                                 LOOSE_MODEL))
        modelled, target = model.step_curvature(), self.centred(model.solution())
        step = target - self.B
        image = self._image(step)
        curvature = np.vdot(image, self.loss.curvature_product(self.eta, image))
        if modelled > 0.0 and not self.shared.scattered:
            self.damping = min(max(self.damping * curvature / modelled, 0.05), 4.0)
        slope = np.vdot(step, self.g) - self.net.value(target, lam) + self.net.value(self.B, lam)
        if slope <= 0.0:
            return False
        length = min(1.0, slope / curvature) if curvature > 0.0 else 1.0
        for _ in range(HALVINGS):
            moved = target if length == 1.0 else self.B + length * step
            if self._move(moved, self.eta + length * image, lam, ARMIJO * length * slope):
                return True
            length *= 0.5
        return False

    def _model(self):
        if self.shared.scattered:
            A, r = self.loss.curvature_parts(self.u)
            kind = SeparateModel if self.loss.symmetric and not self.net.grouped else SparseModel
            return kind(self.columns, -1 in self.which[:1], A, r, self.B, self.g)
        scales = self.damping * self.scales()
        if self.net.grouped:
            scales[:] = scales.max()
        rows, inner = self.shared.rows()
        return DenseModel(rows, inner, self.shared.squares, scales, self.B, self.g)

    def newton_step(self, lam, goal):
        """Take a Newton step on the coefficients at which the penalty is smooth.

        Return True if the objective fell.
        """
        mask, gradient = self.net.smooth_part(self.B, self.g, lam)
        if not mask.any():
            return False
        step, length, count = newton_direction(self, lam, mask, gradient, goal)
        self.cg_steps += count
        if not step.any():
            return False
        for _ in range(HALVINGS):
            target = self._stopped(length * step, lam)
            gain = np.vdot(target - self.B, gradient)
            if self._move_to(target, lam, ARMIJO * max(gain, 0.0)):
                return True
            length *= 0.5
        return False

    def _image(self, step):
        """Return the change of eta, (K, n), that a step of the coefficients makes."""
        moving = np.flatnonzero(step.any(axis=0))
        if 2 * len(moving) > step.shape[1]:  # it does not pay to take columns out
            return self.columns.combine(step)
        return self.columns.some(moving).combine(step.take(moving, axis=1))

    def _move_to(self, target, lam, gain):
        return self._move(target, self.eta + self._image(target - self.B), lam, gain)

    def _move(self, target, eta, lam, gain):
        """Move to the target if the objective falls by at least `gain`, up to rounding.

        Return True if the coefficients moved.
        """
        before, (value, u) = self.objective(lam), self.loss.at(eta)
        rounding = 4e-15 * max(abs(before), abs(value))
        if not value + self.net.value(target, lam) <= before - gain + rounding:
            return False
        # A coefficient's step this long leaves visible rounding in eta.
        self.eta_stale = self.eta_stale or np.abs(target - self.B).max(initial=0.0) > 1e4
        self.B, self.eta, self.value, self.u = target, eta, value, u
        self.g = self.columns.correlate(u)
        self.diagonal = self.loss.curvature_at(eta)
        self.moves += 1
        return True

    # The current point.

    def objective(self, lam):
        """Return F + lam Omega at the current coefficients."""
        return self.value + self.net.value(self.B, lam)

    def gains(self, lam):
        """Return the expected decreases from coefficients that leave zero and from free ones."""
        return self.net.gains(self.B, self.g, lam, self.shared.squares)

    def centred(self, B=None):
        """Return a copy of B, the current coefficients by default.

        If the loss depends only on differences between responses, shift each row to its least
        penalty.
        """
        B = (self.B if B is None else B).copy()
        if self.loss.symmetric:
            centre(B, self.net)
        return B


# Newton directions, by preconditioned conjugate gradients.

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
    along = np.maximum((unit**2 * diagonal).sum(axis=0) + ridge, 1e-30)
    across = np.maximum(diagonal + ridge + curvature, 1e-30)

    def apply(x):
        length = (unit * x).sum(axis=0)
        apart = (x - unit * length) / across
        return apart + unit * (length / along - (unit * apart).sum(axis=0))

    return apply


def newton_direction(d, lam, mask, gradient, goal):
    """Return the direction (K, m) for the columns of a ResponseDescent, its step length, and the
    number of conjugate gradient steps.

    The direction is zero outside the mask. The length is 1; if the direction has no curvature,
    it is the distance to the first coefficient that becomes zero. `goal` is the gap to reach,
    and it sets the accuracy. A gradient of size r that remains shrinks the dual point by about
    r / lam, which adds about r |B|_1 to the gap.
    """
    places = np.flatnonzero(np.logical_or.reduce(mask, axis=0)).astype(np.intc)
    B, mask, gradient = (x.take(places, axis=1) for x in (d.B, mask, gradient))
    l1, l2 = (lam * np.asarray(x)[places] for x in (d.net.l1, d.net.l2))
    scales, squares = d.scales(), d.shared.squares[places]
    unit, curvature = np.zeros_like(B), 0.0  # of coefficients one by one
    if d.net.grouped:
        norms = np.sqrt((B**2).sum(axis=0))
        norms[norms == 0.0] = 1.0
        unit, curvature = B / norms, l1 / norms
    # If a softmax row is in the mask for all responses, F is constant along (1, ..., 1), and
    # the l1 norm is linear. The objective has no curvature there, so `added` adds that of the
    # model along this direction and thereby bounds the step.
    linear = mask.all(axis=0) & (l1 > 0.0) & (l2 == 0.0)
    linear = linear & (d.loss.symmetric and not d.net.grouped)
    penalty, added = (l2 + curvature, unit, curvature), scales.mean() * squares * linear
    diagonal = np.outer(scales, squares)
    if d.shared.scattered:
        diagonal = d.columns.some(places).squares(d.diagonal)
    precondition = by_diagonal(diagonal, unit, l2, curvature)
    product = _product(d, places, mask, penalty, added)
    enough = max(
        _enough(d, gradient, goal) * np.vdot(gradient, precondition(gradient)),
        rounding_floor(mask, scales, squares),
    )
    # After 60 steps a new direction is cheaper.
    found, count, flat = conjugate_gradients(product, precondition, gradient, enough, 60)
    step = np.zeros_like(d.B)
    step[:, places] = found
    return step, _to_the_first_zero(B, found) if flat else 1.0, count


def _enough(d, gradient, goal):
    """Return the relative square of the residual at which conjugate gradients may stop."""
    digits = 0.2 * goal / max(np.abs(d.B[:, d.which >= 0]).sum(), 1e-300)
    most = np.abs(gradient).max()
    # The least relative residual of a direction: for less the quadratic is too far from F.
    return min(max(digits / most if most > digits else 1.0, 1e-3), FORCING) ** 2


def _product(d, places, mask, penalty, added):
    """Return the map D -> (Z'F''(eta)Z + lam Omega'') D on the mask.

    `added` is curvature that is added along (1, ..., 1).
    """
    part = d.columns.some(places)
    ridge, unit, curvature = penalty

    def product(D):
        image = d.loss.curvature_product(d.eta, part.combine(D))
        out = part.correlate(image) + ridge * D
        out += added * D.mean(axis=0)
        if np.ndim(curvature):
            out -= unit * (curvature * (unit * D).sum(axis=0))
        out *= mask
        return out

    return product


def _to_the_first_zero(B, step):
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(step * B < 0.0, -B / step, np.inf)
    return min(lengths.min(initial=np.inf), 1e6)

"""Steps over the working columns of a problem with K responses, each lowering the objective.

    minimise over B (K, m)   F(offset + ZB) + lam Omega(B)

Given: a problem with K responses, working columns Z and lam. Returned: coefficients B with
a lower objective after each step. Invariant: eta = offset + ZB, value = F(eta), u = -F'(eta) and
g = Z'u. `eta_stale` is True if a coefficient has moved so far that rounding may show in these.

Block coordinate descent on a quadratic model (`model`) finds the nonzero coefficients. Newton
steps on these (`direction`) then refine them to high accuracy. For dense columns, the model uses
one Hessian Z'diag(h)Z for all responses (SharedCurvature). It comes from an earlier point and is
rescaled for each response. For columns with few stored values, the model uses the true Hessian.
Reference: Lee, Sun and Saunders 2014 (proximal Newton methods).
"""

from libc.math cimport fabs

import numpy as np

from sparsesolve.linalg.design.response_columns import response_columns
from sparsesolve.linalg.factors.span import Spans
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.penalties.elastic_net_rows import centre
from sparsesolve.solvers import tolerances
from sparsesolve.solvers.responses.direction import newton_direction
from sparsesolve.solvers.responses.model import DenseModel, SeparateModel, SparseModel
from sparsesolve.solvers.quadratic.coefficients cimport FAR_STEP

# A model counts as solved once a sweep gains less than the first fraction of what all its sweeps
# have gained, or where the target is far, less than the second.
SOLVED_MODEL, LOOSE_MODEL = 1e-3, 0.3
# Columns to a sample from which columns are the shorter rows, even if they are multiplied twice.
WIDE = 1.5
cdef double ROUNDING = tolerances.ROUNDING
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
        """Return True if a column is shorter than a row of inner products, up to a factor."""
        return self.columns.dense and self.columns.size > WIDE * len(self.h)

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
        cdef double[::1] h
        cdef const double[::1] known = self.shared.h
        cdef double total = 0.0, before = 0.0, change = 0.0
        cdef Py_ssize_t i
        self.eta = self.offset + self.columns.combine(self.B)
        self.value, self.u = self.loss.at(self.eta)
        self.eta_stale = False
        self.g = self.columns.correlate(self.u)
        self.diagonal = self.loss.curvature_at(self.eta)
        fresh = np.add.reduce(self.diagonal, axis=0)
        h = fresh
        for i in range(h.shape[0]):
            total += h[i]
            before += known[i]
        for i in range(h.shape[0]):
            change += fabs(h[i] - known[i] * (total / before))
        if change > 0.3 * total > 0:
            self.shared.renew(fresh)

    def scales(self):
        """Return the factor of the shared curvature for each response, (K,)."""
        cdef const double[:, ::1] diagonal = self.diagonal
        cdef const double[::1] h = self.shared.h
        cdef double[::1] out = np.zeros(diagonal.shape[0])
        cdef double total = 0.0, most = 0.0
        cdef Py_ssize_t i, k
        for i in range(h.shape[0]):
            total += h[i]
        for k in range(out.shape[0]):
            for i in range(h.shape[0]):
                out[k] += diagonal[k, i] / total
            most = max(most, out[k])
        for k in range(out.shape[0]):
            out[k] = max(out[k], ROUNDING * most, 1e-300)
        return np.asarray(out)

    # Steps.

    def extrapolate(self, double lam):
        """Extrapolate the last two solutions linearly to lam, if this lowers the objective."""
        cdef ElasticNetRows net = self.net
        (before, earlier), self.solved = self.solved, (self.last_lam, self.B)
        last, self.last_lam = self.last_lam, lam
        if not before > last > lam > 0.0:
            return
        target = self.B.copy()
        cdef double[:, ::1] to = target
        cdef const double[:, ::1] old = earlier
        cdef double forward = (last - lam) / (before - last)
        cdef Py_ssize_t j, k
        for k in range(to.shape[0]):
            for j in range(to.shape[1]):
                if to[k, j] != 0.0 or net.l1[j] == 0.0:
                    to[k, j] += forward * (to[k, j] - (old[k, j] if j < old.shape[1] else 0.0))
                    to[k, j] = min(max(to[k, j], net.lower[j]), net.upper[j])
        net.stop_at_zero(self.B, to, lam)
        self._move_to(target, lam, 0.0)

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

    def newton_step(self, double lam, double goal):
        """Take a Newton step on the coefficients at which the penalty is smooth.

        Coefficients that would change sign stop at zero. Return True if the objective fell.
        """
        cdef ElasticNetRows net = self.net
        cdef const double[:, ::1] B = self.B, g, step
        cdef double[:, ::1] to
        cdef double gain, length
        cdef Py_ssize_t j, k
        mask, gradient = net.smooth_part(B, self.g, lam)
        if not mask.any():
            return False
        step, length, count = newton_direction(self, lam, mask, gradient, goal)
        self.cg_steps += count
        if not np.any(step):
            return False
        g = gradient
        for _ in range(HALVINGS):
            target, gain = np.empty_like(gradient), 0.0
            to = target
            for k in range(B.shape[0]):
                for j in range(B.shape[1]):
                    to[k, j] = min(max(B[k, j] + length * step[k, j], net.lower[j]), net.upper[j])
            net.stop_at_zero(B, to, lam)
            for k in range(B.shape[0]):
                for j in range(B.shape[1]):
                    gain += (to[k, j] - B[k, j]) * g[k, j]
            if self._move_to(target, lam, ARMIJO * max(gain, 0.0)):
                return True
            length *= 0.5
        return False

    def _image(self, const double[:, ::1] step):
        """Return the change of eta, (K, n), that a step of the coefficients makes."""
        cdef Py_ssize_t j, k, i, count = 0, n = self.offset.shape[1]
        cdef int[::1] moving = np.empty(step.shape[1], dtype=np.intc)
        cdef const double[:, ::1] rows
        cdef double[:, ::1] image
        for j in range(step.shape[1]):
            for k in range(step.shape[0]):
                if step[k, j] != 0.0:
                    moving[count] = <int> j
                    count += 1
                    break
        # Multiplications up to which loops cost less than calling a matrix product.
        if self.columns.dense and count * step.shape[0] * n <= 100_000:
            out, rows = np.zeros((step.shape[0], n)), self.columns.rows
            image = out
            for i in range(count):
                for k in range(step.shape[0]):
                    axpy(n, step[k, moving[i]], &rows[moving[i], 0], &image[k, 0])
            return out
        if 2 * count > step.shape[1]:  # it does not pay to take columns out
            return self.columns.combine(np.asarray(step))
        places = np.asarray(moving[:count])
        return self.columns.some(places).combine(np.asarray(step).take(places, axis=1))

    def _move_to(self, target, lam, gain):
        return self._move(target, self.eta + self._image(target - self.B), lam, gain)

    def _move(self, target, eta, double lam, double gain):
        """Move to the target if the objective falls by at least `gain`, up to rounding.

        Return True if the coefficients moved.
        """
        cdef ElasticNetRows net = self.net
        cdef double before = self.value + net.value(self.B, lam), value, rounding
        value, u = self.loss.at(eta)
        # rounding
        rounding = 4e-15 * max(fabs(before), fabs(value))
        if not value + net.value(target, lam) <= before - gain + rounding:
            return False
        self.eta_stale = self.eta_stale or np.abs(target - self.B).max(initial=0.0) > FAR_STEP
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

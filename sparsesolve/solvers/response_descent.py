"""Steps over the working columns of a problem with K responses, each of which lowers the objective.

    minimise over B (K, m)   F(offset + ZB) + lam Omega(B)

Invariant: eta = offset + ZB, value = F(eta), u = -F'(eta), g = Z'u.  Block coordinate descent on a model of the
curvature (response_model) finds the coefficients that are not zero; Newton steps on these (response_newton) bring the
digits.  The model takes one Gram matrix Z'diag(h)Z for all responses, kept from an older point, times a scale for each.
"""

import numpy as np

from sparsesolve.penalties.row_shift import centre
from sparsesolve.solvers.response_columns import response_columns
from sparsesolve.solvers.response_model import descend
from sparsesolve.solvers.response_newton import (
    Preconditioner,
    conjugate_gradients,
    rounding_floor,
)

SWEEPS = 40  # of one model
SETTLED = 1e-3  # gain of a sweep over the gains of all, below which the model is solved
STALE = 0.3  # relative distance of the curvature from the Gram matrix's, beyond which it is made anew
ARMIJO = 1e-4
ROUNDING = 4e-15  # of an objective value
HALVINGS = 12
CG_STEPS = 60
SLOW = 20  # of these: the preconditioner is too old
GAINED = 0.5  # of what was left before the last direction: it was worth its single precision
CG_DIGITS = 1e-3  # what to leave of the residual: for less the quadratic is too far from the objective
LOOSE = 0.1  # and for more another step is cheaper


class ResponseDescent:
    """Coefficients, working columns, and the model of the curvature.

    Parameters
    ----------
    design : Design
    net : ElasticNetRows
        Of all features.
    loss : Loss
    offset : (K, n)
    """

    def __init__(self, design, net, loss, offset):
        self.net_of_all, self.loss, self.offset = net, loss, offset
        self.which = np.zeros(0, dtype=np.intc)  # feature of a working column, -1 the intercept
        self.net = net.take(self.which)
        self.columns = response_columns(design)
        self.B = np.zeros((loss.n_responses, 0))
        self.g = np.zeros((loss.n_responses, 0))
        self.iterations = 0
        self.h = self._curvature_shape()
        self.gram = np.zeros((0, 0))
        self.level, self.solved = 0.0, (0.0, self.B)  # the last two lams, and the solution before
        self.slow = False  # whether the last direction took many steps: its preconditioner is too old
        self.single = True  # whether Newton directions are told in single precision: while they gain
        self.left = np.inf  # largest gradient left at the last of them
        self.damping = 1.0  # true curvature over the model's, as last seen
        self.preconditioner = Preconditioner(single=True)
        self.free_preconditioner = Preconditioner()
        self.refresh()

    def _curvature_shape(self):
        at = self.offset if not len(self.which) else self.eta
        self.diagonal = self.loss.curvature_at(at)
        return self.diagonal.sum(axis=0)

    def enter(self, which):
        """Take in columns of the design (-1: the intercept, before all others) at zero."""
        first = len(self.which)
        self.which = np.concatenate([self.which, which]).astype(np.intc)
        self.net = self.net_of_all.take(self.which)
        self.columns.append(which)
        self.B = np.hstack([self.B, np.zeros((len(self.B), len(which)))])
        self.g = self.columns.correlate(self.u)
        block = self.columns.gram(self.h, first)
        gram = np.empty((len(self.which), len(self.which)))
        gram[:first, :first] = self.gram
        gram[:, first:], gram[first:] = block, block.T
        self.gram = gram

    def refresh(self):
        """Everything from the coefficients anew; a stale Gram matrix too."""
        self.eta = self.offset + self.columns.combine(self.B)
        self.value, self.u = self.loss.at(self.eta)
        self.g = self.columns.correlate(self.u)
        h = self._curvature_shape()
        total = self.h.sum()
        if np.abs(h - self.h * (h.sum() / total)).sum() > STALE * h.sum() > 0:
            self.h = h
            self.gram = self.columns.gram(h)
            self.preconditioner.forget()
            self.free_preconditioner.forget()

    # steps

    def carry_on(self, lam):
        """Start from where the last two solutions lead in a straight line, should that lower the objective."""
        self.single, self.left = True, np.inf
        last, self.solved = self.solved, (self.level, self.B)
        before, B = last
        if not before > self.level > lam > 0.0:
            return
        forward = (self.level - lam) / (before - self.level)
        old = np.zeros(self.B.shape)
        old[:, : B.shape[1]] = B
        target = self.B + forward * (self.B - old)
        if self.net.grouped:
            target[:, ((target * self.B).sum(axis=0) <= 0.0) & (np.asarray(self.net.l1) > 0.0)] = 0.0
        else:
            target[(target * self.B <= 0.0) & (np.asarray(self.net.l1) > 0.0)] = 0.0
        target = np.clip(target, self.net.lower, self.net.upper)
        self._move(target, self.eta + self._image(target - self.B), lam, 0.0)

    def model_step(self, lam):
        """Minimise the model and search along the way there; whether the objective fell."""
        scales = self.damping * self.diagonal.sum(axis=1) / self.h.sum()
        if self.net.grouped:
            scales[:] = scales.max()
        target, rest = self.B.copy(), self.g.copy()
        descend(self.gram, scales, target, rest, self.net, lam, SWEEPS, SETTLED)
        modelled = np.vdot(target - self.B, self.g - rest)
        target = self.centred(target)
        step = target - self.B
        image = self._image(step)
        bend = np.vdot(image, self.loss.curvature_product(self.eta, image))
        if modelled > 0.0:
            self.damping = min(max(self.damping * bend / modelled, 0.05), 4.0)
        slope = np.vdot(step, self.g) - (
            self.net.value(target, lam) - self.net.value(self.B, lam)
        )
        if slope <= 0.0:
            return False
        length = min(1.0, slope / bend) if bend > 0.0 else 1.0
        for _ in range(HALVINGS):
            moved = target if length == 1.0 else self.B + length * step
            if self._move(moved, self.eta + length * image, lam, ARMIJO * length * slope):
                return True
            length *= 0.5
        return False

    def newton_step(self, lam, goal):
        """A Newton step on the coefficients at work, up to where they reach zero; whether the objective fell."""
        mask, rest = self.at_work(lam)
        places = np.flatnonzero(mask.any(axis=0))
        if not len(places):
            return False
        mask, rest, B = mask[:, places], rest[:, places], self.B[:, places]
        most = np.abs(rest).max()
        self.single = self.single and most < GAINED * self.left
        self.left = most
        step, flat = self._newton_direction(lam, places, mask, rest, goal)
        l1 = lam * np.asarray(self.net.l1)[places]
        low, high = np.asarray(self.net.lower)[places], np.asarray(self.net.upper)[places]
        length = 1.0
        if flat:
            step, length = self._to_the_first_zero(B, step)
        for _ in range(HALVINGS):
            moved = np.clip(B + length * step, low, high)
            if self.net.grouped:
                moved[:, ((moved * B).sum(axis=0) <= 0.0) & (l1 > 0.0)] = 0.0
            else:
                moved[(moved * B < 0.0) & (l1 > 0.0)] = 0.0
            target = self.B.copy()
            target[:, places] = moved
            gain = max(np.vdot(moved - B, rest), 0.0)
            if self._move(target, self.eta + self._image(target - self.B), lam, ARMIJO * gain):
                return True
            length *= 0.5
        return False

    def _to_the_first_zero(self, B, step):
        with np.errstate(divide="ignore", invalid="ignore"):
            lengths = np.where(step * B < 0.0, -B / step, np.inf)
        return step, min(lengths.min(initial=np.inf), 1e6)

    def _newton_direction(self, lam, places, mask, rest, goal):
        part = self.columns.some(places, self.single)
        l1 = lam * np.asarray(self.net.l1)[places]
        l2 = lam * np.asarray(self.net.l2)[places]
        scales = self.diagonal.sum(axis=1) / self.h.sum()
        unit, bent = None, 0.0
        if self.net.grouped:
            B = self.B[:, places]
            norms = np.sqrt((B**2).sum(axis=0))
            norms[norms == 0.0] = 1.0
            unit, bent = B / norms, l1 / norms
            precondition = self.preconditioner.grouped(self.gram, places, scales, unit, l2, bent, self.slow)
        else:
            precondition = self.preconditioner.separate(self.gram, places, mask, scales, l2)

        # a row at work in all responses moves freely along (1, ..., 1), but for its penalty: bounded as the model is
        level = scales.mean() * self.gram.diagonal()[places] * (
            mask.all(axis=0) & (l1 > 0.0) & (l2 == 0.0) & self.loss.symmetric & (not self.net.grouped)
        )

        kind = np.float32 if self.single else np.float64

        def product(D):
            image = self.loss.curvature_product(self.eta, part.combine(D.astype(kind)))
            out = part.correlate(image.astype(kind)) + (l2 + bent) * D
            out += level * D.mean(axis=0)
            if unit is not None:
                out -= unit * (bent * (unit * D).sum(axis=0))
            out *= mask
            return out

        enough = self._digits(rest, goal) * np.vdot(rest, precondition(rest))
        enough = max(enough, rounding_floor(mask, scales, self.gram.diagonal()[places]))
        step, count, flat = conjugate_gradients(product, precondition, rest, enough, CG_STEPS)
        self.iterations += count
        self.slow = count > SLOW
        return step, flat

    def _digits(self, rest, goal):
        """How far to bring down the square of what is left, relative.

        What is left of one coefficient's gradient shrinks the dual point by its share in lam, and costs the gap that
        share of lam |B|_1; more digits than Newton's own error leaves, about the share squared, are wasted.
        """
        most = np.abs(rest).max()
        if not most > 0.0:
            return 1.0
        wanted = 0.2 * goal / max(np.abs(self.B[:, self.which >= 0]).sum(), 1e-300) / most
        return min(max(wanted, CG_DIGITS), LOOSE) ** 2

    def _image(self, step):
        places = np.flatnonzero(step.any(axis=0))
        return self.columns.some(places).combine(np.ascontiguousarray(step[:, places]))

    def _move(self, target, eta, lam, gain):
        """Go to the target if the objective falls by `gain`, rounding allowed for."""
        before = self.objective(lam)
        value, u = self.loss.at(eta)
        after = value + self.net.value(target, lam)
        if not after <= before - gain + ROUNDING * max(abs(before), abs(value)):
            return False
        self.B, self.eta, self.value, self.u = target, eta, value, u
        self.g = self.columns.correlate(u)
        self.diagonal = self.loss.curvature_at(eta)
        self.iterations += 1
        return True

    def objective(self, lam):
        """F + lam Omega."""
        return self.value + self.net.value(self.B, lam)

    def centred(self, B=None):
        """A copy of B with its rows shifted to where their penalty is least, if the loss does not see that."""
        B = (self.B if B is None else B).copy()
        if self.loss.symmetric:
            centre(B, self.net)
        return B

    # what is left to do

    def at_work(self, lam):
        """The coefficients whose penalty is smooth or absent, and the gradient left there; 0 elsewhere."""
        B, net = self.B, self.net
        l1, l2 = lam * np.asarray(net.l1), lam * np.asarray(net.l2)
        if net.grouped:
            norms = np.sqrt((B**2).sum(axis=0))
            mask = np.broadcast_to((norms > 0.0) | (l1 == 0.0), B.shape)
            mask = mask & (np.asarray(net.upper) > 0.0)
            rest = self.g - (l1 / np.where(norms > 0.0, norms, 1.0) + l2) * B
        else:
            mask = (B != 0.0) | (l1 == 0.0)
            rest = self.g - l1 * np.sign(B) - l2 * B
            mask &= ~((B >= net.upper) & (rest > 0.0)) & ~((B <= net.lower) & (rest < 0.0))
        return mask, np.where(mask, rest, 0.0)

    def astray(self, lam):
        """What the coefficients at zero would gain by leaving it, over what those at work would gain, about."""
        net, diagonal = self.net, np.maximum(self.gram.diagonal(), 1e-300)
        mask, rest = self.at_work(lam)
        l1 = lam * np.asarray(net.l1)
        if net.grouped:
            sizes = np.sqrt((self.g**2).sum(axis=0)) - l1
            sizes[mask[0] | (np.asarray(net.upper) == 0.0)] = 0.0
        else:
            room = np.where(self.g > 0.0, net.upper, -np.asarray(net.lower)) > 0.0
            sizes = np.where(room & (self.B == 0.0) & ~mask, np.abs(self.g) - l1, 0.0)
        outside = (np.maximum(sizes, 0.0) ** 2 / diagonal).sum()
        return outside, (rest**2 / diagonal).sum()

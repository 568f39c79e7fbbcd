"""Newton directions for K responses, on the coefficients at work: those whose penalty is smooth.

    (Z'F''(eta)Z + lam Omega''(B)) D = rest,   D = 0 off the mask

by conjugate gradients with products of the true curvature, in single precision while that gains.
"""

import numpy as np
from scipy.linalg import lapack

from sparsesolve.solvers.response_newton import (
    Preconditioner,
    conjugate_gradients,
    rounding_floor,
)

STEPS = 60
SLOW = 20  # steps that tell that the preconditioner is too old
GAINED = 0.5  # of what was left before the last direction: it was worth its single precision
DIGITS = 1e-3  # what to leave of the residual: for less the quadratic is too far from F
DIRECT = 150  # coefficients up to which their Hessian is factored as it is
SLIGHT = 1e-10  # of a diagonal: enough for directions that the loss does not see
LOOSE = 0.1  # and for more another direction is cheaper


def at_work(net, B, g, lam):
    """The coefficients whose penalty is smooth or absent (K, m), and the gradient left there."""
    l1, l2 = lam * np.asarray(net.l1), lam * np.asarray(net.l2)
    if net.grouped:
        norms = np.sqrt((B**2).sum(axis=0))
        mask = np.broadcast_to((norms > 0.0) | (l1 == 0.0), B.shape)
        mask = mask & (np.asarray(net.upper) > 0.0)
        rest = g - (l1 / np.where(norms > 0.0, norms, 1.0) + l2) * B
    else:
        mask = (B != 0.0) | (l1 == 0.0)
        rest = g - l1 * np.sign(B) - l2 * B
        mask &= ~((B >= net.upper) & (rest > 0.0)) & ~((B <= net.lower) & (rest < 0.0))
    return mask, np.where(mask, rest, 0.0)


def gains(net, B, g, lam, diagonal):
    """About what coefficients would gain by leaving zero, and those at work by moving."""
    mask, rest = at_work(net, B, g, lam)
    diagonal, l1 = np.maximum(diagonal, 1e-300), lam * np.asarray(net.l1)
    if net.grouped:
        sizes = np.sqrt((g**2).sum(axis=0)) - l1
        sizes[mask[0] | (np.asarray(net.upper) == 0.0)] = 0.0
    else:
        room = np.where(g > 0.0, net.upper, -np.asarray(net.lower)) > 0.0
        sizes = np.where(room & (B == 0.0) & ~mask, np.abs(g) - l1, 0.0)
    leaving = (np.maximum(sizes, 0.0) ** 2 / diagonal).sum()
    return leaving, (rest**2 / diagonal).sum()


def clip_at_zero(net, B, moved, l1):
    """Stop, in place, what has passed zero on its way from B: there its penalty has a kink."""
    if net.grouped:
        moved[:, ((moved * B).sum(axis=0) <= 0.0) & (l1 > 0.0)] = 0.0
    else:
        moved[(moved * B < 0.0) & (l1 > 0.0)] = 0.0


class NewtonDirection:
    """What is kept from one direction to the next."""

    def __init__(self):
        self.preconditioner = Preconditioner(single=True)
        self.slow = False  # whether the last one took many steps
        self.steps = 0  # of conjugate gradients, so far
        self.at_new_level()

    def at_new_level(self):
        """Another lam: single precision is worth a try again."""
        self.single, self.left = True, np.inf

    def of(self, d, lam, places, mask, rest, digits):
        """The direction (K, count) for the columns `places` of a ResponseDescent, and its length.

        The length is 1, or where nothing bends along it the way to the first zero.
        """
        most = np.abs(rest).max()
        self.single = self.single and most < GAINED * self.left
        self.left = most
        l1, l2 = (lam * np.asarray(x)[places] for x in (d.net.l1, d.net.l2))
        scales, diagonal = d.scales(), d.shared.squares[places]
        B, unit, bent = d.B[:, places], None, 0.0
        if d.net.grouped:
            norms = np.sqrt((B**2).sum(axis=0))
            norms[norms == 0.0] = 1.0
            unit, bent = B / norms, l1 / norms
        # A row at work in all responses of a softmax moves freely along (1, ..., 1), but for its
        # l1 norm, which is a line there: that direction is bounded as it is in the model.
        loose = mask.all(axis=0) & (l1 > 0.0) & (l2 == 0.0)
        loose = loose & (d.loss.symmetric and not d.net.grouped)
        penalty, level = (l2 + bent, unit, bent), scales.mean() * diagonal * loose
        if np.count_nonzero(mask) <= DIRECT:
            step = _direct(d, places, mask, rest, penalty, level)
            if step is not None:
                self.steps += 1
                return step, 1.0
        if d.net.grouped:
            precondition = self.preconditioner.grouped(
                d.shared.gram, places, scales, unit, l2, bent, self.slow
            )
        else:
            precondition = self.preconditioner.separate(d.shared.gram, places, mask, scales, l2)
        product = _product(d, places, mask, self.single, penalty, level)
        enough = min(max(digits / most if most > digits else 1.0, DIGITS), LOOSE) ** 2
        enough = max(
            enough * np.vdot(rest, precondition(rest)), rounding_floor(mask, scales, diagonal)
        )
        step, count, flat = conjugate_gradients(product, precondition, rest, enough, STEPS)
        self.steps += count
        self.slow = count > SLOW
        return step, _to_the_first_zero(B, step) if flat else 1.0


def _direct(d, places, mask, rest, penalty, level):
    """The direction by a Cholesky factor of the whole Hessian; None where that is singular.

    The losses of K responses are sums over samples: of each, K products give the K x K curvature.
    """
    (ridge, unit, bent), (K, m), part = penalty, mask.shape, d.columns.some(places)
    hessian, every = np.zeros((K, m, K, m)), np.arange(m)
    for k in range(K):
        one = np.zeros_like(d.eta)
        one[k] = 1.0
        curvature = d.loss.curvature_product(d.eta, one)
        for j in range(k, K):
            if j == k or curvature[j].any():
                hessian[k, :, j] = hessian[j, :, k] = part.gram(curvature[j])
    hessian[:, every, :, every] += (level / K)[:, None, None]
    if unit is not None:
        hessian[:, every, :, every] -= np.einsum("j,kj,lj->jkl", bent, unit, unit)
    matrix = hessian.reshape(K * m, K * m)[mask.ravel()][:, mask.ravel()]
    diagonal = matrix.diagonal() + np.broadcast_to(ridge, mask.shape)[mask]
    np.fill_diagonal(matrix, diagonal * (1.0 + SLIGHT))
    _, solution, info = lapack.dposv(matrix, rest[mask], lower=1)
    if info != 0:
        return None
    step = np.zeros_like(rest)
    step[mask] = solution
    return step


def _product(d, places, mask, single, penalty, level):
    """D -> (Z'F''(eta)Z + Omega'') D on the mask; `level` is added along (1, ..., 1)."""
    part = d.columns.some(places, single)
    kind = np.float32 if single else np.float64
    ridge, unit, bent = penalty

    def product(D):
        image = d.loss.curvature_product(d.eta, part.combine(D.astype(kind)))
        out = part.correlate(image.astype(kind)) + ridge * D
        out += level * D.mean(axis=0)
        if unit is not None:
            out -= unit * (bent * (unit * D).sum(axis=0))
        out *= mask
        return out

    return product


def _to_the_first_zero(B, step):
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(step * B < 0.0, -B / step, np.inf)
    return min(lengths.min(initial=np.inf), 1e6)

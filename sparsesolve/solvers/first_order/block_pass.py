"""What a pass computes of the rows of one block, for many points at the same time.

    eta = offset + b0 + Zb,    u = -F'(eta),    H = F''(eta),    v = u - H (d0 + Zd)

Given: the rows of a block, their part of a loss, and points (b0, b), some with a direction (d0,
d). Returned: sums over the rows that no vector of n leaves: F, Z'v, Z'HQ for few columns Q, Z'HZ
for the columns of a model, and Fenchel-Young of F at multiples of v. Invariant: sums of blocks add
up to those of all rows, in the order of merging.

A direction that minimises a quadratic model makes v a dual point, whose products are the model's
slope; at the end of the step it is near -F'. Rows whose v would leave the domain of F* stay at its
end.
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.linalg.design.distributed import rows_of
from sparsesolve.solvers.tolerances import CENTRED


class Ask(NamedTuple):
    """What is asked of one point."""

    point: int  # its row among the coefficients of the pass
    along: int = -1  # the row of its direction; -1: none, and v is u
    end: int = -1  # the row of the point of which v is the dual point; -1: the point itself
    scales: tuple = ()  # multiples of v at which Fenchel-Young is asked
    loose: np.ndarray = ()  # the columns of Q, after a constant if there is an intercept
    which: np.ndarray | None = None  # the columns whose inner products under H are asked


class Sums(NamedTuple):
    """Sums over rows for one Ask."""

    value: float  # F
    square: float  # u'H^-1 u, H not below the floor
    rounding: float  # sum of (what rounding v may hide)^2 / weight
    excess: np.ndarray  # Fenchel-Young at the scales, of the end
    products: np.ndarray  # of v, HQ and, where asked, floored HQ, with a constant and Z; 1 + p
    gram: np.ndarray  # (S, S), or ()


class Common(NamedTuple):
    """What all blocks are asked."""

    b: np.ndarray  # (m, p) points and directions
    c: np.ndarray  # (m,) their constants
    intercept: bool
    floors: tuple  # least H over the weight, where H is 0 and elsewhere
    asks: list


def make_part(kind, arguments, offset):
    """Return the rows of a loss that belong to a block: (loss, weights, offset)."""
    return kind(*arguments), np.asarray(arguments[1]), offset


def pass_over(block, part, read, frame, common):
    """Return the Sums (a list) of one block for every Ask."""
    rows, (loss, w, offset) = rows_of(block, read, frame), part
    images = rows.combinations(common.b) + common.c[:, None]
    held, rest = [], []
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for ask in common.asks:
            more, sums = _of_point(ask, images, loss, w, offset, common.floors)
            Q = rows.unpacked(ask.loose).T if len(ask.loose) else np.zeros((0, len(w)))
            Q = np.concatenate([np.ones((1, len(w))), Q]) if common.intercept else Q
            held.append(np.concatenate([more[0][None], *(h * Q for h in more[1:])]))
            gram = () if ask.which is None else rows.gram(ask.which, more[-1])
            rest.append((sums, np.asarray(gram, dtype=float)))
        V = np.concatenate(held)
        products = np.column_stack([V.sum(axis=1), rows.products(V)])
    cuts = np.cumsum([len(V) for V in held])[:-1]
    return [
        Sums(*sums, part, gram)
        for (sums, gram), part in zip(rest, np.split(products, cuts), strict=True)
    ]


def _of_point(ask, images, loss, w, offset, floors):
    """Return [v, H where v is inside its domain, H above the floors if asked], and sums."""
    eta = offset + images[ask.point]
    value, u = loss.at(eta)
    h = loss.curvature_at(eta)
    v, inside = u, h
    if ask.along >= 0:
        v = u - h * images[ask.along]
        if loss.ends is not None:
            low, high = loss.ends
            inside, v = np.where((v < low) | (v > high), 0.0, h), np.clip(v, low, high)
    end = eta if ask.end < 0 else offset + images[ask.end]
    excess = np.array([loss.fenchel_young_at(end, s * v) for s in ask.scales])
    flat, least = floors
    floored = np.maximum(h, np.where(h > 0.0, least, flat) * w)
    used = w > 0.0
    hidden = 1e-11 * np.abs(v) + CENTRED * h
    square = np.sum(np.square(u)[used] / floored[used])
    rounding = np.sum(np.square(hidden)[used] / w[used])
    more = [v, inside] if ask.which is None else [v, inside, floored]
    return more, (value, square, rounding, excess)


def added(left, right):
    """Return the Sums of two parts of the rows."""
    return [
        Sums(*(a + b for a, b in zip(one, other, strict=True)))
        for one, other in zip(left, right, strict=True)
    ]
